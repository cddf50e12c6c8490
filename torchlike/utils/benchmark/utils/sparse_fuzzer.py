"""Sparse tensors of random shapes, the same as PyTorch's."""

import math
from numbers import Number

from torchlike._api.from_data import tensor
from torchlike._api.joining import cat
from torchlike._api.random import rand, randint, randn_like
from torchlike._api.sparse.construct import sparse_coo_tensor
from torchlike._base import dtypes
from torchlike.utils.benchmark.utils.fuzzer import FuzzedTensor


class FuzzedSparseTensor(FuzzedTensor):
    """A random sparse tensor, of parameters that are called "density", "coalesced" and "sparse_dim".

    Args:
        name, size, min_elements, max_elements, dim_parameter, dtype, cuda: those of `FuzzedTensor`.
        sparse_dim: whether the parameter "sparse_dim" says how many dimensions are sparse; else all are.
        nnz, density, coalesced: without effect.
    """

    def __init__(self, name: str, size: tuple, min_elements: int | None = None, max_elements: int | None = None,
                 dim_parameter: str | None = None, sparse_dim: str | None = None, nnz: str | None = None,
                 density: str | None = None, coalesced: str | None = None, dtype=dtypes.float32, cuda=False):
        super().__init__(name, size, min_elements=min_elements, max_elements=max_elements, dim_parameter=dim_parameter,
                         dtype=dtype, cuda=cuda)
        self._density, self._coalesced, self._sparse_dim = density, coalesced, sparse_dim

    @staticmethod
    def sparse_tensor_constructor(size, dtype, sparse_dim, nnz, is_coalesced):
        """A sparse tensor of random numbers at random places.

        Args:
            size: its size, or the length of each dimension.
            dtype: its dtype.
            sparse_dim: how many dimensions are sparse.
            nnz: how many elements are given; twice as many, each place twice, if it is not coalesced.
            is_coalesced: whether it is.

        Returns:
            The tensor, on the CPU.

        Raises:
            AssertionError: elements in a tensor that has none.
        """
        size = [size] * sparse_dim if isinstance(size, Number) else list(size)
        if nnz and all(length <= 0 for length in size[:sparse_dim]):
            raise AssertionError("invalid arguments")
        values = FuzzedTensor.default_tensor_constructor((nnz, *size[sparse_dim:]), dtype) if dtype.is_floating_point else \
            randint(1, 127, size=(nnz, *size[sparse_dim:]), dtype=dtype, device="cpu")
        places = rand(sparse_dim, nnz, device="cpu")
        places = places.mul_(tensor(size[:sparse_dim]).unsqueeze(1).to(places)).to(dtypes.int64)
        if is_coalesced:
            return sparse_coo_tensor(places, values, size).coalesce()
        return sparse_coo_tensor(cat([places, places], 1), cat([values, randn_like(values)], 0), size)

    def _make_tensor(self, params, state) -> tuple:
        size, _, _ = self._get_size_and_steps(params)
        density, is_coalesced = params["density"], params["coalesced"]
        nnz = math.ceil(sum(size) * density)
        if nnz > sum(size):
            raise AssertionError("nnz cannot exceed total number of elements")
        count = min(params["sparse_dim"] if self._sparse_dim else len(size), len(size))
        made = self.sparse_tensor_constructor(size, self._dtype, count, nnz, is_coalesced)
        made = made.cuda() if self._cuda else made
        return made, {
            "numel": int(made.numel()), "shape": made.size(), "is_coalesced": made.is_coalesced(), "density": density,
            "sparsity": 1.0 - density, "sparse_dim": made.sparse_dim(), "dense_dim": made.dense_dim(),
            "is_hybrid": len(size) > made.sparse_dim(), "dtype": str(self._dtype)}
