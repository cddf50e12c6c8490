"""The source of a program: a module in Python that imports JAX and nothing else."""

import re

import jax
import numpy as np

from torchlike._lower.flat import Flat, traced
from torchlike._lower.layout import block, needed
from torchlike._lower.names import identifier
from torchlike._lower.program import Constant
from torchlike._lower.texts import Text, of_literal
from torchlike._lower.writer import Writer

_INLINE = 3  # operations of a step that needs no function of its own
_WIDE = 8


class Module:
    """The functions and constants of a module.

    Args:
        names: the user's names.
        leaves: {key: (name, form)} of the parameters.
    """

    def __init__(self, names, leaves):
        self.names, self.leaves = names, leaves
        self.constants: dict = {}  # {array's bytes and form: (name, array)}
        self.functions: dict = {}  # {text behind the name: name}
        self.texts: list = []
        self.taken = {"jax", "jnp", "lax", "params"}
        self.locals: set = set()  # the names of variables of functions
        self.sizes: dict = {}  # {variable that is a list: its length}
        self.members: dict = {}  # {variable that is a list of tuples: the names of what is in one}
        self.imports: set = set()
        self.forms: dict = {key: form for key, (_, form) in leaves.items()}
        self._units: dict = {}
        self._jaxprs: dict = {}
        self.is_wide = False
        self.is_differentiated = True  # functions with a derivative of their own keep it

    # -- constants

    def constant(self, array, hint="CONSTANT") -> Text:
        """The Text of a constant, kept at the top of the module; a number where it is one.

        Args:
            array: the value.
            hint: its name.

        Returns:
            The Text.
        """
        array = np.asarray(array)
        self.see(array.dtype)
        if not array.ndim and array.dtype.kind in "fiub":
            return of_literal(array[()])
        key = (array.tobytes(), array.shape, array.dtype)
        if key not in self.constants:
            self.constants[key] = self.fresh(hint), array
        return Text(self.constants[key][0], shape=array.shape)

    def fresh(self, hint) -> str:
        """A name for the module that is not in use.

        Args:
            hint: the name, unless it is taken.

        Returns:
            The name.
        """
        found, count = hint, 2
        while found in self.taken or found in self.locals:
            found, count = f"{hint}_{count}", count + 1
        self.taken.add(found)
        return found

    def writer(self, names) -> Writer:
        """The Writer of a further function.

        Args:
            names: those of its parameters.

        Returns:
            The Writer.
        """
        return Writer(self, names)

    def see(self, dtype) -> None:
        """Notes that a dtype occurs: the module may need types of 64 bits.

        Args:
            dtype: a numpy dtype.
        """
        self.is_wide |= (dtype.itemsize == _WIDE and dtype.kind in "iuf") or dtype == np.complex128

    # -- steps as functions

    def unit(self, step, wanted) -> "Unit":
        """What a step is written as.

        Args:
            step: the Step.
            wanted: the places of the results that are read.

        Returns:
            The Unit.
        """
        ins = tuple((tuple(f.shape), f.dtype) for f in map(self.form_of, step.reads))
        key = (step.form, step.keeps, ins, tuple(wanted))
        if key not in self._units:
            self._units[key] = Unit(self, step, wanted)
        return self._units[key]

    def form_of(self, key):
        """The form (shape, dtype) of a value.

        Args:
            key: its key.

        Returns:
            A `jax.ShapeDtypeStruct`.
        """
        if key.__class__ is Constant:
            return jax.ShapeDtypeStruct(key.array.shape, key.array.dtype)
        return self.forms[key]

    def leaf(self, key) -> str:
        """A leaf as code.

        Args:
            key: its key.

        Returns:
            For instance ``params["weight"]``.
        """
        return f'params["{self.leaves[key][0]}"]'

    def shaped(self, key):
        """What has the form of a value as its ``aval``.

        Args:
            key: its key.

        Returns:
            As `Writer.whole` takes it.
        """
        return _Shaped(self.form_of(key))

    def learn(self, step) -> None:
        """Finds the forms of the results of a step, to be called in order.

        Args:
            step: a Step.
        """
        closed = self.traced(step)
        for key, aval in zip(step.makes, closed.out_avals, strict=True):
            self.forms[key] = jax.ShapeDtypeStruct(aval.shape, aval.dtype)
        for eqn in closed.jaxpr.eqns:
            for var in (*eqn.invars, *eqn.outvars):
                self.see(var.aval.dtype)

    def traced(self, step):
        """The jaxpr of a step, one for steps of equal forms that read values of equal forms.

        Args:
            step: the Step.

        Returns:
            A ClosedJaxpr.
        """
        forms = [self.form_of(key) for key in step.reads]
        key = step.form, tuple((tuple(form.shape), form.dtype) for form in forms)
        if key not in self._jaxprs:
            self._jaxprs[key] = traced(step.function, forms, self.is_differentiated)
        return self._jaxprs[key]

    def function(self, name, parameters, lines, results, decorators=(), after=()) -> str:
        """Adds a function, unless there is an equal one.

        Args:
            name: its name, unless that is taken.
            parameters: their names.
            lines: its statements.
            results: the codes of what it returns.
            decorators: lines before it.
            after: lines behind it; ``{name}`` is its name.

        Returns:
            Its name.
        """
        shown = results[0] if len(results) == 1 else ", ".join(results)
        body = [*needed(lines, results), f"return {shown}"]
        key = repr((parameters, body, decorators, after))
        if key not in self.functions:
            found = self.functions[key] = self.fresh(name)
            text = block([*decorators, f"def {found}({', '.join(parameters)}):", body], 0)
            self.texts.append("\n".join([*text, *(line.format(name=found) for line in after)]))
        return self.functions[key]


class _Shaped:
    """Has the form of a value."""

    def __init__(self, form):
        self.aval = form


class Unit:
    """One step as code: an expression in its place, or a function.

    Args:
        module: the Module.
        step: the Step.
        wanted: the places of the results that are read.
    """

    def __init__(self, module, step, wanted):
        self.module = module
        self.flat = Flat(module.traced(step), wanted)
        self.name = function_name(step)
        parameters = parameter_names(step, self.flat)
        writer = Writer(module, parameters)
        arguments = [Text(name, shape=tuple(v.aval.shape)) for name, v in zip(parameters, self.flat.invars, strict=True)]
        results = writer.write(self.flat, arguments)
        self.used = [i for i, v in enumerate(self.flat.invars) if v in self.flat.uses]
        self.is_inline = not writer.lines and len(results) == 1 and results[0].cost <= _INLINE
        if not self.is_inline:
            self.function = module.function(self.name, [parameters[i] for i in self.used], writer.lines,
                                            [x.code for x in results])

    def write(self, writer, arguments) -> list:
        """The Texts of the results.

        Args:
            writer: the Writer of the function that the step is part of.
            arguments: the Text of each operand.

        Returns:
            A Text for each result that is read.
        """
        if self.is_inline:
            return writer.write(self.flat, arguments)
        whole = [writer.whole(arguments[i], self.flat.invars[i]) for i in self.used]
        call = Text(f"{self.function}({', '.join(x.code for x in whole)})", cost=1 + sum(x.cost for x in whole))
        shapes = [tuple(v.aval.shape) for v in self.flat.outvars]
        if len(shapes) == 1:
            return [Text(call.code, shape=shapes[0], cost=call.cost)]
        return [call, *(Text("", shape=shape) for shape in shapes[1:])]


def function_name(step) -> str:
    """What the function of a step is called.

    Args:
        step: the Step.

    Returns:
        An identifier.
    """
    name = re.sub(r"^(native|_unsafe|unsafe|_+)+", "", step.name).strip("_")
    return identifier(re.sub(r"_(forward|default|Tensor|Scalar|dim_IntList)(?=_|$)", "", name).lower() or "step")


_RESULTS = {"layer_norm": "normalized", "softmax": "weights", "log_softmax": "logs", "addmm": "product", "mm": "product",
            "bmm": "products", "matmul": "product", "linear": "product", "relu": "activated", "gelu": "activated",
            "tanh": "activated", "sigmoid": "activated", "silu": "activated", "view": "shaped", "reshape": "shaped",
            "transpose": "turned", "t": "turned", "permute": "turned", "embedding": "embedded", "convolution": "convolved",
            "select": "picked", "slice": "part", "cat": "joined", "add": "total", "sub": "difference", "mul": "product",
            "div": "ratio", "pow": "power", "mean": "average", "sum": "total", "exp": "powers", "log": "logs",
            "unsqueeze": "shaped", "expand": "spread", "batch_norm": "normalized", "dropout": "dropped"}


def result_name(step) -> str:
    """What the result of a step is called where the user has no name for it.

    Args:
        step: the Step.

    Returns:
        An identifier.
    """
    name = function_name(step)
    for word, result in _RESULTS.items():
        if name == word or name.startswith(f"{word}_"):
            return f"g_{result}" if name.endswith("backward") else result
    return "attended" if "attention" in name else "g" if name.endswith("backward") else f"{name}_out"


def parameter_names(step, flat) -> list:
    """What the function of a step calls its arguments.

    Args:
        step: the Step.
        flat: its jaxpr.

    Returns:
        A list of identifiers, no two alike.
    """
    names = list(step.labels) if len(step.labels) == len(flat.invars) else []
    names = ["x" if name == "self" else "g" if name == "grad_output" else identifier(name) for name in names]
    if not names:
        names = [f"x{i}" for i in range(len(flat.invars))] if len(flat.invars) > 1 else ["x"][:len(flat.invars)]
    found = []
    for name in names:
        while name in found:
            name += "_"
        found.append(name)
    return found
