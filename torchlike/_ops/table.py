"""The operator table: one row an operator, and nothing else in the tree lists operators.

A row's function sees jax arrays only: operands (``Tensor`` arguments, and Python numbers in their
place) by position in the schema's order, everything else by keyword. Random bits are operands.

Gradients. ``grads`` maps each differentiable argument to one of
  - a string: the arguments or results that PyTorch saves for it, space separated (``"other"``);
    the gradient is then `jax.vjp` of the row's function at these, and must not depend on the rest;
  - a function of named things: ``lambda g, result: g * result``. Names are ``g`` (the gradient of
    the result; ``g0``, ``g1`` of a row with several, ``None`` where undefined), arguments, numbers and keywords by their own
    name, ``result`` (``result0``, ``result1``), ``x_aval`` for the shape and dtype of an operand x
    that is not saved. It may return more dimensions than the argument has: the sum over broadcast
    dimensions and the cast to the argument's dtype are done for it.
So the saved variables of a Node are those its formulas name, as in PyTorch's derivatives.yaml.
"""

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

from torchlike._ops import schema as _schema

ROWS: dict = {}


def SAME(g):  # noqa: N802 - a constant that is a function
    """The gradient rule of linear rows that pass the gradient on unchanged (add, clone)."""
    return g


@dataclasses.dataclass(slots=True, eq=False)
class Row:
    """One operator. See the module's docstring; fields not named there:

    promote: the rule of promotion.py that casts operands and numbers (None: passed as they are).
    layout: "pointwise" (strides follow the operands as TensorIterator's), "contiguous", "preserve" (those of the first
    operand), "format" (those of the last parameter, a memory_format).
    method, function, inplace: which faces exist; `inplace` is the `op_` form.
    node: PyTorch's Node name, or a function of the params dict that gives it.
    view: the View of a view operator (views.py).
    static: number arguments whose value shapes the code; they arrive as Python numbers.
    """

    name: str
    fn: Callable
    schema: _schema.Schema
    promote: str | None = None
    grads: dict = dataclasses.field(default_factory=dict)
    node: str | Callable = ""
    layout: str = "contiguous"
    method: bool = True
    function: bool = True
    inplace: bool = False
    view: object = None
    static: tuple = ()
    # Filled by __post_init__: names by kind, and for each differentiable argument what it needs.
    operands: tuple = ()
    numbers: tuple = ()
    params: tuple = ()
    needs: dict = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        args = self.schema.args
        self.operands = tuple(a.name for a in args if a.is_operand)
        self.numbers = tuple(a.name for a in args if a.is_number and a.name not in self.static)
        self.params = tuple(a.name for a in args if a.is_param or a.name in self.static)
        for name, rule in self.grads.items():
            words = rule.split() if isinstance(rule, str) else list(inspect.signature(rule).parameters)
            self.needs[name] = tuple(words)

    def __repr__(self):
        return f"<row {self.name}>"

    def __reduce__(self):
        return _named, (self.name,)

    @property
    def face(self) -> str:
        """The public name: ``sum`` for the row ``sum.dim_IntList``."""
        return self.name.partition(".")[0]


def _named(name) -> Row:
    return ROWS[name]


def op(text: str, fn: Callable | None = None, **options) -> Any:
    """Add a row, as ``op("exp(Tensor self) -> Tensor", jnp.exp, ...)`` or as a decorator.

    Raises ValueError if a row of the name is there already or a gradient names no argument.
    """
    if fn is None:
        return lambda function: op(text, function, **options)
    schema = _schema.parse(text)
    if schema.name in ROWS:
        raise ValueError(f"a second row named {schema.name}")
    row = Row(schema.name, fn, schema, **options)
    stray = set(row.grads) - set(row.operands)
    if stray:
        raise ValueError(f"{schema.name}: gradients of what is not an operand: {stray}")
    if not row.node:
        row.node = node_name(schema.name)
    ROWS[schema.name] = row
    return fn


def node_name(name: str) -> str:
    """PyTorch's default Node name: ``log_softmax`` -> ``LogSoftmaxBackward0``."""
    base = name.partition(".")[0]
    return "".join(word[:1].upper() + word[1:] for word in base.strip("_").split("_")) + "Backward0"
