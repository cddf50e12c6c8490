"""`torch.return_types`: the named tuples that operators return."""

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
