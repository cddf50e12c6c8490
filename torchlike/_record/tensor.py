"""Tensor: state only. Its methods are attached from the operator table and `torchlike/_api`."""

from typing import TYPE_CHECKING, Any

from torchlike._base.errors import UnsupportedNameError
from torchlike._base.unknown_names import refusal

LEAF = ("leaf",)  # the edge of a tensor that requires grad and has no grad_fn
STALE = ("stale",)  # the edge of a view whose base was written to: its grad_fn is made anew. Or there is none yet

if TYPE_CHECKING:
    from torchlike._api.generated.methods import TensorMethods as _Methods
else:
    _Methods = object  # `torchlike._api.attach` puts the methods on the class itself


class Tensor(_Methods):
    """https://pytorch.org/docs/stable/tensors.html

    ``_cell``: the value. ``_edge``: None (needs no gradient), LEAF, STALE, or (Node, output number).
    ``_view``: None, or what `torchlike._record.views` knows of a differentiable view.
    """

    _cell: Any = None
    _edge: Any = None
    _view: Any = None
    _grad: Any = None
    _acc: Any = None  # weak reference to the AccumulateGrad of a leaf
    _hooks: Any = None  # tensor hooks of a leaf, by handle id
    _post_hooks: Any = None
    _retains = False
    _is_param = False

    __array_priority__ = 1000

    if not TYPE_CHECKING:  # which would believe in every attribute
        def __getattr__(self, name):
            refused = refusal("torch.Tensor", name)
            if refused is not None:
                raise UnsupportedNameError(refused)
            if name == "__cuda_array_interface__":  # the property has raised AttributeError, and Python asks here
                raise AttributeError(f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {self.type()} If CUDA "
                                     "data is required use tensor.cuda() to copy tensor to device memory.")
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)


def wrap(cell) -> Tensor:
    """A Tensor of a cell, without history."""
    made = object.__new__(Tensor)
    made._cell = cell
    return made
