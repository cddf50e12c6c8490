"""Methods that PyTorch has removed or deprecated, its indexing by positions, views of slices' bases, older norms."""

import pytest

from compat.compare import check
from compat.compare.tolerances import EXACT, LAYERS


def x(lib):
    return lib.arange(24.0).reshape(2, 3, 4)


CALLS = {
    "eig": lambda lib: x(lib).eig(), "eig with vectors": lambda lib: x(lib).eig(eigenvectors=True),
    "lstsq": lambda lib: x(lib).lstsq(x(lib)), "solve": lambda lib: x(lib).solve(x(lib)),
    "symeig": lambda lib: x(lib).symeig(True), "reinforce": lambda lib: x(lib).reinforce(1),
    "resize": lambda lib: x(lib).resize(6, 4), "resize of a transposed one": lambda lib: x(lib).transpose(0, 2).resize(24),
    "resize to another number": lambda lib: x(lib).resize(5), "resize to two": lambda lib: x(lib).resize(5, 7),
    "resize by a tuple": lambda lib: x(lib).resize((6, 4)), "resize by a Size": lambda lib: x(lib).resize(lib.Size([6])),
    "resize by -1": lambda lib: x(lib).resize(-1), "resize to nothing": lambda lib: x(lib).resize(),
    "resize_as": lambda lib: x(lib).resize_as(lib.ones(4, 6)),
    "resize_as another": lambda lib: x(lib).resize_as(lib.ones(3)),
    "volatile": lambda lib: (x(lib).volatile, setattr(x(lib), "volatile", True)),
}


@pytest.mark.parametrize("name", CALLS)
def test_removed_and_deprecated(name):
    check(CALLS[name], tolerance=EXACT)


@pytest.mark.filterwarnings("ignore:non-inplace")
def test_resize_is_a_view_with_a_history():
    def outcomes(lib):
        a, b = x(lib), x(lib).requires_grad_()
        a.resize(24)[0] = 9
        made = b.resize(4, 6)
        (made * lib.arange(24.0).reshape(4, 6)).sum().backward()
        return a, b.grad, type(made.grad_fn).__name__, b.transpose(0, 1).resize(24).grad_fn is not None

    check(outcomes, tolerance=EXACT)


def positions(lib):
    t = lib.tensor
    return [(0, 1), (1, 0), (-1, 2), ([0, 1], [1, 2]), ((0, 2), (1, slice(1, 3))), (0, t([0, 1, 1])),
            ([0, 1], [t([0, 1]), t([2, 1])]), (0, None), ([], []), (1, slice(0, 2)), ((0, 1), 1), ([(0, 1)], [2]), (0, True),
            (0, [0, 1]), ([0, 1], [[0, 1], [1, 2]]), ([0], 0), ([0, 2], [t([0, 1]), t([2, 1])]), ([0, 1], [0]),
            ((0, 1), (1,)), (0, 5), (0.5, 0), ((1, 2), slice(2, 5)), ([(0, 1), 2], [t([1, 2]), 0])]


@pytest.mark.parametrize("case", range(23))
def test_index_by_positions(case):
    check(lambda lib: x(lib).index(*positions(lib)[case]), tolerance=EXACT)


def test_slice_inverse():
    def outcomes(lib):
        base = x(lib)
        part = base.narrow(1, 1, 1)
        whole = part.slice_inverse(base, 1, 1, 2)
        whole[0, 0, 0] = 7
        return base, whole.shape, whole.stride(), lib.slice_inverse(part, base, step=2)

    check(outcomes, tolerance=EXACT)


def coo(lib):
    return lib.sparse_coo_tensor(lib.tensor([[0, 1, 1, 0], [2, 0, 2, 2]]), lib.tensor([3.0, 4.0, 5.0, 1.0]), (2, 3),
                                 check_invariants=False)


NORMS = {
    "sparse": lambda lib: lib.native_norm(coo(lib)), "of one": lambda lib: lib.native_norm(coo(lib), 1),
    "of infinity": lambda lib: lib.native_norm(coo(lib), float("inf")), "of 0": lambda lib: lib.native_norm(coo(lib), 0),
    "of 2.5": lambda lib: lib.native_norm(coo(lib), 2.5),
    "all": lambda lib: lib.native_norm(coo(lib), 2, (0, 1), False, None),
    "none": lambda lib: lib.native_norm(coo(lib), None, (), False, None),
    "one dimension": lambda lib: lib.native_norm(coo(lib), 2, (0,), False, None),
    "keepdim": lambda lib: lib.native_norm(coo(lib), 2, (0, 1), True, None),
    "dtype": lambda lib: lib.native_norm(coo(lib), 2, (), False, lib.float64),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NORMS)
def test_native_norm(name):
    check(NORMS[name], tolerance=LAYERS)


def test_native_norm_is_of_sparse_tensors_alone():
    def text(lib):
        try:
            return lib.native_norm(lib.ones(2))
        except NotImplementedError as error:
            return str(error).partition(".")[0]

    check(text, tolerance=EXACT)
