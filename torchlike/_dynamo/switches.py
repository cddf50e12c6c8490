"""What PyTorch's compiler is told of how it should run, and of functions: stances, functions of numpy, functions to trace in
the place of others.
"""

import functools
import inspect
import types

import numpy as np

from torchlike._api.from_data import as_tensor
from torchlike._base.errors import UnsupportedError
from torchlike._base.structure import flatten, unflatten
from torchlike._record import compile_request
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import _Mode


class set_stance(_Mode):  # noqa: N801 - PyTorch's name
    """How functions of `torch.compile` run from now on: a function, a context or a decorator. Differs from PyTorch: Python
    runs in each call, so there is nothing that was compiled for other inputs, and "fail_on_recompile" is refused.
    https://pytorch.org/docs/stable/generated/torch.compiler.set_stance.html

    Args:
        stance: "default"; "force_eager" and "eager_on_recompile": no call waits for its program, one that is there already
            is used; "eager_then_compile" and "aot_eager_then_compile": no function's first call does. Another text is a
            RuntimeError of the compiled functions when they are called.
        skip_guard_eval_unsafe: without effect: there are no guards.
        force_backend: of "default": the backend of all compiled functions.

    Raises:
        RuntimeError: `force_backend` with another stance; or a compiled function is running.
        UnsupportedError: "fail_on_recompile".
    """

    _dynamo_forbidden = True

    def __init__(self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend=None) -> None:
        if force_backend is not None and stance != "default":
            raise RuntimeError("non-default stance cannot have force_backend set")
        if stance == "fail_on_recompile":
            raise UnsupportedError("torch.compiler.set_stance('fail_on_recompile') is not supported: what a call will need "
                                   "is known when its results are looked at, after it")
        self.stance = compile_request.DynamoStance(stance, skip_guard_eval_unsafe, force_backend)
        self.prev = compile_request.set_stance(self.stance)

    def __call__(self, function):
        compile_request.set_stance(self.prev)
        made = super().__call__(function)
        made._dynamo_forbidden = True
        return made

    def __enter__(self) -> None:
        compile_request.set_stance(self.stance)

    def __exit__(self, exc_type, exc_value, traceback) -> None:
        compile_request.set_stance(self.prev)

    def clone(self):
        """Another one of the same stance, which is set by that."""
        return type(self)(self.stance.stance, force_backend=self.stance.backend)


_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)
_substituted: dict = {}  # {id of a function: (it, what PyTorch's compiler would trace instead)}, as many as a program has


def _shape_of(signature) -> tuple:
    """What two functions must have in common: names by position, names by keyword, defaults."""
    named = [p for p in signature.parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return (tuple(p.name for p in named if p.kind != p.KEYWORD_ONLY), {p.name for p in named if p.kind == p.KEYWORD_ONLY},
            {p.name: p.default for p in named})


_WILDCARD = ((), set(), {})


def _check_signatures(original, other) -> None:
    try:
        theirs = inspect.signature(original)
    except ValueError:
        return
    mine = inspect.signature(other)
    shapes = _shape_of(theirs), _shape_of(mine)
    if shapes[0] != shapes[1] and _WILDCARD not in shapes:
        raise TypeError(f"Signature mismatch between {original} and {other}: {theirs} != {mine}")


def substitute_in_graph(original_fn, *, can_constant_fold_through: bool = False, skip_signature_check: bool = False):
    """Marks what PyTorch's compiler is to trace in a function's place. Python runs here, so the function itself is called,
    as it is in PyTorch outside of `torch.compile`.
    https://pytorch.org/docs/stable/generated/torch.compiler.substitute_in_graph.html

    Args:
        original_fn: a function of Python or C.
        can_constant_fold_through: kept.
        skip_signature_check: whether the two may have other parameters.

    Returns:
        a decorator of the other function; what it gives calls the original.

    Raises:
        TypeError: `original_fn` is no function.
    """
    if not isinstance(original_fn, _FUNCTIONS):
        raise TypeError(f"substitute_in_graph expects a function but got {type(original_fn)!r}")

    def decorate(traceable_fn):
        if not isinstance(traceable_fn, _FUNCTIONS):
            raise TypeError(f"@substitute_in_graph(...) expects a function but got {type(traceable_fn)!r}")
        if not skip_signature_check:
            _check_signatures(original_fn, traceable_fn)
        if id(original_fn) in _substituted:
            raise ValueError(f"Duplicate dispatch rule for {original_fn}: already registered in VariableBuilder's id "
                             "dispatch map")

        @functools.wraps(traceable_fn)
        def wrapped(*args, **kwargs):
            return original_fn(*args, **kwargs)

        marks = {"original": original_fn, "polyfill": traceable_fn, "can_constant_fold_through": can_constant_fold_through}
        vars(wrapped).update({f"__torch_dynamo_{name}__": value for name, value in marks.items()})
        _substituted[id(original_fn)] = original_fn, traceable_fn
        _substituted[id(wrapped)] = wrapped, traceable_fn
        return wrapped

    return decorate


def wrap_numpy(fn):
    """A function of arrays as one of tensors. What numpy computes has no gradient and is not compiled.
    https://pytorch.org/docs/stable/generated/torch.compiler.wrap_numpy.html

    Args:
        fn: a function of numpy arrays, alone or in containers, and of other values.

    Returns:
        a function that takes and gives CPU tensors where `fn` has arrays. RuntimeError for one that requires grad.
    """
    @functools.wraps(fn)
    def wrapped(*args, **kwargs):
        args, kwargs = _mapped(Tensor, Tensor.numpy, (args, kwargs))
        return _mapped(np.ndarray, as_tensor, fn(*args, **kwargs))

    return wrapped


def _mapped(kind, function, value):
    """The same containers with what `function` makes of each leaf of that class."""
    leaves, form = flatten(value)
    return unflatten(form, [function(leaf) if isinstance(leaf, kind) else leaf for leaf in leaves])
