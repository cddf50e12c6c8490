"""Tensors of which two in four elements are zero: a format of NVIDIA's tensor cores.

The classes are there, and what PyTorch says of tensors on the CPU, which it does not compress either. XLA has no kernels for
the format, so a tensor on a GPU is refused.
"""

import typing
import warnings

from torchlike._base import dtypes as dt
from torchlike._base.errors import UnsupportedError
from torchlike._base.size import Size
from torchlike._record.tensor import Tensor

__all__ = ["SparseSemiStructuredTensor", "SparseSemiStructuredTensorCUSPARSELT", "SparseSemiStructuredTensorCUTLASS",
           "to_sparse_semi_structured"]

_PROTOTYPE = (
    "The PyTorch API of SparseSemiStructuredTensor is in prototype stage and will change in the near future. Please open a "
    "Github issue for features requests and see our documentation on the torch.sparse module for further information about "
    "the project.")
_TRANSPOSED = (
    "Setting transpose from `to_sparse_semi_structured` is deprecated and will be removed in a future release. "
    "`SparseSemiStructuredTensor` only support contiguous input tensors.")
_PARTS = ["packed", "meta", "packed_t", "meta_t", "compressed_swizzled_bitmask"]


class _SEMI_STRUCTURED_SPARSE_CONFIG(typing.NamedTuple):  # noqa: N801 - PyTorch's name
    """The least sizes of a matrix of one dtype, which its sizes are multiples of."""

    sparse_min_rows: int
    sparse_min_cols: int
    dense_min_rows: int
    dense_min_cols: int


class SparseSemiStructuredTensor(Tensor):
    """A matrix of which two in four elements are zero, compressed. The base class of the two formats.
    https://pytorch.org/docs/stable/sparse.html#sparse-semi-structured-tensors

    Args:
        shape: of the matrix.
        packed: the elements that are not zero; None if only those of the transposed matrix are given.
        meta: where they are, if that is apart.
        packed_t, meta_t: the same of the transposed matrix.
        compressed_swizzled_bitmask: for elementwise functions.
        fuse_transpose_cusparselt, alg_id_cusparselt: settings of cuSPARSELt.
        requires_grad: whether gradients are wanted.

    Raises:
        ValueError: neither `packed` nor `packed_t`.
    """

    _DEFAULT_ALG_ID: int = 0
    _DTYPE_SHAPE_CONSTRAINTS: typing.ClassVar[dict]
    _FORCE_CUTLASS: bool = False
    _FUSE_TRANSPOSE: bool = False
    _PROTOTYPE_WARNING_SHOWN: bool = False
    BACKEND: str

    __slots__ = _PARTS

    def __new__(cls, shape, packed, meta, packed_t, meta_t, compressed_swizzled_bitmask, fuse_transpose_cusparselt=False,
                alg_id_cusparselt=0, requires_grad=False):
        if not cls._PROTOTYPE_WARNING_SHOWN:
            warnings.warn(_PROTOTYPE, UserWarning, stacklevel=2)
            cls._PROTOTYPE_WARNING_SHOWN = True
        like = packed if packed is not None else packed_t
        if like is None:
            raise ValueError("At least one of packed or packed_t must be provided")
        made = Tensor._make_wrapper_subclass(cls, shape, device=like.device, dtype=like.dtype, layout=like.layout,
                                             requires_grad=requires_grad)
        made.packed, made.meta, made.packed_t, made.meta_t = packed, meta, packed_t, meta_t
        made.compressed_swizzled_bitmask = compressed_swizzled_bitmask
        made.fuse_transpose_cusparselt = fuse_transpose_cusparselt
        made.alg_id_cusparselt = alg_id_cusparselt
        return made

    def __repr__(self):
        return f"{self.__class__.__name__}(shape={self.shape})"

    def __tensor_flatten__(self):
        there = [name for name in _PARTS if getattr(self, name) is not None]
        return there, (self.shape, self.fuse_transpose_cusparselt, self.alg_id_cusparselt, self.requires_grad)

    @classmethod
    def __tensor_unflatten__(cls, inner_tensors, tensor_meta, outer_size, outer_stride):
        shape, fuse, algorithm, requires_grad = tensor_meta
        return cls(shape, **{name: inner_tensors.get(name) for name in _PARTS}, fuse_transpose_cusparselt=fuse,
                   alg_id_cusparselt=algorithm, requires_grad=requires_grad)

    @classmethod
    def __torch_dispatch__(cls, func, types, args, kwargs):
        name = func._overloadpacket.__name__
        if name in ("mm", "matmul", "addmm", "linear"):
            raise UnsupportedError(f"torch.sparse.{cls.__name__}: products by the tensor cores' own format")
        handler = _OPERATORS.get(name)
        if handler is None:
            raise NotImplementedError(f"{cls.__name__} only supports a specific set of operations, can't perform requested "
                                      f"op ({func.__name__})")
        return handler(*args)

    def values(self):
        """The elements that are not zero, (N, M / 2)."""
        if self.meta is not None:
            return self.packed.detach()
        rows, columns = self.shape
        return self.packed.ravel()[:rows * columns // 2].view(rows, -1)

    def indices(self):
        """Where they are, as the tensor cores have it."""
        if self.meta is not None:
            return self.meta
        rows, columns = self.shape
        left = self.packed.ravel()[rows * columns // 2:].view(rows, -1)
        return left.view(dt.int32 if self.dtype is dt.int32 else dt.int16)

    @classmethod
    def _validate_device_dim_dtype_shape(cls, original_tensor):
        start = "Error original_tensor"
        if not original_tensor.is_cuda:
            raise RuntimeError(f"{start}.device= {original_tensor.device} is not supported! Only CUDA tensors are currently "
                               "supported.")
        if original_tensor.dim() != 2:
            raise RuntimeError(f"{start}.dim = {original_tensor.dim()} is not supported! Only 2d tensors are currently "
                               "supported.")
        if not original_tensor.is_contiguous():
            raise RuntimeError(f"{start} is not contiguous!Only contiguous tensors are currently supported.")
        least = cls._DTYPE_SHAPE_CONSTRAINTS.get(original_tensor.dtype)
        if least is None:
            raise RuntimeError(f"{start}.dtype {original_tensor.dtype} is not a supported dtype for {cls}!")
        sizes = least.sparse_min_rows, least.sparse_min_cols
        if any(n < few or n % few for n, few in zip(original_tensor.shape, sizes, strict=True)):
            raise RuntimeError(f"{start}.shape {original_tensor.shape} is not supported! Both dimensions must be larger or "
                               f"equal than and a multiple of {sizes}")

    @classmethod
    def from_dense(cls, original_tensor, alg_id=_DEFAULT_ALG_ID):
        """Compress a matrix on a GPU, which is refused after PyTorch's checks.

        Args:
            original_tensor: the matrix.
            alg_id: a setting of cuSPARSELt.

        Raises:
            NotImplementedError: this is the base class.
            UnsupportedError: always, for what PyTorch compresses.
        """
        if cls is SparseSemiStructuredTensor:
            raise NotImplementedError
        cls._validate_device_dim_dtype_shape(original_tensor)
        raise UnsupportedError(f"torch.sparse.{cls.__name__}.from_dense: XLA has no kernels of semi-structured sparsity")


def _remade(x, shape, packed, meta, packed_t, meta_t, bitmask):
    return type(x)(shape, packed, meta, packed_t, meta_t, bitmask, x.fuse_transpose_cusparselt, x.alg_id_cusparselt)


def _transposed(x):
    bitmask = x.compressed_swizzled_bitmask
    return _remade(x, Size(reversed(x.shape)), x.packed_t, x.meta_t, x.packed, x.meta,
                   None if bitmask is None else bitmask.transpose(0, 1))


def _detached(x):
    return _remade(x, x.shape, x.packed, x.meta, x.packed_t, x.meta_t, x.compressed_swizzled_bitmask)


def _cloned(x):
    parts = (getattr(x, name) for name in _PARTS)
    return _remade(x, x.shape, *(None if part is None else part.clone() for part in parts))


def _viewed(x, shape):
    if tuple(shape) != x.shape:
        raise NotImplementedError("`view` is not implemented for SparseSemiStructuredTensor, except for the dummy case "
                                  f"(shape={shape})")
    return x


_OPERATORS = {"t": _transposed, "detach": _detached, "clone": _cloned, "view": _viewed}


class SparseSemiStructuredTensorCUTLASS(SparseSemiStructuredTensor):
    """The format of CUTLASS: where the elements are stands apart.
    https://pytorch.org/docs/stable/sparse.html#sparse-semi-structured-tensors

    Args: as for `SparseSemiStructuredTensor`.
    """

    BACKEND = "cutlass"
    _DTYPE_SHAPE_CONSTRAINTS: typing.ClassVar = {
        dt.int8: _SEMI_STRUCTURED_SPARSE_CONFIG(16, 128, 16, 16),
        dt.float16: _SEMI_STRUCTURED_SPARSE_CONFIG(32, 64, 8, 8),
        dt.bfloat16: _SEMI_STRUCTURED_SPARSE_CONFIG(32, 64, 8, 8),
        dt.float32: _SEMI_STRUCTURED_SPARSE_CONFIG(32, 32, 4, 4),
    }


class SparseSemiStructuredTensorCUSPARSELT(SparseSemiStructuredTensor):
    """The format of cuSPARSELt: elements and where they are in one.
    https://pytorch.org/docs/stable/sparse.html#sparse-semi-structured-tensors

    Args: as for `SparseSemiStructuredTensor`.
    """

    BACKEND = "cusparselt"
    _DTYPE_SHAPE_CONSTRAINTS: typing.ClassVar = {
        dt.float8_e4m3fn: _SEMI_STRUCTURED_SPARSE_CONFIG(32, 32, 16, 16),
        dt.int8: _SEMI_STRUCTURED_SPARSE_CONFIG(32, 32, 16, 16),
        dt.float16: _SEMI_STRUCTURED_SPARSE_CONFIG(16, 16, 8, 8),
        dt.bfloat16: _SEMI_STRUCTURED_SPARSE_CONFIG(16, 16, 8, 8),
    }


def to_sparse_semi_structured(original_tensor, transposed=False, alg_id=SparseSemiStructuredTensor._DEFAULT_ALG_ID):
    """Compress a matrix on a GPU, which is refused after PyTorch's checks.
    https://pytorch.org/docs/stable/generated/torch.sparse.to_sparse_semi_structured.html

    Args:
        original_tensor: the matrix.
        transposed: deprecated.
        alg_id: a setting of cuSPARSELt.

    Returns: a `SparseSemiStructuredTensor`, in PyTorch.
    """
    if transposed:
        warnings.warn(_TRANSPOSED, FutureWarning, stacklevel=2)
    kind = SparseSemiStructuredTensorCUTLASS if SparseSemiStructuredTensor._FORCE_CUTLASS else \
        SparseSemiStructuredTensorCUSPARSELT
    return kind.from_dense(original_tensor, alg_id=alg_id)
