"""Device 'meta': shapes and dtypes without values."""

from typing import Any, NamedTuple

import jax
import numpy as np

from torchlike._compile.backends.xla import XlaBackend
from torchlike._compile.jax_private import own_work

NO_DATA = "Cannot copy out of meta tensor; no data!"


class NoArray(NamedTuple):
    """What a tensor on 'meta' has in the place of an array."""

    shape: tuple
    dtype: np.dtype

    @property
    def nbytes(self) -> int:
        """None are held."""
        return 0

    def __array__(self, dtype=None, copy=None):
        raise NotImplementedError(NO_DATA)


class Meta(XlaBackend):
    """Kernels are traced, for that is where shapes and errors come from. Nothing is computed."""

    has_values = False

    def describe(self, shape, dtype):
        with own_work():
            return jax.ShapeDtypeStruct(shape, dtype)

    def place(self, array: Any) -> Any:
        return NoArray(tuple(array.shape), np.dtype(array.dtype))

    def is_ready(self, array: Any) -> bool:
        return True

    def read(self, array: Any) -> np.ndarray:
        raise NotImplementedError(NO_DATA)

    def hardware(self):
        raise RuntimeError("No CUDA GPUs are available")
