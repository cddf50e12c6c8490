"""What a worker process of a DataLoader knows about itself."""

import dataclasses
from collections.abc import Callable
from typing import Any


@dataclasses.dataclass(frozen=True, slots=True)
class WorkerInfo:
    """What a worker process knows about itself.
    https://pytorch.org/docs/stable/data.html#torch.utils.data.get_worker_info

    Args:
        id: its number.
        num_workers: how many there are.
        seed: its seed.
        dataset: its copy of the data set.
        rng: its random state, if any.
        worker_method: how it runs.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: str | None = "multiprocessing"


class _Process:
    """What this process is: ``info`` is the worker's, None in the main process."""

    info: "WorkerInfo | None" = None
    _other: Callable = staticmethod(lambda: None)

    def ask_too(self, other: Callable) -> None:
        """Let `other` tell, too, what this process is."""
        self._other = other

    def told(self):
        """The `WorkerInfo` of this process, or None."""
        return self._other() if self.info is None else self.info


process = _Process()


def get_worker_info():
    """The `WorkerInfo` of this process; None outside of workers.
    https://pytorch.org/docs/stable/data.html#torch.utils.data.get_worker_info
    """
    return process.told()
