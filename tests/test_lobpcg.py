"""`torch.lobpcg`: eigenpairs by their residuals and by torch's, its errors, gradients, the tracker."""

import pytest
import torch

import torchlike
from compat.compare import check
from compat.compare.tolerances import EXACT, flat
from tests.speed import sampled

BOTH = (torch, torchlike)
NEAR = flat(1e-6, 1e-6)


def matrix(lib, m=24, seed=0, batch=(), dtype="float64"):
    """Symmetric, positive definite, with eigenvalues that differ."""
    a = torch.randn(*batch, m, m, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    values = a @ a.mT / m + torch.diag(torch.arange(1.0, m + 1, dtype=torch.float64))
    return lib.tensor(values.tolist(), dtype=getattr(lib, dtype))


def residual(lib, A, E, X, B=None):  # noqa: N803
    return float((A @ X - (X if B is None else B @ X) * E.unsqueeze(-2)).norm() / A.norm())


CASES = {
    "one": {}, "three": {"k": 3}, "smallest": {"k": 3, "largest": False}, "basic": {"k": 3, "method": "basic"},
    "basic smallest": {"k": 3, "method": "basic", "largest": False}, "fewer than it works with": {"k": 2, "n": 5},
    "no bound": {"k": 2, "niter": -1}, "0 is no bound": {"k": 2, "niter": 0}, "loose": {"k": 2, "tol": 1e-3},
    "settings": {"k": 2, "ortho_iparams": {"ortho_i_max": 1}, "ortho_fparams": {"ortho_tol": 1e-3},
                 "ortho_bparams": {"ortho_use_drop": True}},
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", sampled(CASES, fast=5))
def test_eigenpairs(name, dtype):
    found = []
    for lib in BOTH if CASES[name].get("method") is None else BOTH[1:]:  # PyTorch's "basic" fails for some of these
        lib.manual_seed(3)
        A = matrix(lib, dtype=dtype)  # noqa: N806
        E, X = lib.lobpcg(A, **CASES[name])  # noqa: N806
        k = CASES[name].get("k", 1)
        assert E.shape == (k,) and X.shape == (24, k) and E.dtype is X.dtype is A.dtype
        assert residual(lib, A, E, X) < (1e-2 if name == "loose" else 2e-3 if dtype == "float32" else 1e-6)
        assert float((X.mT @ X - lib.eye(k, dtype=A.dtype)).abs().max()) < (1e-4 if dtype == "float32" else 1e-8)
        found.append(E.tolist())
    exact = torch.linalg.eigvalsh(matrix(torch)).tolist()
    exact = exact if CASES[name].get("largest") is False else exact[::-1]
    near = 1e-2 if name == "loose" else 1e-4
    for values in found:
        assert values == pytest.approx(exact[:len(values)], rel=near)


@pytest.mark.parametrize("method", ["basic", "ortho"])
def test_generalised(method):
    for lib in BOTH if method == "ortho" else BOTH[1:]:
        lib.manual_seed(0)
        A, B = matrix(lib), matrix(lib, seed=1)  # noqa: N806
        E, X = lib.lobpcg(A, 2, B=B, method=method)  # noqa: N806
        assert residual(lib, A, E, X, B) < 1e-6
        assert float((X.mT @ B @ X - lib.eye(2).double()).abs().max()) < 1e-7
        exact = torch.linalg.eigvals(torch.linalg.solve(matrix(torch, seed=1), matrix(torch))).real
        exact = exact.sort(descending=True).values
        assert E.tolist() == pytest.approx(exact[:2].tolist(), rel=1e-5)


def test_batches():
    values = []
    for lib in BOTH:
        lib.manual_seed(0)
        A, B = matrix(lib, batch=(2, 2)), matrix(lib, seed=1, batch=(2, 2))  # noqa: N806
        E, X = lib.lobpcg(A, 2)  # noqa: N806
        assert E.shape == (2, 2, 2) and X.shape == (2, 2, 24, 2) and residual(lib, A, E, X) < 1e-6
        start = lib.ones(2, 2, 24, 2).double() + lib.linspace(0, 1, 24).double().reshape(24, 1) ** lib.tensor([1.0, 3.0])
        again = lib.lobpcg(A, B=B, X=start)
        assert residual(lib, A, *again, B) < 1e-6
        values.append([E.tolist(), again[0].tolist()])
        assert [tuple(each.shape) for each in lib.lobpcg(lib.ones(0, 12, 12), 2)] == [(0, 2), (0, 12, 2)]
    assert torch.tensor(values[0]).sub(torch.tensor(values[1])).abs().max() < 1e-4


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("layout", ["to_sparse", "to_sparse_csr"])
def test_sparse(layout):
    for lib in BOTH:
        lib.manual_seed(0)
        A = matrix(lib)  # noqa: N806
        assert residual(lib, A, *lib.lobpcg(getattr(A, layout)(), 2)) < 1e-6


def test_preconditioned_takes_fewer_steps():
    steps = []
    for iK in (None, torchlike.linalg.inv(matrix(torchlike))):  # noqa: N806
        seen: list = []
        torchlike.manual_seed(0)
        torchlike.lobpcg(matrix(torchlike), 2, iK=iK, largest=False, tracker=lambda worker, seen=seen: seen.append(1))
        steps.append(len(seen))
    assert steps[1] < steps[0]


def test_multiple_eigenvalues_and_zeros():
    for lib in BOTH:
        lib.manual_seed(0)
        assert lib.lobpcg(lib.eye(12), 2)[0].tolist() == pytest.approx([1.0, 1.0])
        assert lib.lobpcg(lib.zeros(12, 12), 2)[0].tolist() == pytest.approx([0.0, 0.0])


def test_tracker():
    for lib in BOTH:
        seen = []

        def track(worker, seen=seen):
            seen.append((worker.ivars["istep"], worker.ivars["converged_count"], worker.ivars["iterations_left"],
                         *(tuple(x.shape) for x in (worker.E, worker.X, worker.R, worker.tvars["rerr"])),
                         worker.iparams["n"], worker.fparams["tol"], worker.bparams["largest"]))
            worker.bvars["force_stop"] = len(seen) == 3

        lib.lobpcg(matrix(lib), 2, tracker=track)
        assert len(seen) == 3
        assert [each[3:] for each in seen] == [((2,), (24, 2), (24, 2), (2,), 2, 2.23e-16 ** 0.5, True)] * 3


ERRORS = {
    "too small": lambda lib: lib.lobpcg(lib.eye(12), 5), "not square": lambda lib: lib.lobpcg(lib.ones(5, 12)),
    "other B": lambda lib: lib.lobpcg(lib.eye(12), B=lib.eye(5)),
    "other X": lambda lib: lib.lobpcg(lib.eye(12), X=lib.ones(5, 2)),
    "other X of a batch": lambda lib: lib.lobpcg(lib.ones(2, 12, 12), X=lib.ones(2, 5, 2)),
    "half": lambda lib: lib.lobpcg(lib.eye(12).half()), "vector": lambda lib: lib.lobpcg(lib.ones(3)),
    "integers": lambda lib: lib.lobpcg(lib.eye(12).int()), "complex": lambda lib: lib.lobpcg(lib.eye(12) + 0j),
    "text": lambda lib: lib.lobpcg("a"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    check(ERRORS[name], tolerance=EXACT)


# -- gradients

LOSSES = {
    "values": lambda lib, e, x: (e * lib.arange(1.0, e.shape[-1] + 1).double()).sum(),
    "projection": lambda lib, e, x: ((x @ x.mT) * matrix(lib, seed=5)).sum(),
    "both": lambda lib, e, x: ((x * e.unsqueeze(-2)) @ x.mT * matrix(lib, seed=5)).sum(),
}


@pytest.mark.parametrize(("largest", "name"), sampled([True, False], LOSSES, fast=4))
def test_gradients(name, largest):
    grads = []
    for lib in BOTH:
        lib.manual_seed(0)
        A = matrix(lib).requires_grad_()  # noqa: N806
        LOSSES[name](lib, *lib.lobpcg(A, 3, tol=1e-11, largest=largest)).backward()
        grads.append(torch.tensor(A.grad.tolist()))
    exact = matrix(torch).requires_grad_()
    values, vectors = torch.linalg.eigh(exact)
    chosen = range(23, 20, -1) if largest else range(3)
    LOSSES[name](torch, values[[*chosen]], vectors[:, [*chosen]]).backward()
    assert (grads[1] - grads[0]).abs().max() < 1e-6 and (grads[1] - exact.grad).abs().max() < 1e-6


@pytest.mark.slow
def test_gradients_of_a_batch_and_second_ones():
    A = matrix(torchlike, 6, batch=(2,)).requires_grad_()  # noqa: N806
    torchlike.manual_seed(0)
    start = torchlike.randn(2, 6, 2, dtype=torchlike.float64)

    def loss(A):  # noqa: N803
        E, X = torchlike.lobpcg(A, X=start, tol=1e-13)  # noqa: N806
        return ((X * E.unsqueeze(-2)) @ X.mT).square().sum() + E.sum()

    assert torchlike.autograd.gradcheck(loss, (A,), atol=1e-4)
    assert torchlike.autograd.gradgradcheck(loss, (A,), atol=1e-3, fast_mode=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", ["sparse", "B", "no_grad"])
def test_gradients_that_are_not_there(case):
    def outcome(lib):
        A = matrix(lib)  # noqa: N806
        if case == "no_grad":
            with lib.no_grad():
                return lib.lobpcg(A.requires_grad_(), 1)[0].requires_grad
        given = (A.to_sparse().requires_grad_(), 2) if case == "sparse" else (A.requires_grad_(), 2, lib.eye(24).double())
        try:
            return lib.lobpcg(*given)[0].sum().backward()
        except ValueError as error:
            return str(error).partition("\n")[0]

    check(outcome, tolerance=EXACT)
