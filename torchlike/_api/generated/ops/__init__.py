"""Each row as a function with its own signature: ``ops.max_dim`` is the row ``max.dim``, ``ops.tanh_`` the row
``tanh`` in place. Tensor's methods are these, and functions that are written by hand call them. A module for each chapter
of PyTorch's documentation; the recorder is all that they import.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from torchlike._api.generated.ops.blas_lapack import *  # noqa: F403
from torchlike._api.generated.ops.comparison import *  # noqa: F403
from torchlike._api.generated.ops.creation import *  # noqa: F403
from torchlike._api.generated.ops.indexing_joining import *  # noqa: F403
from torchlike._api.generated.ops.linalg import *  # noqa: F403
from torchlike._api.generated.ops.nn_functional import *  # noqa: F403
from torchlike._api.generated.ops.other import *  # noqa: F403
from torchlike._api.generated.ops.pointwise import *  # noqa: F403
from torchlike._api.generated.ops.random_sampling import *  # noqa: F403
from torchlike._api.generated.ops.reduction import *  # noqa: F403
from torchlike._api.generated.ops.special import *  # noqa: F403
from torchlike._api.generated.ops.spectral import *  # noqa: F403
