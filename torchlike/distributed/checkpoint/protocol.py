"""Saves and loads by planners, and by writers and readers of others: who is called when, on which rank."""

import inspect
import warnings

from torchlike.autograd.grad_mode import no_grad

_OLD = ("The function definition for SavePlanner.set_up_planner has been updated to include the storage_meta argument. "
        "Please update your implementation to include this parameter.")


def save(state_dict, writer, planner, ranks):
    """A save.

    Args:
        state_dict: the nested dict.
        writer, planner: a StorageWriter and a SavePlanner.
        ranks: the Ranks that save.

    Returns:
        the Metadata of the checkpoint.

    Raises:
        CheckpointException: something failed on one of the ranks.
    """
    is_first, made = ranks.rank == 0, []

    def prepare():
        meta = writer.storage_meta()
        if _takes(planner.set_up_planner, "storage_meta"):
            planner.set_up_planner(state_dict=state_dict, storage_meta=meta, is_coordinator=is_first)
        else:
            warnings.warn(_OLD, stacklevel=2)
            planner.set_up_planner(state_dict, is_first)
        _set_up(writer.set_up_storage_writer, (is_first,), ranks)
        plan = planner.create_local_plan()
        return writer.prepare_local_plan(plan)

    def join(plans):
        plans, metadata = planner.create_global_plan(plans)
        made.append(metadata)
        return writer.prepare_global_plan(plans)

    def write(plan):
        plan = planner.finish_plan(plan)
        return writer.write_data(plan, planner).wait()

    def finish(results):
        writer.finish(made[0], results)
        return made[0]

    with no_grad():
        own = _planned("save", ranks, prepare, join)
        results = ranks.agree("save", lambda: write(own))
        return ranks.agree("save", lambda: finish(results) if is_first else None)[0]


def load(state_dict, reader, planner, ranks) -> None:
    """A load.

    Args:
        state_dict: the nested dict, which is changed.
        reader, planner: a StorageReader and a LoadPlanner.
        ranks: the Ranks that load.

    Raises:
        CheckpointException: something failed on one of the ranks.
    """
    is_first = ranks.rank == 0

    def prepare():
        metadata = reader.read_metadata()
        planner.set_up_planner(state_dict, metadata, is_first)
        _set_up(reader.set_up_storage_reader, (metadata, is_first), ranks)
        plan = planner.create_local_plan()
        return reader.prepare_local_plan(plan)

    def join(plans):
        plans = planner.create_global_plan(plans)
        return reader.prepare_global_plan(plans)

    def read(plan):
        plan = planner.finish_plan(plan)
        reader.read_data(plan, planner).wait()

    with no_grad():
        own = _planned("load", ranks, prepare, join)
        ranks.agree("load", lambda: read(own))


def _planned(what: str, ranks, prepare, join):
    """This rank's plan: each makes one, and the first of them joins all."""
    plans = ranks.agree(what, prepare)
    return ranks.agree(what, lambda: join(plans) if ranks.rank == 0 else None)[0][ranks.rank]


def _takes(function, name: str) -> bool:
    return name in inspect.signature(function).parameters


def _set_up(function, arguments, ranks) -> None:
    more = {"rank": ranks.rank, "use_collectives": True} if _takes(function, "kwargs") else {}
    function(*arguments, **more)
