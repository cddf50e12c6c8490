"""Custom operators with their own backward: https://pytorch.org/docs/stable/notes/extending.html"""

import functools
import itertools
import warnings
import weakref

from torchlike._base.errors import UnsupportedError
from torchlike._record.tensor import LEAF, Tensor, wrap
from torchlike._record.trace import state
from torchlike.autograd._function.call import positional, run
from torchlike.autograd._function.forward import level_among, run_forward_mode
from torchlike.autograd._function.node import HeldNode, edges_of
from torchlike.autograd._function.pure import run_pure, under_transform
from torchlike.autograd.handles import RemovableHandle
from torchlike.autograd.node import Node
from torchlike.autograd.saved_variable import SavedTensor, freed
from torchlike.autograd.special_nodes import RefusesSecond

_IDS = itertools.count()
_LEGACY = ("Legacy autograd function with non-static forward method is deprecated. Please use new-style "
           "autograd function with static forward method. (Example: "
           "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)")


class FunctionCtx:
    """What ``forward``, ``setup_context`` and ``backward`` get as their first argument.
    https://pytorch.org/docs/stable/autograd.html#context-method-mixins
    """

    to_save = None
    non_differentiable = None
    dirty_tensors = None
    saved_for_forward = None
    _given: tuple | None = None  # in jvp and under torch.func: what saved_tensors is there
    _materialize_grads = True

    def save_for_backward(self, *tensors) -> None:
        """Keeps tensors for ``backward``, which reads them as ``ctx.saved_tensors``.
        https://pytorch.org/docs/stable/generated/torch.autograd.function.FunctionCtx.save_for_backward.html

        They are checked for in-place writes; in ``backward`` a write since then is a RuntimeError.

        Args:
            *tensors: Tensors or None. Anything else is a TypeError when ``forward`` is done.
        """
        self.to_save = tensors

    def save_for_forward(self, *tensors) -> None:
        """Keeps tensors for ``jvp``.
        https://pytorch.org/docs/stable/notes/extending.html

        Args:
            *tensors: Tensors or None.

        Raises:
            AssertionError: one of them is something else.
        """
        for tensor in tensors:
            if not (isinstance(tensor, Tensor) or tensor is None):
                raise AssertionError("save_for_forward expects all arguments to be tensors; you should save "
                                     "non-tensors as attributes on ctx.")
        self.saved_for_forward = tensors

    def mark_shared_storage(self, *pairs) -> None:
        """Nothing: tensors that share memory are known. Deprecated.

        Args:
            pairs: without effect.
        """
        warnings.warn("`mark_shared_storage` is deprecated. Tensors with shared storages are automatically tracked. "
                      "Note that calls to `set_()` are not tracked", FutureWarning, stacklevel=2)

    def mark_dirty(self, *args) -> None:
        """Names the inputs that ``forward`` wrote to.
        https://pytorch.org/docs/stable/generated/torch.autograd.function.FunctionCtx.mark_dirty.html

        Args:
            *args: the Tensors, which must all be returned.
        """
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args) -> None:
        """Names the outputs that need no gradient; ``backward`` gets zeros for them.
        https://pytorch.org/docs/stable/generated/torch.autograd.function.FunctionCtx.mark_non_differentiable.html

        Args:
            *args: the Tensors.
        """
        self.non_differentiable = args

    def set_output_grad_dtype(self, *dtypes) -> None:
        """Refused: ``backward`` gets each gradient in the dtype of its output. PyTorch has it since 2.14.

        Args:
            *dtypes: not looked at.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError("torch.autograd.function.FunctionCtx.set_output_grad_dtype is not supported: backward gets "
                               "each gradient in the dtype of its output")

    def set_materialize_grads(self, value) -> None:
        """Says what ``backward`` gets for outputs without a gradient.
        https://pytorch.org/docs/stable/generated/torch.autograd.function.FunctionCtx.set_materialize_grads.html

        Args:
            value: True for zeros, as it is to begin with; False for None.
        """
        self._materialize_grads = bool(value)


class BackwardCFunction(Node, FunctionCtx):
    """A Function call as users see it: ctx in forward and backward, ``grad_fn`` of the results.

    It holds the saved tensors. The graph holds its FunctionNode, which holds it.
    """

    _forward_cls = None
    _saved_variables = ()
    _freed = False
    _held = None
    public = None  # users' names here, as any others
    n_outputs = 1
    needs_input_grad = ()

    def __init__(self):  # the Node's own fields stay unset: they are the user's to assign
        pass

    def __repr__(self):
        return f"<torch.autograd.function.{type(self).__name__} object at {id(self):#x}>"

    def __getattr__(self, name):
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __call__(self, *grads):
        raise TypeError(f"'{type(self).__name__}' object is not callable")

    def _join(self, node) -> None:
        self._reference = weakref.ref(node)

    def _node(self):
        """The engine's Node of this call."""
        node = self._reference()
        return self._held if node is None else node

    def _hold(self, node) -> None:
        """Whoever asks for ``grad_fn`` may keep it longer than the graph."""
        if self._held is None:
            self._held = HeldNode(node)

    def _free(self) -> None:
        self._saved_variables = ()
        self._freed = True

    @property
    def saved_tensors(self) -> tuple:
        """What ``save_for_backward`` was given; in ``jvp`` what ``save_for_forward`` was given.

        RuntimeError once the graph is freed.
        """
        if self._given is not None:
            return self._given
        if self._freed:
            raise freed()
        node = self._node()
        return tuple(None if kept is None else kept.unpack(node) for kept in self._saved_variables)

    @property
    def _raw_saved_tensors(self) -> tuple:
        """The same as objects that take saved-tensor hooks."""
        if self._freed:
            raise freed()
        return tuple(SavedTensor(kept, self._node()) for kept in self._saved_variables)

    @property
    def saved_variables(self) -> tuple:
        """The old name of ``saved_tensors``; a DeprecationWarning."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    @property
    def next_functions(self) -> tuple:
        """For each tensor input of forward (Node, output number), or (None, 0)."""
        return self._node().next_functions

    @property
    def requires_grad(self) -> bool:
        """Whether some input required grad."""
        return any(self.needs_input_grad)

    def _sequence_nr(self) -> int:
        return self._node().seq

    @property
    def _input_metadata(self) -> tuple:
        return self._node()._input_metadata

    def register_hook(self, fn) -> RemovableHandle:
        """Calls a function each time after backward.

        Args:
            fn: as for `Node.register_hook`.

        Returns:
            The handle that removes the hook.
        """
        return self._node().register_hook(fn)

    def register_prehook(self, fn) -> RemovableHandle:
        """Calls a function each time before backward.

        Args:
            fn: as for `Node.register_prehook`.

        Returns:
            The handle that removes the hook.
        """
        return self._node().register_prehook(fn)

    def maybe_clear_saved_tensors(self) -> None:
        """Free the saved tensors now."""
        self._free()

    def _user_backward(self):
        cls = self._forward_cls
        by_backward, by_vjp = cls.backward is not Function.backward, cls.vjp is not Function.vjp
        if by_backward and by_vjp:
            raise RuntimeError("Implementing both 'backward' and 'vjp' for a custom Function is not allowed. "
                               "You should only implement one of them.")
        return cls.vjp if by_vjp else cls.backward

    def apply(self, *args):
        """Calls the user's backward.

        Args:
            *args: the gradient of each output.

        Returns:
            What it returns: the gradients of the inputs.
        """
        if getattr(self._forward_cls, "boxed_grads_call", False):
            args = (list(args),)
        return self._user_backward()(self, *args)

    def apply_jvp(self, *args):
        """Calls the user's jvp.

        Args:
            *args: the tangent of each input.

        Returns:
            What it returns: the tangents of the outputs.
        """
        return self._forward_cls.jvp(self, *args)


class FunctionMeta(type):
    """Gives each Function its ``_backward_cls``, the class of its ctx, named <name>Backward.

    Args:
        name, bases, attrs: what every metaclass gets.
    """

    def __init__(cls, name, bases, attrs):
        backward = type(name + "Backward", (BackwardCFunction,),
                        {"_forward_cls": cls, "__module__": "torch.autograd.function"})
        backward._autograd_function_id = next(_IDS)
        cls._backward_cls = backward
        super().__init__(name, bases, attrs)


class Function(FunctionCtx, metaclass=FunctionMeta):
    """Base class of operators with their own backward: define static ``forward`` and ``backward`` and call `apply`.
    https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function

    ``forward(ctx, *args)``, or ``forward(*args)`` with ``setup_context(ctx, inputs, output)``, runs without
    recording. ``backward(ctx, *grads)`` gets one gradient an output and returns one an input, None for an
    input without; a gradient is summed to the input's shape where that broadcasts, and cast to its dtype.

    Args:
        *args, **kwargs: ignored. An instance is of no use, and making one warns.
    """

    generate_vmap_rule = False

    def __init__(self, *args, **kwargs):
        warnings.warn(f"{self.__class__} should not be instantiated. Methods on autograd functions are all "
                      "static, so you should invoke them on the class itself. Instantiating an autograd "
                      "function will raise an error in a future version of "
                      "PyTorch.", DeprecationWarning, stacklevel=2)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(_LEGACY)

    @staticmethod
    def forward(*args, **kwargs):
        """The computation; to be overridden.
        https://pytorch.org/docs/stable/generated/torch.autograd.Function.forward.html

        Args:
            *args, **kwargs: the ctx, unless there is a `setup_context`, and what `apply` was given.

        Raises:
            NotImplementedError: it is not overridden.
        """
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Where ``forward`` takes no ctx: saves what backward needs; to be overridden.
        https://pytorch.org/docs/stable/notes/extending.html

        Args:
            ctx: the `FunctionCtx`.
            inputs: a tuple of what ``forward`` was given.
            output: what it returned.

        Raises:
            NotImplementedError: it is not overridden.
        """
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """The gradients of the inputs, None for one without; to be overridden (``vjp`` is another name for it).
        https://pytorch.org/docs/stable/generated/torch.autograd.Function.backward.html

        Args:
            ctx: the `FunctionCtx`; ``ctx.needs_input_grad`` says for each input whether its gradient is wanted.
            *grad_outputs: the gradient of each output, of its shape.

        Raises:
            NotImplementedError: it is not overridden.
        """
        raise NotImplementedError("You must implement either the backward or vjp method for your custom "
                                  "autograd.Function to use it with backward mode AD.")

    vjp = backward

    @staticmethod
    def jvp(ctx, *grad_inputs):
        """The tangents of the outputs; to be overridden for forward mode.
        https://pytorch.org/docs/stable/generated/torch.autograd.Function.jvp.html

        Args:
            ctx: the `FunctionCtx`.
            *grad_inputs: the tangent of each input, None for one without.

        Raises:
            NotImplementedError: it is not overridden.
        """
        raise NotImplementedError("You must implement the jvp function for custom autograd.Function to use "
                                  "it with forward mode AD.")

    @staticmethod
    def vmap(info, in_dims, *args):
        """How to batch this Function: returns (output, out_dims); to be overridden for vmap, unless ``generate_vmap_rule``
        is True.
        https://pytorch.org/docs/stable/generated/torch.autograd.Function.vmap.html

        Args:
            info: a named tuple of the ``batch_size`` and the ``randomness`` of the vmap.
            in_dims: for each argument its batch dimension, or None.
            *args: the arguments, batched.

        Raises:
            NotImplementedError: it is not overridden.
        """
        raise NotImplementedError("To use autograd.Function with vmap, you must either override the vmap "
                                  "staticmethod or set generate_vmap_rule=True.")

    @classmethod
    def apply(cls, *args, **kwargs):
        """Runs ``forward`` and puts the call into the graph if an input requires grad.

        Args:
            *args, **kwargs: what ``forward`` takes; only Tensors among them have gradients, not those inside of lists.

        Returns:
            What ``forward`` returns: tensors come back with history, anything else as it is.
        """
        with_setup = cls.setup_context is not Function.setup_context
        if kwargs or with_setup:
            args = positional(cls.forward, args, kwargs, with_setup)
        if under_transform(args):
            return run_pure(cls, args, with_setup, cls.vmap is not Function.vmap)
        level = level_among(args)
        if level is not None:
            return run_forward_mode(lambda values: run(cls, values, with_setup), args, level)
        return run(cls, args, with_setup)[1]


# -- functions that are differentiable once

def once_differentiable(fn):
    """Decorates ``backward`` of a Function that cannot be differentiated twice.
    https://pytorch.org/docs/stable/generated/torch.autograd.function.once_differentiable.html

    Args:
        fn: the static method ``backward``.

    Returns:
        The method, whose gradients raise a RuntimeError where they are differentiated again.
    """

    @functools.wraps(fn)
    def wrapper(ctx, *args):
        thread = state.thread
        before, thread.grad = thread.grad, False
        try:
            outputs = fn(ctx, *args)
        finally:
            thread.grad = before
        if not before or not any(isinstance(x, Tensor) and x._edge is not None for x in args):
            return outputs
        return _refuse_second(outputs)

    return wrapper


def _refuse_second(outputs):
    """The same gradients with a history that raises."""
    each = outputs if isinstance(outputs, tuple) else (outputs,)
    leaves = [None if x is None else wrap(x._cell) for x in each]
    for x in leaves:
        if x is not None:
            x._edge = LEAF
    node = RefusesSecond("trying to differentiate twice a function that was marked with @once_differentiable",
                         edges_of([x for x in leaves if x is not None]),
                         tuple(None if x is None else x._cell.aval for x in each))
    made = []
    for i, x in enumerate(each):
        out = None if x is None else wrap(x._cell)
        if out is not None:
            out._edge = (node, i)
        made.append(out)
    return tuple(made) if isinstance(outputs, tuple) else made[0]


class InplaceFunction(Function):
    """Kept for old programs: a Function with a flag.

    Args:
        inplace: the flag.
    """

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """Kept for old programs that name it. It cannot be called, as in PyTorch: AttributeError."""

    def __call__(self, *input):
        raise AttributeError("'super' object has no attribute '_do_forward'")

    def forward(self, *args):
        """Lists of tensors in and out; what it needs is set by no one.

        Args:
            *args: ignored.

        Returns:
            What `forward_extended` returns.
        """
        nested = self._nested_input
        return self.forward_extended(*nested)

    def forward_extended(self, *input):
        """The computation; to be overridden.

        Args:
            *input: what `forward` was given.

        Raises:
            NotImplementedError: it is not overridden.
        """
        raise NotImplementedError

    def backward_extended(self, *grad_output):
        """The gradients; to be overridden.

        Args:
            *grad_output: the gradients of the outputs.

        Raises:
            NotImplementedError: it is not overridden.
        """
        raise NotImplementedError
