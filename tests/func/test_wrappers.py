"""`torch.func.debug_unwrap`, compared with PyTorch's."""

import pytest

from compat.compare import check
from compat.compare.tolerances import EXACT


def seen(lib, transformed):
    """What it gives inside of transforms, with and without going through all of them."""
    found = []

    def look(x):
        found.append(lib.func.debug_unwrap(x).tolist())
        found.append(tuple(lib.func.debug_unwrap(x, recurse=False).shape))
        return x * 2

    transformed(lib, look)
    return found


X = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
TRANSFORMS = {
    "none": lambda lib, look: look(lib.tensor(X)), "vmap": lambda lib, look: lib.func.vmap(look)(lib.tensor(X)),
    "vmap of the second dimension": lambda lib, look: lib.func.vmap(look, in_dims=1)(lib.tensor(X)),
    "two vmaps": lambda lib, look: lib.func.vmap(lib.func.vmap(look))(lib.tensor(X)),
    "grad": lambda lib, look: lib.func.grad(lambda x: look(x).sum())(lib.tensor(X)),
    "grad of vmap": lambda lib, look: lib.func.grad(lambda x: lib.func.vmap(look)(x).sum())(lib.tensor(X)),
    "vmap of grad": lambda lib, look: lib.func.vmap(lib.func.grad(lambda x: look(x).sum()))(lib.tensor(X)),
    "captured": lambda lib, look: lib.func.vmap(lambda x: look(lib.tensor([7.0])) + x)(lib.tensor(X)),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_what_is_behind(name):
    check(lambda lib: seen(lib, TRANSFORMS[name]), tolerance=EXACT)


def test_the_same_tensor_outside():
    check(lambda lib: lib.func.debug_unwrap(x := lib.ones(2)) is x, tolerance=EXACT)
