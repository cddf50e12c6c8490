"""Nested tuples, lists and dictionaries: their leaves, their form, and the form as PyTorch's errors print it.

Not JAX's trees: those sort dictionaries, and a user's stay in the order they are in.
"""

import dataclasses
from collections import OrderedDict


@dataclasses.dataclass(frozen=True)
class Form:
    """The form of nested containers: `kind` is the type of a container, None for a leaf; `keys` are those of a
    dictionary; `parts` are the forms inside.
    """

    kind: type | None = None
    keys: tuple | None = None
    parts: tuple = ()

    @property
    def count(self) -> int:
        """How many leaves there are."""
        return 1 if self.kind is None else sum(part.count for part in self.parts)

    def __str__(self):
        if self.kind is None:
            return "*"
        keys = list(self.keys) if self.keys is not None else None
        return f"TreeSpec({self.kind.__name__}, {keys}, [{(',' + chr(10) + '  ').join(map(str, self.parts))}])"

    def brief(self) -> str:
        """The form as text, with ``*`` for leaves: ``(*, {'a': *})``."""
        inner = [part.brief() for part in self.parts]
        if self.kind is None:
            return "*"
        if self.keys is not None:
            return "{" + ", ".join(f"{k!r}: {v}" for k, v in zip(self.keys, inner, strict=True)) + "}"
        text = ", ".join(inner)
        return f"[{text}]" if self.kind is list else f"({text},)" if len(inner) == 1 else f"({text})"


LEAF = Form()


def flatten(value) -> tuple:
    """(leaves, Form) of nested tuples, lists and dictionaries. Anything else is a leaf, None too."""
    leaves: list = []
    return leaves, _form(value, leaves)


def _form(value, leaves) -> Form:
    kind = type(value)
    if kind in (tuple, list) or (isinstance(value, tuple) and hasattr(value, "_fields")):
        return Form(kind, None, tuple(_form(v, leaves) for v in value))
    if kind in (dict, OrderedDict):
        return Form(kind, tuple(value), tuple(_form(v, leaves) for v in value.values()))
    leaves.append(value)
    return LEAF


def unflatten(form: Form, leaves):
    """The value that has this Form and these leaves."""
    return _build(form, iter(leaves))


def _build(form, leaves):
    if form.kind is None:
        return next(leaves)
    parts = [_build(part, leaves) for part in form.parts]
    if form.keys is not None:
        return form.kind(zip(form.keys, parts, strict=True))
    return form.kind(*parts) if hasattr(form.kind, "_fields") else form.kind(parts)


def form_of(value) -> Form:
    """The Form of a value."""
    return flatten(value)[1]


def spread(dims, value) -> list | None:
    """One number, or None, for each leaf of `value`: from a single one, or from a nest in the form of `value`. None where
    the forms do not fit.
    """
    if dims is None or isinstance(dims, int):
        return [dims] * form_of(value).count
    if isinstance(value, tuple | list) and isinstance(dims, tuple | list) and len(dims) == len(value):
        parts = [spread(d, v) for d, v in zip(dims, value, strict=True)]
    elif isinstance(value, dict) and isinstance(dims, dict) and set(dims) == set(value):
        parts = [spread(dims[k], value[k]) for k in value]
    else:
        return None
    found: list = []
    for part in parts:
        if part is None:
            return None
        found += part
    return found
