"""`torch.utils.flop_counter`, against PyTorch."""

import pytest
import torch
import torch.utils.flop_counter

import torchlike
import torchlike.utils.flop_counter


def model(lib):
    return lib.nn.Sequential(lib.nn.Conv2d(1, 2, 3), lib.nn.ConvTranspose2d(2, 3, 2), lib.nn.Flatten(), lib.nn.Linear(48, 8),
                             lib.nn.Linear(8, 4))


def counted(lib, backward):
    with lib.utils.flop_counter.FlopCounterMode(display=False) as counter:
        out = model(lib)(lib.ones(2, 1, 5, 5))
        loss = out.sum() + (out[None] @ out.t()[None]).sum() + (lib.ones(3, 4) @ lib.ones(4, 5)).sum()
        if backward:
            loss.backward()
    counts = {name: {str(packet): number for packet, number in told.items()}
              for name, told in counter.get_flop_counts().items()}
    return counts, counter.get_total_flops(), counter


def test_forward():
    want, got = counted(torch, False), counted(torchlike, False)
    assert got[:2] == want[:2]
    table = got[2].get_table(depth=3).split("\n")
    assert table[:3] == ["Module                FLOP    % Total", "------------------  ------  ---------",
                         "Global                3328    100.00%"]
    assert table[-1].split() == ["-", "aten.addmm", "128", "3.85%"]


def test_backward():
    want, got = counted(torch, True), counted(torchlike, True)
    assert got[0]["Global"] == want[0]["Global"]
    assert got[0]["Sequential.3"] == want[0]["Sequential.3"]


@pytest.mark.parametrize("raw", [False, True])
def test_formulas_of_users(raw):
    for lib in (torch, torchlike):
        def formula(a, b, out_val=None, out_shape=None):
            return out_val.numel() if raw else out_shape[0] * a[1]

        formula._get_raw = raw
        with lib.utils.flop_counter.FlopCounterMode(display=False, custom_mapping={lib.ops.aten.mul: formula}) as counter:
            lib.ones(3, 4) * lib.ones(3, 4)
        assert counter.get_total_flops() == 12


def test_a_backward_call_after_the_block_is_not_counted():
    with torchlike.utils.flop_counter.FlopCounterMode(display=False) as counter:
        out = model(torchlike)(torchlike.ones(2, 1, 5, 5)).sum()
    before = counter.get_total_flops()
    out.backward()
    assert counter.get_total_flops() == before


@pytest.mark.parametrize("number", [0, 12, 999, 123456, 10 ** 7, 10 ** 13])
def test_texts(number):
    ours, theirs = torchlike.utils.flop_counter, torch.utils.flop_counter
    suffix = theirs.get_suffix_str(number)
    assert ours.get_suffix_str(number) == suffix
    assert ours.convert_num_with_suffix(number, suffix) == theirs.convert_num_with_suffix(number, suffix)
    assert ours.convert_to_percent_str(number, 10 ** 8) == theirs.convert_to_percent_str(number, 10 ** 8)
