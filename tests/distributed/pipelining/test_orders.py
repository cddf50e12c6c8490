"""The order of actions of each schedule is PyTorch's, can be run, and leaves the bubble that theory tells."""

import fractions
import itertools
import types

import pytest
from torch.distributed.pipelining import _utils, schedules

from torchlike.distributed.pipelining import _mapping, _orders
from torchlike.distributed.pipelining._orders import B, F, I, W, _Action

SIZES = [*itertools.product((1, 2, 3, 4, 6), (1, 2, 3, 4, 5, 7, 8, 12, 13))]
# schedule -> (the places of a rank's stages among `ranks`, our order of one rank)
MULTI = {
    "LoopedBFS": ("loop", _orders.looped_bfs),
    "Interleaved1F1B": ("loop", _orders.interleaved),
    "InterleavedZeroBubble": ("loop", lambda *sizes: _orders.interleaved(*sizes, is_zero_bubble=True)),
    "ZBVZeroBubble": ("v", lambda rank, ranks, local, count: _orders.zero_bubble_v(rank, ranks, count)),
    "DualPipeV": ("v", lambda rank, ranks, local, count: _orders.dual_pipe_v(rank, ranks, count)),
}


def stages_of(ranks, local):
    """What PyTorch's constructors ask of the stages of rank 0."""
    count = ranks * local
    return [types.SimpleNamespace(stage_index=i, num_stages=count, group_size=ranks, group_rank=0, is_first=i == 0,
                                  is_last=i == count - 1, submod=None, has_backward=True) for i in range(0, count, ranks)]


def texts(actions):
    """Actions as text, without empty slots and messages."""
    return [str(action) for action in actions if action is not None and action.is_compute_op]


def orders_of(name, ranks, local, count):
    return {rank: MULTI[name][1](rank, ranks, local, count) for rank in range(ranks)}


@pytest.mark.parametrize("name", MULTI)
def test_orders_are_torchs(name):
    cls, compared = schedules.get_schedule_class(name), 0
    for (ranks, count), local in itertools.product(SIZES, (2,) if MULTI[name][0] == "v" else (1, 2, 3)):
        try:
            theirs = cls(stages_of(ranks, local), count).pipeline_order
        except ValueError:  # a number of microbatches that it does not take
            continue
        ours = orders_of(name, ranks, local, count)
        assert {rank: texts(order) for rank, order in ours.items()} == {
            rank: texts(order) for rank, order in theirs.items()}, (ranks, count, local)
        compared += 1
    assert compared > 20


def test_orders_of_one_stage_a_rank_are_torchs():
    for ranks, count in SIZES:
        stage, = stages_of(ranks, 1)[:1]
        theirs = schedules.ScheduleGPipe(stage, count).pipeline_order
        assert theirs is not None
        assert {rank: texts(_orders.gpipe(rank, count)) for rank in range(ranks)} == {
            rank: texts(order) for rank, order in theirs.items()}
        if count < ranks:
            continue
        theirs = schedules.Schedule1F1B(stage, count).pipeline_order
        assert theirs is not None
        for rank in range(ranks - 1):  # PyTorch's of the last rank numbers its forward passes from 1: its step runs others
            assert texts(_orders.one_forward_one_backward(rank, ranks, count)) == texts(theirs[rank])
        last = _orders.one_forward_one_backward(ranks - 1, ranks, count)
        assert texts(last) == [f"{ranks - 1}{kind}{m}" for m in range(count) for kind in "FB"]


def bubble(orders, stages) -> fractions.Fraction:
    """The share of empty slots, of all slots until the last rank has ended."""
    slots = _orders.timeline(orders, stages)
    length = max(map(len, slots.values()))
    used = sum(action is not None for actions in slots.values() for action in actions)
    return fractions.Fraction(length * len(slots) - used, length * len(slots))


def theory(ranks, count, local=1):
    """(p - 1) / (m v + p - 1) of slots, for v stages a rank: v times less of the time that the passes take."""
    return fractions.Fraction(ranks - 1, count * local + ranks - 1)


@pytest.mark.parametrize(("ranks", "count"), [(2, 4), (2, 6), (4, 4), (4, 8), (4, 16), (6, 12)])
def test_bubble_is_that_of_theory(ranks, count):
    gpipe = {rank: _orders.gpipe(rank, count) for rank in range(ranks)}
    one = {rank: _orders.one_forward_one_backward(rank, ranks, count) for rank in range(ranks)}
    assert bubble(gpipe, ranks) == bubble(one, ranks) == theory(ranks, count)
    for local in (1, 2, 3):
        stages = ranks * local
        assert bubble(orders_of("LoopedBFS", ranks, local, count), stages) == theory(ranks, count, local)
        assert bubble(orders_of("Interleaved1F1B", ranks, local, count), stages) == theory(ranks, count, local)
    # F, I and W as three slots of one length: a 1F1B whose backward passes take two would have 3 (p - 1) empty ones.
    zero = bubble(orders_of("InterleavedZeroBubble", ranks, 2, count), 2 * ranks)
    assert zero < fractions.Fraction(3 * (ranks - 1), 6 * count + 3 * (ranks - 1))
    if count >= 2 * ranks - 1:
        length = 6 * count + ranks - 1  # each rank works without a pause from its first action to its last
        assert bubble(orders_of("ZBVZeroBubble", ranks, 2, count), 2 * ranks) == fractions.Fraction(ranks - 1, length)


def test_a_pause_is_seen():
    one = {rank: _orders.one_forward_one_backward(rank, 3, 6) for rank in range(3)}
    one[1] = [*one[1][:4], one[1][5], one[1][4], *one[1][6:]]  # a backward pass later than it could be
    assert bubble(one, 3) > theory(3, 6)


def kept(order) -> int:
    """How many microbatches a rank keeps at most."""
    most = now = 0
    for action in order:
        now += {F: 1, B: -1, W: -1, I: 0}[action.computation_type]
        most = max(most, now)
    return most


def test_what_a_rank_keeps():
    for ranks, count in ((2, 8), (4, 8), (6, 6)):
        for rank in range(ranks):
            assert kept(_orders.gpipe(rank, count)) == count
            assert kept(_orders.one_forward_one_backward(rank, ranks, count)) == ranks - rank
            assert kept(_orders.looped_bfs(rank, ranks, 2, count)) == 2 * count


def test_an_order_that_cannot_be_run_is_seen():
    orders = {0: [_Action(0, B, 0), _Action(0, F, 0)], 1: [_Action(1, F, 0), _Action(1, B, 0)]}
    with pytest.raises(AssertionError, match="wait for one another"):
        _orders.timeline(orders, 2)


@pytest.mark.parametrize("text", ["0F1", "12B3", "3I0", "4W11", "1SEND_F2", "2RECV_B0", "5UNSHARD", "7REDUCE_GRAD", "",
                                  " 1F2 ", "(0F1;3B2)OVERLAP_F_B", "x", "F", "1Q2", "(1F1)ODD"])
def test_actions_are_torchs(text):
    def of(action):
        try:
            found = action.from_str(text)
        except RuntimeError as error:
            return str(error)
        return repr(found), found and (str(found), found.stage_index, found.microbatch_index, found.is_compute_op)
    assert of(_Action) == of(schedules._Action)


@pytest.mark.parametrize(("ranks", "stages", "style"), [(2, 4, "loop"), (3, 6, "v"), (2, 8, "v"), (3, 5, "loop"),
                                                       (3, 5, "v"), (2, 2, "odd")])
def test_places_are_torchs(ranks, stages, style):
    def of(module):
        try:
            return (module.generate_stage_to_rank_mapping(ranks, stages, style),
                    module.generate_rank_to_stage_mapping(ranks, stages, style))
        except ValueError as error:
            return str(error)
    assert of(_mapping) == of(_utils)


PLANTED = {
    "backward first": {0: "0B0 0F0", 1: "1F0 1B0"},
    "weights first": {0: "0F0 0W0 0I0", 1: "1F0 1B0"},
    "input without forward": {0: "0I0 0F0 0W0", 1: "1F0 1B0"},
    "a rank too few": {0: "0F0 0B0 1F0 1B0"},
    "on two ranks": {0: "0F0 0B0", 1: "1F0 0B0"},
    "no forward": {0: "0F0 0B0", 1: ""},
    "no backward": {0: "0F0", 1: "1F0 1B0"},
    "no weights": {0: "0F0 0I0", 1: "1F0 1B0"},
    "right": {0: "0F0 0I0 0W0", 1: "1F0 1B0"},
    "both at once": {0: "0F0 0B0", 1: "(1F0;1B0)OVERLAP_F_B"},
}


@pytest.mark.parametrize("case", PLANTED)
def test_wrong_orders_are_refused_as_in_torch(case):
    def of(action, check):
        orders = {rank: [action.from_str(text) for text in row.split()] for rank, row in PLANTED[case].items()}
        try:
            return check(orders, 2, 2, 1)
        except AssertionError as error:
            return " ".join(str(error).partition("\n\nFull")[0].split())
    assert of(_Action, _mapping.checked_places) == of(schedules._Action, schedules._validate_schedule)
