"""Meshes from text, and how fast an axis is."""

import pytest

from torchlike._plan.devices import DEVICES
from torchlike._plan.mesh import DATA, PIPE, TENSOR, MeshError, bandwidth, parse


def test_axes():
    mesh = parse("pipe=2, data=16,tp=4,one=1")
    assert [(axis.name, axis.size, axis.stride) for axis in mesh.axes] == [
        ("pipe", 2, 64), ("data", 16, 4), ("tp", 4, 1), ("one", 1, 1)]
    assert [[axis.name for axis in mesh.of(role)] for role in (DATA, TENSOR, PIPE)] == [["data"], ["tp"], ["pipe"]]
    assert (mesh.size, str(mesh)) == (128, "pipe=2,data=16,tp=4,one=1")


@pytest.mark.parametrize("text", [
    "", "data", "data=", "data=0", "data=-2", "data=2,data=2", "model=2,tp=2", "a b=2", "data=2,"])
def test_what_is_no_mesh(text):
    with pytest.raises(MeshError):
        parse(text)


@pytest.mark.parametrize(("text", "names", "links", "cards"), [
    ("data=64,model=8", {"model"}, 1, 0),           # inside of a host
    ("data=64,model=8", {"data"}, 0, 1),            # one member in each host
    ("data=64,model=4", {"data"}, 0, 2),
    ("data=2,model=4", {"data", "model"}, 1, 0),
    ("data=64,model=8", {"data", "model"}, 0, 8),   # all cards of a host
    ("model=8,data=64", {"model"}, 0, 1),
])
def test_bandwidth(text, names, links, cards):
    device = DEVICES["h100"]
    axes = tuple(axis for axis in parse(text).axes if axis.name in names)
    expected = device.link if links else min(device.link, cards * device.network)
    assert bandwidth(axes, device) == expected
