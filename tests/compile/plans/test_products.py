"""Plans with matrix products: the same as XLA."""

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tests.compile.plans.agreement import assert_agrees, planned

SHAPES = [((4, 1), (1, 3)), ((1, 1), (1, 3)), ((1,), (1,)), ((2, 4, 1), (2, 1, 3)), ((4, 2), (2, 3)),
          ((0, 1), (1, 3)), ((4, 0), (0, 3))]
DTYPES = ("float32", "float16", "complex64", "int32", "bool")


@pytest.mark.parametrize(("dtype", "shapes"), [(d, s) for d in DTYPES for s in SHAPES])
def test_every_dtype(dtype, shapes):
    rng = np.random.default_rng(3)
    assert_agrees(jnp.matmul, *[(rng.standard_normal(shape) * 3).astype(dtype) for shape in shapes])


@pytest.mark.parametrize("shapes", [shapes for shapes in SHAPES if shapes[0][-1] == 1])
def test_a_product_of_single_numbers_keeps_the_sign_of_zero(shapes):
    """Nothing is added to it, not even 0: as in PyTorch's product of a column with a row."""
    a, b = -np.ones(shapes[0], np.float32), np.zeros(shapes[1], np.float32)
    (found,) = planned(jnp.matmul, a, b)
    assert np.signbit(found).all()


def test_outer_products_over_a_dimension_that_is_not_the_last():
    a, b = np.arange(3, dtype=np.float32).reshape(1, 3), np.arange(8, dtype=np.float32).reshape(1, 2, 4)
    assert_agrees(lambda a, b: lax.dot_general(a, b, (((0,), (0,)), ((), ()))), a, b)
