"""What packages use of `torch._C`."""

import pytest
import torch

import torchlike

KEYS = "t._C.DispatchKeySet(t._C.DispatchKey.{})"
PROGRAMS = [
    "t._C._nn._parse_to('cpu', t.float64)", "t._C._nn._parse_to(t.ones(1))",
    "t._C._nn._parse_to(t.float16, non_blocking=True)",
    "t._C._get_default_device()", "t._C._get_accelerator()", "t._C._get_tracing_state()", "t._C._current_graph_task_id()",
    "t._C._get_privateuse1_backend_name()", "t._C._are_functorch_transforms_active()", "t.get_device_module().__name__[-4:]",
    "t.func.vmap(lambda x: x if t._C._are_functorch_transforms_active() else 0)(t.ones(2))",
    "t._C._is_alias_of(x := t.ones(3), x[1:])", "t._C._is_alias_of(t.ones(3), t.ones(3))",
    "t.get_device_module('cuda').__name__[-4:]", "t.get_device_module(t.device('cpu')).__name__[-4:]",
    "isinstance(t.Tensor, t._C._TensorMeta)", "t.legacy_contiguous_format is t.contiguous_format",
    "t._C._functorch.is_batchedtensor(t.ones(1))", "t._C._functorch.is_legacy_batchedtensor(t.ones(1))",
    f"({KEYS.format('CPU')} | {KEYS.format('CUDA')}).has(t._C.DispatchKey.CUDA)",
    f"({KEYS.format('CPU')} & {KEYS.format('CUDA')}).has(t._C.DispatchKey.CUDA)",
    f"({KEYS.format('CPU')} - {KEYS.format('CPU')}).has(t._C.DispatchKey.CPU)",
    "t._utils._element_size(t.float64)", "t._utils._get_device_index('cuda:1')", "t._utils._get_device_index(2)",
    "t._utils._get_device_index('cpu', allow_cpu=True)", "t._utils._get_device_index(t.device('cpu'))",
    "t._shape_as_tensor(t.ones(2, 3))", "t._assert_async(t.ones(1))", "t._assert_async(t.tensor(0.0))",
    "t._assert_async(t.tensor(False), 'told')", "t._assert_async(t.ones(2))",
    "t.get_device_module('lazy')", "t.get_device_module('foo')",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_in_torch(program):
    found = []
    for t in (torch, torchlike):
        try:
            found.append(str(eval(program, {"t": t})))
        except (RuntimeError, ValueError) as error:
            found.append((type(error), str(error)))
    assert found[1] == found[0]


def test_keys_are_pytorchs():
    for key in torchlike._C.DispatchKey:
        assert hasattr(torch._C.DispatchKey, key.name)


def test_in_a_backward_call():
    seen = []
    x = torchlike.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: seen.append(torchlike._C._current_graph_task_id()))
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert seen[0] >= 0 and seen[1] > seen[0]


def test_batched_tensors():
    seen = []
    torchlike.func.vmap(lambda x: seen.append(torchlike._C._functorch.is_batchedtensor(x)) or x)(torchlike.ones(2))
    assert seen == [True]


@pytest.mark.parametrize("name", ["Graph", "Value", "_IncludeDispatchKeyGuard"])
def test_names_refuse_when_called(name):
    with pytest.raises(torchlike.UnsupportedError, match=rf"torch\._C\.{name} is not supported"):
        getattr(torchlike._C, name)(1)


def test_tags_are_pytorchs():
    assert {name: tag.value for name, tag in torchlike.Tag.__members__.items()} == {
        name: tag.value for name, tag in torch.Tag.__members__.items()}
    assert torchlike._C.Tag is torchlike.Tag and repr(torchlike.Tag.core) == repr(torch.Tag.core)


@pytest.mark.parametrize("limit", [1, 8, 20, 100])
def test_tensors_are_taken_in_lists(limit):
    def program(t):
        tensors = [t.ones(2), t.ones(3).double(), t.ones(4), t.eye(2).to_sparse(), t.ones(1), t.ones(2)]
        return [[x.to_dense().tolist() for x in some] for some in t._utils._take_tensors(tensors, limit)]

    assert program(torchlike) == program(torch)
