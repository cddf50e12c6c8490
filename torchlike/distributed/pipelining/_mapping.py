"""Which rank has which stages, and whether orders of actions that come from elsewhere can be run."""

from torchlike.distributed.pipelining._orders import B, F, I, W, _Action, parts

_KINDS = {B: "Full Backward", I: "Backward Input", W: "Backward Weight"}


def generate_stage_to_rank_mapping(pp_size: int, num_stages: int, style: str = "loop") -> dict[int, int]:
    """The rank of each stage.

    Args:
        pp_size: how many ranks.
        num_stages: how many stages.
        style: "loop" begins with the first rank again, "v" goes back from the last.

    Returns:
        stage -> rank.

    Raises:
        ValueError: another style; for "v" a number of stages that is no multiple of that of ranks.
    """
    if style == "loop":
        return {stage: stage % pp_size for stage in range(num_stages)}
    if style != "v":
        raise ValueError(f"Style {style} is not supported.")
    if num_stages % pp_size != 0:
        raise ValueError(f"num_stages {num_stages} must be evenly divisible by pp_size {pp_size} for V schedules")
    around = [*range(pp_size), *reversed(range(pp_size))]
    return {stage: around[stage % len(around)] for stage in range(num_stages)}


def generate_rank_to_stage_mapping(pp_size: int, num_stages: int, style: str = "loop") -> dict[int, list[int]]:
    """The stages of each rank.

    Args:
        pp_size, num_stages, style: as for `generate_stage_to_rank_mapping`.

    Returns:
        rank -> stages, in order.

    Raises:
        as `generate_stage_to_rank_mapping`.
    """
    found: dict[int, list[int]] = {}
    for stage, rank in generate_stage_to_rank_mapping(pp_size, num_stages, style).items():
        found.setdefault(rank, []).append(stage)
    return found


def checked_places(orders: dict[int, list], ranks: int, stages: int, microbatches: int) -> dict[int, int]:
    """The rank of each stage, by the actions of each rank.

    Args:
        orders: the actions.
        ranks, stages, microbatches: how many there are.

    Returns:
        stage -> rank.

    Raises:
        AssertionError: actions are missing, or come before those that they need; a stage is on two ranks.
    """
    if len(orders) != ranks:
        raise AssertionError(f"Schedule has incorrect number of ranks - expected {ranks}, actual {len(orders)}")
    done: dict[tuple, set] = {(stage, kind): set() for stage in range(stages) for kind in (F, B, I, W)}
    places: dict[int, int] = {}
    for rank, order in orders.items():
        for step, action in enumerate(order):
            for part in parts(action) if action is not None and action.is_compute_op else ():
                _note(part, rank, step, done, places)
    for stage in range(stages):
        counts = {kind: len(done[stage, kind]) for kind in (F, B, I, W)}
        if counts[F] != microbatches:
            raise AssertionError(f"Got {counts[F]} {F} microbatches for stage {stage}, expected {microbatches}")
        if counts[I] != counts[W]:
            raise AssertionError(f"Invalid backward microbatches for stage {stage}: I and W must have equal counts, but got "
                                 f"I={counts[I]}, W={counts[W]}")
        if counts[B] + counts[I] != microbatches:
            raise AssertionError(f"Invalid backward microbatches for stage {stage}: expected {microbatches} total "
                                 f"backwards, but got B={counts[B]}, I={counts[I]}, W={counts[W]}")
    return places


def _note(action: _Action, rank, step, done, places) -> None:
    stage, kind, microbatch, _ = action
    before = I if kind is W else F
    if kind is not F and microbatch not in done[stage, before]:
        raise AssertionError(f"Rank {rank}, step {step}: Running {_KINDS[kind]} for stage {stage}, microbatch {microbatch} "
                             f"without first running {'Backward Input' if kind is W else 'Forward'}")
    done[stage, kind].add(microbatch)
    if places.setdefault(stage, rank) != rank:
        raise AssertionError(f"Rank {rank}, step {step}: Stage {stage} is assigned to both rank {rank} and rank "
                             f"{places[stage]}")
