"""Casts of numbers that do not fit: what x86's instructions make of them, as in PyTorch on x86."""

import platform

import numpy as np
import pytest
import torch

import torchlike

SOURCES = ("float16", "bfloat16", "float32", "float64")
TARGETS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
VALUES = np.array([np.nan, np.inf, -np.inf, 0., -.5, 1.9, -1., 127.5, 128., -129., 255., 256., 300., 32768., 7e4, -7e4,
                   2.0**31 - 1, 2.0**31, -2.0**31, -2.0**31 - 1, 2.0**32, 1e10, -1e10, 9.2e18, 2.0**63, -2.0**63, -9.3e18,
                   1e20, -1e20, 1e38, 1.5 * 2.0**63, 2.0**64])


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="PyTorch's results are other ones elsewhere")
@pytest.mark.parametrize("tier", ["off", "now"])
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("target", TARGETS)
def test_floats_to_integers(source, target, tier):
    def cast(library, values):
        floats = library.from_numpy(values).to(getattr(library, source))
        return floats.to(getattr(library, target)).numpy()

    # one by one: in PyTorch the way to uint32 of long tensors is another one
    want = [cast(torch, VALUES[i:i + 1])[0] for i in range(len(VALUES))]
    with torchlike.configure(compile=tier):
        assert cast(torchlike, VALUES).tolist() == want
