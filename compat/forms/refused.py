"""Calls that PyTorch refuses, of every form: too few arguments, too many, an unknown keyword, a wrong class in each place.

What comes of a call is the class of the exception and its text. Calls that PyTorch takes are `exam`'s business.
"""

import collections
import re

import torch

import torchlike
from compat import compare
from compat.forms import exam, wrong
from compat.forms.signatures import REQUIRED, Form
from compat.forms.values import PROFILES, SKIP, value

MISSING, EXTRA, KEYWORD, KINDS = "too few", "too many", "unknown keyword", "a wrong class"
_ADDRESS = re.compile(r"0x[0-9a-f]+|\(Triggered .*")
Case = collections.namedtuple("Case", "kind what args kwargs")


class Nothing:
    """Of a class that nobody knows."""


def _strange(package) -> dict:
    """{name: a value} of the classes that are tried in each place."""
    return {"str": "y", "list": [1.5], "None": None, "object": Nothing(), "dict": {}, "float": 1.5, "bool": True,
            "Tensor": package.ones(2, 2), "tuple of None": (None,)}


def cases(package, form: Form):
    """The calls that are made of a form, with the values of the first profile that PyTorch takes."""
    base = next(iter(exam.calls(form)), None)
    if base is None:
        return
    args = _of(package, base.arguments)
    least = len(args)
    kwargs = _of(package, base.keywords)
    yield Case(MISSING, "nothing", args[:form.is_method], {})
    if least - form.is_method > 1:
        yield Case(MISSING, "one too few", args[:-1], kwargs)
    positional = [a for a in form.arguments if not a.by_keyword_only]
    if not any(a.kind.startswith("*") for a in positional):
        full = [*args, *(_of(package, value(a, PROFILES[0])) for a in positional[least - form.is_method:])]
        yield Case(EXTRA, "one too many", [None if x is SKIP else x for x in full] + [1], kwargs)
        yield Case(EXTRA, "three more", [*args, 1, 2, 3], kwargs)
    yield Case(KEYWORD, "foo", args, kwargs | {"foo": 1})
    for place in range(form.is_method, least):
        for name, strange in _strange(package).items():
            yield Case(KINDS, f"{name} at {place}", [*args[:place], strange, *args[place + 1:]], kwargs)
    for argument in form.arguments:
        if argument.default is not REQUIRED or argument.by_keyword_only:
            for name, strange in _strange(package).items():
                yield Case(KINDS, f"{argument.name}={name}", args, kwargs | {argument.name: strange})


def _of(package, values):
    return exam.ours(values) if package is torchlike else values


def outcome(package, path, case) -> wrong.Outcome:
    """How this call ends."""
    package.manual_seed(0)
    with compare.caught():
        try:
            result = _called(wrong.attribute(package, path), case.args, case.kwargs)
            if hasattr(result, "__next__"):
                list(result)
        except Exception as error:  # noqa: BLE001 - whatever it raises is the outcome
            return wrong.Outcome(type(error).__name__, _ADDRESS.sub("", str(error)).replace("torchlike.", "torch."))
    return wrong.Outcome("")


def _called(function, args, kwargs):
    """The call as a user writes it: ``function(a, b, name=c)``."""
    names = {f"a{i}": value for i, value in enumerate(args)}
    text = ", ".join([*names, *(f"{name}=b_{name}" for name in kwargs)])
    return eval(f"function({text})", {"function": function, **names, **{f"b_{name}": x for name, x in kwargs.items()}})


def examine(forms):
    """(kind, what, how PyTorch's call ends, how ours does) of each call of these forms that PyTorch refuses."""
    for form in forms:
        for theirs, own in zip(cases(torch, form), cases(torchlike, form), strict=True):
            want = outcome(torch, form.path, theirs)
            if want.kind:
                yield theirs.kind, theirs.what, want, outcome(torchlike, form.path, own)
