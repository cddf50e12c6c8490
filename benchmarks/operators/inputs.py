"""The tensors of the operator benchmarks, by name: the same values for every library. Most hold 1 MiB."""

import numpy as np

SIDE = 512
_MAKE = {
    # float32: of both signs; between 0.1 and 0.9
    "a": lambda r: r.standard_normal((SIDE, SIDE)),
    "b": lambda r: r.standard_normal((SIDE, SIDE)),
    "c": lambda r: r.standard_normal((SIDE, SIDE)),
    "p": lambda r: r.uniform(0.1, 0.9, (SIDE, SIDE)),
    "q": lambda r: r.uniform(0.1, 0.9, (SIDE, SIDE)),
    "v": lambda r: r.standard_normal(SIDE * SIDE),
    "w": lambda r: r.standard_normal(SIDE * SIDE),
    "row": lambda r: r.standard_normal(SIDE),
    "t": lambda r: r.standard_normal((64, 64, 64)),
    "u": lambda r: r.standard_normal((64, 64, 64)),
    "line": lambda r: r.standard_normal((16, 32, 512)),
    "image": lambda r: r.standard_normal((8, 32, 32, 32)),
    "volume": lambda r: r.standard_normal((4, 16, 16, 16, 16)),
    "filters": lambda r: r.standard_normal((32, 32, 3, 3)) / 17,
    "channel": lambda r: r.uniform(0.5, 1.5, 32),
    "query": lambda r: r.standard_normal((4, 8, 128, 64)),
    "table": lambda r: r.standard_normal((4096, 64)),
    "grid": lambda r: r.uniform(-1, 1, (8, 32, 32, 2)),
    "grid3": lambda r: r.uniform(-1, 1, (4, 16, 16, 16, 3)),
    "samples": lambda r: r.uniform(0, 1, (8, 32, 2)),
    "spd": lambda r: _positive_definite(r, 128),
    "triangle": lambda r: np.linalg.cholesky(_positive_definite(r, 128)),
    "tall": lambda r: r.standard_normal((16, 128, 128)),
    "log_probs": lambda r: np.log(r.dirichlet(np.ones(128), (128, 16))),
    # the rest
    "z": lambda r: (r.standard_normal((SIDE, 256)) + 1j * r.standard_normal((SIDE, 256))).astype(np.complex64),
    "i": lambda r: r.integers(1, SIDE, (SIDE, SIDE)),
    "j": lambda r: r.integers(1, 20, (SIDE, SIDE)),
    "k": lambda r: r.permutation(SIDE),
    "far": lambda r: r.integers(0, 4096, 8192),
    "many": lambda r: r.integers(0, SIDE, SIDE * SIDE),
    "m": lambda r: r.random((SIDE, SIDE)) > 0.5,
    "classes": lambda r: r.integers(0, SIDE, SIDE),
    "letters": lambda r: r.integers(1, 128, (16, 40)),
}


def _positive_definite(r, n):
    m = r.standard_normal((16, n, n))
    return m @ m.swapaxes(-1, -2) / n + np.eye(n)


def make(name: str):
    """The array of that name."""
    array = np.asarray(_MAKE[name](np.random.default_rng(sorted(_MAKE).index(name))))
    return array.astype(np.float32) if array.dtype == np.float64 else array


def names() -> set:
    """All names."""
    return set(_MAKE)
