"""The hooks `weight_norm` and `spectral_norm`, against torch: training, state, removal, errors."""

import warnings

import numpy as np
import pytest
import torch

import torchlike
from tests.speed import sampled

MODULES = ["t.nn.Linear(4, 3)", "t.nn.Conv2d(2, 3, 2)", "t.nn.ConvTranspose1d(2, 3, 2)", "t.nn.Embedding(5, 3)"]
INPUTS = {"Linear": lambda t: t.linspace(-1, 1, 8).view(2, 4), "Conv2d": lambda t: t.linspace(-1, 1, 18).view(1, 2, 3, 3),
          "ConvTranspose1d": lambda t: t.linspace(-1, 1, 6).view(1, 2, 3), "Embedding": lambda t: t.tensor([1, 3])}
WRAPS = ["t.nn.utils.weight_norm(m)", "t.nn.utils.weight_norm(m, dim=1)", "t.nn.utils.weight_norm(m, dim=None)",
         "t.nn.utils.spectral_norm(m)", "t.nn.utils.spectral_norm(m, n_power_iterations=3, dim=1)"]


def made(t, module):
    m = eval(module, {"t": t})
    with t.no_grad():
        m.weight.copy_((t.arange(float(m.weight.numel())).view(m.weight.shape) * 0.7).sin())
    return m


def history(t, module, wrap):
    """Results, gradients, names and state over three steps, in evaluation, and after removal."""
    m = made(t, module)
    t.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert eval(wrap, {"t": t, "m": m}) is m
    x, shown = INPUTS[type(m).__name__](t), [list(m.state_dict()), [name for name, _ in m.named_parameters()], repr(m),
                                             dict(m.state_dict()._metadata)]
    opt = t.optim.SGD(m.parameters(), lr=0.1)
    for _ in range(3):
        opt.zero_grad()
        out = m(x)
        (out * out).sum().backward()
        shown += [out, *(p.grad for p in m.parameters())]
        opt.step()
    m.eval()
    shown += [m(x), *m.state_dict().values()]
    state = {name: value.clone() for name, value in m.state_dict().items()}
    m.load_state_dict(state)
    remove = t.nn.utils.remove_weight_norm if "weight" in wrap else t.nn.utils.remove_spectral_norm
    assert remove(m) is m
    return [*shown, m(x), m.weight, list(m.state_dict()), len(m._forward_pre_hooks), len(m._state_dict_hooks)]


@pytest.mark.parametrize(("module", "wrap"), sampled(
    MODULES, WRAPS, fast=lambda i, k: not i and k != 2, ci=lambda i, k: not i or (i + k) % 3 == 0))
def test_as_torch(module, wrap):
    theirs, ours = history(torch, module, wrap), history(torchlike, module, wrap)
    assert len(theirs) == len(ours)
    for a, b in zip(theirs, ours, strict=True):
        if isinstance(a, torch.Tensor):
            np.testing.assert_allclose(b.detach().numpy(), a.detach().numpy(), rtol=2e-5, atol=2e-6)
        else:
            assert a == b


@pytest.mark.parametrize("call", [
    "u.weight_norm(u.weight_norm(m))", "u.spectral_norm(u.spectral_norm(m))", "u.remove_weight_norm(m)",
    "u.remove_spectral_norm(m)", "u.spectral_norm(m, n_power_iterations=0)", "u.spectral_norm(m, name='x')",
    "u.weight_norm(m, name='x')", "u.spectral_norm(t.nn.Linear(2, 2, bias=False), name='bias')",
    "u.remove_weight_norm(u.weight_norm(m), 'bias')"])
def test_errors_and_warnings(call):
    found = []
    for t in (torch, torchlike):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                eval(call, {"t": t, "u": t.nn.utils, "m": t.nn.Linear(2, 3)})
                outcome = None
            except Exception as error:  # noqa: BLE001 - compared
                outcome = type(error).__name__, str(error)
        found.append((outcome, [(w.category, str(w.message)) for w in warned]))
    assert found[0] == found[1]
