"""Transforms and constraints against torch."""

import pickle

import pytest
import torch

import torchlike
from compat.compare import PACKAGES
from tests.distributions.cases import CONSTRAINTS, TRANSFORMS, VALUES
from tests.distributions.side import agree, got

_ATTRIBUTES = ("event_dim", "domain", "codomain", "bijective", "sign")
_SHAPES = ((), (3,), (2, 2), (5, 4), (4, 2, 2), (2, 3))


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("name", TRANSFORMS)
def test_maps(name, cached):
    """Both directions, the log of the derivative, gradients, the cache, equality."""
    expression, x = TRANSFORMS[name]

    def check(side):
        plain = side.evaluate(expression)
        transform = plain.with_cache() if cached else plain
        x_there = side.t(side.evaluate(x))
        y = transform(x_there)
        found = [y, *side.grads(y), transform.inv(y), transform.inv(y) is x_there, transform.inv.inv is transform,
                 transform == side.evaluate(expression), transform.inv == plain.inv, transform == transform.inv]
        jacobian = got(lambda: transform.log_abs_det_jacobian(x_there, y))
        found += [jacobian, got(lambda: transform.inv.log_abs_det_jacobian(y, x_there))]
        if not isinstance(jacobian, Exception):
            found += side.grads(jacobian)
        apart = side.library.tensor(y.detach().tolist(), dtype=side.dtype)
        return [*found, got(lambda: transform.inv(apart)), transform.with_cache(0)._cache_size]

    agree(check, rtol=1e-8, atol=1e-9, where=name)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_attributes_and_shapes(name):
    def check(side):
        transform, size = side.evaluate(TRANSFORMS[name][0]), side.library.Size
        found = [repr(transform), repr(transform.inv)]
        for t in (transform, transform.inv):
            found += [got(lambda t=t, a=a: getattr(t, a)) for a in _ATTRIBUTES]
            found += [got(lambda t=t, s=s: t.forward_shape(size(s))) for s in _SHAPES]
            found += [got(lambda t=t, s=s: t.inverse_shape(size(s))) for s in _SHAPES]
        return found

    agree(check, where=name)


@pytest.mark.parametrize("expression", CONSTRAINTS)
def test_constraint(expression):
    """Checks of values, what it says about itself, and the transforms that lead to it."""
    def check(side):
        constraint = side.evaluate(f"D.constraints.{expression}")
        registries = side.library.distributions.biject_to, side.library.distributions.transform_to
        found = [side.library.distributions.constraints.is_dependent(constraint)]
        if not isinstance(constraint, type):
            found += [repr(constraint), got(lambda: constraint.is_discrete), got(lambda: constraint.event_dim)]
        found += [got(lambda v=v: constraint.check(side.t(side.evaluate(v)).detach()))
                  for v in VALUES if (v, expression) != ("1.", "corr_cholesky")]  # another IndexError of linalg.norm
        for registry in registries:
            transform = got(lambda r=registry: r(constraint))
            found.append(transform)
            if not isinstance(transform, Exception):
                found.append(got(lambda t=transform: t(side.t([[.3, -.2, .4], [.1, .2, .3], [0., 1., -1.]]))))
        return found

    agree(check, where=expression)


@pytest.mark.parametrize("library", PACKAGES, ids=["torch", "torchlike"])
def test_registry(library):
    """One's own constraints and transforms."""
    D = library.distributions  # noqa: N806

    class Even(D.constraints.Constraint):
        def check(self, value):
            return value % 2 == 0

    registry = D.constraint_registry.ConstraintRegistry()

    @registry.register(Even)
    def factory(constraint):
        return constraint

    even = Even()
    assert registry(even) is even and repr(even) == "ven()"
    registry.register(even, lambda constraint: 3)
    assert registry(Even()) == 3
    with pytest.raises(NotImplementedError, match="Cannot transform _Real constraints"):
        registry(D.constraints.real)


@pytest.mark.parametrize("library", PACKAGES, ids=["torch", "torchlike"])
def test_pickled(library):
    transform = library.distributions.AffineTransform(1., 2.)
    transform.inv  # noqa: B018 - is kept, and not pickled
    assert pickle.loads(pickle.dumps(transform)) == transform


@pytest.mark.parametrize("lib", [torch, torchlike])
def test_transforms_and_distributions_that_are_modules(lib):
    class Shift(lib.distributions.Transform, lib.nn.Module):
        domain = codomain = lib.distributions.constraints.real

        def __init__(self):
            super().__init__()
            self.by = lib.nn.Parameter(lib.ones(2))

        def _call(self, x):
            return x + self.by

    class Held(lib.distributions.Normal, lib.nn.Module):
        pass

    assert Shift()(lib.ones(2)).tolist() == [2, 2]
    assert list(Shift()._parameters) == ["by"]
    assert Held(0.0, 1.0).training
