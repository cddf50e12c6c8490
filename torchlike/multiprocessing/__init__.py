"""`torch.multiprocessing`: Python's `multiprocessing` under PyTorch's name, and `spawn`.
https://pytorch.org/docs/stable/multiprocessing.html

A tensor goes through a queue or pipe by value: memory is not shared between processes, so what one writes another does not
see. Strategies of sharing can be chosen, without effect. How a forked process computes is told in
`_compile/executors/forked.py`.

`spawn.py` starts processes and passes their errors on. Programs import this package, nothing inside torchlike does.
"""

import multiprocessing
from multiprocessing import *  # noqa: F403 - the same names

from torchlike.multiprocessing import reductions as reductions
from torchlike.multiprocessing.spawn import ProcessContext as ProcessContext
from torchlike.multiprocessing.spawn import ProcessExitedException as ProcessExitedException
from torchlike.multiprocessing.spawn import ProcessRaisedException as ProcessRaisedException
from torchlike.multiprocessing.spawn import SpawnContext as SpawnContext
from torchlike.multiprocessing.spawn import spawn as spawn
from torchlike.multiprocessing.spawn import start_processes as start_processes

__all__ = ["get_all_sharing_strategies", "get_sharing_strategy", "set_sharing_strategy"]
__all__ += multiprocessing.__all__
_STRATEGIES = {"file_descriptor", "file_system"}


class _Choice:
    """The strategy that `set_sharing_strategy` has set."""

    strategy = "file_descriptor"


def set_sharing_strategy(new_strategy: str) -> None:
    """Sets how memory would be shared, which it is not.
    https://pytorch.org/docs/stable/multiprocessing.html#torch.multiprocessing.set_sharing_strategy

    Args:
        new_strategy: "file_descriptor" or "file_system".

    Raises:
        AssertionError: it is neither.
    """
    if new_strategy not in _STRATEGIES:
        raise AssertionError(f"Strategy {new_strategy} not in supported strategies {_STRATEGIES}")
    _Choice.strategy = new_strategy


def get_sharing_strategy() -> str:
    """What `set_sharing_strategy` has set.
    https://pytorch.org/docs/stable/multiprocessing.html#torch.multiprocessing.get_sharing_strategy
    """
    return _Choice.strategy


def get_all_sharing_strategies() -> set[str]:
    """The names of the strategies.
    https://pytorch.org/docs/stable/multiprocessing.html#torch.multiprocessing.get_all_sharing_strategies
    """
    return set(_STRATEGIES)
