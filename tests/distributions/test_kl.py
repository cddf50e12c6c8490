"""Divergences: every pair that torch registers, and how pairs are found."""

import warnings

import pytest
import torch

import torchlike
from compat.compare import PACKAGES
from tests.distributions.cases import PAIRS
from tests.distributions.side import agree


def _names(library):
    return sorted((p.__name__, q.__name__) for p, q in library.distributions.kl._KL_REGISTRY)


def test_pairs():
    assert _names(torchlike) == _names(torch)


@pytest.mark.parametrize(("p", "q"), _names(torch))
def test_divergence(p, q):
    """The value, and its gradients by the parameters of both."""
    def check(side):
        result = side.library.distributions.kl_divergence(side.evaluate(PAIRS[p][0]), side.evaluate(PAIRS[q][1]))
        return [result, *side.grads(result)]

    agree(check, rtol=1e-7, where=f"{p} {q}")


@pytest.mark.parametrize("library", PACKAGES, ids=["torch", "torchlike"])
def test_most_specific(library):
    """The nearest pair is found; a warning tells of two that are equally near."""
    D = library.distributions  # noqa: N806

    class P(D.Normal):
        pass

    class Q(D.Normal):
        pass

    p, q = P(0., 1.), Q(0., 1.)
    assert D.kl_divergence(p, q) == 0
    before = dict(D.kl._KL_REGISTRY)
    try:
        D.register_kl(P, D.Normal)(lambda p, q: "left")
        D.register_kl(D.Normal, Q)(lambda p, q: "right")
        assert D.kl_divergence(p, p) == "left"
        assert D.kl_divergence(q, q) == "right"
        with pytest.warns(RuntimeWarning, match=r"Ambiguous kl_divergence\(P, Q\). Please register_kl\(P, Q\)"):
            assert D.kl_divergence(p, q) == "left"
        D.register_kl(P, Q)(lambda p, q: "both")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert D.kl_divergence(p, q) == "both"
    finally:
        D.kl._KL_REGISTRY.clear()
        D.kl._KL_REGISTRY.update(before)
        D.register_kl(D.Normal, D.Normal)(before[D.Normal, D.Normal])  # forgets what look-ups gave
