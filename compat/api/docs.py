"""Docstrings of what the command writes: a line of what it does, Args, Returns and the page of PyTorch's documentation."""

import textwrap

from compat.api.arguments import SAID
from compat.api.types import is_named

_WIDTH = 121
_PAGE = "https://pytorch.org/docs/stable/generated/torch.{}.html"


def summary(*rows) -> str:
    """What these overloads do, in one line: the first one's that says it."""
    line = next((line for line in map(_said, rows) if line), f"PyTorch's operator `aten::{rows[0].name}`.")
    if len(line) > _WIDTH - 6:
        first = line.replace(": ", "; ").split("; ")[0].split(". ")[0].rstrip(".")
        line = textwrap.shorten(first, _WIDTH - 8, placeholder="").rstrip(",;:") + "."
    return line.replace("\\", "\\\\").replace('"', "'") if line.endswith('"') else line.replace("\\", "\\\\")


def _said(row) -> str:
    line = " ".join(row.summary.strip().split("\n\n")[0].split())
    return "" if line.startswith(("https://", "``")) else line


def of_function(rows, name, of, with_out, numpy) -> str:
    """The docstring of a function of the torch namespace."""
    row = rows[0]
    if of:
        return f'"""Another name of `torch.{dotted(of)}`: {_lowered(summary(*rows))}"""'
    args = ["Args:"]
    longest = max(rows, key=lambda r: len(r.schema.args))
    for i, arg in enumerate(longest.schema.args):
        shown = "input" if i == 0 and arg.name == "self" else arg.name
        said = SAID.get(arg.name)
        if said is None:
            raise ValueError(f"compat/api/arguments.py does not say what {arg.name!r} of {row.name} is")
        args.append(f"    {shown}: {said}")
    args += [f"    {theirs}: numpy's name of `{ours}`." for theirs, ours in numpy.items()]
    if with_out:
        args.append(f"    out: {SAID['out']}")
    text = [summary(*rows), "", *args, "", "Returns:", f"    {_result(longest)}", "", page(name)]
    return '"""' + "\n".join(text) + '\n"""'


def dotted(name) -> str:
    """``linalg.inv`` for ``linalg_inv``."""
    for space in ("linalg", "special", "fft"):
        name = name.replace(f"{space}_", f"{space}.", 1) if name.startswith(f"{space}_") else name
    return name


def page(name) -> str:
    """The page of PyTorch's documentation."""
    return "https://pytorch.org/docs/stable/special.html" if name.startswith("special_") else _PAGE.format(dotted(name))


def _result(row) -> str:
    names = row.schema.returns
    if names == ("[]",):
        return "A tuple of Tensors."
    if is_named(row):
        return f"A named tuple of Tensors: {', '.join(names)}."
    if len(names) > 1:
        return f"A tuple of {len(names)} Tensors."
    if row.view is not None:
        return "A Tensor, a view of the same memory."
    if row.layout == "pointwise":
        shape = "the shape of `input`" if len(row.operands) == 1 else "the shape that the operands broadcast to"
        return f"A Tensor of {shape}{'; integers become the default dtype' if row.promote == 'float' else ''}."
    return "A Tensor."


def _lowered(line) -> str:
    return line if line[1:2].isupper() or line.startswith("PyTorch") else line[:1].lower() + line[1:]
