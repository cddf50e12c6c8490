"""Data sheets against what units, clock and bus come to."""

import dataclasses

import pytest

from tests.plan.checks import CHIPS, unlike_chip
from torchlike._plan.devices import DEVICES


def test_all_devices_are_checked():
    assert set(CHIPS) == set(DEVICES)


@pytest.mark.parametrize("name", sorted(DEVICES))
def test_device(name):
    device = DEVICES[name]
    assert list(unlike_chip(device)) == []
    assert device.link >= device.network > 0
    assert device.memory > 0
    assert device.per_host > 0


@pytest.mark.parametrize("name", sorted(DEVICES))
def test_twice_the_flops_are_seen(name):
    device = DEVICES[name]
    twice = dataclasses.replace(device, flops={dtype: 2 * flops for dtype, flops in device.flops.items()})
    assert list(unlike_chip(twice))


def test_peaks():
    h100, v100 = DEVICES["h100"], DEVICES["v100"]
    assert h100.peak("float32", tf32=True) == h100.flops["tf32"]
    assert h100.peak("float32", tf32=False) == h100.flops["float32"]
    assert v100.peak("bfloat16", tf32=True) == v100.peak("float32", tf32=True) == v100.flops["float32"]
