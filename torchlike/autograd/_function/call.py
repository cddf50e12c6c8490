"""One call of a Function: its arguments, ``forward`` without recording, and what it marked and saved."""

import inspect

from torchlike._record import explain_log
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike.autograd._function.node import FunctionNode, Outputs, bump_versions, edges_of
from torchlike.autograd.saved_variable import SavedVariable


def positional(forward, args, kwargs, with_setup) -> tuple:
    """All arguments by position, as forward's signature orders them."""
    if with_setup:
        bound = inspect.signature(forward).bind(*args, **kwargs)
        bound.apply_defaults()
        args, kwargs = bound.args, bound.kwargs
    names = [p.name for p in inspect.signature(forward).parameters.values()
             if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    names = names if with_setup else names[1:]
    unknown = [k for k in kwargs if k not in names]
    if unknown:
        raise TypeError(f"forward() got an unexpected keyword argument '{unknown[0]}'")
    args, left = list(args), dict(kwargs)
    for position in range(len(args), len(names)):
        if not left:
            break
        if names[position] not in left:
            raise TypeError(f"forward() missing required argument: '{names[position]}' (position {position})")
        args.append(left.pop(names[position]))
    if left:
        raise TypeError(f"argument for forward() given by name ('{next(iter(left))}') and position "
                        f"({names.index(next(iter(left)))})")
    return tuple(args)


def run(cls, args, with_setup):
    """(ctx, what ``apply`` returns)."""
    t = state.trace
    ctx = cls._backward_cls()
    flags = tuple(isinstance(x, Tensor) for x in args)
    tensors = [x for x, flag in zip(args, flags, strict=True) if flag]
    ctx.needs_input_grad = tuple(flag and x._edge is not None for x, flag in zip(args, flags, strict=True))
    executable = t.thread.grad and any(ctx.needs_input_grad)
    node = FunctionNode(ctx, edges_of(tensors) if executable else (), flags)
    ctx._join(node)
    explain_log.note(t, explain_log.FUNCTION, (cls.__name__, executable))
    before, t.thread.grad = t.thread.grad, False  # nothing that Ctrl-C can end comes between this and `try`
    try:
        output = cls.forward(*args) if with_setup else cls.forward(ctx, *args)
        if with_setup:
            cls.setup_context(ctx, args, output)
    finally:
        t.thread.grad = before
        explain_log.note_end(t)
    outputs = output if isinstance(output, tuple) else (output,)
    dirty = _checked_marks(ctx)
    saved = {id(x) for x in ctx.to_save or ()} if with_setup else ()
    results = Outputs(node, executable, args, dirty, ctx.non_differentiable or (), saved).process(outputs)
    _save(ctx, node, executable)
    if executable:
        for observer in t.thread.observers:
            observer.node_made(node, tensors, [x for x in results if isinstance(x, Tensor)], ())
    return ctx, results if isinstance(output, tuple) else results[0]


def _checked_marks(ctx) -> tuple:
    dirty = ctx.dirty_tensors or ()
    if any(not isinstance(x, Tensor) for x in dirty):
        raise RuntimeError("mark_dirty can only accept variables, but argument ")
    if any(not isinstance(x, Tensor) for x in ctx.non_differentiable or ()):
        raise RuntimeError("mark_non_differentiable only accepts variable arguments, but got ")
    bump_versions(dirty)
    ctx.dirty_tensors = None
    return dirty


def _save(ctx, node, executable) -> None:
    to_save, ctx.to_save, ctx.non_differentiable = ctx.to_save, None, None
    if not executable or not to_save:
        return
    kept: list[SavedVariable | None] = []
    for i, x in enumerate(to_save):
        if x is not None and not isinstance(x, Tensor):
            raise TypeError(f"save_for_backward can only save variables, but argument {i} is of type "
                            f"{type(x).__name__}")
        kept.append(None if x is None else SavedVariable(x, node))
    ctx._saved_variables = tuple(kept)
