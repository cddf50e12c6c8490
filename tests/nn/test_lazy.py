"""Lazy modules and uninitialized parameters, against torch: shapes, states, copies, conversions, errors."""

import copy
import io
import pickle

import numpy as np
import pytest
import torch

import torchlike

MODULES = {
    "LazyLinear(3)": (2, 4), "LazyLinear(3, bias=False)": (5, 2, 4), "LazyConv1d(4, 2, groups=2)": (2, 6, 5),
    "LazyConv2d(3, 2, bias=False)": (2, 4, 5), "LazyConv3d(2, 1, padding=1)": (1, 2, 3, 3, 3),
    "LazyConvTranspose1d(4, 2, groups=2)": (1, 2, 4), "LazyConvTranspose2d(3, 2, 2)": (2, 3, 3, 3),
    "LazyConvTranspose3d(2, 2, output_padding=1, stride=2)": (1, 2, 2, 2, 2), "LazyBatchNorm1d()": (4, 3),
    "LazyBatchNorm2d(affine=False)": (2, 3, 2, 2), "LazyBatchNorm3d(track_running_stats=False)": (2, 3, 2, 2, 2),
    "LazyBatchNorm1d(bias=False)": (4, 3, 2), "LazyInstanceNorm1d()": (2, 3, 4),
    "LazyInstanceNorm2d(affine=False, track_running_stats=False)": (2, 3, 2, 2),
    "LazyInstanceNorm3d(eps=0.1)": (1, 2, 2, 2, 2),
}


def made(t, module):
    t.manual_seed(0)
    return eval(f"t.nn.{module}", {"t": t})


def told(value):
    """What is compared: values, texts, structures."""
    if isinstance(value, torch.Tensor | torchlike.Tensor):
        lazy = type(value).__name__.startswith("Uninit")
        values = None if lazy else value.detach().numpy()
        if not lazy and isinstance(value, torch.Tensor):
            values = pytest.approx(values, rel=1e-4, abs=1e-5, nan_ok=True)  # one side of a comparison has the tolerance
        return type(value).__name__, str(value.dtype).replace("torchlike", "torch"), value.requires_grad, values
    if isinstance(value, dict):
        return {k: told(v) for k, v in value.items()}
    return [told(v) for v in value] if isinstance(value, list | tuple) else value


def same(program, *given):
    """The program under both libraries."""
    found = []
    for t in (torch, torchlike):
        try:
            found.append(told(program(t, *given)))
        except Exception as error:  # noqa: BLE001 - compared
            found.append((type(error).__name__, str(error).split(" in ")[0] if "Attempted" in str(error) else str(error)))
    assert found[1] == found[0]
    return found[0]


def given_to(t, module):
    return t.linspace(-1, 1, int(np.prod(MODULES[module]))).reshape(MODULES[module])


@pytest.mark.parametrize("module", MODULES)
def test_first_pass(module):
    def program(t):
        m = made(t, module)
        shown = [repr(m), dict(m.state_dict()), m.has_uninitialized_params(), [n for n, _ in m.named_buffers()]]
        out = m(given_to(t, module))
        return [*shown, out, repr(m), type(m).__name__, dict(m.state_dict()), len(m._forward_pre_hooks),
                len(m._load_state_dict_pre_hooks), hasattr(m, "_initialize_hook"), m(given_to(t, module))]

    same(program)


@pytest.mark.parametrize("module", MODULES)
def test_states(module):
    """Saved before and after the first pass, loaded before and after."""
    def program(t):
        full, empty = made(t, module), made(t, module)
        full(given_to(t, module))
        state = full.state_dict()
        shown = [str(made(t, module).load_state_dict(state)), str(made(t, module).load_state_dict(empty.state_dict()))]
        loaded = made(t, module)
        loaded.load_state_dict(state)
        return [*shown, dict(loaded.state_dict()), repr(loaded), loaded(given_to(t, module)), repr(loaded)]

    same(program)


def test_a_lazy_state_into_a_full_module():
    def program(t):
        full = made(t, "LazyLinear(3)")
        full(t.ones(1, 2))
        full.load_state_dict(made(t, "LazyLinear(3)").state_dict())

    assert same(program)[0] == "RuntimeError"


@pytest.mark.parametrize("how", [copy.deepcopy, copy.copy, lambda m: pickle.load(io.BytesIO(pickle.dumps(m)))])
def test_copies(how):
    def program(t):
        m = how(made(t, "LazyConv1d(2, 1)"))
        t.manual_seed(1)
        return [repr(m), m(t.ones(1, 3, 2)), repr(m)]

    same(program)


@pytest.mark.parametrize("step", [
    "m.half()", "m.double()", "m.to(t.float64)", "m.to('cpu')", "m.requires_grad_(False)", "m.zero_grad()",
    "m.apply(lambda x: None)", "m.bfloat16()", "m.eval()", "m.type(t.float64)"])
def test_conversions(step):
    def program(t):
        m = made(t, "LazyLinear(2)")
        eval(step, {"t": t, "m": m})
        return [dict(m.state_dict()), [p.requires_grad for p in m.parameters()], m(t.ones(1, 2, dtype=m.weight.dtype))]

    same(program)


@pytest.mark.parametrize("use", [
    "p + 1", "t.sum(p)", "p.view(1)", "p.tolist()", "p.shape", "p.size()", "p.dim()", "p[0]", "p.share_memory_()",
    "p.detach()",
    "t.nn.functional.linear(t.ones(1), p)", "p.clone()", "p.sum().backward()", "repr(p)", "p.is_complex()", "p.is_leaf",
    "p.is_floating_point()", "p.dtype == t.float32", "p.grad", "p.ndim", "p.to(t.float64).dtype == t.float64",
    "p.get_device()", "isinstance(p, t.nn.Parameter)",
    "t.nn.parameter.is_lazy(p)", "p.materialize((2, 1)) or (p.shape, type(p).__name__, p.requires_grad)",
    "p.materialize((2, 1), dtype=t.float64) or p.dtype == t.float64", "p.requires_grad_(False).requires_grad",
    "p in {p}", "p.numel()", "len(p)"])
@pytest.mark.parametrize("kind", ["Parameter", "Buffer"])
def test_uses(kind, use):
    def program(t):
        return eval(use, {"t": t, "p": getattr(t.nn.parameter, f"Uninitialized{kind}")()})

    same(program)


@pytest.mark.parametrize(("module", "given"), [
    ("LazyConv2d(2, 1)", (3,)), ("LazyConv1d(4, 1, groups=2)", (1, 3, 4)), ("LazyBatchNorm2d()", (2, 3)),
    ("LazyLinear(2, bias=False)", (0,)), ("LazyInstanceNorm1d()", (3,))])
def test_errors(module, given):
    same(lambda t: made(t, module)(t.ones(given)))


def test_own_modules():
    def program(t, full):
        class Own(t.nn.modules.lazy.LazyModuleMixin, t.nn.Module):
            def __init__(self):
                super().__init__()
                self.w = t.nn.UninitializedParameter()

            if full is not None:
                def initialize_parameters(self, x, *, scale):
                    if full:
                        self.w.materialize(x.shape)
                        with t.no_grad():
                            self.w.fill_(scale)

            def forward(self, x, *, scale):
                return x * self.w

        own = Own()
        seen = next(iter(own.parameters()))
        return [own(t.ones(2), scale=3.0), own.w is seen, own(t.ones(2), scale=9.0), type(own).__name__]

    for full in (True, False, None):
        same(program, full)


def test_an_optimizer_keeps_the_parameter():
    def program(t):
        m = made(t, "LazyLinear(2)")
        optimizer = t.optim.SGD(m.parameters(), lr=0.1)
        m(t.ones(1, 3)).sum().backward()
        optimizer.step()
        return dict(m.state_dict())

    same(program)


def test_data_parallel_is_refused():
    errors = []
    for library in (torch, torchlike):
        with pytest.raises(RuntimeError) as raised:
            library.nn.LazyLinear(2)._replicate_for_data_parallel()
        errors.append(str(raised.value))
    assert errors[0] == errors[1]
