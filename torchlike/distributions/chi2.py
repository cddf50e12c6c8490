"""`Chi2`."""

from torchlike.distributions import constraints
from torchlike.distributions.gamma import Gamma

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The sum of `df` squares of standard normal numbers: Gamma(df / 2, 1 / 2).
    https://pytorch.org/docs/stable/distributions.html#chi2

    Args:
        df: degrees of freedom, positive; a number or a tensor, whose shape is the batch shape.
        validate_args: as for `Distribution`.
    """

    arg_constraints = {"df": constraints.positive}
    _expands = Gamma._expands

    def __init__(self, df, validate_args=None):
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self):
        """The degrees of freedom."""
        return self.concentration * 2
