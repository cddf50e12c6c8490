"""Recording what a program writes about the frames of a pipe, to be done with each frame when it comes.

What stands for a frame (`CaptureDataFrame`), and for what was made of it, is a `Capture`. Those of one recording share a
`ctx`: the operations in their order, the variables (the first is the frame), and a frame to ask for the columns.
"""

import importlib
import operator
from typing import Any

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.dataframe.structures import DataChunkDF
from torchlike.utils.data.datapipes.datapipe import DFIterDataPipe, IterDataPipe

__all__ = ["Capture", "CaptureA", "CaptureAdd", "CaptureCall", "CaptureControl", "CaptureDataFrame",
           "CaptureDataFrameWithDataPipeOps", "CaptureF", "CaptureGetAttr", "CaptureGetItem", "CaptureInitial",
           "CaptureLikeMock", "CaptureMul", "CaptureSetItem", "CaptureSub", "CaptureVariable", "CaptureVariableAssign",
           "DataFrameTracedOps", "DataFrameTracer", "disable_capture", "get_val"]

DATAPIPES_OPS = ["_dataframes_as_tuples", "groupby", "_dataframes_filter", "map", "to_datapipe", "shuffle", "concat",
                 "batch", "_dataframes_per_row", "_dataframes_concat", "_dataframes_shuffle"]
UNIMPLEMENTED_ATTR = ["__deepcopy__", "__setstate__", "is_shardable", "apply_sharding"]


class CaptureControl:
    """Whether recording is forbidden in this process."""

    disabled = False


def disable_capture() -> None:
    """Forbid recording, for good."""
    CaptureControl.disabled = True


class DataFrameTracedOps(DFIterDataPipe):
    """What a recording makes of each frame.

    Args:
        source_datapipe: gives frames.
        output_var: the `CaptureVariable` that is wanted.
    """

    def __init__(self, source_datapipe, output_var):
        super().__init__()
        self.source_datapipe = source_datapipe
        self.output_var = output_var

    def __iter__(self):
        for item in self.source_datapipe:
            yield self.output_var.apply_ops(item)


class Capture:
    """Stands for a value that is not there yet: attributes, items, sums and calls of it are recorded.

    Args:
        schema_df: a frame that has the columns.
    """

    def __init__(self, schema_df=None):
        self.ctx: dict[str, Any] = {"operations": [], "variables": [], "schema_df": schema_df}

    def __str__(self):
        return self._ops_str()

    def _ops_str(self) -> str:
        return "\n".join(map(str, self.ctx["operations"]))

    def __getstate__(self):
        self.ctx["schema_df"] = None  # neither this nor values can be pickled
        for variable in self.ctx["variables"]:
            variable.calculated_value = None
        return {name: getattr(self, name) for name in self.__dict__}

    def __setstate__(self, state):
        for name, value in state.items():
            setattr(self, name, value)

    def __getattr__(self, attrname):
        if attrname in ("kwarg", "kwargs"):
            raise RuntimeError("no kwargs!")
        if attrname == "__deepcopy__":
            raise AttributeError
        return CaptureGetAttr(self, attrname, ctx=self.ctx)

    def __getitem__(self, key):
        return CaptureGetItem(self, key, ctx=self.ctx)

    def __setitem__(self, key, value):
        self.ctx["operations"].append(CaptureSetItem(self, key, value, ctx=self.ctx))

    def _assigned(self, variable_of, value):
        """A variable that gets this value, as an operation of the recording."""
        variable = CaptureVariable(variable_of, ctx=self.ctx)
        self.ctx["operations"].append(CaptureVariableAssign(variable=variable, value=value, ctx=self.ctx))
        return variable

    def __add__(self, add_val):
        result = CaptureAdd(self, add_val, ctx=self.ctx)
        return self._assigned(result, result)

    def __sub__(self, add_val):
        result = CaptureSub(self, add_val, ctx=self.ctx)
        return self._assigned(result, result)

    def __mul__(self, add_val):
        result = CaptureMul(self, add_val, ctx=self.ctx)
        return self._assigned(result, result)

    def _is_context_empty(self) -> bool:
        return not self.ctx["operations"] and not self.ctx["variables"]

    def apply_ops_2(self, dataframe) -> None:
        """Do what was recorded.

        Args:
            dataframe: the frame.
        """
        self.ctx["variables"][0].calculated_value = dataframe
        for operation in self.ctx["operations"]:
            operation.execute()

    @property
    def columns(self):
        """The columns of what this stands for, by the frame that has them."""
        self.apply_ops_2(self.ctx["schema_df"])
        return self.execute().columns

    def __call__(self, *args, **kwargs):
        if self._is_context_empty():  # a function that was patched: it joins the recording of its first argument
            for given in (*args, *kwargs.values()):
                if isinstance(given, Capture) and not given._is_context_empty():
                    self.ctx = given.ctx
                    break
        return self._assigned(None, CaptureCall(self, ctx=self.ctx, args=args, kwargs=kwargs))


class CaptureF(Capture):
    """A step of a recording.

    Args:
        ctx: the recording; None begins one.
        **kwargs: what the step needs.
    """

    def __init__(self, ctx=None, **kwargs):
        super().__init__()
        self.ctx = {"operations": [], "variables": []} if ctx is None else ctx
        self.kwargs = kwargs


class CaptureA(CaptureF):
    """Stands for a function that exists: ``kwargs`` are its ``name`` and, as ``real_attribute``, itself.

    Args: as for `CaptureF`.
    """

    def __str__(self):
        return f"{self.kwargs['name']}"

    def execute(self):
        """The function."""
        return self.kwargs["real_attribute"]


class CaptureLikeMock:
    """While its ``with`` lasts, calls of a function are recorded.

    Args:
        name: where it is, "package.module.function".

    Raises:
        TypeError: there is no dot in it.
    """

    def __init__(self, name):
        owner, _, self.attribute = name.rpartition(".")
        if not owner:
            raise TypeError(f"Need a valid target to patch. You supplied: {name!r}")
        self.name = name
        self._owner = owner

    def get_target(self):
        """The module or class that has the function."""
        package, *rest = self._owner.split(".")
        found = importlib.import_module(package)
        for part in rest:
            package = f"{package}.{part}"
            try:
                found = getattr(found, part)
            except AttributeError:
                found = importlib.import_module(package)
        return found

    def __enter__(self):
        self.save = getattr(self.get_target(), self.attribute)
        setattr(self.get_target(), self.attribute, CaptureA(name=self.name, real_attribute=self.save))

    def __exit__(self, *exc_info):
        setattr(self.get_target(), self.attribute, self.save)


class CaptureCall(Capture):
    """A call.

    Args:
        callable: what is called.
        ctx: as for `CaptureF`.
        **kwargs: ``args`` and ``kwargs`` of the call.
    """

    def __init__(self, callable, ctx=None, **kwargs):
        super().__init__()
        self.ctx = {"operations": [], "variables": []} if ctx is None else ctx
        self.kwargs = kwargs
        self.callable = callable

    def __str__(self):
        return f"{self.callable}({self.kwargs['args']},{self.kwargs['kwargs']})"

    def execute(self):
        """Call it."""
        args = [arg.execute() if isinstance(arg, Capture) else arg for arg in self.kwargs["args"]]
        function: Any = get_val(self.callable)
        return function(*args, **self.kwargs["kwargs"])


class CaptureVariableAssign(CaptureF):
    """A variable gets its value: ``kwargs`` are ``variable`` and ``value``.

    Args: as for `CaptureF`.
    """

    def __str__(self):
        return f"{self.kwargs['variable']} = {self.kwargs['value']}"

    def execute(self) -> None:
        """Compute the value."""
        self.kwargs["variable"].calculated_value = self.kwargs["value"].execute()


class CaptureVariable(Capture):
    """A value of a recording, under a name.

    Args:
        value: how it is computed.
        ctx: the recording.

    Raises:
        RuntimeError: recording is forbidden.
    """

    names_idx = 0

    def __init__(self, value, ctx):
        super().__init__()
        if CaptureControl.disabled:
            raise RuntimeError("Attempting to create capture variable with capture off")
        self.ctx = ctx
        self.value = value
        self.name = f"var_{CaptureVariable.names_idx}"
        CaptureVariable.names_idx += 1
        self.ctx["variables"].append(self)

    def __str__(self):
        return self.name

    def execute(self):
        """The value that was computed last."""
        return self.calculated_value

    def apply_ops(self, dataframe):
        """Do what was recorded.

        Args:
            dataframe: the frame.

        Returns: this variable's value.
        """
        self.apply_ops_2(dataframe)
        return self.calculated_value


class CaptureGetItem(Capture):
    """An item.

    Args:
        left, key: of what, and which.
        ctx: the recording.
    """

    def __init__(self, left, key, ctx):
        super().__init__()
        self.ctx = ctx
        self.left = left
        self.key = key

    def __str__(self):
        return f"{self.left}[{get_val(self.key)}]"

    def execute(self):
        """The item."""
        return self.left.execute()[self.key]


class CaptureSetItem(Capture):
    """An item is set.

    Args:
        left, key, value: of what, which, and to what.
        ctx: the recording.
    """

    def __init__(self, left, key, value, ctx):
        super().__init__()
        self.ctx = ctx
        self.left = left
        self.key = key
        self.value = value

    def __str__(self):
        return f"{self.left}[{get_val(self.key)}] = {self.value}"

    def execute(self) -> None:
        """Set it."""
        self.left.execute()[self.key] = self.value.execute()


class _CaptureOperator(Capture):
    """An operator between two values.

    Args:
        left, right: the values.
        ctx: the recording.
    """

    sign: str
    function: Any

    def __init__(self, left, right, ctx):
        super().__init__()
        self.ctx = ctx
        self.left = left
        self.right = right

    def __str__(self):
        return f"{self.left} {self.sign} {self.right}"

    def execute(self):
        """Its result."""
        return self.function(get_val(self.left), get_val(self.right))


class CaptureAdd(_CaptureOperator):
    """A sum.

    Args:
        left, right: the values.
        ctx: the recording.
    """

    sign, function = "+", operator.add


class CaptureMul(_CaptureOperator):
    """A product.

    Args:
        left, right: the values.
        ctx: the recording.
    """

    sign, function = "*", operator.mul


class CaptureSub(_CaptureOperator):
    """A difference.

    Args:
        left, right: the values.
        ctx: the recording.
    """

    sign, function = "-", operator.sub


class CaptureGetAttr(Capture):
    """An attribute.

    Args:
        src, name: of what, and which.
        ctx: the recording.
    """

    def __init__(self, src, name, ctx):
        super().__init__()
        self.ctx = ctx
        self.src = src
        self.name = name

    def __str__(self):
        return f"{self.src}.{self.name}"

    def execute(self):
        """The attribute."""
        return getattr(get_val(self.src), self.name)


def get_val(capture):
    """What a recording has computed; texts in quotation marks, and other values as they are.

    Args:
        capture: a `Capture` or another value.

    Returns: the value.
    """
    if isinstance(capture, Capture):
        return capture.execute()
    return f'"{capture}"' if isinstance(capture, str) else capture


class CaptureInitial(CaptureVariable):
    """The first variable of a recording.

    Args:
        schema_df: as for `Capture`.
    """

    def __init__(self, schema_df=None):
        super().__init__(None, {"operations": [], "variables": [], "schema_df": schema_df})
        self.name = f"input_{self.name}"


class CaptureDataFrame(CaptureInitial):
    """Stands for a frame.

    Args: as for `CaptureInitial`.
    """


class CaptureDataFrameWithDataPipeOps(CaptureDataFrame):
    """Stands for the frames of a pipe, and has the methods of pipes.

    Args: as for `CaptureInitial`.
    """

    def as_datapipe(self):
        """A pipe of what was made of the frames."""
        return DataFrameTracedOps(self.ctx["variables"][0].source_datapipe, self)

    def raw_iterator(self):
        """An iterator of the frames."""
        return iter(self.as_datapipe())

    def __iter__(self):
        return iter(self._dataframes_as_tuples())

    def batch(self, batch_size=10, drop_last: bool = False, wrapper_class=DataChunkDF):
        """Batches of frames with so many rows.

        Args:
            batch_size: how many.
            drop_last: whether a last, smaller batch is left out.
            wrapper_class: what is made of each list.

        Returns: a pipe.
        """
        pipe = self._dataframes_per_row()._dataframes_concat(batch_size)
        pipe = pipe.as_datapipe().batch(1, drop_last=drop_last, wrapper_class=wrapper_class)
        pipe._dp_contains_dataframe = True
        return pipe

    def groupby(self, group_key_fn, *, buffer_size=10000, group_size=None, guaranteed_group_size=None,
                drop_remaining=False):
        """Batches of rows with one key.

        Args:
            group_key_fn, buffer_size, group_size, guaranteed_group_size, drop_remaining: as for `GrouperIterDataPipe`.

        Returns: a pipe.
        """
        return self._dataframes_per_row().as_datapipe().groupby(
            group_key_fn, buffer_size=buffer_size, group_size=group_size, guaranteed_group_size=guaranteed_group_size,
            drop_remaining=drop_remaining)

    def shuffle(self, *args, **kwargs):
        """The rows in a random order.

        Args:
            *args, **kwargs: those of the pipe.

        Returns: a pipe.
        """
        return self._dataframes_shuffle(*args, **kwargs)

    def filter(self, *args, **kwargs):
        """The rows of which a function says True.

        Args:
            *args, **kwargs: those of the pipe.

        Returns: a pipe.
        """
        return self._dataframes_filter(*args, **kwargs)

    def collate(self, *args, **kwargs):
        """Refused: only batches are collated.

        Args:
            *args, **kwargs: not looked at.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError("Can't collate unbatched DataFrames stream")

    def __getattr__(self, attrname):
        if attrname in UNIMPLEMENTED_ATTR:
            raise AttributeError("Attempting to get ", attrname)
        if attrname in DATAPIPES_OPS:
            return self.as_datapipe().__getattr__(attrname)
        return super().__getattr__(attrname)


@functional_datapipe("trace_as_dataframe")
class DataFrameTracer(CaptureDataFrameWithDataPipeOps, IterDataPipe):  # pyrefly: ignore[inconsistent-inheritance]
    """A pipe of frames of which everything is recorded that is written about it.

    Args:
        source_datapipe: gives frames.
        schema_df: a frame that has the columns; None takes the first one.
    """

    source_datapipe: Any | None = None

    def set_shuffle_settings(self, *args, **kwargs) -> None:
        """Does nothing.

        Args:
            *args, **kwargs: not looked at.
        """

    def is_shardable(self) -> bool:
        """Whether workers can share it: no."""
        return False

    def __init__(self, source_datapipe, schema_df=None):
        self.source_datapipe = source_datapipe
        super().__init__(schema_df=next(iter(source_datapipe)) if schema_df is None else schema_df)
