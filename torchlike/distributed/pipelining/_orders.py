"""What each rank of a pipeline computes, in which order: a list of actions a rank, without the messages in between.

All schedules are made by one rule. A rank has a list of forward passes and one of backward passes. It runs some forward
passes to warm up, then by turns one of each, then the backward passes that are left. What a schedule is lies in the order of
the two lists and in how long the warm-up is: GPipe's is all of them, 1F1B's as short as the place of the stage allows.
Zero-bubble schedules compute the gradients of weights apart, some passes later.

`timeline` puts the actions of all ranks into slots of time, each as early as what it needs is there; the empty slots are the
bubble.
"""

import collections
import re
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple


class _ComputationType(str, Enum):  # noqa: UP042 - as in PyTorch, whose text differs from a StrEnum's
    """What an action does; the members' values are PyTorch's letters."""

    FORWARD = "F"
    BACKWARD_INPUT = "I"
    BACKWARD_WEIGHT = "W"
    UNSHARD = "UNSHARD"
    RESHARD = "RESHARD"
    SEND_F = "SEND_F"
    RECV_F = "RECV_F"
    SEND_B = "SEND_B"
    RECV_B = "RECV_B"
    FULL_BACKWARD = "B"
    OVERLAP_F_B = "OVERLAP_F_B"
    REDUCE_GRAD = "REDUCE_GRAD"

    @staticmethod
    def from_str(action: str) -> "_ComputationType":
        """The member of a value.

        Args:
            action: PyTorch's letters.

        Returns:
            the member.

        Raises:
            RuntimeError: there is none.
        """
        try:
            return _ComputationType(action)
        except ValueError as error:
            raise RuntimeError(f"Invalid computation type {action}") from error


F, B = _ComputationType.FORWARD, _ComputationType.FULL_BACKWARD
I, W = _ComputationType.BACKWARD_INPUT, _ComputationType.BACKWARD_WEIGHT  # noqa: E741 - PyTorch's letters
_OVERLAP = _ComputationType.OVERLAP_F_B
_ACTION = re.compile(r"(\d+)(F|I|B|W|UNSHARD|RESHARD|REDUCE_GRAD|SEND_F|RECV_F|SEND_B|RECV_B)(\d*)")


class _Action(NamedTuple):
    """One pass of one stage with one microbatch, or (``sub_actions``) several that are one step of a schedule."""

    stage_index: int
    computation_type: _ComputationType
    microbatch_index: int | None = None
    sub_actions: tuple["_Action", ...] | None = None

    def __repr__(self) -> str:
        if self.sub_actions is not None:
            return f"({';'.join(map(repr, self.sub_actions))}){self.computation_type.value}"
        number = "" if self.microbatch_index is None else self.microbatch_index
        return f"{self.stage_index}{self.computation_type.value}{number}"

    __str__ = __repr__

    @property
    def is_compute_op(self) -> bool:
        """Whether it computes, and is no message."""
        return self.computation_type in (F, B, I, W, _OVERLAP)

    @staticmethod
    def from_str(action_string: str):
        """The action of a text.

        Args:
            action_string: what `repr` gives.

        Returns:
            the action; None of an empty text.

        Raises:
            RuntimeError: it is none.
        """
        text = action_string.strip()
        if not text:
            return None
        if text.startswith("(") and ")" in text:
            inside, _, kind = text[1:].partition(")")
            parts = [_Action.from_str(part) for part in inside.split(";")]
            found = tuple(part for part in parts if part is not None)
            return _Action(-1, _ComputationType.from_str(kind), None, found or None)
        match = _ACTION.match(text)
        if match is None:
            raise RuntimeError(f"Invalid action string: {text}, should be formatted as [stage][action type][(microbatch)] "
                               "e.g. 2F0")
        stage, kind, number = match.groups()
        return _Action(int(stage), _ComputationType.from_str(kind), int(number) if number else None)


Order = list[_Action]


def _woven(forwards: Iterable, backwards: Iterable, warmup: int, weights_after: int | None = None) -> Order:
    """`warmup` forward passes, then by turns one forward and one backward pass, then the backward passes that are left.

    Args:
        forwards, backwards: (stage, microbatch) pairs.
        warmup: how many.
        weights_after: None for backward passes as a whole; else how many passes later than that of the inputs the gradients
            of weights begin.

    Returns:
        the actions.
    """
    ahead, back = [_Action(s, F, m) for s, m in forwards], list(backwards)
    made = ahead[:warmup]
    for i, (stage, microbatch) in enumerate(back):
        made += ahead[warmup + i:warmup + i + 1]
        made.append(_Action(stage, B if weights_after is None else I, microbatch))
        if weights_after is not None and i >= weights_after:
            made.append(_Action(back[i - weights_after][0], W, back[i - weights_after][1]))
    if weights_after is not None:
        made += [_Action(stage, W, microbatch) for stage, microbatch in back[max(0, len(back) - weights_after):]]
    return made


def gpipe(rank: int, microbatches: int) -> Order:
    """All forward passes, then all backward passes. https://arxiv.org/abs/1811.06965

    Args:
        rank: the rank, which is the stage.
        microbatches: how many.

    Returns:
        the rank's actions.
    """
    passes = [(rank, m) for m in range(microbatches)]
    return _woven(passes, passes, microbatches)


def one_forward_one_backward(rank: int, ranks: int, microbatches: int) -> Order:
    """A backward pass as soon as there can be one: PipeDream-Flush. https://arxiv.org/abs/2006.09503

    Args:
        rank: the rank, which is the stage.
        ranks: how many there are.
        microbatches: how many.

    Returns:
        the rank's actions.
    """
    passes = [(rank, m) for m in range(microbatches)]
    return _woven(passes, passes, ranks - 1 - rank)


def looped_bfs(rank: int, ranks: int, local: int, microbatches: int) -> Order:
    """Several stages a rank, each with all microbatches at once, and back the way it came. https://arxiv.org/abs/2211.05953

    Args:
        rank, ranks: the rank and how many there are.
        local: how many stages a rank has.
        microbatches: how many.

    Returns:
        the rank's actions.
    """
    forwards = [(c * ranks + rank, m) for c in range(local) for m in range(microbatches)]
    return _woven(forwards, forwards[::-1], len(forwards))


def interleaved(rank: int, ranks: int, local: int, microbatches: int, is_zero_bubble: bool = False) -> Order:
    """Several stages a rank, and 1F1B: microbatches go in rounds through all stages of a rank. https://arxiv.org/abs/2104.04473,
    and where the gradients of weights fill the bubble https://arxiv.org/abs/2401.10241

    Args:
        rank, ranks: the rank and how many there are.
        local: how many stages a rank has.
        microbatches: how many.
        is_zero_bubble: whether gradients of weights are computed apart.

    Returns:
        the rank's actions.
    """
    rounds = max(1, microbatches // ranks)
    length = microbatches // rounds

    def passes(chunks):
        return [(c * ranks + rank, r * length + m) for r in range(rounds) for c in chunks for m in range(length)]

    distance = (ranks - 1 - rank) * (1 if is_zero_bubble else 2)
    warmup = min((local - 1) * length + distance, microbatches * local)
    return _woven(passes(range(local)), passes(range(local)[::-1]), warmup, rank if is_zero_bubble else None)


# -- two stages a rank, in the form of a V: microbatches go down the ranks and up again

class _Numbering:
    """A list of actions that is written down stage by stage: the microbatches of a stage come in order."""

    def __init__(self):
        self.actions: Order = []
        self._numbers: collections.Counter = collections.Counter()

    def taken(self, stage: int, kind: _ComputationType) -> _Action:
        """The next action of a kind; a backward pass as a whole is one of the inputs and one of the weights."""
        counted = (I, W) if kind is B else (kind,)
        number = self._numbers[stage, counted[0]]
        self._numbers.update((stage, each) for each in counted)
        return _Action(stage, kind, number)

    def add(self, *steps: tuple[int, _ComputationType]) -> None:
        """Add the next actions of these stages and kinds."""
        self.actions += [self.taken(*step) for step in steps]


def zero_bubble_v(rank: int, ranks: int, microbatches: int) -> Order:
    """Two stages a rank, with a warm-up after which no slot is empty if all passes take as long: ZB-V, section 6 of
    https://arxiv.org/abs/2401.10241

    Args:
        rank, ranks: the rank and how many there are.
        microbatches: how many.

    Returns:
        the rank's actions.
    """
    down, up, line = rank, 2 * ranks - 1 - rank, _Numbering()
    length = max(2 * ranks - 1, microbatches)  # as many as fill the pipeline; those that there are not are left out
    line.add(*[(down, F)] * (2 * (ranks - rank) - 1), *[(up, F), (down, F)] * rank)
    line.add(*[(up, F), (up, I), (up, W)] * (ranks - rank))
    for i in range(length - ranks):
        line.add(*[(down, F)] * (i < length - 2 * ranks + 1 + rank), (down, I), (down, W), (up, F), (up, I), (up, W))
    line.add(*[(down, I), (up, I)] * rank, *[(down, I), (down, W)] * (ranks - rank))
    line.add(*[(up, W)] * rank, *[(down, W)] * rank)
    return [action for action in line.actions if action.microbatch_index is not None
            and action.microbatch_index < microbatches]


def dual_pipe_v(rank: int, ranks: int, microbatches: int) -> Order:
    """Two stages a rank, each of which runs forward while the other one runs backward: DualPipe, folded to a V.
    https://arxiv.org/abs/2412.19437

    Args:
        rank, ranks: the rank and how many there are.
        microbatches: how many, not fewer than stages.

    Returns:
        the rank's actions; a forward and a backward pass that belong together are one.
    """
    down, up, line, late = rank, 2 * ranks - 1 - rank, _Numbering(), collections.deque()

    def add_both(forward, backward):
        line.actions.append(_Action(-1, _OVERLAP, None, (line.taken(forward, F), line.taken(backward, B))))

    def add_back(stage, is_split):
        line.add((stage, I if is_split else B))
        late.extend([stage] * is_split)

    def add_weights():
        if late:
            line.add((late.popleft(), W))

    rest, own = ranks - rank - 1, rank + 1
    line.add(*[(down, F)] * (2 * rest), *[(down, F), (up, F)] * own)
    for _ in range(rest):
        line.add((up, I), (up, W), (up, F))
    for i in range(microbatches - 2 * ranks + own):
        if i == 0 and not rest:  # apart: so the bubble is shorter
            line.add((down, F), (up, B))
        else:
            add_both(down, up)
        add_both(up, down)
    for _ in range(rest):
        line.add((up, B))
        add_both(up, down)
    split_from = own - own % 2 if rank % 2 else own // 2 * 2 + 1  # of the last 2 * own backward passes
    for i in range(2 * own):
        add_back(down if i % 2 else up, i >= split_from)
    for _ in range(rest):
        add_weights()
        add_back(down, True)
    for _ in range(own):
        add_weights()
    return line.actions


# -- slots of time

def parts(action: _Action) -> tuple[_Action, ...]:
    """What an action consists of: itself, or its sub-actions."""
    return action.sub_actions if action.sub_actions is not None else (action,)


def needs(action: _Action, stages: int) -> list[tuple]:
    """What must have been done before an action: (stage, microbatch, its kinds, of which one is enough)."""
    stage, kind, microbatch, _ = action
    if kind is F:
        return [(stage - 1, microbatch, (F,))] if stage else []
    if kind is W:
        return [(stage, microbatch, (I,))]
    after = [(stage + 1, microbatch, (B, I))] if stage < stages - 1 else []
    return [(stage, microbatch, (F,)), *after]


def timeline(orders: dict[int, Order], stages: int) -> dict[int, list[_Action | None]]:
    """The actions of all ranks in slots of time, all of one length, each as early as possible.

    Args:
        orders: the actions of each rank, in order.
        stages: how many there are.

    Returns:
        of each rank the action of each slot, or None; up to its last action.

    Raises:
        AssertionError: an order that cannot be run: what an action needs comes after it.
    """
    waiting = {rank: list(order) for rank, order in orders.items()}
    slots: dict[int, list] = {rank: [] for rank in orders}
    done: set[_Action] = set()
    while any(waiting.values()):
        ready = [rank for rank, order in waiting.items() if order and _is_ready(order[0], done, stages)]
        if not ready:
            heads = {rank: order[0] for rank, order in waiting.items() if order}
            raise AssertionError(f"these actions wait for one another: {heads}")
        for rank, order in waiting.items():
            if order:
                slots[rank].append(order.pop(0) if rank in ready else None)
        done.update(part for rank in ready for part in parts(slots[rank][-1]))
    return slots


def _is_ready(action: _Action, done: set, stages: int) -> bool:
    own = parts(action)
    return all(any(_Action(stage, kind, microbatch) in done or _Action(stage, kind, microbatch) in own for kind in kinds)
               for part in own for stage, microbatch, kinds in needs(part, stages))
