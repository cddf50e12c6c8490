"""Tensor: state only. Its methods are attached from the operator table and `torchlike/_api`."""

import copy
import gc
from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any

from torchlike._base.errors import UnsupportedNameError
from torchlike._base.unknown_names import refusal

LEAF = ("leaf",)  # the edge of a tensor that requires grad and has no grad_fn
STALE = ("stale",)  # the edge of a view whose base was written to: its grad_fn is made anew. Or there is none yet

if TYPE_CHECKING:
    from torchlike._api.generated.methods import TensorMethods as _Methods
else:
    _Methods = object  # `torchlike._api.attach` puts the methods on the class itself


OWN_ATTRIBUTES = ("_cell", "_edge", "_view", "_acc", "_grad", "_hooks", "_post_hooks", "_retains", "_grad_dtype")


class TensorBase(_Methods):
    """The class that has the attributes of a Tensor, its state and what users put on it, in one dict."""


_ATTRIBUTES = vars(TensorBase)["__dict__"]


def all_attributes(x) -> dict:
    """Of a Tensor: its state and what users have put on it."""
    return _ATTRIBUTES.__get__(x)


def swap_attributes(x, y) -> None:
    """Exchange state and attributes of two Tensors."""
    of_x, of_y = all_attributes(x), all_attributes(y)
    _ATTRIBUTES.__set__(x, of_y)
    _ATTRIBUTES.__set__(y, of_x)


class UserAttributes(MutableMapping):
    """``x.__dict__``: what users have put on a Tensor, and not its state.

    Args:
        of: all attributes.
    """

    def __init__(self, of: dict):
        self._of = of

    def __getitem__(self, name):
        if name in OWN_ATTRIBUTES:
            raise KeyError(name)
        return self._of[name]

    def __setitem__(self, name, value) -> None:
        self._of[name] = value

    def __delitem__(self, name) -> None:
        del self._of[name]

    def __iter__(self):
        return iter([name for name in self._of if name not in OWN_ATTRIBUTES])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        return repr(self.copy())

    def __deepcopy__(self, memo) -> dict:
        return copy.deepcopy(self.copy(), memo)

    def copy(self) -> dict:
        """A dict of them."""
        return dict(self)

    __copy__ = copy


def _hide_state(cls: type) -> None:
    """Gives a subclass Tensor's own ``__dict__``: a class that comes before Tensor among its bases, ``class Tagged(Mixin,
    Tensor)``, brings Python's, which shows the state, and loses it where a program sets ``x.__dict__``."""
    (names,) = gc.get_referents(vars(cls))  # the dictionary itself: setattr refuses this name
    names["__dict__"] = vars(Tensor)["__dict__"]
    cls.__doc__ = cls.__doc__  # Python forgets what it has looked up


class Tensor(TensorBase):
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
    _grad_dtype: Any = False  # of a leaf's gradient: False is the leaf's own, None any
    _retains = False
    _is_param = False

    __array_priority__ = 1000

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if next(kind for kind in cls.__mro__ if "__dict__" in vars(kind)) is not Tensor:
            _hide_state(cls)

    @property
    def __dict__(self):
        return UserAttributes(all_attributes(self))

    @__dict__.setter
    def __dict__(self, attributes):
        shown = UserAttributes(all_attributes(self))
        shown.clear()
        shown.update(attributes)

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
