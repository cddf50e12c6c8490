"""Tensor: state only. Its methods are attached from the operator table and `torchlike/_faces`."""

from torchlike._names import refusal
from torchlike.errors import UnsupportedNameError

LEAF = ("leaf",)  # the edge of a tensor that requires grad and has no grad_fn
STALE = ("stale",)  # the edge of a view whose base was written to: its grad_fn is made anew. Or there is none yet


class Tensor:
    """https://pytorch.org/docs/stable/tensors.html

    ``_cell``: the value. ``_edge``: None (needs no gradient), LEAF, STALE, or (Node, output number).
    ``_view``: None, or what `torchlike._trace.views` knows of a differentiable view.
    """

    _cell = None
    _edge = None
    _view = None
    _grad = None
    _acc = None  # weak reference to the AccumulateGrad of a leaf
    _hooks = None  # tensor hooks of a leaf, by handle id
    _post_hooks = None
    _retains = False
    _is_param = False

    __torch_function__ = None
    __array_priority__ = 1000

    def __getattr__(self, name):
        refused = refusal("torch.Tensor", name)
        if refused is not None:
            raise UnsupportedNameError(refused)
        if name == "__cuda_array_interface__":  # the property has raised AttributeError, and Python asks here
            raise AttributeError(f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {self.type()} If CUDA data "
                                 "is required use tensor.cuda() to copy tensor to device memory.")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)


def wrap(cell) -> Tensor:
    """A Tensor of a cell, without history."""
    made = object.__new__(Tensor)
    made._cell = cell
    return made


class Parameter(Tensor):
    """A tensor that a Module registers when it is assigned as an attribute.
    https://pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html

    Shares the memory of `data`; requires grad unless told otherwise.
    """

    _is_param = True

    def __new__(cls, data, requires_grad=True):
        if not isinstance(data, Tensor):
            raise TypeError(f"Parameter data must be a Tensor, not {type(data).__name__}")
        if requires_grad and not (data.is_floating_point() or data.is_complex()):
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        made = object.__new__(cls)
        made._cell = data._cell
        if requires_grad:
            made.requires_grad_(True)
        return made
