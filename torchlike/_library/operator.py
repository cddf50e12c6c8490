"""One operator of a library: its schema, its kernels, its gradient and its rule for `torch.vmap`."""

import functools
import inspect
from collections.abc import Callable, Sequence

from torchlike import _api
from torchlike._base.errors import UnsupportedError
from torchlike._library.below import _is_below_autograd
from torchlike._modes import autocast, torch_dispatch
from torchlike._ops import schema as _schema
from torchlike._record.tensor import Tensor
from torchlike.autograd.function import Function
from torchlike.autograd.grad_mode import no_grad

ANY = "any"  # among the device types of kernels: all that have none of their own
_ALIASES = (
    "{} (with implementation in {}): The output of this custom operator (1) must not also be an input to this custom "
    "operator and (2) may not alias any inputs to this custom operator or other returns. The most common way to trigger "
    "this error is if we have y = custom_op(x) and y and x are the same Tensor. Please instead return a clone of the "
    "offending output tensor(s) (e.g. return x.clone()) or refactor the custom operator to not return y.")


class Operator:
    """An operator that Python functions compute.

    Args:
        namespace: of the library.
        text: its schema, without the namespace.
        opaque: whether autograd and vmap take it for one operation, which `backward` and `batch` tell about, and not for
            what its kernels call.
    """

    def __init__(self, namespace: str, text: str, opaque: bool):
        self.parsed = _schema.parse(text)
        self.namespace, self.opaque = namespace, opaque
        self.text = f"{namespace}::{text}"
        self.name, _, overload = self.parsed.name.partition(".")
        self.overload = overload or "default"
        self.qualified = f"{namespace}::{self.parsed.name}"
        self.mutable = "!" in text
        self.kernels: dict[str, Callable] = {}  # by device type
        self.composite: Callable | None = None
        self.autograd: Callable | None = None
        self.autocast: dict[str, Callable] = {}  # by device type
        self.backward: Callable | None = None
        self.setup_context: Callable | None = None
        self.batch: Callable | None = None
        self.initial: Callable | None = None  # what computes where a kernel is disabled
        self.disabled: set = set()  # device types
        self.dispatch_rules: dict[type, Callable] = {}  # by classes and modes with ``__torch_dispatch__``
        self.face: Callable | None = None  # the overload of `torch.ops`

    def __call__(self, *args, **kwargs):
        values = self._bound(args, kwargs)
        if self.autocast and autocast.settings.enabled:
            kind = self._device_type(self._tensors(values))
            if kind in self.autocast and kind in autocast.settings.enabled:
                return self._by(self.autocast[kind], values)
        if self.composite is not None:
            return self._by(self.composite, values)
        if self.autograd is not None and not _is_below_autograd():
            return self._by(self.autograd, values)
        if self.opaque and not self.mutable:
            return self._function.apply(*values)
        if self.opaque:
            with no_grad():
                return self.compute(values)
        return self.compute(values)

    def _bound(self, args: tuple, kwargs: dict) -> list:
        """The values of all arguments, in the order of the schema."""
        taken = [arg for arg in self.parsed.args if not arg.kwonly]
        if len(args) > len(taken):
            said = (f"expected at most {len(taken)} argument(s) but received {len(args)} argument(s). "
                    if len(taken) == len(self.parsed.args) else
                    f"takes {len(taken)} positional argument(s) but {len(args)} was/were given.  ")
            raise RuntimeError(f"{self.qualified}() {said}Declaration: {self.text}")
        given = dict(zip((arg.name for arg in taken), args, strict=False))
        unknown = [name for name in kwargs if name in given or all(name != arg.name for arg in self.parsed.args)]
        if unknown:
            raise RuntimeError(f"Unknown keyword argument '{unknown[0]}' for operator '{self.qualified}'. "
                               f"Schema: {self.text}")
        given.update(kwargs)
        for arg in self.parsed.args:
            if given.setdefault(arg.name, arg.default) is ...:
                raise RuntimeError(f"{self.qualified}() is missing value for argument '{arg.name}'. "
                                   f"Declaration: {self.text}")
        return [given[arg.name] for arg in self.parsed.args]

    def _by(self, function: Callable, values: Sequence):
        """Call a function with the values, keyword-only ones by name."""
        pairs = list(zip(self.parsed.args, values, strict=True))
        return function(*(value for arg, value in pairs if not arg.kwonly),
                        **{arg.name: value for arg, value in pairs if arg.kwonly})

    def _said(self, values: Sequence) -> tuple:
        """(arguments, those by keyword) without defaults that need not be said."""
        pairs = list(zip(self.parsed.args, values, strict=True))
        taken = [pair for pair in pairs if not pair[0].kwonly]
        while taken and _is_default(*taken[-1]):
            taken.pop()
        return (tuple(value for _, value in taken),
                {arg.name: value for arg, value in pairs if arg.kwonly and not _is_default(arg, value)})

    @staticmethod
    def _tensors(values: Sequence) -> list:
        return [x for value in values for x in (value if isinstance(value, list | tuple) else (value,))
                if isinstance(x, Tensor)]

    @staticmethod
    def _device_type(tensors: list) -> str:
        return tensors[0].device.type if tensors else _api.empty(0).device.type

    def compute(self, values: Sequence):
        """What a class or mode with ``__torch_dispatch__`` makes of it, else the kernel for the first tensor's device."""
        if torch_dispatch.are_asked(values):
            return torch_dispatch.ask_all(self.face, *self._said(values))
        tensors = self._tensors(values)
        kind = self._device_type(tensors)
        kernel = self.initial if kind in self.disabled else self.kernels.get(kind) or self.kernels.get(ANY)
        if kernel is None:
            raise NotImplementedError(f"Could not run '{self.qualified}' with arguments from the '{kind.upper()}' backend. "
                                      f"'{self.qualified}' is only available for these backends: {sorted(self.kernels)}.")
        found = self._by(kernel, values)
        if self.opaque:
            self._check_aliases(found, tensors, kernel)
        return found

    def _check_aliases(self, found, tensors: list, kernel: Callable) -> None:
        seen = {id(x._base) if x._base is not None else id(x) for x in tensors}
        for out in found if isinstance(found, list | tuple) else (found,):
            if isinstance(out, Tensor):
                own = id(out) if out._base is None else id(out._base)
                if own in seen:
                    raise RuntimeError(_ALIASES.format(self.name, inspect.getmodule(kernel)))
                seen.add(own)

    @functools.cached_property
    def _function(self) -> type[Function]:
        """The Function that stands for the operator in the graph."""
        name = f"GeneratedBackwardFor_{self.namespace}_{self.name}_{self.overload}"
        return type(name, (_Opaque,), {"operator": self})

    def gradient(self, ctx, grads: tuple):
        """What `backward` gives for every argument."""
        if self.backward is None:
            raise RuntimeError(f"Trying to backward through {self.namespace}.{self.name}.{self.overload} but no autograd "
                               "formula was registered. Please use register_autograd to add one.")
        found = self.backward(ctx, *grads)
        found = found if isinstance(found, tuple) else (found,)
        return (*found, *[None] * (len(self.parsed.args) - len(found)))

    def batched(self, info, in_dims: tuple, values: tuple):
        """(result, its batch dimensions) for values of which some have one: by `batch`, else for each slice alone."""
        if self.batch is not None:
            return self._by(functools.partial(self.batch, info, in_dims), values)
        slices = [[value.select(dim, i) if isinstance(value, Tensor) and dim is not None else value
                   for value, dim in zip(values, in_dims, strict=True)] for i in range(info.batch_size)]
        results = [self._function.apply(*one) for one in slices]
        if isinstance(results[0], tuple):
            return tuple(map(_api.stack, zip(*results, strict=True))), (0,) * len(results[0])
        return _api.stack(results), 0

    def set_up(self, ctx, inputs: tuple, output) -> None:
        """Save what the gradient needs."""
        for arg, value in zip(self.parsed.args, inputs, strict=True):
            if arg.type.endswith("[]") and arg.type.startswith("Tensor") and any(
                    isinstance(x, Tensor) and x.requires_grad for x in value or ()):
                raise UnsupportedError(f"gradients of lists of tensors in operators of libraries: {self.qualified}")
        if self.setup_context is None:
            return
        count = sum(not arg.kwonly for arg in self.parsed.args)
        if count == len(self.parsed.args):
            self.setup_context(ctx=ctx, inputs=inputs, output=output)
        else:
            names = [arg.name for arg in self.parsed.args[count:]]
            self.setup_context(ctx=ctx, inputs=inputs[:count], output=output,
                               keyword_only_inputs=dict(zip(names, inputs[count:], strict=True)))


def _is_default(arg, value) -> bool:
    return not isinstance(value, Tensor) and arg.default is not ... and arg.default == value


class _Opaque(Function):
    """An operator in the graph; a subclass for each."""

    operator: Operator

    @classmethod
    def forward(cls, *values):
        return cls.operator.compute(values)

    @classmethod
    def setup_context(cls, ctx, inputs, output):
        cls.operator.set_up(ctx, inputs, output)

    @classmethod
    def backward(cls, ctx, *grads):
        return cls.operator.gradient(ctx, grads)

    @classmethod
    def vmap(cls, info, in_dims, *values):
        return cls.operator.batched(info, in_dims, values)
