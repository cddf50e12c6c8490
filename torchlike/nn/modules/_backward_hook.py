"""How a module's full backward hooks reach the graph.

Inputs and outputs of the module pass through one identity node each. The output node's hook sees
`grad_output` (and runs the pre-hooks), the input node's hook sees `grad_input` (and runs the hooks).
"""

import warnings

from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import is_grad_enabled
from torchlike.nn.modules._functions import BackwardHookFunction

_NO_INPUT_GRAD = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since "
    "no inputs require gradients. See "
    "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module."
    "register_full_backward_hook for more details."
)
_ONLY_NONE = (
    "Backward hook for Modules where no input requires gradient should always return None or None "
    "for all gradients."
)


class BackwardHook:
    """The full backward hooks and pre-hooks of one module call. `setup_input_hook` before the forward pass and
    `setup_output_hook` after it return the same values, passed through one identity node each; `grad_outputs` waits
    here between the two nodes.
    https://pytorch.org/docs/stable/generated/torch.nn.BackwardHook.html

    Args:
        module: the module that hooks get as their first argument.
        user_hooks: the full backward hooks.
        user_pre_hooks: the full backward pre-hooks.
    """

    def __init__(self, module, user_hooks, user_pre_hooks):
        self.module = module
        self.user_hooks = user_hooks
        self.user_pre_hooks = user_pre_hooks
        self.grad_outputs = None
        self.n_inputs = self.n_outputs = -1
        self.input_tensors_index: list[int] | None = None
        self.output_tensors_index: list[int] | None = None

    def setup_input_hook(self, args):
        """Passes the inputs through a node that calls the hooks.

        Args:
            args: a tuple of the forward pass's arguments.

        Returns:
            The same tuple; its tensors come from the node.
        """
        routed, self.input_tensors_index = _route(args, self._at_input)
        self.n_inputs = len(args)
        return routed

    def setup_output_hook(self, result):
        """Passes the results through a node that calls the pre-hooks.

        Args:
            result: a value or a tuple.

        Returns:
            The same; its tensors come from the node.
        """
        outputs = result if isinstance(result, tuple) else (result,)
        routed, self.output_tensors_index = _route(outputs, self._at_output)
        self.n_outputs = len(outputs)
        return routed if isinstance(result, tuple) else routed[0]

    def _at_output(self, _grad_input, grad_output):
        index = self.output_tensors_index
        self.grad_outputs = self._run_pre_hooks(_spread(index, grad_output, self.n_outputs))
        passed_on = self.grad_outputs
        if self.input_tensors_index is None:
            self._run_hooks_without_inputs()
            self.grad_outputs = None
        return tuple(passed_on[i] for i in index or ())

    def _run_pre_hooks(self, grads):
        for hook in self.user_pre_hooks:
            replaced = hook(self.module, grads)
            if replaced is None:
                continue
            if len(replaced) != len(grads):
                raise RuntimeError(
                    "Backward pre hook returned an invalid number of grad_output, "
                    f"got {len(replaced)}, but expected {len(grads)}"
                )
            grads = replaced
        return grads

    def _run_hooks_without_inputs(self):
        warnings.warn(_NO_INPUT_GRAD, stacklevel=5)
        nothing = (None,) * self.n_inputs
        for hook in self.user_hooks:
            res = hook(self.module, nothing, self.grad_outputs)
            if res is not None and not (isinstance(res, tuple) and all(el is None for el in res)):
                raise RuntimeError(_ONLY_NONE)

    def _at_input(self, grad_input, _grad_output):
        # None: the output node has not run in this backward (only part of the graph was asked for).
        if self.grad_outputs is None:
            return None
        grads = _spread(self.input_tensors_index, grad_input, self.n_inputs)
        for hook in self.user_hooks:
            replaced = hook(self.module, grads, self.grad_outputs)
            if replaced is None:
                continue
            if len(replaced) != len(grads):
                raise RuntimeError(
                    "Backward hook returned an invalid number of grad_input, "
                    f"got {len(replaced)}, but expected {len(grads)}"
                )
            grads = replaced
        self.grad_outputs = None
        return tuple(grads[i] for i in self.input_tensors_index or ())


def _spread(index, values, size):
    """A tuple of `size` with `values` at `index` and None elsewhere."""
    spread = [None] * size
    for i, value in zip(index, values, strict=True):
        spread[i] = value
    return tuple(spread)


def _route(args, hook):
    """(`args` with its tensors passed through one hooked node, their positions).

    The positions are None, and `args` unchanged, where no gradient will flow.
    """
    index = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
    if not (is_grad_enabled() and any(args[i].requires_grad for i in index)):
        return args, None
    passed = BackwardHookFunction.apply(*[args[i] for i in index])
    node = next(t.grad_fn for t in passed if t.grad_fn is not None)
    node.register_hook(hook)
    routed = list(args)
    for i, tensor in zip(index, passed, strict=True):
        routed[i] = tensor
    # A named tuple keeps its class: it takes its fields as positional arguments.
    return (tuple(routed) if type(args) is tuple else type(args)(*routed)), index
