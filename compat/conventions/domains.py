"""Ordinary inputs, from texts such as ``any(3,4)``: the domain, the shape and, for indices, how many there are to
point to.

Numbers keep away from whole and half ones, where kinks are, and from each other.
"""

import re
import zlib

import numpy as np

FORM = re.compile(r"(\w+)\(([\d, ]*)(?:;\s*(\d+))?\)")


def made(text: str, seed: str) -> np.ndarray:
    """The array that the text stands for; the same for the same seed, on every machine."""
    name, shape, count = FORM.fullmatch(text).groups()
    sizes = tuple(int(size) for size in shape.split(",") if size.strip())
    return _DOMAINS[name](np.random.RandomState(zlib.crc32(seed.encode())), sizes, int(count or 0))


def _between(low, high):
    """Numbers in cells of a half, a tenth away from both ends."""

    def draw(rng, shape, _):
        cells = rng.randint(round(low * 2), round(high * 2), shape)
        return np.asarray(cells / 2 + 0.1 + 0.3 * rng.random_sample(shape), np.float32)

    return draw


def _matrix(change):
    """Well-conditioned square matrices in the last two dimensions, changed to the kind asked for."""

    def draw(rng, shape, _):
        a = rng.uniform(-1, 1, shape)
        return np.ascontiguousarray(change(a + shape[-1] * np.eye(shape[-1]) * 0.5), np.float32)

    return draw


def _shares(rng, shape, _):
    parts = rng.uniform(0.2, 1, shape)
    return np.asarray(parts / parts.sum(-1, keepdims=True), np.float32)


def _complex(rng, shape, _):
    return np.asarray(rng.uniform(0.2, 1.2, shape) + 1j * rng.uniform(0.2, 1.2, shape), np.complex64)


def _integers(low, high):
    return lambda rng, shape, count: np.asarray(rng.randint(low, count or high, shape), np.int32)


_DOMAINS = {
    "any": _between(-2, 2),
    "positive": _between(0, 3),
    "unit": _between(-1, 1),
    "share": _between(0, 1),
    "above": _between(1, 3),
    "probabilities": _shares,
    "square": _matrix(lambda a: a),
    "symmetric": _matrix(lambda a: a + np.swapaxes(a, -1, -2)),
    "spd": _matrix(lambda a: a @ np.swapaxes(a, -1, -2) + np.eye(a.shape[-1])),
    "lower": _matrix(np.tril),
    "upper": _matrix(np.triu),
    "complex": _complex,
    "int": _integers(-4, 5),
    "natural": _integers(1, 6),
    "index": lambda rng, shape, count: np.asarray(rng.randint(0, count, shape), np.int64),
    "distinct": lambda rng, shape, count: rng.random_sample((count, *shape[1:])).argsort(0)[: shape[0]],
    "mask": lambda rng, shape, _: rng.randint(0, 2, shape).astype(bool),
    "signs": lambda rng, shape, _: np.asarray(rng.randint(0, 2, shape) * 2 - 1, np.float32),
    "bits": lambda rng, shape, _: np.asarray(rng.randint(0, 2, shape), np.float32),
}
