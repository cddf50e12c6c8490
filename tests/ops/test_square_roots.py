"""``linalg.matrix_sqrth`` and ``linalg.polar``, which PyTorch has since 2.14: definitions, gradients, and its own values."""

import numpy as np
import pytest
import torch as real

import torchlike as torch
from tests.speed import sampled
from torchlike.autograd import gradcheck, gradgradcheck

DOUBLE, COMPLEX = torch.float64, torch.complex128
HAS_BOTH = hasattr(real.linalg, "polar")
SYMMETRIC = [[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]]
TALL = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
MIXED = [[1, 2j], [3, 4 - 1j]]
# Values and gradients of PyTorch 2.14.1.
ROOT = [[1.9703, 0.2918, 0.1806], [0.2918, 1.6716, -0.3474], [0.1806, -0.3474, 1.3589]]
SLOPE_OF_ROOT = [[-0.1349, 0.3872, 0.8459], [0.3872, 1.6401, 2.4599], [0.8459, 2.4599, 3.4598]]
SLOPE_OF_MIXED_ROOT = [[0.4206, 0.3249 - 0.2428j], [0.3249 + 0.2428j, 0.3403]]
FACTORS = ([[-0.5510, 0.7278], [0.1362, 0.5611], [0.8233, 0.3943]], [[3.9741, 4.3825], [4.3825, 6.0657]])
SLOPES = {"tall": (TALL, [[-0.1782, -0.1143], [0.3727, -0.6822], [0.9235, -1.2502]]),
          "square": (TALL[:2], [[-0.1498, -0.3147], [0.9705, -1.3393]])}
SLOPE_OF_MIXED = [[0.5533 + 0.3362j, 0.4499 + 0.5387j], [1.2767 - 0.3153j, 1.2955 + 0.4126j]]


def draw(*shape, dtype=DOUBLE):
    torch.manual_seed(7)
    return torch.randn(*shape, dtype=dtype)


def positive(*batch, dtype=DOUBLE):
    x = draw(*batch, 4, 4, dtype=dtype)
    return x @ x.mH + torch.eye(4, dtype=dtype)


# -- square roots

@pytest.mark.parametrize("dtype", [torch.float32, DOUBLE, torch.complex64, COMPLEX], ids=str)
def test_a_root_is_hermitian_and_its_square_is_the_matrix(dtype):
    matrices = positive(2, 3, dtype=dtype)
    root = torch.linalg.matrix_sqrth(matrices)
    assert root.dtype is dtype
    torch.testing.assert_close(root @ root, matrices)
    torch.testing.assert_close(root, root.mH)


def test_roots_have_pytorchs_values():
    x = torch.tensor(SYMMETRIC, dtype=DOUBLE, requires_grad=True)
    root = torch.linalg.matrix_sqrth(x)
    assert type(root.grad_fn).__name__ == "LinalgMatrixSqrthBackward0"
    np.testing.assert_allclose(root.detach(), ROOT, atol=1e-4)
    (root * torch.arange(9.0).view(3, 3)).sum().backward()
    np.testing.assert_allclose(x.grad, SLOPE_OF_ROOT, atol=1e-4)
    x = torch.tensor([[2, 1j], [-1j, 3]], dtype=COMPLEX, requires_grad=True)
    root = torch.linalg.matrix_sqrth(x)
    (root.real.sum() + (root.imag * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum()).backward()
    np.testing.assert_allclose(x.grad, SLOPE_OF_MIXED_ROOT, atol=1e-4)


def test_the_lower_triangle_is_read_and_negative_eigenvalues_count_as_zero():
    lower, full = torch.tensor([[2.0, 9.0], [1.0, 3.0]]), torch.tensor([[2.0, 1.0], [1.0, 3.0]])
    torch.testing.assert_close(torch.linalg.matrix_sqrth(lower), torch.linalg.matrix_sqrth(full))
    assert torch.linalg.matrix_sqrth(torch.tensor([[1.0, 0.0], [0.0, -4.0]])).tolist() == [[1.0, 0.0], [0.0, 0.0]]
    assert torch.linalg.matrix_sqrth(torch.zeros(3, 0, 0)).shape == (3, 0, 0)


ROOTS = {"real": positive, "batch": lambda: positive(2), "complex": lambda: positive(dtype=COMPLEX),
         "equal eigenvalues": lambda: torch.eye(2, dtype=DOUBLE)}  # whose vectors have no derivative


@pytest.mark.parametrize("kind", sampled(ROOTS, fast=2))
def test_gradients_of_roots(kind):
    make = ROOTS[kind]

    def of_sum(x):
        return torch.linalg.matrix_sqrth(x + x.mH)

    assert gradcheck(of_sum, make().requires_grad_(), check_forward_ad=True)
    assert gradgradcheck(of_sum, make().requires_grad_())


@pytest.mark.parametrize(("shape", "dtype", "text"), [
    ((2,), torch.float32, "The input tensor A must have at least 2 dimensions."),
    ((2, 3), torch.float32, "A must be batches of square matrices, but they are 2 by 3 matrices"),
    ((2, 2), torch.int64, "Expected a floating point or complex tensor as input. Got Long"),
    ((2, 2), torch.float16, "Low precision dtypes not supported. Got Half")])
def test_what_has_no_root(shape, dtype, text):
    with pytest.raises(RuntimeError, match=f"linalg.matrix_sqrth: {text}"):
        torch.linalg.matrix_sqrth(torch.ones(shape, dtype=dtype))


# -- polar decompositions

@pytest.mark.parametrize("dtype", [torch.float32, DOUBLE, torch.complex64, COMPLEX], ids=str)
@pytest.mark.parametrize("rows", [3, 5])
def test_factors(dtype, rows):
    matrices = draw(2, rows, 3, dtype=dtype)
    u, h = torch.linalg.polar(matrices)
    torch.testing.assert_close(u @ h, matrices)
    torch.testing.assert_close(u.mH @ u, torch.eye(3, dtype=dtype).expand(2, 3, 3))
    torch.testing.assert_close(h, torch.linalg.matrix_sqrth(matrices.mH @ matrices), atol=1e-4, rtol=1e-3)
    assert (torch.linalg.eigvalsh(h) > 0).all()


def _loss(u, h):
    of_u = (u * torch.arange(1.0, u.numel() + 1).view(u.shape)).sum()
    return of_u + (h * torch.arange(2.0, h.numel() + 2).view(h.shape).sin()).sum()


@pytest.mark.parametrize("kind", SLOPES)
def test_factors_have_pytorchs_gradients(kind):
    values, slope = SLOPES[kind]
    x = torch.tensor(values, dtype=DOUBLE, requires_grad=True)
    u, h = torch.linalg.polar(x)
    assert u.grad_fn is h.grad_fn
    assert type(u.grad_fn).__name__ == "LinalgPolarBackward0"
    np.testing.assert_allclose(torch.autograd.grad(_loss(u, h), x)[0], slope, atol=1e-4)


def test_factors_have_pytorchs_values():
    found = torch.linalg.polar(torch.tensor(TALL))
    assert repr(found).startswith("torch.return_types.linalg_polar(\nU=tensor(")
    for own, known in zip(found, FACTORS, strict=True):
        np.testing.assert_allclose(own, known, atol=1e-4)
    x = torch.tensor(MIXED, dtype=COMPLEX, requires_grad=True)
    u, h = torch.linalg.polar(x)
    loss = _loss(u.real, h.imag) + u.imag.sum() + h.real.sum()
    np.testing.assert_allclose(torch.autograd.grad(loss, x)[0], SLOPE_OF_MIXED, atol=1e-4)


FACTORED = {"tall": lambda: draw(4, 2), "square": lambda: draw(2, 3, 3), "complex": lambda: draw(3, 2, dtype=COMPLEX),
            "equal eigenvalues": lambda: torch.eye(2, dtype=DOUBLE)}


@pytest.mark.parametrize("kind", sampled(FACTORED, fast=4))
def test_gradients_of_factors(kind):
    make = FACTORED[kind]
    assert gradcheck(torch.linalg.polar, make().requires_grad_(), check_forward_ad=True)
    assert gradgradcheck(torch.linalg.polar, make().requires_grad_())


def test_factors_are_written_and_mapped():
    matrices = draw(3, 4, 2)
    u, h = torch.linalg.polar(matrices)
    out = torch.empty(0, dtype=DOUBLE), torch.empty(0, dtype=DOUBLE)
    found = torch.linalg.polar(matrices, out=out)
    assert found[0] is out[0]
    assert torch.equal(out[0], u)
    assert torch.equal(out[1], h)
    for own, known in zip(torch.vmap(torch.linalg.polar)(matrices), (u, h), strict=True):
        torch.testing.assert_close(own, known)
    u, h = torch.linalg.polar(torch.zeros(2, 2, 0))
    assert (u.shape, h.shape) == ((2, 2, 0), (2, 0, 0))


@pytest.mark.parametrize(("shape", "dtype", "text"), [
    ((2,), torch.float32, "linalg.polar: The input tensor A must have at least 2 dimensions."),
    ((2, 3), torch.float32, "linalg.polar: input must have at least as many rows as columns, but got 2 by 3 matrices"),
    ((2, 2), torch.int32, "linalg.polar: Expected a floating point or complex tensor as input. Got Int"),
    ((2, 2), torch.float16, "\"linalg_svd_cpu\" not implemented for 'Half'")])
def test_what_has_no_factors(shape, dtype, text):
    with pytest.raises(RuntimeError, match=text):
        torch.linalg.polar(torch.ones(shape, dtype=dtype))


def test_a_nan_has_no_factors():
    with pytest.raises(torch.linalg.LinAlgError, match="the input matrix contained non-finite values"):
        torch.linalg.polar(torch.full((2, 2), torch.nan))


@pytest.mark.skipif(not HAS_BOTH, reason="the PyTorch that is installed has not these functions")
def test_both_are_those_of_the_pytorch_that_is_installed():
    values = draw(2, 4, 3).numpy()
    for own, known in zip(torch.linalg.polar(torch.tensor(values)), real.linalg.polar(real.tensor(values)), strict=True):
        np.testing.assert_allclose(own, known, atol=1e-12)
    values = positive(2).numpy()
    np.testing.assert_allclose(torch.linalg.matrix_sqrth(torch.tensor(values)),
                               real.linalg.matrix_sqrth(real.tensor(values)), atol=1e-12)
