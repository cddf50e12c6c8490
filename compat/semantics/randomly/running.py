"""Runs a program's text under torch or torchlike, compares the two and makes a differing program short."""

import contextlib
import itertools
import re

import numpy as np
import torch

import torchlike
from compat import compare
from compat.compare.tolerances import flat
from compat.semantics.randomly import writer

_TWICE_WRONG = "Inference tensors cannot be saved"  # of two complaints about one operation either may come first
# PyTorch's own errors end the comparison, and what compat/gaps.toml lists: these are refused or found at another moment.
_ENDS = ("INTERNAL ASSERT FAILED", "select() cannot be applied to a 0-dim tensor", "resizing a view through out=",
         "tensors have different metadata than during the forward pass",
         "returned an invalid gradient at index 0 - got []",  # of a leaf that out= resized
         "The default implementation of __deepcopy__() for non-wrapper subclasses",
         "sum(): functions with out=... arguments don't support")  # mean of an inference tensor that requires grad
# A transform's result can be differentiated where PyTorch has saved what was written to since, or may not save it.
_ENDS_TRANSFORMS = ("one of the variables needed for gradient computation has been modified by an inplace operation",
                    "Inference tensors cannot be saved for backward")
_LINE_OF_TEXT = re.compile(r"^(?=\S)", re.MULTILINE)


def recorder():
    """A list, and the ``show`` that fills it."""
    shown: list = []

    def show(*values):
        shown.append(compare.describe(values, "requires_grad"))

    return shown, show


def for_package(package, text: str) -> str:
    """The program as it imports the package."""
    if package is not torchlike:
        return text
    text = re.sub(r"^(from|import) torch\b", r"\1 torchlike", text, flags=re.MULTILINE)
    return text.replace("import torchlike\n", "import torchlike as torch\n", 1)


def run(package, text: str) -> list:
    """What the program shows under a package, and its exception if it ends with one."""
    shown, show = recorder()
    text = for_package(package, text)
    package.manual_seed(0)
    with compare.caught():
        try:
            exec(compile(text, "program.py", "exec"), {"show": show})  # noqa: S102 - that is what it is for
        except Exception as error:  # noqa: BLE001 - the exception is the result
            shown.append(["ended", *compare.raised(error)])
    return shown


def difference(want, got, text="") -> str:
    """What differs in a few words, '' if nothing does; numbers agree relative to the largest of the program."""
    ends = _ENDS + _ENDS_TRANSFORMS if "func." in text else _ENDS
    either = [repr(shown) for shown in itertools.chain.from_iterable(itertools.zip_longest(want, got))]
    broken = next((i // 2 for i, shown in enumerate(either) if any(part in shown for part in ends)), None)
    if broken is not None:
        want, got = want[:broken], got[:broken]
    exact = "float" not in text.replace("float64", "") and "float32" not in repr(want)
    rtol = 1e-10 if exact else 1e-4
    tolerance = flat(rtol, rtol * _largest(want), texts=_same_text)
    for i, (a, b) in enumerate(zip(want, got, strict=False)):
        found = compare.difference(a, _one_of_two(a, b), tolerance)
        if found:
            return f"shown {i}: {found}"
    return "" if len(want) == len(got) else f"torch shows {len(want)} times, torchlike {len(got)}: {(want + got)[-1]}"


def _largest(value) -> float:
    """The largest finite number shown, at least 1."""
    if isinstance(value, compare.Array):
        value = value.values
    if isinstance(value, list):
        return max(map(_largest, value), default=1.0)
    if not isinstance(value, np.ndarray | float):
        return 1.0
    finite = np.abs(np.asarray(value, np.float64))
    return float(max(finite[np.isfinite(finite)].max(initial=1.0), 1.0))


def _one_of_two(want, got):
    """Ours, with torch's error in the place of ours where two are due and either library may complain of either."""
    if not isinstance(want, list) or not isinstance(got, list) or len(want) != len(got):
        return got
    if _raised(want) and _raised(got) and _TWICE_WRONG in want[2] + got[2]:
        return want
    return [_one_of_two(a, b) for a, b in zip(want, got, strict=True)]


def _raised(shown) -> bool:
    return len(shown) == 3 and isinstance(shown[0], str) and shown[0] == "raised"


def _same_text(a, b) -> bool:
    """A saved result of a write to a view PyTorch names after a Node that may be gone."""
    if "is output 0 of AsStrided," in a:
        a, b = (re.sub(r", which is output \d of [\w:]+,", "", text) for text in (a, b))
    if "BackwardBackward" in b:  # one kernel here, which saves the operands; PyTorch's formula may save their transpose
        a, b = (re.sub(r"Tensor \[[\d, ]*\]\]", "Tensor]", text) for text in (a, b))
    return a == b


def compared(text: str) -> str:
    """What differs between torch's run of a text and torchlike's."""
    return difference(run(torch, text), run(torchlike, text), text)


def check(genes, wide=False) -> tuple:
    """(text, difference) of the program of these genes."""
    shown, show = recorder()
    text = writer.write(genes, show, wide)
    found = difference(shown, run(torchlike, text), text)
    # The writer asks torch's tensors what they are, which makes grad_fns of views anew: only a plain run counts.
    return text, found and compared(text)


def shortened(text: str, compared=compared, kind_of=None) -> str:
    """A shorter program that differs in the same kind: statements go while it still differs.

    Args:
        text: of the program.
        compared: what differs between the two runs of a text.
        kind_of: what is the same of two differences of one kind; `_kind` unless given.
    """
    kind_of = kind_of or _kind
    body = text.partition(writer.START)[2].rpartition("\nfor name, t in list(globals()")[0]
    parts = _statements(body)
    kind = kind_of(compared(text))
    size = len(parts)
    while size:
        size = max(size // 2, 1)
        before = len(parts)
        at = 0
        while at < len(parts):
            fewer = parts[:at] + parts[at + size:]
            if kind_of(compared(writer.text_of("\n".join(fewer)))) == kind:
                parts = fewer
            else:
                at += size
        if size == 1 and len(parts) == before:
            break
    return writer.text_of("\n".join(parts))


def _statements(body) -> list:
    """Top-level statements; an ``else`` or ``except`` belongs to what is before it."""
    parts: list = []
    for piece in filter(None, _LINE_OF_TEXT.split(body)):
        if piece.startswith(("else", "except")) and parts:
            parts[-1] += "\n" + piece.rstrip("\n")
        else:
            parts.append(piece.rstrip("\n"))
    return parts


def _kind(found: str) -> str:
    """Differences are of one kind if they show the same beyond numbers and names."""
    if not found:
        return ""
    errors = re.findall(r"'(\w*Error|\w*Exception)', '([^']{0,60})", found)
    return repr(sorted(set(errors))) + str("NameError" in found) + str(bool(found))


@contextlib.contextmanager
def tier(name: str):
    """Under one way of compiling: "off" runs kernel by kernel, "now" compiles each program whole."""
    with torchlike.configure(compile=name):
        yield
