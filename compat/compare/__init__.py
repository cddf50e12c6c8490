"""One way to run the same code under torch and torchlike and to compare what comes of it.

- `running`: `outcome` calls a function with one package and describes what it returns or raises, and what it warns of;
  `check` does so with both and asserts that the outcomes agree. `texts` makes such functions of lines of text.
- `describing`: values of either package as plain data: a tensor is an `Array` of dtype, values and the facts asked for
  (requires_grad, grad_fn, ...), a text is without the package's name, addresses and places in PyTorch's sources.
- `differing`: `difference` of two descriptions in a few words, "" if there is none.
- `tolerances`: the one table of how near numbers must be, by what is compared and by dtype.

Used by the tools of compat/ and by tests/; nothing here knows them.
"""

from compat.compare.describing import Array, array, clean, describe, is_tensor
from compat.compare.differing import difference
from compat.compare.running import PACKAGES, Raised, caught, check, outcome, raised

__all__ = ["PACKAGES", "Array", "Raised", "array", "caught", "check", "clean", "describe", "difference", "is_tensor",
           "outcome", "raised"]
