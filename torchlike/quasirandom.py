"""`torch.quasirandom`: points that fill a cube evenly. https://pytorch.org/docs/stable/generated/torch.quasirandom.SobolEngine.html

The numbers behind them, primitive polynomials and first directions, are those of S. Joe and F. Kuo, which scipy brings.
"""

import functools
import pathlib

import numpy as np
import scipy

from torchlike import _api
from torchlike._api.type_info import get_default_dtype
from torchlike._random.generator import Generator

_JOE_KUO = pathlib.Path(scipy.__file__).parent / "stats" / "_sobol_direction_numbers.npz"


@functools.cache
def _joe_kuo() -> tuple:
    """Of each dimension the polynomial and the first odd directions."""
    with np.load(_JOE_KUO) as found:
        return found["poly"].astype(np.int64), found["vinit"].astype(np.int64)


@functools.lru_cache(maxsize=64)
def _directions(dimension: int, bits: int) -> np.ndarray:
    """(dimension, bits) int64: what is exclusively or-ed for each bit that changes, the highest bit first."""
    polynomials, first = _joe_kuo()
    found = np.zeros((dimension, bits), np.int64)
    found[0] = 1
    for d in range(1, dimension):
        degree = int(polynomials[d]).bit_length() - 1
        found[d, :degree] = first[d, :degree]
        taps = [bool(polynomials[d] >> (degree - k - 1) & 1) for k in range(degree)]
        for j in range(degree, bits):
            new = found[d, j - degree]
            for k, tap in enumerate(taps):
                if tap:
                    new ^= found[d, j - k - 1] << (k + 1)
            found[d, j] = new
    return found << np.arange(bits - 1, -1, -1)


def _parity(x: np.ndarray) -> np.ndarray:
    """Whether an odd number of bits is set."""
    for shift in (32, 16, 8, 4, 2, 1):
        x = x ^ (x >> shift)
    return x & 1


def _scrambled(directions: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Directions whose bits are mixed by a triangular matrix for each dimension, with ones on its diagonal."""
    bits = directions.shape[1]
    weights = np.int64(1) << np.arange(bits - 1, -1, -1)
    rows = (np.tril(triangles, -1) + np.eye(bits, dtype=np.int64)) @ weights  # (dimension, bits)
    mixed = _parity(rows[:, :, None] & directions[:, None, :])  # (dimension, bit of the result, direction)
    return np.einsum("p,dpj->dj", weights, mixed)


class SobolEngine:
    """Points of a scrambled or plain Sobol sequence in [0, 1).
    https://pytorch.org/docs/stable/generated/torch.quasirandom.SobolEngine.html

    Args:
        dimension: of the points, at most 21201.
        scramble: whether to mix the digits at random (Owen).
        seed: of the mixture; None means the default generator.

    Raises:
        ValueError: there is no such dimension.
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension, scramble=False, seed=None):
        if dimension > self.MAXDIM or dimension < 1:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        self.seed, self.scramble, self.dimension = seed, scramble, dimension
        directions, shift = _directions(dimension, self.MAXBIT), np.zeros(dimension, np.int64)
        if scramble:
            directions, shift = self._mixture(directions)
        self.sobolstate, self.shift = _api.tensor(directions), _api.tensor(shift)
        self.quasi = self.shift.clone()
        self._first_point = (self.quasi / 2 ** self.MAXBIT).reshape(1, -1)
        self.num_generated = 0

    def _mixture(self, directions) -> tuple:
        """Scrambled directions and the shift, from the random numbers that PyTorch takes."""
        generator = None if self.seed is None else Generator().manual_seed(self.seed)
        size = (self.dimension, self.MAXBIT)
        digits = _api.randint(2, size, device="cpu", generator=generator).numpy()
        triangles = _api.randint(2, (*size, self.MAXBIT), device="cpu", generator=generator).numpy()
        return _scrambled(directions, triangles), digits @ (np.int64(1) << np.arange(self.MAXBIT))

    def draw(self, n=1, out=None, dtype=None):
        """The next points.
        https://pytorch.org/docs/stable/generated/torch.quasirandom.SobolEngine.html#torch.quasirandom.SobolEngine.draw

        Args:
            n: how many.
            out: a tensor to write them to.
            dtype: of the points; None means the default dtype.

        Returns:
            (n, dimension).
        """
        dtype = get_default_dtype() if dtype is None else dtype
        steps = self._advance(n)
        points = _api.tensor(steps).to(dtype) * 2.0 ** -self.MAXBIT
        if self.num_generated == 0:
            points = _api.cat((self._first_point.to(dtype), points), dim=-2)
        self.num_generated += n
        if out is None:
            return points
        out.resize_as_(points).copy_(points)
        return out

    def _advance(self, n) -> np.ndarray:
        """The digits of the next points, without the first of all; `quasi` is then the last one's."""
        first = self.num_generated == 0
        begin, count = (0, n - 1) if first else (self.num_generated - 1, n)
        numbers = np.arange(begin + 1, begin + 1 + count, dtype=np.int64)
        changed = np.log2(numbers & -numbers).astype(np.int64)  # the lowest bit that is set
        steps = np.concatenate([self.quasi.numpy()[None], self.sobolstate.numpy().T[changed]])
        found = np.bitwise_xor.accumulate(steps, axis=0)
        self.quasi = _api.tensor(found[-1])
        return found[1:]

    def draw_base2(self, m, out=None, dtype=None):
        """The next ``2 ** m`` points.
        https://pytorch.org/docs/stable/generated/torch.quasirandom.SobolEngine.html#torch.quasirandom.SobolEngine.draw_base2

        Args:
            m: the exponent.
            out, dtype: those of `draw`.

        Returns:
            (2 ** m, dimension).

        Raises:
            ValueError: there would not be a power of two of points.
        """
        n = 2 ** m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                "The balance properties of Sobol' points require "
                f"n to be a power of 2. {self.num_generated} points have been "
                f"previously generated, then: n={self.num_generated}+2**{m}={total}. "
                "If you still want to do this, please use "
                "'SobolEngine.draw()' instead.")
        return self.draw(n=n, out=out, dtype=dtype)

    def reset(self):
        """Begins again with the first point.

        Returns:
            self.
        """
        self.quasi = self.shift.clone()
        self.num_generated = 0
        return self

    def fast_forward(self, n):
        """Leaves points out.

        Args:
            n: how many.

        Returns:
            self.
        """
        self._advance(n)
        self.num_generated += n
        return self

    def __repr__(self):
        shown = [f"dimension={self.dimension}"]
        shown += ["scramble=True"] if self.scramble else []
        shown += [] if self.seed is None else [f"seed={self.seed}"]
        return f"{type(self).__name__}({', '.join(shown)})"
