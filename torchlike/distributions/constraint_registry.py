"""Which transform leads from the real numbers to a constraint. https://pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraint_registry

``biject_to(constraint)`` is bijective and has `log_abs_det_jacobian`; ``transform_to(constraint)`` may be simpler and
use more numbers than it needs.
"""

from torchlike.distributions import constraints, transforms

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """Finds the transform from the real numbers to a constraint, by the constraint's type: ``registry(constraint)``,
    NotImplementedError if none is registered.
    """

    def __init__(self):
        self._registry: dict = {}

    def register(self, constraint, factory=None):
        """Registers a transform; without `factory` a decorator.

        Args:
            constraint: a Constraint class, or an instance of it.
            factory: ``factory(constraint)`` makes the transform.

        Returns:
            The factory.

        Raises:
            TypeError: `constraint` is neither.
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        if isinstance(constraint, constraints.Constraint):
            constraint = type(constraint)
        if not isinstance(constraint, type) or not issubclass(constraint, constraints.Constraint):
            raise TypeError(
                f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")
        self._registry[constraint] = factory
        return factory

    def __call__(self, constraint):
        """The transform; NotImplementedError if none is registered."""
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _after_exp(loc, scale):
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(loc, scale)])


def _to_interval(constraint):
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, int | float) and isinstance(high, int | float) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


_SHARED = {
    constraints.real: lambda c: transforms.identity_transform,
    constraints.greater_than: lambda c: _after_exp(c.lower_bound, 1),
    constraints.greater_than_eq: lambda c: _after_exp(c.lower_bound, 1),
    constraints.less_than: lambda c: _after_exp(c.upper_bound, -1),
    constraints.interval: _to_interval,
    constraints.half_open_interval: _to_interval,
    constraints.corr_cholesky: lambda c: transforms.CorrCholeskyTransform(),
}


def _fill(registry, own) -> None:
    """The table of a registry: the shared rows, its own, and constraints that are made of others."""
    for constraint, factory in {**_SHARED, **own}.items():
        registry.register(constraint, factory)
    registry.register(constraints.independent, lambda c: transforms.IndependentTransform(
        registry(c.base_constraint), c.reinterpreted_batch_ndims))
    registry.register(constraints.cat, lambda c: transforms.CatTransform(
        [registry(part) for part in c.cseq], c.dim, c.lengths))
    registry.register(constraints.stack, lambda c: transforms.StackTransform([registry(part) for part in c.cseq], c.dim))


_fill(biject_to, {constraints.simplex: lambda c: transforms.StickBreakingTransform()})
_fill(transform_to, {
    constraints.simplex: lambda c: transforms.SoftmaxTransform(),
    constraints.lower_cholesky: lambda c: transforms.LowerCholeskyTransform(),
    constraints.positive_definite: lambda c: transforms.PositiveDefiniteTransform(),
    constraints.positive_semidefinite: lambda c: transforms.PositiveDefiniteTransform(),
})
