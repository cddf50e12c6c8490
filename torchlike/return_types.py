"""`torch.return_types`: the named tuples that operators return."""

import sys

from torchlike._api.generated.return_types import *  # noqa: F403 - the table's names
from torchlike._api.named_results import histogram as histogram
from torchlike._api.named_results import histogramdd as histogramdd
from torchlike._api.named_results import linalg_eigh as linalg_eigh
from torchlike._api.named_results import linalg_ldl_factor as linalg_ldl_factor
from torchlike._api.named_results import linalg_lstsq as linalg_lstsq
from torchlike._api.named_results import linalg_lu_factor as linalg_lu_factor
from torchlike._api.named_results import linalg_slogdet as linalg_slogdet
from torchlike._api.named_results import linalg_solve_ex as linalg_solve_ex
from torchlike._api.named_results import linalg_svd as linalg_svd
from torchlike._api.named_results import qr as qr
from torchlike._api.named_results import slogdet as slogdet
from torchlike._api.named_results import svd as svd
from torchlike._api.named_results import triangular_solve as triangular_solve


def _completed(kind: type) -> type:
    """Counts its fields, as structseq classes do; its name with ``_out`` is that of results written with ``out=``."""
    kind.n_fields = kind.n_sequence_fields = len(kind._fields)
    kind.n_unnamed_fields = 0
    kind._out = type(f"{kind.__name__}_out", (kind,), {"__slots__": (), "__module__": "torch.return_types"})
    return kind._out


def pytree_register_structseq(cls: type) -> None:
    """Nothing: `torch.utils._pytree` knows all classes of results.

    Args:
        cls: one of them.
    """


_here = vars(sys.modules[__name__])
_kinds = [kind for kind in _here.values() if hasattr(kind, "_fields")]
_here.update({made.__name__: made for made in map(_completed, _kinds)})
all_return_types = [kind for kind in _here.values() if hasattr(kind, "_fields")]
