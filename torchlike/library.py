"""`torch.library`: operators of programs and packages. https://pytorch.org/docs/stable/library.html

They are functions of Python, which `torch.ops` calls. Nothing can be registered for PyTorch's own operators.
"""

import re
from collections.abc import Callable
from typing import Any

from torchlike import ops as _ops
from torchlike._base.device import known_type as _known_type
from torchlike._base.errors import UnsupportedError
from torchlike._library import registry as _registry
from torchlike._library import rules as _rules
from torchlike._library import torchaudio as _torchaudio  # noqa: F401 - their operators, when their libraries are loaded
from torchlike._library import torchvision as _torchvision  # noqa: F401
from torchlike._library.custom_ops import CustomOpDef as CustomOpDef
from torchlike._library.custom_ops import custom_op as custom_op
from torchlike._library.fake_impl import fake as _fake
from torchlike._library.fake_impl import get_ctx as get_ctx
from torchlike._library.infer_schema import infer_schema as infer_schema
from torchlike._library.operator import Operator as _Operator

__all__ = ["CustomOpDef", "Library", "custom_op", "define", "fallthrough_kernel", "get_ctx", "get_kernel", "impl",
           "impl_abstract", "infer_schema", "opcheck", "register_autocast", "register_autograd", "register_fake",
           "register_kernel", "register_torch_dispatch", "register_vmap", "triton_op", "wrap_triton"]

_KINDS = ("IMPL", "DEF", "FRAGMENT")
_AUTOCAST = {"AutocastCPU": "cpu", "AutocastCUDA": "cuda", "AutocastXPU": "xpu"}
_KEYS = {"CPU": "cpu", "CUDA": "cuda", "Meta": "meta", "CompositeExplicitAutograd": None, "": None}  # -> device type
_AUTOGRAD = ("Autograd", "AutogradCPU", "AutogradCUDA")
_IMPLEMENTS = {*_AUTOCAST, *_AUTOGRAD, *_KEYS, "CompositeImplicitAutograd"}


def _refuse(name: str, reason: str) -> UnsupportedError:
    return UnsupportedError(f"torch.library.{name} is not supported: {reason}")


def fallthrough_kernel():
    """Never to be called: given to `Library.impl` it says that there is nothing to do.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError("fallthrough_kernel() should never be called.")


class Library:
    """A namespace of operators.
    https://pytorch.org/docs/stable/library.html#torch.library.Library

    Args:
        ns: its name.
        kind: "DEF", "FRAGMENT" (another part of one) or "IMPL" (which defines nothing).
        dispatch_key: the key of `impl` where that is given none.

    Raises:
        ValueError: another `kind`, or a reserved name.
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = ""):
        if kind not in _KINDS:
            raise ValueError(f"Unsupported kind: {kind}")
        if ns in ("prim", "prims"):
            raise ValueError(f"{ns} is a reserved namespace. Please try creating a library with another name.")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema: str, alias_analysis: str = "", *, tags=()) -> str:
        """Defines an operator.

        Args:
            schema: such as ``scaled(Tensor x, float k=1.0) -> Tensor``.
            alias_analysis, tags: without effect.

        Returns:
            The operator's name.

        Raises:
            RuntimeError: there is one of this name.
        """
        operator = _Operator(self.ns, schema, opaque=False)
        _ops.register(operator)
        _registry.add(operator)
        return operator.parsed.name

    def impl(self, op_name, fn: Callable, dispatch_key: str = "", *, with_keyset: bool = False,
             allow_override: bool = False) -> None:
        """Says what computes an operator.

        Args:
            op_name: its name, or an overload of `torch.ops`.
            fn: the function.
            dispatch_key: "CPU", "CUDA", "Meta", "CompositeExplicitAutograd" (all devices), "CompositeImplicitAutograd" (all,
                and its gradient is that of what it calls), "Autograd" (it decides about the gradient), "AutocastCPU" or
                "AutocastCUDA" (it casts the arguments and calls the operator again, with autocast off).
            with_keyset, allow_override: without effect.

        Raises:
            UnsupportedError: another key.
        """
        key = dispatch_key or self.dispatch_key
        if key not in _IMPLEMENTS:
            raise _refuse("Library.impl", f"there is nothing that the dispatch key {key} would tell")
        name = f"{self.ns}::{op_name.rpartition('::')[2]}" if isinstance(op_name, str) else op_name
        if fn is not fallthrough_kernel:
            _registry.tell(name, lambda operator: _implement(operator, key, fn))

    def fallback(self, fn: Callable, dispatch_key: str = "", *, with_keyset: bool = False) -> None:
        """Refused: the operators of PyTorch do not ask libraries.

        Args:
            fn, with_keyset: not looked at.
            dispatch_key: what all operators would ask.

        Raises:
            RuntimeError: the namespace is not "_", that of all.
            AssertionError: there is no key.
            UnsupportedError: else.
        """
        if self.ns != "_":
            raise RuntimeError('Fallback can only be registered using library fragment on the global namespace "_" but it '
                               f"is {self.ns}")
        if not (dispatch_key or self.dispatch_key):
            raise AssertionError("dispatch_key must not be empty for fallback")
        raise _refuse("Library.fallback", "there is no dispatcher that all operators go through")

    def register_symm_mem_args(self, op_name, arg_names) -> None:
        """Refused: there is no memory that several GPUs share.

        Args:
            op_name, arg_names: not looked at.

        Raises:
            UnsupportedError: always.
        """
        raise _refuse("Library.register_symm_mem_args", "there is no memory that several GPUs share")


def _implement(operator, key: str, fn: Callable) -> None:
    if key == "CompositeImplicitAutograd":
        operator.composite = fn
    elif key in _AUTOCAST:
        operator.autocast[_AUTOCAST[key]] = fn
    elif key in _AUTOGRAD:
        operator.autograd = fn
    else:
        _registry.set_kernel(operator, _KEYS.get(key, key), fn)


def define(qualname: str, schema: str, *, lib: Library | None = None, tags=()) -> None:
    """Defines an operator.
    https://pytorch.org/docs/stable/library.html#torch.library.define

    Args:
        qualname: ``namespace::name``.
        schema: without the name: ``(Tensor x) -> Tensor``.
        lib: the library; None means one of the namespace.
        tags: without effect.

    Raises:
        ValueError: `qualname` or `schema` has another form.
    """
    namespace, name = _registry.parts(qualname)
    if not re.match(r"\(.*\) -> .*", schema):
        raise ValueError(f'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> Tensor" but got '
                         f'"{schema}"')
    (lib or Library(namespace, "FRAGMENT")).define(name + schema)


def impl(qualname, types, func: Any = None, *, lib: Library | None = None):
    """Says what computes an operator on some devices.
    https://pytorch.org/docs/stable/library.html#torch.library.impl

    Args:
        qualname: ``namespace::name``.
        types: a type of devices, a list of them, or "default": all.
        func: the function; None gives a decorator.
        lib: without effect.

    Returns:
        `func`, or a decorator.
    """
    if isinstance(qualname, Library):  # the old form: impl(lib, name, key)
        return _registry.registering(None, lambda found: qualname.impl(types, found, func or ""))
    return register_kernel(qualname, types, func)


def register_kernel(op, device_types, func: Callable | None = None, /, *, lib: Library | None = None):
    """Says what computes an operator on some devices.
    https://pytorch.org/docs/stable/library.html#torch.library.register_kernel

    Args:
        op: an operator: its name, an overload of `torch.ops`, or a `CustomOpDef`.
        device_types: a type of devices, a list of them, or None: all.
        func: the function; None gives a decorator.
        lib: without effect.

    Returns:
        `func`, or a decorator.
    """
    if device_types is None or device_types == "default":
        keys = [""]
    else:  # or PyTorch's dispatch keys
        keys = [key if key in _IMPLEMENTS else _known_type(key.lower() if key.isupper() else key)
                for key in ((device_types,) if isinstance(device_types, str) else device_types)]

    def register(found):
        for key in keys:
            _registry.tell(op, lambda operator, key=key: _implement(operator, key, found))

    return _registry.registering(func, register)


def register_fake(op, func: Callable | None = None, /, *, lib: Library | None = None, _stacklevel: int = 1,
                  allow_override: bool = True):
    """Says what an operator gives on the meta device.
    https://pytorch.org/docs/stable/library.html#torch.library.register_fake

    Args:
        op: an operator, as for `register_kernel`.
        func: gives results of the right shapes and dtypes; None gives a decorator.
        lib, allow_override: without effect.

    Returns:
        `func`, or a decorator.
    """
    def register(found):
        operator = _registry.find(op)
        operator.kernels["meta"] = _fake(operator.qualified, found)

    return _registry.registering(func, register)


impl_abstract = register_fake


def register_autograd(op, backward: Callable, /, *, setup_context: Callable | None = None,
                      lib: Library | None = None) -> None:
    """Says what the gradient of an operator is.
    https://pytorch.org/docs/stable/library.html#torch.library.register_autograd

    Args:
        op: an operator, as for `register_kernel`.
        backward: ``backward(ctx, *grads)`` gives a gradient for each argument, or None.
        setup_context: ``setup_context(ctx, inputs, output)`` saves what it needs.
        lib: without effect.
    """
    operator = _registry.find(op)
    operator.opaque, operator.backward, operator.setup_context = True, backward, setup_context


def register_vmap(op, func: Callable | None = None, /, *, lib: Library | None = None):
    """Says how `torch.vmap` batches an operator.
    https://pytorch.org/docs/stable/library.html#torch.library.register_vmap

    Args:
        op: an operator, as for `register_kernel`.
        func: ``func(info, in_dims, *args)`` gives the result and its batch dimensions; None gives a decorator.
        lib: without effect.

    Returns:
        `func`, or a decorator.
    """
    def register(found):
        operator = _registry.find(op)
        operator.opaque, operator.batch = True, found

    return _registry.registering(func, register)


def register_autocast(op, device_type: str, cast_inputs, /, *, lib: Library | None = None):
    """Has an operator's floating-point tensors cast where autocast is on; it is off inside.
    https://pytorch.org/docs/stable/library.html#torch.library.register_autocast

    Args:
        op: an operator, as for `register_kernel`.
        device_type: that of autocast and the tensors.
        cast_inputs: the dtype.
        lib: without effect.

    Returns:
        What does so, a function of PyTorch's dispatch keys and the arguments.

    Raises:
        ValueError: autocast does not know these devices, or `op` is no operator.
    """
    return _rules.cast_inputs(_named(op, "register_autocast"), device_type, cast_inputs)


def register_torch_dispatch(op, torch_dispatch_class, func: Callable | None = None, /, *, lib: Library | None = None):
    """Says what a class of tensors or a mode makes of an operator, in place of its ``__torch_dispatch__``.
    https://pytorch.org/docs/stable/library.html#torch.library.register_torch_dispatch

    Args:
        op: an operator, as for `register_kernel`.
        torch_dispatch_class: the class itself, not those that inherit from it.
        func: ``func(mode or class, func, types, args, kwargs)``; None gives a decorator.
        lib: without effect.

    Returns:
        `func`, or a decorator.

    Raises:
        ValueError: `op` is no operator.
    """
    return _rules.take_over(_named(op, "register_torch_dispatch"), torch_dispatch_class, func)


def _named(op, function: str) -> _Operator:
    if not isinstance(op, str | _ops.OpOverload | CustomOpDef):
        raise ValueError(f"{function}({op}): got unexpected type for op: {type(op)}")
    return _registry.find(op)


def get_kernel(op, dispatch_key):
    """Refused: the kernels of PyTorch's operators cannot be replaced, so there is none to keep.
    https://pytorch.org/docs/stable/library.html#torch.library.get_kernel

    Args:
        op: an operator.
        dispatch_key: what it is for.

    Raises:
        ValueError: `op` is no operator.
        UnsupportedError: else.
    """
    if not isinstance(op, str | _ops.OpOverload):
        raise ValueError(f"get_kernel({op}): got unexpected type for op: {type(op)}")
    raise _refuse("get_kernel", "the kernels of operators cannot be replaced: call the operator")


def opcheck(op, args, kwargs=None, *, test_utils=(), raise_exception: bool = True, atol=None, rtol=None):
    """Refused: it asks PyTorch's compiler about an operator.
    https://pytorch.org/docs/stable/library.html#torch.library.opcheck

    Args:
        op, args, kwargs, test_utils, raise_exception, atol, rtol: not looked at.

    Raises:
        UnsupportedError: always.
    """
    raise _refuse("opcheck", "it asks PyTorch's compiler about an operator")


def triton_op(name: str, fn: Callable | None = None, /, *, mutates_args, schema: str | None = None):
    """Refused: torchlike cannot launch kernels of Triton's.
    https://pytorch.org/docs/stable/library.html#torch.library.triton_op

    Args:
        name, fn, mutates_args, schema: not looked at.

    Raises:
        UnsupportedError: always.
    """
    raise _refuse("triton_op", "torchlike cannot launch kernels of Triton's")


def wrap_triton(triton_kernel: Callable, /):
    """Refused: torchlike cannot launch kernels of Triton's.
    https://pytorch.org/docs/stable/library.html#torch.library.wrap_triton

    Args:
        triton_kernel: not looked at.

    Raises:
        UnsupportedError: always.
    """
    raise _refuse("wrap_triton", "torchlike cannot launch kernels of Triton's")
