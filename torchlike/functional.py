"""`torch.functional`: the functions of the torch namespace that are Python in PyTorch, under their other name."""

from torchlike._api import atleast_1d as atleast_1d
from torchlike._api import atleast_2d as atleast_2d
from torchlike._api import atleast_3d as atleast_3d
from torchlike._api import block_diag as block_diag
from torchlike._api import broadcast_shapes as broadcast_shapes
from torchlike._api import broadcast_tensors as broadcast_tensors
from torchlike._api import cartesian_prod as cartesian_prod
from torchlike._api import cdist as cdist
from torchlike._api import chain_matmul as chain_matmul
from torchlike._api import einsum as einsum
from torchlike._api import istft as istft
from torchlike._api import lu as lu
from torchlike._api import meshgrid as meshgrid
from torchlike._api import norm as norm
from torchlike._api import pca_lowrank as pca_lowrank
from torchlike._api import split as split
from torchlike._api import stft as stft
from torchlike._api import svd_lowrank as svd_lowrank
from torchlike._api import tensordot as tensordot
from torchlike._api import unique as unique
from torchlike._api import unique_consecutive as unique_consecutive
from torchlike._api import unravel_index as unravel_index
