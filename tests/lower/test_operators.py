"""The sources of single operators: each row of the table that has a gradient, by its first example."""

import warnings

import jax
import numpy as np
import pytest

import torchlike as torch
from tests.ops.cases import Side, flatten, tables
from tests.speed import sampled

PARTS = 24
# What no source can be written of, or JAX cannot differentiate, by a part of the reason.
REFUSED = ("Singular value decomposition JVP not implemented for full matrices",
           "scatter_mul gradients are only implemented", "Differentiation rule for 'nextafter' not implemented")


def examples() -> list:
    """(row, expression): the first example of each row that draws its operands, so that no tie or bound is among them."""
    found = []
    for row, expressions in tables("CASES").items():
        drawn = [text for text in expressions if "t([" not in text and ("x(" in text or "pos(" in text or "unit(" in text)]
        found += [(row, drawn[0])] if drawn else []
    return found


def gradients_of_source(text, function, lowered, backward) -> dict:
    namespace: dict = {}
    exec(compile(text, "source", "exec"), namespace)
    function = namespace[function]
    value, found = function(lowered.values()) if backward else jax.value_and_grad(function)(lowered.values())
    return {"": value, **found}


def check(expression) -> str:
    """Whether both sources of an expression give what the tape gives: the complaint, or nothing."""
    try:
        with warnings.catch_warnings(action="ignore"):
            found = list(flatten(Side(torch, "float32").evaluate(expression)))
    except NotImplementedError:  # it is one of integers
        return ""
    outs = [out for out in found if isinstance(out, torch.Tensor) and out.requires_grad]
    if not outs:
        return ""
    loss = sum((out.abs() if out.is_complex() else out).sum() for out in outs)
    lowered = torch.lower(loss)
    leaves = list(lowered.leaves.values())
    expected = [loss, *torch.autograd.grad(loss, leaves, retain_graph=True, allow_unused=True)]
    in_domain = bool(loss.isfinite())  # elsewhere derivatives are a matter of convention, as at ties
    for backward in (False, True) if in_domain else (True,):
        text = lowered.backward_source() if backward else lowered.source()
        name = f"{lowered.name}_and_gradients" if backward else lowered.name
        try:
            found = gradients_of_source(text, name, lowered, backward)
        except NotImplementedError as error:
            if any(reason in str(error) for reason in REFUSED):
                continue
            raise
        for key, want in zip(["", *lowered.leaves], expected, strict=True):
            want = 0 if want is None else want.detach().numpy()
            got = np.conj(found[key]) if key and not backward else found[key]
            if not np.allclose(got, want, 1e-3, 1e-4, equal_nan=True):
                return f"{expression}, {'backward' if backward else 'forward'}, {key}: {found[key]} instead of {want}"
    return ""


@pytest.fixture
def wide():
    """JAX with 64 bits, as sources ask for it: the setting goes back."""
    before = jax.config.jax_enable_x64
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.mark.parametrize("part", sampled(range(PARTS), ci={0}))
def test_sources_of_operators(part, wide):
    complaints = []
    for row, expression in examples()[part::PARTS]:
        try:
            complaint = check(expression)
        except Exception as error:  # noqa: BLE001 - all are listed
            complaint = f"{expression}: {type(error).__name__}: {str(error)[:200]}"
        if complaint:
            complaints.append(f"{row}: {complaint}")
    assert complaints == []


@pytest.mark.slow
def test_sources_of_some_operators(wide):
    assert [complaint for _, expression in examples()[::40] if (complaint := check(expression))] == []
