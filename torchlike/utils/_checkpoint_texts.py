"""PyTorch's error texts about checkpoints that do not repeat, and the log of a region's operations."""

import traceback

from torchlike._record.trace import state

_RULE = "+" + "-" * 78 + "+"
_TOP = "+" + "~" * 78 + "+"

TIP = """
Tip: To see a more detailed error message, either pass `debug=True` to
`torch.utils.checkpoint.checkpoint(...)` or wrap the code block
with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to
enable checkpoint\u2011debug mode globally.

If this error occurs under torch.compile with automatic_dynamic_shapes enabled,
it may be because the recomputation selected a different compiled graph than the
forward pass (e.g., a dynamic graph instead of the original static graph).
To fix this, either:
  - Use torch._dynamo.mark_dynamic() to explicitly mark varying dimensions as
    dynamic upfront, avoiding the static-to-dynamic transition.
  - Call torch._C._dynamo.eval_frame._set_lru_cache(False) to disable LRU cache
    reordering, which can change which graph is checked first between forward
    and recompute.
See https://github.com/pytorch/pytorch/issues/166926 for more details and
workaround examples.
"""


class CheckpointError(RuntimeError):
    """Raised when the second run of a checkpointed region differs from the first.
    https://pytorch.org/docs/stable/checkpoint.html
    """


def _headed(title) -> str:
    return f"{_TOP}\n|{title.ljust(78)}|\n{_RULE}\n"


def debug_report(forward, again) -> str:
    """The text of a CheckpointError under ``debug=True``: two `OperationLog`, side by side."""
    return (
        " An error happened while unpacking tensors; dumping logs of latest computation\n"
        "because you passed `debug=True` to `torch.utils.checkpoint.checkpoint()`.\n"
        "Scroll all the way down for guidance on how to navigate these logs.\n\n"
        + _headed("        1. Stack traces of the operators that ran in the original forward")
        + f"\n{forward.stacks('original')}\n"
        + _headed("        2. Stack traces of the operators that ran during recomputation")
        + f"\n{again.stacks('recompute')}\n"
        + _headed("       3. Log of operators in the original forward and recomputation")
        + "(Scroll up to correlate stack traces with each operation listed below. This\n"
        " helps identify their source in the code.)\n\n"
        "IMPORTANT: Differences in \"detach\" calls between the original forward and the\n"
        "           recomputation are expected. They are introduced by the checkpointing\n"
        "           mechanism and can be ignored.\n\n"
        "Operations executed during the original forward:\n\n"
        + "\n".join(forward.lines)
        + "\n\nOperations executed during recomputation:\n\n"
        + "\n".join(again.lines)
        + f"\n\n{_RULE}\n ERROR: Detected non-determinism while running activation checkpointing\n\n"
        " You are seeing this error because you passed `debug=True` to checkpoint and\n"
        " tensors to be saved during the original forward and differ between those saved\n"
        " during recomputation. This can happen if different operators were ran in the\n"
        " original forward and in the recomputation.\n\n"
        " To identify where the mismatch may be coming from, you can do the following:\n\n"
        " 1) Compare the operators ran during original forward and recomputation to\n"
        "    see where they differ. These operators are printed above in the order they\n"
        "    were executed.\n\n"
        " 2) Review the stack trace for each operator to locate its invocation source.\n"
        "    Each operator's stack trace is printed in their execution order.\n\n"
        " Note that the logs can be quite long. Here's how they are structured:\n"
        " (Tip: you can Ctrl-f for these headers)\n\n"
        " 1. Stack traces of the operators that ran in the original forward\n"
        " 2. Stack traces of the operators that ran during recomputation\n"
        " 3. Log of operators in the original forward and recomputation\n"
        " 4. Error message                                             <--- You are here\n"
        + "-" * 80 + "\n")


class OperationLog:
    """A context that notes each differentiable operation recorded inside: a line and the stack."""

    detects_anomaly = sees_all = False

    def __init__(self):
        self.lines, self.frames = [], []
        self.names: dict = {}

    def __enter__(self):
        state.thread.observers = (self, *state.thread.observers)

    def __exit__(self, *exc):
        state.thread.observers = tuple(observer for observer in state.thread.observers if observer is not self)

    def node_made(self, node, tensors, outs, numbers) -> None:
        """Note the operation."""
        operands = ", ".join([*(self._name(x) for x in tensors), *map(str, numbers)])
        results = ", ".join(f"{self._name(x)}: {_form(x)}" for x in outs)
        self.lines.append(f"{results} = torch._ops.aten.{_operator(node)}({operands})")
        self.frames.append(traceback.extract_stack()[:-1])

    def _name(self, x) -> str:
        number = self.names.setdefault(x._cell, len(self.names))
        return f"${number}"

    def stacks(self, label) -> str:
        """Each line with the stack that led to it."""
        out = ""
        for i, (line, frames) in enumerate(zip(self.lines, self.frames, strict=True)):
            out += f"{line}   ({i + 1} of {len(self.lines)} in {label})\n\n"
            out += "".join(f"{f.filename}:{f.lineno}:{f.name}\n" for f in reversed(frames))
            out += "\n\n"
        return out


def _form(x) -> str:
    aval = x._cell.aval
    kind = aval.dtype.name.rstrip("0123456789")
    short = {"float": "f", "bfloat": "bf", "complex": "c", "int": "i", "uint": "u", "bool": "b"}[kind]
    size = "" if kind == "bool" else aval.dtype.itemsize * 8
    return f"{short}{size}[{', '.join(map(str, aval.shape))}]"


def _operator(node) -> str:
    row = None if node.plan is None else node.plan.kernel.row
    if row is None:
        return f"{node.name()}.default"
    return row.name if row.overload else f"{row.name}.default"
