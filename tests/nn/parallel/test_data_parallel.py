"""`torch.nn.parallel`: structures and errors as in PyTorch; what GPUs do is tried on the meta device."""

import collections

import pytest
import torch
import torch.nn.parallel.scatter_gather as their_parts

import torchlike
import torchlike.nn.parallel.scatter_gather as our_parts

BOTH = ((torch, their_parts), (torchlike, our_parts))
Pair = collections.namedtuple("Pair", "left right")
PROGRAMS = [
    lambda t, s: s.scatter([1, "a", (2, {"b": 3}), None, [], ()], [0, 1]),
    lambda t, s: s.scatter(Pair(1, (2, 3)), [0, 1, 2]),
    lambda t, s: s.scatter({}, [0, 1]),
    lambda t, s: s.scatter(t.ones(2), ["cpu"]),
    lambda t, s: s.scatter(t.ones(2), [t.device("cpu"), t.device("cpu")]),
    lambda t, s: s.scatter_kwargs((1,), {"a": 2}, [0, 1]),
    lambda t, s: s.scatter_kwargs((), {"a": 2}, [0, 1]),
    lambda t, s: s.scatter_kwargs((1, 2), None, [0, 1]),
    lambda t, s: s.scatter_kwargs((), {}, [0, 1]),
    lambda t, s: s.gather([t.ones(2), t.ones(2)], "cpu"),
    lambda t, s: s.gather([{"a": t.ones(2)}, {}], "cpu"),
    lambda t, s: s.gather([(t.ones(2),)], 0),
    lambda t, s: s.gather([None, None], 0),
    lambda t, s: s.gather([{"a": None}, {"a": None}], 0),
    lambda t, s: s.gather([Pair(None, [None]), Pair(None, [None])], 0),
    lambda t, s: t.nn.parallel.replicate(t.nn.Linear(1, 1), ["cpu"]),
    lambda t, s: t.nn.parallel.replicate(t.nn.Linear(1, 1), [0]),
    lambda t, s: t.nn.parallel.parallel_apply([len], []),
    lambda t, s: t.nn.parallel.parallel_apply([len], [1], [{}, {}]),
    lambda t, s: t.nn.parallel.parallel_apply([len], [1], devices=[0, 1]),
    lambda t, s: t.nn.parallel.parallel_apply([len], [1]),
    lambda t, s: t.nn.DataParallel(t.nn.Linear(1, 1)).replicate(t.nn.Linear(1, 1), [0]),
    lambda t, s: t.nn.DataParallel(t.nn.Linear(1, 1)).parallel_apply([len], [1], [{}]),
    lambda t, s: t.nn.DataParallel(t.nn.Linear(1, 1)).gather([t.ones(1)], 0),
    lambda t, s: t.nn.DataParallel(t.nn.Linear(1, 1)).scatter((), {}, [0]),
]


def outcome(program, *space):
    try:
        return program(*space)
    except Exception as error:  # noqa: BLE001 - whatever it raises is compared
        return type(error).__name__, str(error)


@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_as_in_torch(program):
    want, got = (outcome(program, *space) for space in BOTH)
    assert got == want and type(got) is type(want)


def test_parts():
    x = torchlike.ones(5, 3, requires_grad=True)
    parts = torchlike.nn.parallel.scatter({"a": (x, 1)}, ["meta", "meta"])
    assert [(tuple(p["a"][0].shape), p["a"][0].is_meta, p["a"][1]) for p in parts] == [((3, 3), True, 1), ((2, 3), True, 1)]
    joined = torchlike.nn.parallel.gather([p["a"][0] for p in parts], "meta")
    assert joined.shape == (5, 3) and joined.requires_grad
    with pytest.warns(UserWarning, match="all input tensors were scalars"):
        assert torchlike.nn.parallel.gather([torchlike.ones((), device="meta")] * 2, "meta").shape == (2,)


def test_copies():
    model = torchlike.nn.Sequential(torchlike.nn.Linear(2, 2, bias=False), torchlike.nn.BatchNorm1d(2)).to("meta")
    one, two = torchlike.nn.parallel.replicate(model, ["meta", "meta"])
    assert one[0].weight.requires_grad and not list(one.parameters()) and one[0].bias is None and two[0] is not one[0]
    assert one[1].running_mean.shape == (2,) and one(torchlike.ones(3, 2, device="meta")).shape == (3, 2)
    assert not torchlike.nn.parallel.replicate(model, ["meta"], detach=True)[0][0].weight.requires_grad


def test_a_subclass_scatters(monkeypatch):
    class Own(torchlike.nn.DataParallel):
        def scatter(self, inputs, kwargs, device_ids):
            return [(inputs[0] * 2,)], [{"scale": kwargs["scale"] + 1}]

    class Scaled(torchlike.nn.Module):
        def forward(self, x, scale):
            return x * scale

    model = Own(Scaled())
    model.device_ids = [0]
    assert model(torchlike.ones(2), scale=2).tolist() == [6, 6]
