"""`deform_conv2d` against loops that follow its definition."""

import itertools
import math

import numpy as np
import pytest

import torchlike
from tests.speed import sampled
from torchlike import ops
from torchlike.nn.functional import conv2d


@pytest.fixture(scope="module", autouse=True)
def _loaded():
    ops.load_library("/anywhere/torchvision/_C.so")


def pixel(image, y, x):
    """A bilinear sample of an image that is 0 outside."""
    top, left, found = math.floor(y), math.floor(x), 0.0
    for row, column in itertools.product((top, top + 1), (left, left + 1)):
        if 0 <= row < image.shape[0] and 0 <= column < image.shape[1]:
            found += image[row, column] * (1 - abs(y - row)) * (1 - abs(x - column))
    return found


STEPS = [((1, 1), (0, 0), (1, 1)), ((2, 1), (1, 2), (1, 2)), ((1, 3), (2, 0), (2, 1))]


def operands(groups, offset_groups, kernel, steps, scale=1.0):
    """input, weight, offset, mask, bias; what follows them."""
    torchlike.manual_seed(0)
    size = [(n + 2 * pad - (dilation * (k - 1) + 1)) // stride + 1
            for n, k, stride, pad, dilation in zip((5, 6), kernel, *steps, strict=True)]
    shapes = ((2, 4, 5, 6), (6, 4 // groups, *kernel), (2, 2 * offset_groups * math.prod(kernel), *size),
              (2, offset_groups * math.prod(kernel), *size), (6,))
    made = [torchlike.randn(shape, dtype=torchlike.float64) for shape in shapes]
    made[2] *= scale
    return [x.requires_grad_() for x in made], [*itertools.chain(*steps), groups, offset_groups]


def looped(values, numbers, use_mask):
    """By definition: a sum over the pixels of the kernel of weight, factor and the image at a moved place."""
    x, weight, offset, mask, bias = values
    *steps, groups, offset_groups = numbers
    (high, wide), outs = weight.shape[2:], offset.shape[2:]
    found = np.empty((len(x), len(weight), *outs))
    for n, o, row, column in np.ndindex(found.shape):
        total = bias[o]
        for c, i, j in np.ndindex(weight.shape[1:]):
            channel = o // (len(weight) // groups) * weight.shape[1] + c
            part = (channel // (x.shape[1] // offset_groups)) * high * wide + i * wide + j
            y = row * steps[0] - steps[2] + i * steps[4] + offset[n, 2 * part, row, column]
            at = column * steps[1] - steps[3] + j * steps[5] + offset[n, 2 * part + 1, row, column]
            total += weight[o, c, i, j] * pixel(x[n, channel], y, at) * (mask[n, part, row, column] if use_mask else 1.0)
        found[n, o, row, column] = total
    return found


@pytest.mark.parametrize("use_mask", [False, True])
@pytest.mark.parametrize(("groups", "offset_groups", "kernel", "steps"), sampled([
    (1, 1, (2, 3), STEPS[0]), (2, 2, (3, 2), STEPS[1]), (2, 1, (1, 1), STEPS[2]), (1, 2, (2, 2), STEPS[2])], fast=4))
def test_by_its_definition(groups, offset_groups, kernel, steps, use_mask):
    given, numbers = operands(groups, offset_groups, kernel, steps, 2.0)
    got = ops.torchvision.deform_conv2d(*given, *numbers, use_mask)
    want = looped([x.detach().numpy() for x in given], numbers, use_mask)
    np.testing.assert_allclose(got.detach().numpy(), want, atol=1e-12)
    assert torchlike.autograd.gradcheck(lambda *x: ops.torchvision.deform_conv2d(*x, *numbers, True), given, fast_mode=True)


def test_unmoved_it_is_a_convolution():
    given, numbers = operands(2, 1, (3, 2), STEPS[1], 0.0)
    x, weight, _, _, bias = given
    got = ops.torchvision.deform_conv2d(*given[:3], torchlike.zeros(2, 1), bias, *numbers, False)
    want = conv2d(x, weight, bias, *STEPS[1], groups=2)
    np.testing.assert_allclose(got.detach().numpy(), want.detach().numpy(), atol=1e-12)


ALTERED = {
    "input": ({0: lambda x: x[0]}, {}, r"Expected input_c\.ndimension\(\) == 4 to be true"),
    "mask": ({3: lambda x: x[0]}, {}, r"Expected !use_mask \|\| mask_c\.ndimension\(\) == 4 to be true"),
    "offset channels": ({2: lambda x: x[:, :20]}, {}, r"offset\.shape\[1\] is not valid: got: 20 expected: 24"),
    "offset batch": ({2: lambda x: x[:1]}, {}, "invalid batch size of offset"),
    "offset size": ({2: lambda x: x[..., :4]}, {}, r"offset output dims: \(3, 4\) - computed output dims: \(3, 5\)"),
    "mask channels": ({3: lambda x: x[:, :10]}, {}, r"mask\.shape\[1\] is not valid: got: 10 expected: 12"),
    "mask dtype": ({3: lambda x: x.float()}, {}, "expected scalar type Double but found Float"),
    "channels": ({1: lambda x: x[:, :1]}, {}, r"weight_c\.size\(1\) \* n_weight_grps == input_c\.size\(1\)"),
    "outputs": ({1: lambda x: x[:5]}, {}, r"weight_c\.size\(0\) % n_weight_grps == 0"),
    "stride": ({}, {0: 0}, "stride_h: 0 stride_w: 1"), "padding": ({}, {2: -1}, "pad_h: -1 pad_w: 0"),
    "dilation": ({}, {4: 0}, "dilation_h: 0 dilation_w: 1"),
}


@pytest.mark.parametrize("name", ALTERED)
def test_errors(name):
    given, numbers = operands(2, 2, (3, 2), STEPS[0])
    tensors, others, text = ALTERED[name]
    given = [tensors[i](x) if i in tensors else x for i, x in enumerate(given)]
    numbers = [others.get(i, n) for i, n in enumerate(numbers)]
    with pytest.raises(RuntimeError, match=text):
        ops.torchvision.deform_conv2d(*given, *numbers, True)
