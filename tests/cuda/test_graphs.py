"""`torch.cuda`'s graphs and NVTX ranges: refused when called, as in PyTorch's build for the CPU."""

import pytest
import torch

import torchlike
from tests.cuda.standin import printed

CALLS = ("CUDAGraph()", "graph(None)", "graph_pool_handle()", "make_graphed_callables(None, ())", "nvtx.range_push('a')",
         "nvtx.range_pop()", "nvtx.mark('a')", "nvtx.range('a').__enter__()", "nvtx.range('{}', 1).__enter__()")


@pytest.mark.parametrize("call", CALLS)
def test_without_a_gpu(call):
    errors = []
    for lib in (torch, torchlike):
        with pytest.raises(RuntimeError) as caught:
            eval(f"cuda.{call}", {"cuda": lib.cuda})
        errors.append(str(caught.value))
    assert errors[0] == errors[1]


@pytest.mark.slow
def test_with_a_gpu():
    text = "UnsupportedError: torch.cuda.{} is not supported: JAX orders the work itself, without captured graphs"
    assert printed("print(error(lambda: torch.cuda.CUDAGraph()), error(lambda: torch.cuda.graph(None)))") == [
        f"{text.format('CUDAGraph')} {text.format('graph')}"]


def test_names_are_there():
    assert torchlike.cuda.is_current_stream_capturing() is False
    assert not isinstance(0, torchlike.cuda.CUDAGraph | torchlike.cuda.graph)
