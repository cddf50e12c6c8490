"""How near the numbers of the two libraries must be: one table, by what is compared and by dtype.

Sums and products are ordered otherwise in the two, so last digits differ. Integers and truth values are exact everywhere,
and so is what no entry names.
"""

import dataclasses
from collections.abc import Callable, Mapping

import numpy as np

Pair = tuple[float, float]
EXACTLY = (0.0, 0.0)


def same_text(want: str, got: str) -> bool:
    """Texts are equal."""
    return want == got


def as_it_is(relative: float, absolute: float, largest: float) -> float:
    """The absolute tolerance of every array."""
    return absolute


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """How near, as (relative, absolute) pairs.

    Args:
        of: the pair of each dtype of a tensor.
        otherwise: the pair of the other inexact dtypes.
        number: the pair of Python's floats and complex numbers.
        grown: what the absolute part is for an array, from its pair and its largest finite element: where sums cancel,
            what is left is as exact as the largest term.
        texts: which texts agree.
        key_order: whether the order of a dictionary's keys counts.
    """

    of: Mapping[str, Pair] = dataclasses.field(default_factory=dict)
    otherwise: Pair = EXACTLY
    number: Pair = EXACTLY
    grown: Callable[[float, float, float], float] = as_it_is
    texts: Callable[[str, str], bool] = same_text
    key_order: bool = True

    def for_array(self, dtype: str, want: np.ndarray) -> Pair:
        """The pair for an array of this dtype that should have these values."""
        relative, absolute = self.of.get(dtype, self.otherwise)
        magnitudes = np.abs(want)
        return relative, self.grown(relative, absolute, float(magnitudes[np.isfinite(magnitudes)].max(initial=0)))


def flat(relative: float, absolute: float, **how) -> Tolerance:
    """One pair for everything inexact."""
    return Tolerance(otherwise=(relative, absolute), number=(relative, absolute), **how)


def of_complex(double: Pair, single: Pair) -> dict:
    """The pairs of the dtypes of 64 and of 32 bits."""
    return {"float64": double, "complex128": double, "float32": single, "complex64": single}


def _scaled(relative, absolute, largest):
    """As exact as the largest element, at least 1."""
    return absolute * max(1.0, largest)


EXACT = Tolerance()
# Programs of views, writes and backward passes that report results (compat/compare/texts.py).
REPORTS = Tolerance(of_complex((1e-9, 1e-6), (3e-5, 1e-6)), number=(1e-4, 1e-5))
# One row of the operator table (tests/ops).
ROWS = Tolerance(of_complex((1e-9, 1e-9), (2e-5, 2e-5)) | {"float16": (4e-3, 4e-3), "bfloat16": (3e-2, 3e-2)})
# PyTorch's operator and module databases (compat/opinfo, compat/modules): torch.testing's, a few roundings wider. Sums of
# halves are not better known than their largest terms.
DATABASE = Tolerance(
    of_complex((1e-7, 1e-7), (1e-4, 2e-5)) | {"float16": (4e-3, 2e-3), "bfloat16": (2e-2, 2e-2)}, number=(1e-5, 1e-6),
    grown=lambda relative, absolute, largest: absolute + (relative / 4 * largest if relative in (4e-3, 2e-2) else 0))
# Programs about autograd (compat/semantics): float32 sums in another order.
SEMANTICS = flat(2e-5, 2e-6)
# Loops of several steps (tests/campaigns): steps of optimizers add up.
TRAINED = flat(1e-4, 1e-5)
# Layers and Modules in float32 (tests/nn), sums that cancel.
LAYERS = flat(2e-5, 1e-5)
# Autocast (tests/amp): sums in bfloat16 differ by some of its steps.
HALVES = Tolerance(otherwise=(0.03, 0.03), grown=lambda relative, absolute, largest: absolute * largest)
# Steps of optimizers add up. PyTorch's `add` of halves rounds the factor `alpha` in the body of an array, in the tail the
# product as well.
OPTIMIZERS = of_complex((1e-9, 1e-11), (3e-5, 2e-6)) | {"bfloat16": (2e-2, 3e-2), "float16": (3e-3, 2e-3)}
AVERAGES = (1e-5, 1e-6)  # of models (tests/optim/test_swa_utils.py)
ENDS_OF_LBFGS = (1e-5, 1e-5)
DERIVATIVES_OF_STEPS = (1e-6, 1e-6)  # PyTorch corrects Adam's moments in 32 bits there


def steps(relative: float, absolute: float) -> Tolerance:
    """For what optimizers make, whatever its dtype; PyTorch's L-BFGS keeps its state in another order."""
    return flat(relative, absolute, grown=_scaled, key_order=False)


def distributions(relative: float = 1e-9, absolute: float = 1e-11) -> Tolerance:
    """For densities, samples and gradients of distributions."""
    return flat(relative, absolute)
