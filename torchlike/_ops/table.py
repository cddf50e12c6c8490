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
    dimensions and the cast to the argument's dtype are done for it. The same function for several arguments is
    called once, and may return a dict of their gradients.
So the saved variables of a Node are those its formulas name, as in PyTorch's derivatives.yaml.
"""

import dataclasses
import sys
from collections.abc import Callable
from typing import Any

from torchlike._ops import schema as _schema

ROWS: dict = {}


def SAME(g):  # noqa: N802 - a constant that is a function
    """The gradient rule of linear rows that pass the gradient on unchanged (add, clone)."""
    return g


@dataclasses.dataclass(frozen=True, slots=True)
class Write:
    """What is special about a row's in-place form, or about a row that only writes.

    node: the Node's name where it is not that of the form out of place; or a function of the params dict that gives it.
    grad: a gradient rule in the place of all others, for a Node that PyTorch records and cannot differentiate.
    stand_in: the name of the row whose Node stands for the write in the graph.
    differentiable: False where PyTorch's autograd does not know the operator, so that leaves may be written to.
    dispatch: PyTorch's name for it, where that is not `Row.dispatch` with an underscore.
    overlap: how what is read may lie in the memory that is written: "same" (element upon equal element), "apart" (not at
        all), "apart first" (the same, found before elements that share their memory), "apart late" (after errors of
        shapes) or "any". "" leaves it to the row's layout.
    repeats: whether elements that share their memory may be written to.
    real: whether complex tensors are refused.
    cpp_names: whether the error for a dtype that does not fit names it as C++ does.
    vmap: how PyTorch's vmap words that it cannot write: "" by ``aten::name``, "plain" by the name alone, "arithmetic" as
        that family, "broadcast" by the shapes.
    """

    node: str | Callable = ""
    grad: Callable | None = None
    stand_in: str = ""
    differentiable: bool = True
    dispatch: str = ""
    overlap: str = ""
    repeats: bool = False
    real: bool = False
    cpp_names: bool = False
    vmap: str = ""


@dataclasses.dataclass(slots=True, eq=False)
class Row:
    """One operator. See the module's docstring; fields not named there:

    promote: the rule of promotion.py that casts operands and numbers (None: passed as they are).
    layout: "pointwise" (strides follow the operands as TensorIterator's), "contiguous", "preserve" (those of the first
        operand), "format" (those of the last parameter, a memory_format), "broadcast" (contiguous, operands broadcast),
        "channels" (the channels are last where they are in the first operand; "channels of two": in it or the second;
        "channels of all": in all), "columns" (results of the first operand's rank hold matrices by columns, as LAPACK's),
        "stacked" (as `stack`),
        "long columns" (the result does, with room in each column for as many elements as the last parameter says);
        or a function of the params that says of each result whether it does.
    gradient: how gradients lie in memory, where `layout` does not say it: "pointwise" (as what they read of their shape),
        "contiguous", "columns", "preserve" (as the operand, which is saved); a tuple of names, or of such tuples: that of a
        pointwise result of these; a function of named things that gives such or strides, see gradient_strides.py; or for
        single operands a dict of such.
    static: number arguments whose value shapes the code; they arrive as Python numbers.
    view: the View of a view operator (views.py).
    bounds: for a row with an index, what must hold for its values (bounds.py).
    fits: what must hold for numbers that PyTorch refuses where they do not fit a dtype (number_ranges.py).
    divides: whether 0 as the last operand is an error where the result is of integers.
    precision: whether "products" or "convolutions" of PyTorch's switches of precision rules what it multiplies on a GPU.

    Names in PyTorch:
    doc: what the operator computes, in one line; "" where `fn` has a docstring.
    home: the module that the row is from.
    by_hand: which of "function", "method" and "in_place" torchlike/_api has in a fuller form; space separated.
    scalars: of several rows of one name, this one is taken where these arguments are numbers; space separated.
    method, function, inplace: which faces exist; `inplace` is the `op_` form, a method where the row has one.
    out: whether the function takes ``out=``; of a view none does.
    aliases: further names of the same faces. One that begins with ``special_`` is a function only.
    inplace_functions: the `op_` forms that are functions of the torch namespace as well.
    older: whether the numbers that are given by keyword may stand among the operands, in a deprecated form of a call.
    plain_tuple: whether PyTorch returns the named results as a plain tuple.
    foreach: "lists" where there is ``torch._foreach_op``, "lists tensor" where that also takes one tensor for all.
    dispatch: the operator and overload that PyTorch's dispatcher sees (``add.Tensor``), where it is not `name`; after
        it others that mean this row; or a function of (which operands are tensors, params) that gives the first.
    ours: whether PyTorch has no operator like it.

    Autograd and autocast:
    node: PyTorch's Node name, or a function of the params dict that gives it.
    grad_is_operator: whether PyTorch's gradient is an operator of its own, differentiable in all that it reads.
    tangent: "fn" where the tangent is `jax.jvp` of `fn`, not the transpose of the gradient; "fn apart" where each is not the
        other's transpose in PyTorch, of what is linear in the operands that have a gradient, which reads no others of those.
    autocast: device type -> PyTorch's policy (_record/autocast_lists.py).
    copies: whether PyTorch computes it by a copy into a new tensor, which is recorded even of inference tensors alone.
    write: what is special about the in-place form.
    """

    name: str
    fn: Callable
    schema: _schema.Schema
    promote: str | None = None
    grads: dict = dataclasses.field(default_factory=dict)
    node: str | Callable = ""
    layout: str | Callable = "contiguous"
    gradient: str | tuple | Callable | dict = ""
    static: tuple = ()
    view: Any = None
    bounds: Callable | None = None
    fits: dict = dataclasses.field(default_factory=dict)
    divides: bool = False
    precision: str = "products"
    doc: str = ""
    method: bool = True
    function: bool = True
    inplace: bool = False
    out: bool = True
    home: str = ""
    by_hand: str = ""
    scalars: str = ""
    aliases: tuple = ()
    inplace_functions: tuple = ()
    older: bool = False
    plain_tuple: bool = False
    foreach: str = ""
    dispatch: str | Callable = ""
    ours: bool = False
    grad_is_operator: bool = False
    copies: bool = False
    tangent: str = ""
    autocast: dict = dataclasses.field(default_factory=dict)
    write: Write = Write()
    # Filled by __post_init__: names by kind, and for each differentiable argument what it needs; see Write.overlap.
    operands: tuple = ()
    numbers: tuple = ()
    params: tuple = ()
    needs: dict = dataclasses.field(default_factory=dict)
    overlap: str = ""

    def __post_init__(self):
        args = self.schema.args
        self.operands = tuple(a.name for a in args if a.is_operand)
        self.numbers = tuple(a.name for a in args if a.is_number and a.name not in self.static)
        self.params = tuple(a.name for a in args if a.is_param or a.name in self.static)
        for name, rule in self.grads.items():
            words = rule.split() if isinstance(rule, str) else rule.__code__.co_varnames[:rule.__code__.co_argcount]
            self.needs[name] = tuple(words)
        by_layout = "same" if self.layout in ("pointwise", "preserve") else "any"
        self.overlap = self.write.overlap or by_layout

    def __repr__(self):
        return f"<row {self.name}>"

    def __reduce__(self):
        return _named, (self.name,)

    @property
    def face(self) -> str:
        """The public name: ``sum`` for the row ``sum.dim_IntList``."""
        return self.name.partition(".")[0]

    @property
    def overload(self) -> str:
        """The other part of the name: ``dim_IntList`` of ``sum.dim_IntList``, often empty."""
        return self.name.partition(".")[2]

    @property
    def summary(self) -> str:
        """What the operator computes: `doc`, or the docstring of the row's function."""
        return self.doc or (self.fn.__module__.startswith("torchlike") and self.fn.__doc__) or ""

    @property
    def is_private(self) -> bool:
        """Whether it is for the other faces only."""
        return self.name.startswith("_")


def _named(name) -> Row:
    return ROWS[name]


def op(text: str, fn: Callable | None = None, **options) -> Any:
    """Add a row, as ``op("exp(Tensor self) -> Tensor", jnp.exp, ...)`` or as a decorator.

    Raises ValueError if a row of the name is there already or a gradient names no argument.
    """
    options.setdefault("home", sys._getframe(1).f_globals["__name__"])
    if fn is None:
        return lambda function: op(text, function, **options)
    schema = _schema.parse(text)
    row = Row(schema.name, fn, schema, **options)
    stray = set(row.grads) - set(row.operands)
    if stray:
        raise ValueError(f"{schema.name}: gradients of what is not an operand: {stray}")
    if not row.node:
        row.node = node_name(schema.name)
    add(row)
    return fn


def add(row: Row) -> None:
    """Put a row into the table. ValueError if one of its name is there already."""
    if row.name in ROWS:
        raise ValueError(f"a second row named {row.name}, of {row.home}; the first is of {ROWS[row.name].home}")
    ROWS[row.name] = row


def node_name(name: str) -> str:
    """PyTorch's default Node name: ``log_softmax`` -> ``LogSoftmaxBackward0``."""
    base = name.partition(".")[0]
    return "".join(word[:1].upper() + word[1:] for word in base.strip("_").split("_")) + "Backward0"
