"""`torch.distributed.device_mesh`: each line that a rank prints is PyTorch's."""

import pytest
import torch

from tests.c10d.ranks import differing
from tests.speed import sampled
from torchlike.distributed import _mesh_layout as layout
from torchlike.distributed import device_mesh


@pytest.mark.parametrize("size", sampled((2, 4), ci=()))
def test_meshes(size):
    assert [*differing("mesh.py", size)] == []


def test_a_mesh_needs_an_environment(monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    for call in (lambda: device_mesh.init_device_mesh("cpu", (1,)), lambda: device_mesh.DeviceMesh("cpu", [0])):
        with pytest.raises(ValueError, match="environment variable RANK expected"):
            call()
    assert set(device_mesh.__all__) == set(torch.distributed.device_mesh.__all__)


def test_layouts():
    axes = layout.rows((2, 3, 4))
    assert layout.flattened(axes) == ((24, 1),)
    assert layout.flattened([axes[0], axes[2]]) == ((2, 12), (4, 1))
    assert layout.unflattened(layout.flattened(axes), (2, 3, 4)) == axes
    assert layout.copies([axes[1]], 24).tolist() == [[a + b, a + b + 4, a + b + 8] for a in (0, 12) for b in range(4)]
    assert layout.overlap([axes[1], axes[1]])
    assert not layout.overlap(axes)
