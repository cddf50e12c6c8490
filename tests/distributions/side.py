"""One library evaluating an expression about distributions, and the comparison of both."""

from compat import compare
from compat.compare.tolerances import distributions

SEED = 5


class Side:
    """What an expression sees under one library: ``D``, ``t``, ``torch``; `leaves` are the tensors that `t` made."""

    def __init__(self, library, dtype="float64"):
        self.library, self.leaves = library, []
        self.dtype = getattr(library, dtype)

    def t(self, values):
        """A leaf that requires grad."""
        self.leaves.append(self.library.tensor(values, dtype=self.dtype, requires_grad=True))
        return self.leaves[-1]

    def evaluate(self, expression, **names):
        """The expression's value."""
        library = self.library
        scope = {"D": library.distributions, "t": self.t, "torch": library, "inf": float("inf"), "nan": float("nan")}
        return eval(compile(expression, "<case>", "eval"), {**scope, **names})

    def grads(self, result, *more):
        """The gradients of the sum of `result` by all leaves, None where it does not depend on one."""
        wanted = [*self.leaves, *more]
        if not wanted or not result.requires_grad:
            return []
        weights = self.library.linspace(.5, 1.5, result.numel(), dtype=result.dtype).reshape(result.shape)
        return list(self.library.autograd.grad((result * weights).sum(), wanted, allow_unused=True))


def agree(function, rtol=1e-9, atol=1e-11, dtype="float64", where="") -> None:
    """``function(side)`` under both, compared, with the same seed before."""
    compare.check(lambda library: function(Side(library, dtype)), tolerance=distributions(rtol, atol), where=where,
                  seed=SEED, types=True)


def got(function):
    """What the function returns, or its error; it may warn."""
    with compare.caught():
        try:
            return function()
        except Exception as error:  # noqa: BLE001 - compared
            return compare.raised(error)
