"""``torch.sparse.FloatTensor`` and its like, from before PyTorch 1.0: constructors, and classes that `isinstance` asks.

https://pytorch.org/docs/stable/sparse.html
"""

from torchlike._api.legacy import tensor_types, tensortype
from torchlike._api.sparse.construct import sparse_coo_tensor
from torchlike._base import device as dev
from torchlike._base import dtypes as dt
from torchlike._base.settings import sparse_coo
from torchlike._record.tensor import Tensor

_FORMS = """(*, torch.device device = None)
(Tensor indices, Tensor values, *, torch.device device = None)
(Tensor indices, Tensor values, tuple of ints size, *, torch.device device = None)
(tuple of ints size, *, torch.device device = None)"""
_SEQUENCE = ("torch.sparse.SparseTensor(sequence) only accepts sizes.  Please use torch.sparse_coo_tensor() or construct a "
             "strided tensor and convert it to sparse via to_sparse.")


class sparse_tensortype(tensortype):  # noqa: N801 - as `tensortype`
    """The class of these classes: calling one with indices and values, and a size, or with a size alone, makes a sparse
    tensor.

    Raises:
        RuntimeError: the indices are not int64.
        TypeError: the arguments are of no such form.
    """

    layout = sparse_coo
    is_sparse = True

    def __call__(self, *args, indices=None, values=None, size=None, device=None):
        given = [*args, *(each for each in (indices, values, size) if each is not None)]
        device = self.device if device is None else device
        if len(given) in (2, 3) and isinstance(given[0], Tensor) and isinstance(given[1], Tensor):
            if given[0].dim() == 2 and given[0].dtype is not dt.int64:
                raise RuntimeError(f"expected scalar type Long but found {given[0].dtype.scalar_name}")
            if len(given) == 2 or isinstance(given[2], tuple | list):
                return sparse_coo_tensor(*given, dtype=given[1].dtype, device=device)
        elif all(isinstance(each, int) for each in given):
            return sparse_coo_tensor(tuple(given) or (0,), dtype=self.dtype, device=device)
        elif len(given) == 1 and isinstance(given[0], tuple):
            return sparse_coo_tensor(given[0], dtype=self.dtype, device=device)
        elif len(given) == 1 and isinstance(given[0], list):
            raise TypeError(_SEQUENCE)
        kinds = ", ".join(type(each).__name__ for each in given)
        raise TypeError(f"new() received an invalid combination of arguments - got ({kinds}), but expected one of:"
                        + "".join(f"\n * {form}" for form in _FORMS.splitlines()) + "\n")


TYPES = tensor_types("torch.sparse", dev.CPU, sparse_tensortype)
ByteTensor = TYPES["ByteTensor"]
CharTensor = TYPES["CharTensor"]
ShortTensor = TYPES["ShortTensor"]
IntTensor = TYPES["IntTensor"]
LongTensor = TYPES["LongTensor"]
HalfTensor = TYPES["HalfTensor"]
FloatTensor = TYPES["FloatTensor"]
DoubleTensor = TYPES["DoubleTensor"]
BFloat16Tensor = TYPES["BFloat16Tensor"]
