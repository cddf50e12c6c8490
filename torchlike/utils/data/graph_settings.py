"""Settings of all pipes that a pipe reads from: shares of several processes, random orders and their seeds."""

import inspect
import warnings
from typing import Any

from typing_extensions import deprecated

from torchlike._random.generator import Generator
from torchlike.utils.data.datapipes.iter.sharding import SHARDING_PRIORITIES, _ShardingIterDataPipe
from torchlike.utils.data.graph import DataPipe, DataPipeGraph, traverse_dps
from torchlike.utils.data.sampler import new_seed

__all__ = ["apply_random_seed", "apply_sharding", "apply_shuffle_seed", "apply_shuffle_settings", "get_all_graph_pipes"]

_NO_SHUFFLER = (
    "`shuffle=True` was set, but the datapipe does not contain a `Shuffler`. Adding one at the end. Be aware that the "
    "default buffer size might not be sufficient for your task.")


def get_all_graph_pipes(graph: DataPipeGraph) -> list[DataPipe]:
    """Each pipe of a graph once.

    Args:
        graph: what `traverse_dps` returned.

    Returns: the pipes, a pipe before those that it reads from.
    """
    return _pipes(graph, set())


def _pipes(graph, seen) -> list:
    found = []
    for number, (pipe, below) in graph.items():
        if number not in seen:
            seen.add(number)
            found += [pipe, *_pipes(below, seen)]
    return found


def _has_methods(pipe, *names) -> bool:
    return all(hasattr(pipe, name) and inspect.ismethod(getattr(pipe, name)) for name in names)


def _share_out(graph, count, number, group, above) -> None:
    for pipe, below in graph.values():
        applied = above
        if isinstance(pipe, _ShardingIterDataPipe) or _has_methods(pipe, "apply_sharding"):
            if above is not None:
                raise RuntimeError("Sharding twice on a single pipeline is likely unintended and will cause data loss. "
                                   f"Sharding already applied to {above} while trying to apply to {pipe}")
            share: Any = pipe.apply_sharding
            if len(inspect.signature(share).parameters) < 3:
                share(count, number)
            else:
                share(count, number, sharding_group=group)
            applied = pipe
        _share_out(below, count, number, group, applied)


def apply_sharding(datapipe: DataPipe, num_of_instances: int, instance_id: int,
                   sharding_group=SHARDING_PRIORITIES.DEFAULT) -> DataPipe:
    """Tell the pipes that leave samples out which share this process has.

    Args:
        datapipe: the pipe at the end.
        num_of_instances: how many shares there are.
        instance_id: the number of this one.
        sharding_group: which kind of processes, a `SHARDING_PRIORITIES`.

    Returns: `datapipe`.

    Raises:
        RuntimeError: such a pipe reads from another one.
    """
    _share_out(traverse_dps(datapipe), num_of_instances, instance_id, sharding_group, None)
    return datapipe


def apply_shuffle_settings(datapipe: DataPipe, shuffle: bool | None = None) -> DataPipe:
    """Switch random orders on or off.

    Args:
        datapipe: the pipe at the end.
        shuffle: which; None leaves it.

    Returns: `datapipe`; a `Shuffler` of it where one is wanted and there is none.
    """
    if shuffle is None:
        return datapipe
    shufflers: list[Any] = [pipe for pipe in get_all_graph_pipes(traverse_dps(datapipe))
                            if _has_methods(pipe, "set_shuffle", "set_seed")]
    if not shufflers and shuffle:
        warnings.warn(_NO_SHUFFLER, stacklevel=2)
        datapipe = datapipe.shuffle()
        shufflers = [datapipe]
    for shuffler in shufflers:
        shuffler.set_shuffle(shuffle)
    return datapipe


@deprecated("`apply_shuffle_seed` is deprecated since 1.12 and will be removed in the future releases. "
            "Please use `apply_random_seed` instead.", category=FutureWarning)
def apply_shuffle_seed(datapipe: DataPipe, rng: Any) -> DataPipe:
    """`apply_random_seed`, an older name.

    Args: as for `apply_random_seed`.

    Returns: `datapipe`.
    """
    return apply_random_seed(datapipe, rng)


def apply_random_seed(datapipe: DataPipe, rng: Generator | None) -> DataPipe:
    """Give each pipe that has `set_seed` a seed.

    Args:
        datapipe: the pipe at the end.
        rng: where the seeds are drawn from; None means the default generator.

    Returns: `datapipe`.
    """
    for pipe in get_all_graph_pipes(traverse_dps(datapipe)):
        if _has_methods(pipe, "set_seed"):
            pipe.set_seed(new_seed(rng))
    return datapipe
