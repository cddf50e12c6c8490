"""`torch.library.custom_op`: a Python function that autograd and vmap take for one operation."""

import contextlib
import logging
from collections.abc import Callable

from torchlike import ops
from torchlike._library import registry, rules
from torchlike._library.fake_impl import fake
from torchlike._library.infer_schema import infer_schema
from torchlike._library.operator import Operator

_log = logging.getLogger(__name__)


class CustomOpDef:
    """What `torch.library.custom_op` makes of a function: a call is one of the operator.

    Args:
        qualname: ``namespace::name``.
        schema: without the name.
        fn: the function.
        device_types: on which devices `fn` computes; None means all.
    """

    def __init__(self, qualname: str, schema: str, fn: Callable, device_types):
        self._namespace, self._name = registry.parts(qualname)
        self._qualname, self._schema, self._init_fn = qualname, schema, fn
        self._operator = Operator(self._namespace, f"{self._name}{schema}", opaque=True)
        self._opoverload = ops.register(self._operator)
        registry.add(self._operator)
        self._operator.initial = fn
        self.register_kernel(device_types)(fn)

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args, **kwargs):
        return self._operator(*args, **kwargs)

    def register_kernel(self, device_types, fn: Callable | None = None, /):
        """Says what computes the operator on some devices.

        Args:
            device_types: a type of devices or a list of them; None means all.
            fn: the function; None gives a decorator.

        Returns:
            `fn`, or a decorator.
        """
        return registry.registering(fn, lambda found: registry.set_kernel(self._operator, device_types, found))

    @contextlib.contextmanager
    def set_kernel_enabled(self, device_type: str, enabled: bool = True):
        """Has the function itself, not what `register_kernel` was told, compute the operator, for a block.

        Args:
            device_type: on which devices.
            enabled: True undoes that, for a block inside.

        Yields:
            None.
        """
        disabled, was_enabled = self._operator.disabled, device_type not in self._operator.disabled
        if device_type not in self._operator.kernels:
            _log.warning("Attempted to %s kernel for %s but no kernel was registered for this device type.",
                         "enable" if enabled else "disable", device_type)
        if was_enabled is bool(enabled):
            _log.warning(f"Attempted to {'enable' if enabled else 'disable'} kernel for {' ' * bool(enabled)}%s but it was "
                         f"already {'enabled' if enabled else 'disabled'}.", device_type)
        _toggle(disabled, device_type, not enabled)
        try:
            yield
        finally:
            _toggle(disabled, device_type, not was_enabled)

    def register_autocast(self, device_type: str, cast_inputs) -> Callable:
        """Has floating-point tensors cast where autocast is on, and computes with it off.

        Args:
            device_type: that of autocast and the tensors.
            cast_inputs: the dtype.

        Returns:
            What does so, a function of PyTorch's dispatch keys and the arguments.

        Raises:
            ValueError: autocast does not know these devices.
        """
        return rules.cast_inputs(self._operator, device_type, cast_inputs)

    def register_torch_dispatch(self, torch_dispatch_class, fn: Callable | None = None, /):
        """Says what a class of tensors or a mode makes of the operator, in place of its ``__torch_dispatch__``.

        Args:
            torch_dispatch_class: the class.
            fn: ``fn(mode or class, func, types, args, kwargs)``; None gives a decorator.

        Returns:
            `fn`, or a decorator.
        """
        return rules.take_over(self._operator, torch_dispatch_class, fn)

    def register_effect(self, effect) -> None:
        """Nothing: calls stay in their order.

        Args:
            effect: without effect.
        """

    def register_fake(self, fn: Callable, /) -> Callable:
        """Says what the operator gives on the meta device.

        Args:
            fn: gives results of the right shapes and dtypes.

        Returns:
            `fn`.
        """
        self._operator.kernels["meta"] = fake(self._qualname, fn)
        return fn

    def register_autograd(self, backward: Callable, /, *, setup_context: Callable | None = None) -> None:
        """Says what the gradient is.

        Args:
            backward: ``backward(ctx, *grads)`` gives a gradient for each argument, or None.
            setup_context: ``setup_context(ctx, inputs, output)`` saves what it needs.
        """
        self._operator.backward, self._operator.setup_context = backward, setup_context

    def register_vmap(self, func: Callable | None = None):
        """Says how `torch.vmap` batches the operator; without it, it is called for each slice.

        Args:
            func: ``func(info, in_dims, *args)`` gives the result and its batch dimensions; None gives a decorator.

        Returns:
            `func`, or a decorator.
        """
        return registry.registering(func, lambda found: setattr(self._operator, "batch", found))


def _toggle(those: set, one, is_in: bool) -> None:
    if is_in:
        those.add(one)
    else:
        those.discard(one)


def custom_op(name: str, fn: Callable | None = None, /, *, mutates_args, device_types=None, schema: str | None = None,
              tags=None):
    """Makes an operator of a function that PyTorch's autograd and vmap do not look into.
    https://pytorch.org/docs/stable/library.html#torch.library.custom_op

    Args:
        name: ``namespace::name``.
        fn: the function; its annotations are the schema. None gives a decorator.
        mutates_args: the names of the arguments that it writes to, or "unknown": all tensors.
        device_types: on which devices it computes; None means all.
        schema: in place of the annotations.
        tags: without effect.

    Returns:
        A `CustomOpDef`, or a decorator.
    """
    def made(function):
        text = infer_schema(function, mutates_args=mutates_args) if schema is None else schema
        return CustomOpDef(name, text, function, device_types)

    return made if fn is None else made(fn)
