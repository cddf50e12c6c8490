"""Members of classes that programs ask for rarely, against torch."""

import warnings

import pytest
import torch

import torchlike
from torchlike._base.errors import UnsupportedError

DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
          "float64", "complex32", "complex64", "complex128", "float8_e5m2", "float8_e4m3fn", "float8_e5m2fnuz",
          "float8_e4m3fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2")
FORMS = [
    *(f"torch.{name}.abbr" for name in DTYPES),
    "torch.Generator().get_offset()", "torch.Generator().set_offset(0)", "torch.Generator().graphsafe_get_state()",
    "torch.Generator().graphsafe_set_state(torch.Generator())",
    *(f"torch.{made}.{device}()" for made in ("ones(2)", "nn.Linear(1, 1)") for device in ("xpu", "ipu", "mtia")),
    "torch.ones(2, dtype=torch.int).dequantize()", "torch.ones(2, dtype=torch.half).dequantize()",
    "torch.FloatTensor.add(torch.ones(2), 1)", "torch.FloatTensor.is_cuda", "torch.cuda.FloatTensor.is_cuda",
    "hasattr(torch.FloatTensor, '__nothing__')", "hasattr(torch.FloatTensor, 'nothing')",
    "torch.nn.NLLLoss2d()",
    "torch.nn.Container(a=torch.nn.Linear(1, 2), b=None)", "torch.nn.Container(a=3)",
    "torch.return_types.max.n_fields, torch.return_types.svd.n_sequence_fields, torch.return_types.qr.n_unnamed_fields",
    "torch.ones(2, 2).max(0).n_fields",
    "torch.max(torch.ones(2, 2), 0, out=(torch.ones(2), torch.ones(2).long()))",
    "torch.sort(torch.ones(2), out=(torch.ones(2), torch.ones(2).long())).__class__",
    "torch.linalg.eigh(torch.eye(2), out=(torch.ones(2), torch.eye(2))).__class__.__name__",
    *(f"pack().{name}()" for name in ("byte", "char", "short", "is_pinned", "pin_memory")),
    *(f"masks({a}, {b})" for a in (None, "torch.zeros(3, 3)", "torch.zeros(4, 3, 3)") for b in (None, "torch.ones(2, 3)")),
]


def result(library, form):
    def masks(attention, padding):
        return library.nn.MultiheadAttention(4, 2).merge_masks(attention, padding, library.ones(2, 3, 4))

    names = {"torch": library, "masks": masks, "pack": lambda: library.nn.utils.rnn.pack_sequence([library.ones(2)])}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = eval(form, names)
        except Exception as error:  # noqa: BLE001 - compared
            found = f"{type(error).__name__}: {error}"
    warned = [(x.category, str(x.message), x.filename) for x in told]
    return repr(found).replace("torchlike", "torch"), warned


@pytest.mark.parametrize("form", FORMS)
def test_form(form):
    assert result(torchlike, form) == result(torch, form)


def test_classes_of_results_that_were_written():
    names = {name for name in dir(torch.return_types) if name.endswith("_out") and not name.startswith("_")}
    assert len(names) > 25 and names <= {*dir(torchlike.return_types)}


@pytest.mark.parametrize("name", ["int_repr", "q_scale", "qscheme", "to_mkldnn"])
def test_refused_by_name(name):
    with pytest.raises(UnsupportedError, match=name):
        getattr(torchlike.ones(2), name)
    assert not hasattr(torchlike.ones(2), name)


def test_a_step_that_runs_its_hooks():
    class Own(torchlike.optim.SGD):
        pass

    def step(self):
        return "stepped"

    called = []
    optimizer = Own([torchlike.ones(1, requires_grad=True)], 0.1)
    optimizer.register_step_pre_hook(lambda *given: called.append("before"))
    hooked = torchlike.optim.Optimizer.profile_hook_step(step)
    assert hooked(optimizer) == "stepped" and called == ["before"]
    assert torchlike.optim.Optimizer.profile_hook_step(hooked) is hooked


@pytest.mark.parametrize("form", [
    "torch.nothing", "torch.nn.nothing", "torch.nn.functional.nothing", "torch.linalg.nothing", "torch.cuda.nothing",
    "torch.ad", "torch.ones(2).nothing", "torch.nn.Linear(1, 1).nothing", "torch.ops.aten.nothing", "torch.float32.nothing",
    "torch.Size([1]).nothing", "torch.device('cpu').nothing", "torch.Tensor.nothing"])
def test_names_that_do_not_exist(form):
    """The text is PyTorch's; what is nearest is a note."""
    assert result(torchlike, form) == result(torch, form)
