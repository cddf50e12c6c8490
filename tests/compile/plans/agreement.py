"""Whether the plan of a function gives what XLA gives."""

import jax
import numpy as np

from torchlike._compile.plans.plan import Plan

WITH_LITTLE_EFFORT = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
"""How XLA compiles what is compared with: it runs once."""

_TOLERANCE = {1: 0, 2: 1e-2, 4: 1e-5, 8: 1e-12}
"""Of floats of so many bytes, relative to the largest number."""


def planned(function, *args) -> list:
    """What the plan gives. Arguments stay as they are."""
    with jax.enable_x64(True), np.errstate(all="ignore"):
        plan = Plan(jax.make_jaxpr(function)(*args))
        before = [np.array(a) for a in args]
        found = [np.asarray(x) for x in plan(*args)]
        again = [np.asarray(x) for x in plan(*args)]
    for a, b in zip(args, before, strict=True):
        assert np.asarray(a).tobytes() == b.tobytes()
    for a, b in zip(found, again, strict=True):
        assert a.tobytes() == b.tobytes()
    return found


def assert_agrees(function, *args):
    """The plan's results have XLA's shapes and dtypes, and its values to rounding."""
    with jax.enable_x64(True):
        compiled = jax.jit(function, compiler_options=WITH_LITTLE_EFFORT)
        wanted = [np.asarray(x) for x in jax.tree.leaves(compiled(*args))]
    found = planned(function, *args)
    assert [(x.shape, x.dtype) for x in found] == [(x.shape, x.dtype) for x in wanted]
    for got, want in zip(found, wanted, strict=True):
        if want.dtype.kind in "iub":
            np.testing.assert_array_equal(got, want)
            continue
        wide = np.complex128 if want.dtype.kind == "c" else np.float64
        tolerance = _TOLERANCE[np.dtype(want.dtype).itemsize // (2 if want.dtype.kind == "c" else 1)]
        got, want = got.astype(wide), want.astype(wide)
        largest = np.abs(want[np.isfinite(want)]).max(initial=1)
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * largest)
