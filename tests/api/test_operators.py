"""Python's operators on a Tensor and something else: a number, a numpy array, an object with operators of its own."""

import warnings

import numpy as np
import pytest
import torch

import torchlike

BINARY = ("+", "-", "*", "/", "//", "%", "**", "@", "<", "<=", ">", ">=", "==", "!=", "&", "|", "^", "<<", ">>")
IN_PLACE = ("+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^=", "<<=", ">>=")
TENSORS = ("torch.tensor([4, 3])", "torch.tensor([4., 3.])", "torch.tensor([4., 3.], dtype=torch.float16)",
           "torch.tensor([True, False])", "torch.tensor(2)", "torch.tensor([4., 3.], requires_grad=True)",
           "torch.ones(2, dtype=torch.bfloat16)")
OTHERS = ("3", "2.5", "True", "None", "'a'", "[1, 2]", "(1, 2)", "object()", "Willing()", "np.float32(2)", "np.int8(3)",
          "np.bool_(1)", "np.array(2.)", "np.array([2., 1.])", "np.array([[2], [1]], np.int32)", "np.array([True, False])",
          "np.ones(3)", "np.array(['a', 'b'])", "np.array([1j, 2])")

# Which error is raised, see compat/gaps.toml.
OTHER_ERRORS = {f"r = {tensor}; r {sign} {other}" for tensor in TENSORS for sign in ("&=", "|=", "^=", "<<=", ">>=")
                for other in ("2.5", "np.float32(2)", "np.bool_(1)") if "." not in tensor.removeprefix("torch.")}


class Willing:
    """It has an operator for everything, and they say their names."""

    def __getattr__(self, name):
        raise AttributeError(name)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift"):
    setattr(Willing, f"__r{_name}__", lambda self, other, text=f"__r{_name}__": text)
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Willing, f"__{_name}__", lambda self, other, text=f"__{_name}__": text)
Willing.__hash__ = None


def said(library, text: str) -> str:
    """What the statement's `r` is, and of what type, or the class of its error, as far as Python knows it."""
    names = {"torch": library, "np": np, "Willing": Willing}
    try:
        exec(text, names)
    except Exception as error:  # noqa: BLE001 - whatever is raised is compared
        return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")
    result = names["r"]
    return f"{type(result).__name__} {getattr(result, 'dtype', '')} {result!r}"


def differing(texts) -> list:
    found = []
    for text in set(texts) - OTHER_ERRORS:
        theirs, ours = said(torch, text), said(torchlike, text)
        if theirs.replace("torch.", "") != ours.replace("torchlike.", "").replace("torch.", ""):
            found.append((text, theirs, ours))
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("tensor", TENSORS)
@pytest.mark.parametrize("other", OTHERS)
def test_binary(tensor, other):
    assert differing([*(f"r = {tensor} {sign} {other}" for sign in BINARY),
                      *(f"r = {other} {sign} {tensor}" for sign in BINARY)]) == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("tensor", TENSORS[:-2])
def test_in_place(tensor):
    assert differing(f"r = {tensor}; r {sign} {other}" for sign in IN_PLACE for other in OTHERS) == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", [
    "sin", "negative", "isnan", "modf", "sign", "floor", "add.reduce", "cumsum", "linalg.norm", "isfinite"])
def test_functions_of_numpy(call):
    assert differing([f"r = np.{call}({tensor})" for tensor in TENSORS]) == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", ["add", "maximum", "greater", "arctan2", "divide", "matmul", "logical_and"])
def test_functions_of_two(call):
    assert differing(f"r = np.{call}({one}, {other})" for one in TENSORS for other in (one, "np.ones(2)", "2")) == []


def test_the_other_errors_are_errors():
    """Both libraries raise."""
    for text in OTHER_ERRORS:
        assert said(torchlike, text) in {"RuntimeError", "NotImplementedError"}


@pytest.mark.parametrize("number", [2**70, -2**63 - 1, 2**63])
def test_an_integer_that_no_type_holds_is_refused_at_once(number):
    """By the line that has it, and the next program is none the worse."""
    for tensor in (torchlike.zeros(2), torchlike.zeros(2, dtype=torchlike.int64)):
        with pytest.raises(OverflowError, match="int too big to convert"):
            tensor + number
    assert (torchlike.zeros(2) + 1).tolist() == [1.0, 1.0]


_OPERANDS = {"array": "np.ones(3, np.float32)", "None": "None", "text": "'x'", "own": "Own()"}


@pytest.mark.parametrize("text", ["z + {}", "{} + z", "z * {}", "{} - z", "z < {}", "z @ {}", "z ** {}", "z == {}",
                                  "{} / z"])
@pytest.mark.parametrize("kind", _OPERANDS)
def test_operators_of_a_subclass_leave_others_their_turn(text, kind):
    assert _shown(torchlike, text, kind) == _shown(torch, text, kind)


def _shown(library, text, kind):
    class Sub(library.Tensor):
        pass

    class Own:
        def __radd__(self, other):
            return type(other).__name__

    scope = {"np": np, "z": library.ones(3).as_subclass(Sub), "Own": Own}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = eval(text.format(_OPERANDS[kind]), scope)
    except TypeError:
        return "TypeError"
    return type(found).__name__, str(found)
