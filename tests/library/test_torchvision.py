"""torchvision's operators against loops that follow their definitions."""

import math

import numpy as np
import pytest

import torchlike
from torchlike import library, ops
from torchlike._library import torchvision

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


def bilinear(image, y, x):
    height, width = image.shape
    if not (-1 <= y <= height and -1 <= x <= width):
        return 0.0
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    top, left = int(y), int(x)
    below, right = min(top + 1, height - 1), min(left + 1, width - 1)
    upper = image[top, left] * (1 - x + left) + image[top, right] * (x - left)
    lower = image[below, left] * (1 - x + left) + image[below, right] * (x - left)
    return upper * (1 - y + top) + lower * (y - top)


def cell(image, start, end, size, at, ratio, aligned):
    """The mean of one cell; lists have the value along height, then width."""
    sides = [(e - s if aligned else max(e - s, 1.0)) / n for s, e, n in zip(start, end, size, strict=True)]
    counts = [ratio if ratio > 0 else math.ceil(side) for side in sides]
    lines = [[s + p * side + (i + 0.5) * side / n for i in range(n)]
             for s, p, side, n in zip(start, at, sides, counts, strict=True)]
    return sum(bilinear(image, y, x) for y in lines[0] for x in lines[1]) / max(counts[0] * counts[1], 1)


@pytest.mark.parametrize("ratio", [2, -1])
@pytest.mark.parametrize("aligned", [False, True])
def test_roi_align(ratio, aligned, monkeypatch):
    monkeypatch.setattr(torchvision, "_AT_ONCE", 2 * 7 * 9 * 2)  # boxes in several pieces
    torchlike.manual_seed(0)
    images = torchlike.randn(2, 2, 7, 9, dtype=torchlike.float64, requires_grad=True)
    boxes = torchlike.tensor([[0, -3.0, 1, 4, 6], [1, 2, 2, 17.5, 11], [1, 4, 3, 4.2, 3.1], [0, 30, 30, 40, 40],
                              [1, 0, 0, 18, 14]], dtype=torchlike.float64)
    got = ops.torchvision.roi_align(images, boxes, 0.5, 3, 2, ratio, aligned)
    values, shift = images.detach().numpy(), 0.5 if aligned else 0.0
    for k, (number, *corners) in enumerate(boxes.tolist()):
        x1, y1, x2, y2 = (corner * 0.5 - shift for corner in corners)
        for at in np.ndindex(3, 2):
            want = [cell(image, (y1, x1), (y2, x2), (3, 2), at, ratio, aligned) for image in values[int(number)]]
            np.testing.assert_allclose(got[k, :, at[0], at[1]].tolist(), want, rtol=1e-9, atol=1e-12)
    assert ops.torchvision.roi_align(images, boxes[:0], 0.5, 3, 2, ratio, aligned).shape == (0, 2, 3, 2)
    assert torchlike.autograd.gradcheck(
        lambda x: ops.torchvision.roi_align(x, boxes, 0.5, 3, 2, ratio, aligned), images, fast_mode=True)


def test_errors():
    for boxes, scores, text in ((torchlike.ones(4), torchlike.ones(1), "boxes should be a 2d tensor, got 1D"),
                                (torchlike.ones(2, 4), torchlike.ones(1), "same number of elements in dimension 0, got 2")):
        with pytest.raises(RuntimeError, match=text):
            ops.torchvision.nms(boxes, scores, 0.5)
    with pytest.raises(NotImplementedError, match="Could not run 'torchvision::roi_pool'"):
        ops.torchvision.roi_pool(torchlike.ones(1, 1, 2, 2), torchlike.ones(1, 5), 1.0, 1, 1)


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
