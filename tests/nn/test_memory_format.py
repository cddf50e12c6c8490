"""Strides of results of operands with the channels last, against PyTorch; the values are those of contiguous operands."""

import numpy as np
import pytest
import torch as theirs

import torchlike as ours
from torchlike._compile import avals

OF_IMAGES = {
    "pad": lambda m, f, x: f.pad(x, (1, 1, 1, 1)),
    "pad reflect": lambda m, f, x: f.pad(x, (1, 1, 1, 1), mode="reflect"),
    "pad replicate": lambda m, f, x: f.pad(x, (1, 1, 1, 1), mode="replicate"),
    "pad circular": lambda m, f, x: f.pad(x, (1, 1, 1, 1), mode="circular"),
    "max_pool": lambda m, f, x: f.max_pool2d(x, 2),
    "places of max_pool": lambda m, f, x: f.max_pool2d(x, 2, return_indices=True)[1],
    "max_unpool": lambda m, f, x: f.max_unpool2d(*f.max_pool2d(x, 2, return_indices=True), 2),
    "avg_pool": lambda m, f, x: f.avg_pool2d(x, 2),
    "lp_pool": lambda m, f, x: f.lp_pool2d(x, 2, 2),
    "adaptive_avg_pool": lambda m, f, x: f.adaptive_avg_pool2d(x, 2),
    "adaptive_max_pool": lambda m, f, x: f.adaptive_max_pool2d(x, 2),
    "batch_norm": lambda m, f, x: f.batch_norm(x, None, None, training=True),
    "batch_norm evaluating": lambda m, f, x: f.batch_norm(x, m.zeros(4), m.ones(4)),
    "group_norm": lambda m, f, x: f.group_norm(x, 2),
    "instance_norm": lambda m, f, x: f.instance_norm(x),
    "layer_norm": lambda m, f, x: f.layer_norm(x, (4, 4)),
    **{f"interpolate {mode}": lambda m, f, x, mode=mode: f.interpolate(x, scale_factor=2, mode=mode)
       for mode in ("nearest", "nearest-exact", "bilinear", "bicubic", "area")},
    "conv": lambda m, f, x: f.conv2d(x, m.ones(2, 4, 3, 3)),
    "conv of groups": lambda m, f, x: f.conv2d(x, m.ones(4, 1, 3, 3), groups=4),
    "conv with such a weight": lambda m, f, x: f.conv2d(
        x.contiguous(), m.ones(2, 4, 3, 3).to(memory_format=m.channels_last)),
    "conv_transpose": lambda m, f, x: f.conv_transpose2d(x, m.ones(4, 2, 3, 3)),
    "glu": lambda m, f, x: f.glu(x, 1),
    "pixel_shuffle": lambda m, f, x: f.pixel_shuffle(x, 2),
    "pixel_unshuffle": lambda m, f, x: f.pixel_unshuffle(x, 2),
    "channel_shuffle": lambda m, f, x: f.channel_shuffle(x, 2),
    "cat": lambda m, f, x: m.cat([x, x], 1),
    "cat with another": lambda m, f, x: m.cat([x, x.contiguous()], 1),
    "relu": lambda m, f, x: f.relu(x),
    "a model": lambda m, f, x: f.max_pool2d(
        f.relu(f.batch_norm(f.conv2d(x, m.ones(2, 4, 3, 3)), None, None, training=True)), 2),
}
OF_VOLUMES = {
    "pad": lambda m, f, x: f.pad(x, (1, 1, 1, 1, 1, 1)),
    "max_pool": lambda m, f, x: f.max_pool3d(x, 2),
    "avg_pool": lambda m, f, x: f.avg_pool3d(x, 2),
    "adaptive_avg_pool": lambda m, f, x: f.adaptive_avg_pool3d(x, 2),
    "adaptive_max_pool": lambda m, f, x: f.adaptive_max_pool3d(x, 2),
    "batch_norm": lambda m, f, x: f.batch_norm(x, None, None, training=True),
    "group_norm": lambda m, f, x: f.group_norm(x, 2),
    "interpolate": lambda m, f, x: f.interpolate(x, scale_factor=2, mode="trilinear"),
    "conv": lambda m, f, x: f.conv3d(x, m.ones(2, 4, 2, 2, 2)),
    "conv_transpose": lambda m, f, x: f.conv_transpose3d(x, m.ones(4, 2, 2, 2, 2)),
}


def outcome(m, function, shape, memory_format):
    """(strides, values)."""
    x = (m.arange(float(np.prod(shape))).view(shape) * 0.37).sin().to(memory_format=getattr(m, memory_format))
    made = function(m, m.nn.functional, x)
    return made.stride(), made.numpy()


@pytest.mark.parametrize(("function", "shape", "memory_format"), [
    *(pytest.param(f, (2, 4, 4, 4), "channels_last", id=f"{name} of images") for name, f in OF_IMAGES.items()),
    *(pytest.param(f, (2, 4, 4, 4, 4), "channels_last_3d", id=f"{name} of volumes") for name, f in OF_VOLUMES.items())])
def test_strides(function, shape, memory_format):
    (strides, values), (our_strides, our_values) = (outcome(m, function, shape, memory_format) for m in (theirs, ours))
    assert our_strides == strides
    np.testing.assert_allclose(our_values, values, rtol=1e-4, atol=1e-5)
    assert outcome(ours, function, shape, "contiguous_format")[0] == outcome(theirs, function, shape, "contiguous_format")[0]


def test_planted_error_is_seen(monkeypatch):
    monkeypatch.setattr(avals, "suggested_format", lambda a: None)
    of_both = [outcome(m, OF_IMAGES["avg_pool"], (2, 4, 10, 10), "channels_last")[0] for m in (theirs, ours)]
    assert of_both[0] != of_both[1]
