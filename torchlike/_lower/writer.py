"""Writing equations as statements of a function."""

import jax
import numpy as np
from jax.extend.core import Literal

from torchlike._base.errors import UnsupportedError
from torchlike._compile.jax_private import own_work
from torchlike._lower import algebra as _rules_of_algebra  # noqa: F401 - adds its rows
from torchlike._lower import control as _rules_of_control  # noqa: F401 - adds its rows
from torchlike._lower.flat import Flat
from torchlike._lower.names import identifier
from torchlike._lower.primitives import RULES
from torchlike._lower.texts import EVERYTHING, Text, dtype_name, of_literal, tuple_of

_LONGEST = 64  # characters of an expression that is not given a name
_DEAREST = 5  # operations of one
_LITERAL = {"copy", "copy_p"}
# How values are called that have no better name.
_NAMES = {"reduce_sum": "total", "reduce_max": "largest", "reduce_min": "smallest", "sub": "difference", "mul": "product",
          "add": "total", "div": "ratio", "exp": "powers", "log": "logs", "dot_general": "product", "select_n": "chosen",
          "gather": "taken", "convert_element_type": "converted", "and": "both", "or": "either", "not": "others",
          "eq": "equal",
          "ne": "differs", "lt": "below", "le": "below", "gt": "above", "ge": "above", "broadcast_in_dim": "spread",
          "rsqrt": "scale", "sqrt": "root", "concatenate": "joined", "transpose": "turned", "neg": "negative",
          "integer_pow": "power", "logistic": "sigmoid", "conv_general_dilated": "convolved", "iota": "places",
          "reduce_window_max": "largest", "slice": "part", "pad": "padded", "reshape": "shaped", "squeeze": "flat"}


class Writer:
    """The statements of one function.

    Args:
        source: the Module: keeps constants and names.
        taken: the names that are in use.
    """

    def __init__(self, source, taken=()):
        self.source = source
        self.lines: list = []  # statements: texts, or (text, Writer) for one with a block below it
        self.taken = set(taken)
        source.locals.update(taken)
        self._flat = None

    @property
    def uses(self) -> dict:
        """How often each variable of the jaxpr that is being written is read."""
        return {} if self._flat is None else self._flat.uses

    def inner(self) -> "Writer":
        """The Writer of a function inside of this one."""
        made = Writer(self.source)
        made.taken = self.taken
        return made

    # -- names

    def fresh(self, hint: str) -> str:
        """A name that is not in use yet.

        Args:
            hint: the name, unless it is taken.

        Returns:
            The name.
        """
        found, number = hint, 2
        while found in self.taken or found in self.source.taken:
            found, number = f"{hint}{number}", number + 1
        self.taken.add(found)
        self.source.locals.add(found)
        return found

    def named(self, text: Text, hint: str, var=None) -> Text:
        """A Text as a variable.

        Args:
            text: the Text.
            hint: the name of the variable.
            var: the jaxpr's variable, whose dtype a number takes.

        Returns:
            The Text of the variable.
        """
        if text.is_name:
            return text
        name = self.fresh(hint)
        self.lines.append(f"{name} = {text.code}")
        return Text(name, shape=text.shape, inner=text.inner)

    def several(self, code: str, eqn, order=None) -> list:
        """A call with several results, each as a variable.

        Args:
            code: the call.
            eqn: its equation.
            order: which results of the equation those of the call are; None: in the same order.

        Returns:
            The Text of each.
        """
        hint = _NAMES.get(eqn.primitive.name) or identifier(eqn.primitive.name)
        used = [self._flat is None or var in self._flat.uses for var in eqn.outvars]
        names = [self.fresh(hint) if flag else "_" for flag in used]
        listed = names if order is None else [names[i] for i in order]
        self.lines.append(f"{', '.join(listed)}{',' if len(names) == 1 else ''} = {code}")
        return [Text(name, shape=tuple(var.aval.shape)) for name, var in zip(names, eqn.outvars, strict=True)]

    def whole(self, text: Text, var) -> Text:
        """A Text of the shape that its value has.

        Args:
            text: the Text.
            var: the jaxpr's variable or literal.

        Returns:
            The Text.
        """
        shape = tuple(var.aval.shape)
        if text.literal is not None:
            if not shape:
                return Text(f"{dtype_name(var.aval.dtype)}({text.code})" if "inf" not in text.code and "nan" not in text.code
                            else f"jnp.array({text.code}, {dtype_name(var.aval.dtype)})", cost=1)
            plain = {"0": "zeros", "0.0": "zeros", "1": "ones", "1.0": "ones"}.get(text.code)
            if plain is not None:
                return Text(f"jnp.{plain}({tuple_of(shape)}, {dtype_name(var.aval.dtype)})", shape=shape, cost=1)
            return Text(f"jnp.full({tuple_of(shape)}, {text.code}, {dtype_name(var.aval.dtype)})", shape=shape, cost=1)
        if text.shape == shape:
            return text
        return Text(f"jnp.broadcast_to({text.code}, {tuple_of(shape)})", shape=shape, cost=text.cost + 1)

    def keeps_dimensions(self, eqn) -> bool:
        """Whether a reduction is read only with axes of length 1 in the place of those it has lost.

        Args:
            eqn: its equation.

        Returns:
            A bool.
        """
        readers = self._flat.readers.get(eqn.outvars[0], [])
        axes = set(eqn.params["axes"])
        ndim = len(eqn.invars[0].aval.shape)
        kept = tuple(i for i in range(ndim) if i not in axes)
        return bool(readers) and all(
            reader is not None and reader.primitive.name == "broadcast_in_dim"
            and tuple(reader.params["broadcast_dimensions"]) == kept and len(reader.outvars[0].aval.shape) == ndim
            and all(reader.outvars[0].aval.shape[i] == 1 for i in axes) for reader in readers)

    # -- equations

    def write(self, flat: Flat, arguments) -> list:
        """Writes a jaxpr.

        Args:
            flat: the jaxpr.
            arguments: the Text of each argument.

        Returns:
            The Text of each result, of its shape.
        """
        outer, self._flat = self._flat, flat
        env: dict = {}
        for var, text in zip(flat.invars, arguments, strict=True):
            env[var] = self.named(text, "value") if flat.uses.get(var, 0) > 1 else text
        for var, array in flat.consts.items():
            if var in flat.uses:
                env[var] = self.source.constant(array)
        for eqn in flat.eqns:
            self._equation(flat, eqn, env)
        found = [self.whole(self._read(flat, x, env), x) for x in flat.outvars]
        self._flat = outer
        return found

    @staticmethod
    def _read(flat, x, env) -> Text:
        x = flat.of(x)
        if x.__class__ is not Literal:
            return env[x]
        value = np.asarray(x.val, x.aval.dtype)
        return of_literal(value[()])

    def _equation(self, flat, eqn, env) -> None:
        ins = [self._read(flat, x, env) for x in eqn.invars]
        for var in (*eqn.invars, *eqn.outvars):
            self.source.see(var.aval.dtype)
        folded = _folded(eqn, ins)
        if folded is not None:
            env[eqn.outvars[0]] = folded
            return
        rule = RULES.get(eqn.primitive.name)
        try:
            if rule is None:
                raise NotImplementedError
            made = rule(self, eqn, *ins)
        except NotImplementedError as error:
            if isinstance(error, UnsupportedError):  # of a function inside
                raise
            raise UnsupportedError(f"the source of JAX's primitive '{eqn.primitive.name}'") from None
        for var, text in zip(eqn.outvars, made if isinstance(made, list) else [made], strict=True):
            many, longest, dearest = flat.uses.get(var, 0) > 1, _LONGEST, _DEAREST
            if flat.readers.get(var) == [None] and len(flat.outvars) == 1:  # it is what is returned
                longest, dearest = 4 * longest, 2 * dearest
            if not text.is_name and (many or len(text.code) > longest or text.cost > dearest):
                text = self.named(text, _NAMES.get(eqn.primitive.name) or identifier(eqn.primitive.name))
            env[var] = text


def _folded(eqn, ins):
    """The Text of a result that is one number, where the operands are; else None."""
    if eqn.primitive.multiple_results or not ins or any(x.literal is None for x in ins) or eqn.primitive.name in _LITERAL:
        return None
    size = max(int(np.prod(v.aval.shape, dtype=np.int64)) for v in (*eqn.invars, *eqn.outvars))
    if size > EVERYTHING * EVERYTHING:
        return None
    with own_work():
        arrays = [np.broadcast_to(x.literal, v.aval.shape) for x, v in zip(ins, eqn.invars, strict=True)]
        value = np.asarray(eqn.primitive.bind(*map(jax.numpy.asarray, arrays), **eqn.params))
    if not value.size or (value.tobytes() != np.broadcast_to(value.flat[0], value.shape).tobytes()):
        return None
    return of_literal(value.flat[0])
