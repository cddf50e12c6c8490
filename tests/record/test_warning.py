"""PyTorch's warnings: the same ones with the same texts, once a process, at the user's line."""

import warnings

import numpy as np
import pytest

import torchlike
from compat import compare
from compat.compare.tolerances import EXACT
from tests.record import refused_calls


def grown(lib, *shape):
    return lib.ones(*shape, requires_grad=True)


def expanded_conv(lib):
    return lib.nn.functional.conv1d(lib.ones(1, 1, 5), lib.ones(1, 1, 2), padding="same")


def read_only(lib, make):
    return make(np.frombuffer(b"12345678"))


def unread(lib, *shape):
    return lib.ones(*shape[::-1]).t()


CASES = {
    "T of 0-D": lambda t: t.tensor(1.0).T,
    "H of 0-D": lambda t: t.tensor(1j).H,
    "mT of 0-D": lambda t: t.tensor(1.0).mT,
    "mH of 0-D": lambda t: t.tensor(1j).mH,
    "mT of 1-D": lambda t: t.ones(2).mT,
    "mH of 1-D": lambda t: t.ones(2).mH,
    "T of 3-D": lambda t: t.ones(1, 2, 3).T,
    "cross": lambda t: t.cross(t.ones(4, 3), t.ones(4, 3)),
    "cross with dim": lambda t: t.cross(t.ones(4, 3), t.ones(4, 3), 1),
    "Tensor.cross": lambda t: t.ones(4, 3).cross(t.ones(4, 3)),
    "lu": lambda t: t.lu(t.eye(3)),
    "lu with infos": lambda t: t.eye(3).lu(get_infos=True),
    "qr": lambda t: t.qr(t.eye(3)),
    "Tensor.qr": lambda t: t.eye(3).qr(),
    "lu_solve": lambda t: t.lu_solve(t.ones(3, 1), *t.linalg.lu_factor(t.eye(3))),
    "cholesky": lambda t: t.cholesky(t.eye(3)),
    "Tensor.cholesky": lambda t: t.eye(3).cholesky(),
    "triangular_solve": lambda t: t.triangular_solve(t.ones(2, 2), t.eye(2)),
    "chain_matmul": lambda t: t.chain_matmul(t.ones(2, 3), t.ones(3, 4)),
    "index_reduce": lambda t: t.zeros(3).index_reduce(0, t.tensor([0]), t.ones(1), "prod"),
    "index_reduce_": lambda t: t.zeros(3).index_reduce_(0, t.tensor([0]), t.ones(1), "amax"),
    "scatter_reduce": lambda t: t.zeros(3).scatter_reduce(0, t.tensor([0]), t.ones(1), "prod"),
    "segment_reduce": lambda t: t.segment_reduce(t.ones(3), "max", lengths=t.tensor([3])),
    "sparse softmax": lambda t: t.sparse.softmax(t.eye(3).to_sparse(), 1).to_dense(),
    "csr": lambda t: t.eye(3).to_sparse_csr().to_dense(),
    "csc": lambda t: t.eye(3).to_sparse_csc().to_dense(),
    "bsr": lambda t: t.eye(4).to_sparse_bsr((2, 2)).to_dense(),
    "csr of parts": lambda t: t.sparse_csr_tensor([0, 1], [0], [1.0]).to_dense(),
    "coo of parts": lambda t: t.sparse_coo_tensor([[0]], [1.0]).to_dense(),
    "coo of a size": lambda t: t.sparse_coo_tensor((2, 2)).to_dense(),
    "coo, unchecked": lambda t: t.sparse_coo_tensor([[0]], [1.0], check_invariants=False).to_dense(),
    "to_sparse": lambda t: t.eye(3).to_sparse().to_dense(),
    "nested jagged": lambda t: t.nested.nested_tensor([t.ones(2), t.ones(3)], layout=t.jagged).shape[0],
    "as_nested_tensor": lambda t: t.nested.as_nested_tensor([t.ones(2), t.ones(3)]).dim(),
    "cov": lambda t: t.cov(t.ones(2, 1)),
    "corrcoef": lambda t: t.corrcoef(t.ones(2, 1)),
    "cov of many": lambda t: t.cov(t.ones(2, 3)),
    "cov, weights": lambda t: t.cov(t.ones(2, 2), aweights=t.tensor([1.0, 0.0])),
    "same padding": expanded_conv,
    "float": lambda t: float(grown(t, 1)),
    "complex": lambda t: complex(grown(t, 1)),
    "int": lambda t: int(grown(t, 1)),
    "bool": lambda t: bool(grown(t, 1)),
    "item": lambda t: grown(t, 1).item(),
    "float without grad": lambda t: t.no_grad()(lambda x: float(x))(grown(t, 1)),
    "float of a result": lambda t: float(grown(t, 2).sum()),
    "from_numpy": lambda t: read_only(t, t.from_numpy),
    "as_tensor": lambda t: read_only(t, t.as_tensor),
    "asarray": lambda t: read_only(t, t.asarray),
    "asarray, copied": lambda t: read_only(t, lambda x: t.asarray(x, copy=True)),
    "tensor": lambda t: read_only(t, t.tensor),
    "frombuffer": lambda t: t.frombuffer(b"12345678", dtype=t.uint8),
    "new_tensor": lambda t: t.ones(2).new_tensor(t.ones(2)),
    "tensor of a tensor": lambda t: t.tensor(t.ones(2)),
    "volatile": lambda t: t.autograd.Variable(t.ones(2), volatile=True),
    "where": lambda t: t.where(t.tensor([1, 0], dtype=t.uint8), 1.0, 0.0),
    "Tensor.where": lambda t: t.ones(2).where(t.tensor([1, 0], dtype=t.uint8), t.zeros(2)),
    "bucketize": lambda t: t.bucketize(unread(t, 2, 4), t.ones(4)),
    "searchsorted": lambda t: t.searchsorted(unread(t, 2, 4), t.ones(2, 4)),
    "searchsorted values": lambda t: t.searchsorted(t.ones(2, 4), unread(t, 2, 4)),
    "searchsorted numbers": lambda t: t.searchsorted(t.ones(4), 1),
}
OLD = {
    "addmm": lambda t: t.addmm(2, t.ones(2, 2), t.ones(2, 2), t.ones(2, 2)),
    "addmm, both": lambda t: t.addmm(2, t.ones(2, 2), 3, t.ones(2, 2), t.ones(2, 2)),
    "Tensor.addmm": lambda t: t.ones(2, 2).addmm(2, 3, t.ones(2, 2), t.ones(2, 2)),
    "baddbmm": lambda t: t.baddbmm(2, t.ones(1, 2, 2), t.ones(1, 2, 2), t.ones(1, 2, 2)),
    "Tensor.baddbmm": lambda t: t.ones(1, 2, 2).baddbmm(2, t.ones(1, 2, 2), t.ones(1, 2, 2)),
    "addbmm": lambda t: t.addbmm(2, t.ones(2, 2), 3, t.ones(1, 2, 2), t.ones(1, 2, 2)),
    "addmv": lambda t: t.addmv(2, t.ones(2), 3, t.ones(2, 2), t.ones(2)),
    "addr_": lambda t: t.ones(2, 2).addr_(2, 3, t.ones(2), t.ones(2)),
    "add": lambda t: t.add(t.ones(2), 2, t.ones(2)),
    "add_": lambda t: t.ones(2).add_(2, t.ones(2)),
    "Tensor.add": lambda t: t.ones(2).add(2, t.ones(2)),
    "sub": lambda t: t.sub(t.ones(2), 2, t.ones(2)),
    "addcmul_": lambda t: t.ones(2).addcmul_(2, t.ones(2), t.ones(2)),
    "addcdiv": lambda t: t.addcdiv(t.ones(2), 2, t.ones(2), t.ones(2)),
}


@pytest.fixture
def each_time():
    """PyTorch's switch, and ours, for warnings that are given once."""
    for lib in compare.PACKAGES:
        lib.set_warn_always(True)
    yield
    for lib in compare.PACKAGES:
        lib.set_warn_always(False)


@pytest.mark.usefixtures("each_time")
@pytest.mark.parametrize("name", [*CASES, *OLD])
def test_same_as_torch(name):
    compare.check((CASES | OLD)[name], tolerance=EXACT)


@pytest.mark.usefixtures("each_time")
@pytest.mark.parametrize("call", refused_calls.CALLS)
def test_refused_with_the_same_warnings(call):
    """The error, and which warnings come before it."""
    compare.check(lambda t: eval(call, {"t": t, "np": np}), tolerance=EXACT)


def test_invariants_are_chosen_once_and_for_all():
    found = []
    for lib in compare.PACKAGES:
        choice = lib.sparse.check_sparse_tensor_invariants
        lib.set_warn_always(True)
        with compare.caught() as told:
            with choice(False):
                lib.sparse_coo_tensor([[0]], [1.0])
            lib.sparse_coo_tensor([[0]], [1.0])
        lib.set_warn_always(False)
        found.append(told)
    assert found[0] == found[1]


def test_once_and_at_the_users_line():
    warning, errors = torchlike._record.warning, torchlike._base.errors
    errors._warnings.given.discard("only here")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(2):
            warning.warn_once("told", "only here")
        torchlike.from_numpy(np.frombuffer(b"12345678"))
        torchlike.set_warn_always(True)
        torchlike.from_numpy(np.frombuffer(b"12345678"))
        torchlike.set_warn_always(False)
    assert [str(w.message) for w in told].count("told") == 1
    assert {w.filename for w in told} == {__file__} and len(told) >= 2
