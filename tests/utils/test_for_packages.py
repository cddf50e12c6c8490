"""Small modules of PyTorch that packages import: what they use of them, against torch."""

import importlib

import pytest
import torch

import torchlike
from torchlike._compile.backends import xla_cuda


def told(library, program):
    """What the program gives in a library, with its error's type and text."""
    names = {"t": importlib.import_module(library), "nn": importlib.import_module(f"{library}.nn"),
             "attention": importlib.import_module(f"{library}.nn.attention"),
             "foreach": importlib.import_module(f"{library}.utils._foreach_utils")}
    try:
        return str(eval(program, names)).replace("torchlike.", "torch.")
    except (RuntimeError, ValueError, AssertionError, TypeError) as error:
        return f"{type(error).__name__}: {error}"


PROGRAMS = [
    # lists of tensors by device and dtype
    "sorted(foreach._group_tensors_by_device_and_dtype("
    "[[t.ones(1), t.ones(2).double(), t.ones(3)], [t.ones(2), None, t.ones(1)]]).items(), key=str)",
    "sorted(foreach._group_tensors_by_device_and_dtype("
    "[[t.ones(1), t.ones(2).double()], [], [t.zeros(1), t.zeros(1)]], True).items(), key=str)",
    "foreach._group_tensors_by_device_and_dtype([[t.ones(1), t.ones(2)], [t.tensor(1.0), t.tensor(2)]], True)",
    "foreach._group_tensors_by_device_and_dtype([[t.ones(1).half()], [t.tensor(1.0).double()], [t.ones(1).half()]])",
    "foreach._group_tensors_by_device_and_dtype([[None, t.ones(1)], [t.ones(1), t.ones(1)]])",
    "foreach._group_tensors_by_device_and_dtype([[t.ones(1)], [t.ones(1).half()]])",
    "foreach._has_foreach_support([t.ones(1), None], t.device('cpu'))",
    "foreach._has_foreach_support([nn.Parameter(t.ones(1))], t.device('cpu'))",
    "foreach._device_has_foreach_support(t.device('meta'))",
    # which implementations of attention are allowed
    "int(attention.SDPBackend.MATH), attention.SDPBackend.FLASH_ATTENTION, int(attention.SDPBackend.ERROR)",
    "sorted(int(b) for b in attention._cur_sdpa_kernel_backends())",
    "[int(b) for b in attention._cur_sdpa_kernel_backends(with_priority=True)]",
    "attention.sdpa_kernel('math').__enter__()", "attention.sdpa_kernel(('math',)).__enter__()",
    # groups that are not there
    "t.distributed.ReduceOp.SUM != t.distributed.ReduceOp.MAX", "t.distributed.group.WORLD",
    "nn.parallel.DistributedDataParallel(nn.Linear(2, 2))",
    # one device
    "nn.DataParallel(nn.Linear(2, 3))", "[*nn.DataParallel(nn.Linear(2, 3)).state_dict()]",
    "nn.DataParallel(nn.Flatten())(t.ones(1, 2, 2))", "nn.DataParallel(nn.Flatten()).device_ids",
    "nn.parallel.DataParallel(nn.Identity())(t.ones(2))", "nn.parallel.data_parallel(nn.Identity(), t.ones(2))",
    # compilers
    "t.compiler.is_compiling(), t.compiler.is_dynamo_compiling(), t.compiler.is_exporting()",
    "t.compile(lambda x: x, mode='default', options={})", "t.compiler.allow_in_graph(len)([1, 2])",
    "t.compiler.disable(len)([1, 2])", "t.compiler.disable()(len)([1])",
    "t.compiler.assume_constant_result(lambda x: x + 1)(2)",
    "t.compiler.reset(), t.compiler.cudagraph_mark_step_begin()",
]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.filterwarnings("ignore")
def test_as_in_torch(program):
    assert told("torchlike", program) == told("torch", program)


@pytest.mark.parametrize("set_priority", [False, True])
def test_attention_is_the_same_whatever_is_allowed(set_priority):
    def run(t, attention, cuda):
        q = t.arange(24.0).reshape(1, 2, 4, 3)
        before = t.nn.functional.scaled_dot_product_attention(q, q, q)
        backends = [attention.SDPBackend.EFFICIENT_ATTENTION, attention.SDPBackend.MATH]
        with attention.sdpa_kernel(backends, set_priority=set_priority):
            inside = [int(b) for b in attention._cur_sdpa_kernel_backends(with_priority=True)]
            switches = cuda.math_sdp_enabled(), cuda.flash_sdp_enabled(), cuda.mem_efficient_sdp_enabled()
            out = t.nn.functional.scaled_dot_product_attention(q, q, q)
        after = sorted(int(b) for b in attention._cur_sdpa_kernel_backends())
        return inside, switches, t.allclose(out, before), after

    ours = run(torchlike, torchlike.nn.attention, torchlike.backends.cuda)
    assert ours == run(torch, torch.nn.attention, torch.backends.cuda)


def test_collectives_with_gradients_have_no_group():
    for name, *others in (("all_reduce",), ("all_gather",), ("broadcast", 0), ("reduce", 0)):
        with pytest.raises(ValueError, match="Default process group has not been initialized"):
            getattr(torchlike.distributed.nn, name)(torchlike.ones(1), *others)
    with pytest.raises(ValueError, match="Default process group has not been initialized"), pytest.warns(FutureWarning):
        torch.distributed.nn.all_reduce(torch.ones(1))


def test_several_gpus_are_refused(monkeypatch):
    monkeypatch.setattr(xla_cuda, "gpu_devices", lambda: (0, 1))
    with pytest.raises(torchlike.UnsupportedError, match=r"torch\.nn\.DataParallel on several GPUs is not supported"):
        torchlike.nn.DataParallel(torchlike.nn.Linear(1, 1))
