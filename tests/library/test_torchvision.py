"""torchvision's operators against loops that follow their definitions."""

import numpy as np
import pytest

import torchlike
from torchlike import library, ops

LIBRARY = "/anywhere/torchvision/_C.so"


@pytest.fixture(scope="module", autouse=True)
def _loaded():
    ops.load_library(LIBRARY)


def overlap(a, b):
    shared = max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))
    return shared / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared)


@pytest.mark.parametrize("threshold", [0.1, 0.5])
def test_nms(threshold):
    torchlike.manual_seed(0)
    boxes, scores = torchlike.rand(40, 4), torchlike.rand(40)
    boxes[:, 2:] += boxes[:, :2]
    numbers, kept = np.argsort(-scores.numpy()), []
    for i in numbers:
        if all(overlap(boxes[i].tolist(), boxes[j].tolist()) <= threshold for j in kept):
            kept.append(i)
    assert ops.torchvision.nms(boxes, scores, threshold).tolist() == kept
    assert ops.torchvision.nms(boxes[:0], scores[:0], threshold).tolist() == []


def test_errors():
    for boxes, scores, text in ((torchlike.ones(4), torchlike.ones(1), "boxes should be a 2d tensor, got 1D"),
                                (torchlike.ones(2, 4), torchlike.ones(1), "same number of elements in dimension 0, got 2")):
        with pytest.raises(RuntimeError, match=text):
            ops.torchvision.nms(boxes, scores, 0.5)
    with pytest.raises(NotImplementedError, match="Could not run 'torchvision::box_iou_rotated'"):
        ops.torchvision.box_iou_rotated(torchlike.ones(1, 5), torchlike.ones(1, 5))


def test_rules_that_torchvision_registers():
    seen = []

    def casting(dets, scores, iou_threshold):
        seen.append(dets.dtype)
        with torchlike._C._ExcludeDispatchKeyGuard(torchlike._C.DispatchKeySet(torchlike._C.DispatchKey.AutocastCPU)):
            assert not torchlike.is_autocast_enabled("cpu")
            return ops.torchvision.nms(dets.float(), scores.float(), iou_threshold)

    library.Library("torchvision", "IMPL").impl("nms", casting, "AutocastCPU")
    library.register_autograd("torchvision::roi_align", lambda ctx, grad: 1 / 0)
    boxes = torchlike.tensor([[0.0, 0, 1, 1]])
    assert ops.torchvision.nms(boxes, torchlike.ones(1), 0.5).tolist() == [0]
    assert seen == []
    with torchlike.autocast("cpu"):
        assert ops.torchvision.nms(boxes, torchlike.ones(1), 0.5).tolist() == [0]
        assert torchlike.is_autocast_enabled("cpu")
    assert seen == [torchlike.float32]
    x = torchlike.ones(1, 1, 4, 4, requires_grad=True)
    ops.torchvision.roi_align(x, torchlike.tensor([[0.0, 0, 0, 2, 2]]), 1.0, 2, 2, 2, True).sum().backward()
    assert x.grad.sum().item() == pytest.approx(4)


def test_libraries():
    assert ops.torchvision._cuda_version() == -1
    assert LIBRARY in ops.loaded_libraries
    ops.load_library(LIBRARY)
    with pytest.raises(OSError, match=r"Could not load this library: /anywhere/torchvision/image\.so"):
        ops.load_library("/anywhere/torchvision/image.so")
