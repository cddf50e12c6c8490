"""Pools of regions against loops that follow their definitions."""

import math

import numpy as np
import pytest

import torchlike
from torchlike import ops
from torchlike._library import regions

BOXES = [[0, -3.0, 1, 4, 6], [1, 2, 2, 17.5, 11], [1, 4, 3, 4.2, 3.1], [0, 30, 30, 40, 40], [1, 0, 0, 18, 14],
         [0, 5, 7, 2, 3], [1, 2.5, 1.5, 9.5, 6.5]]


@pytest.fixture(scope="module", autouse=True)
def _loaded():
    ops.load_library("/anywhere/torchvision/_C.so")


def images(channels, dtype="float64"):
    torchlike.manual_seed(0)
    return torchlike.randn(2, channels, 7, 9, dtype=getattr(torchlike, dtype), requires_grad=True)


def boxes(*rows, dtype="float64"):
    return torchlike.tensor(rows or BOXES, dtype=getattr(torchlike, dtype))


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
    monkeypatch.setattr(regions, "_AT_ONCE", 2 * 7 * 9 * 2)  # boxes in several pieces
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


def rounded(number):
    return int(math.copysign(math.floor(abs(number) + 0.5), number))


def line(start, length, cells, last):
    """The pixels of each cell of a line."""
    edges = [(math.floor(i * (length / cells)), math.ceil((i + 1) * (length / cells))) for i in range(cells)]
    return [range(*(min(max(edge + start, 0), last) for edge in pair)) for pair in edges]


def cells_of(corners, size, scale, with_corners):
    """{(p, q): pixels}, where the corner belongs to the box or does not, and then the last row and column to no cell."""
    x1, y1, x2, y2 = (rounded(corner * scale) for corner in corners)
    lines = [line(start, max(end - start + with_corners, 1), n, pixels - (not with_corners))
             for start, end, n, pixels in ((y1, y2, size[0], 7), (x1, x2, size[1], 9))]
    return {(p, q): [(y, x) for y in lines[0][p] for x in lines[1][q]] for p in range(size[0]) for q in range(size[1])}


@pytest.mark.parametrize("scale", [1.0, 0.5])
@pytest.mark.parametrize("at_once", [1 << 24, 100])
def test_roi_pool(scale, at_once, monkeypatch):
    monkeypatch.setattr(regions, "_AT_ONCE", at_once)
    x, rois = images(2), boxes()
    got, places = ops.torchvision.roi_pool(x, rois, scale, 3, 2)
    assert places.dtype is torchlike.int32
    values = x.detach().numpy()
    gradient = np.zeros_like(values)
    for k, (number, *corners) in enumerate(rois.tolist()):
        for (p, q), pixels in cells_of(corners, (3, 2), scale, True).items():
            for c in range(2):
                image = values[int(number), c]
                best = max(pixels, key=lambda pixel, image=image: image[pixel], default=None)
                assert got[k, c, p, q].item() == (0 if best is None else image[best])
                assert places[k, c, p, q].item() == (-1 if best is None else best[0] * 9 + best[1])
                if best is not None:
                    gradient[int(number), c][best] += 1
    got.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), gradient)


def test_roi_pool_of_nan_and_infinities():
    x = torchlike.full((1, 1, 4, 4), -math.inf)
    x[0, 0, 0, 0], x[0, 0, 3, 3], x[0, 0, 3, 2] = math.nan, -1.0, -1.0
    got, places = ops.torchvision.roi_pool(x, boxes([0, 0, 0, 3, 3], dtype="float32"), 1.0, 2, 2)
    least = torchlike.finfo(torchlike.float32).min
    assert got.flatten().tolist() == [least, least, least, -1.0]
    assert places.flatten().tolist() == [-1, -1, -1, 14]  # the first of equal ones


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_ps_roi_pool(scale):
    x, rois = images(12), boxes()
    got, channels = ops.torchvision.ps_roi_pool(x, rois, scale, 3, 2)
    assert channels.dtype is torchlike.int32
    assert channels[0].flatten().tolist() == list(range(12))
    values = x.detach().numpy().reshape(2, 2, 3, 2, 7, 9)
    for k, (number, *corners) in enumerate(rois.tolist()):
        for (p, q), pixels in cells_of(corners, (3, 2), scale, False).items():
            want = [np.mean([values[int(number), c, p, q][pixel] for pixel in pixels] or [0.0]) for c in range(2)]
            np.testing.assert_allclose(got[k, :, p, q].tolist(), want, rtol=1e-12)
    assert torchlike.autograd.gradcheck(lambda x: ops.torchvision.ps_roi_pool(x, rois, scale, 3, 2)[0], x, fast_mode=True)


@pytest.mark.parametrize("ratio", [2, -1])
def test_ps_roi_align(ratio):
    x, rois = images(12), boxes()[:5]
    got, channels = ops.torchvision.ps_roi_align(x, rois, 0.5, 3, 2, ratio)
    assert channels[0].flatten().tolist() == list(range(12))
    for p, q in np.ndindex(3, 2):
        number = [c * 6 + p * 2 + q for c in range(2)]
        aligned = ops.torchvision.roi_align(x[:, number], rois, 0.5, 3, 2, ratio, True)
        np.testing.assert_allclose(got[:, :, p, q].detach().numpy(), aligned[:, :, p, q].detach().numpy(), rtol=1e-12)
    assert torchlike.autograd.gradcheck(
        lambda x: ops.torchvision.ps_roi_align(x, rois, 0.5, 3, 2, ratio)[0], x, fast_mode=True)


def test_a_box_without_samples():
    got = ops.torchvision.ps_roi_align(images(12), boxes([0, 3, 3, 3, 5]), 1.0, 3, 2, -1)[0]
    assert got.isnan().all()
    assert not ops.torchvision.roi_align(images(2), boxes([0, 3, 3, 3, 5]), 1.0, 3, 2, -1, True).isnan().any()


CALLS = {"roi_align": (2, False), "roi_pool": (), "ps_roi_align": (2,), "ps_roi_pool": ()}


@pytest.mark.parametrize("name", CALLS)
def test_no_boxes_and_errors(name):
    def call(x, rois, cells=(3, 2)):
        return getattr(ops.torchvision, name)(x, rois, 1.0, *cells, *CALLS[name])

    made = call(images(12), boxes()[:0])
    made = made if isinstance(made, tuple) else (made,)
    assert {tuple(x.shape) for x in made} == {(0, 2 if name.startswith("ps") else 12, 3, 2)}
    with pytest.raises(RuntimeError, match=r"rois (must|should) have shape as Tensor"):
        call(images(12), boxes()[:, :4])
    with pytest.raises(RuntimeError, match=rf"type torch\.DoubleTensor does not equal torch\.FloatTensor .* {name}_forw"):
        call(images(12), boxes(dtype="float32"))
    with pytest.raises(NotImplementedError, match=f"{name}_forward_kernel\" not implemented for 'Long'"):
        call(images(12).detach().long(), boxes().long())
    if name.startswith("ps"):
        with pytest.raises(RuntimeError, match=r"input channels must be a multiple of pooling height \* pooling width"):
            call(images(12), boxes(), (5, 2))
