"""What tests say with `torchlike.diff`: AssertionErrors that begin with the first parting.

`assert_same` and `across` compare a program between engines by `deep.py`, operation by operation. `assert_same_gradients`
and `assert_same_training` hold two functions against each other, of whichever library each is (`calling.py`), by what they
give. Nothing here needs pytest: a test is skipped by `unittest.SkipTest`, which pytest knows, too.
"""

import functools
import inspect
import os
import types
import unittest
from collections.abc import Callable, Sequence
from typing import NoReturn

import jax.numpy as jnp
import numpy as np

from torchlike._base.errors import UnsupportedError
from torchlike._diff import calling, deep, driver, program_run, verdicts
from torchlike._diff.calling import Call, Result
from torchlike._diff.verdicts import DIFFERENT, INEXACT, ROUNDING, SAME, Judgement

STEP = 1e-5  # of a numerical derivative in float64
PLACE = "place"  # of an AssertionError: the file and the line at which engines part
COMPARED = "_torchlike_compared"  # attribute of an error: the program, its inputs and the Report, for a page
FEW = 5  # partings that are told of
DECIDES = 0.01  # how near to one gradient the numerical one must be, by the distance of the two


def across(*engines: str) -> Callable:
    """A decorator: the test runs under each engine, and fails where they part.

    The test gets the module that stands for torch as its parameter ``torch``; other parameters are fixtures and what it is
    parametrized by. It runs twice under each engine, the second time in float64, from the same seed, and every operation and
    gradient is compared, as by `torchlike.diff.compare`. What it raises itself under all engines it raises. ::

        @torchlike.diff.across("torch", "tape", "jax")
        def test_norm(torch):
            x = torch.randn(3, requires_grad=True)
            x.norm().backward()

    Args:
        *engines: two or more of "torch", "tape" and "jax"; all without any. Where PyTorch is not installed the others are
            compared, and the test is skipped, with that reason, if they agree.

    Returns:
        the decorator.

    Raises:
        ValueError: engines that there are not, or one alone.
        TypeError: a test without a parameter ``torch``.
    """
    names = engines or deep.ENGINES
    deep.check(names, None)

    def decorate(test):
        whole = inspect.signature(test)
        if "torch" not in whole.parameters:
            raise TypeError(f"{test.__name__} has no parameter 'torch', which the module of each engine is passed as")
        others = whole.replace(parameters=[x for x in whole.parameters.values() if x.name != "torch"])

        @functools.wraps(test)
        def compared(*args, **kwargs):
            __tracebackhide__ = True
            given = others.bind(*args, **kwargs).arguments

            @functools.wraps(test)
            def program(torch):
                call = inspect.BoundArguments(whole, {**given, "torch": torch})
                test(*call.args, **call.kwargs)

            try:
                assert_same(program, names)
            except AssertionError as error:
                if PLACE not in vars(error):
                    raise
                file, line = vars(error)[PLACE]
                _raise_at(error, file, line, inspect.unwrap(test).__code__)

        vars(compared)["__signature__"] = others  # what pytest looks for fixtures in
        return compared

    return decorate


def assert_same(program: Callable | str | os.PathLike, engines: Sequence[str] = deep.ENGINES, *, inputs: Sequence = (),
                other: Callable | str | os.PathLike | None = None) -> deep.Report:
    """`torchlike.diff.compare` as an assertion. Under pytest it is the fixture ``torchlike_diff``.

    Args: as for `compare`. Where PyTorch is not installed the other engines are compared, and the test is skipped.

    Returns:
        the Report.

    Raises:
        AssertionError: they part. The text begins with the first parting.
        SkipTest: PyTorch is asked for and not installed, and nothing else parts.
    """
    __tracebackhide__ = True
    deep.check(engines, other)
    reasons = {engine: reason for engine in engines if (reason := _missing(program, engine))}
    there = [engine for engine in engines if engine not in reasons]
    reason = "; ".join(reasons.values())
    if len(there) < (2 if other is None else 1):
        raise unittest.SkipTest(reason)
    report = deep.compare_engines(program, there, inputs, other)
    if report.first is not None:
        error = AssertionError(report.failure())
        vars(error)[PLACE] = report.first.file, report.first.line
        vars(error)[COMPARED] = program, tuple(inputs), report
        raise error from report.raised
    if report.raised is not None and callable(program):
        path = getattr(getattr(inspect.unwrap(program), "__code__", None), "co_filename", "")
        raise report.raised.with_traceback(program_run.own_traceback(report.raised, path) or report.raised.__traceback__)
    if reasons:
        raise unittest.SkipTest(f"{' and '.join(there)} agree; not compared: {reason}")
    return report


def _raise_at(error: BaseException, file: str, line: int, test: types.CodeType) -> NoReturn:
    """Raises at a line that has run already: the traceback has it as the last one, where all other frames may be hidden."""
    __tracebackhide__ = True
    is_inside = file == test.co_filename and any(line == number for *_, number in test.co_lines())
    first = test.co_firstlineno if is_inside else line  # where a traceback that shows functions begins
    code = compile("\n" * (line - first) + "raise error", file, "exec")
    code = code.replace(co_firstlineno=first, co_name=test.co_name if is_inside else "<part>")
    exec(code, {"error": error.with_traceback(None)})  # noqa: S102
    raise error


def _missing(program, engine: str) -> str:
    """Why an engine cannot run a program, "" if it can."""
    if engine != "torch" or (not callable(program) and driver.torch_installed()):
        return ""
    try:
        deep.module_of(engine)
    except UnsupportedError as error:
        return str(error)
    return ""


def assert_same_gradients(f: Callable, g: Callable, inputs: Sequence, *,
                          libraries: Sequence[str | None] = (None, None)) -> None:
    """Two functions give the same values and the same gradients of all floating inputs, but for rounding.

    Each is a function of PyTorch's tensors, of torchlike's, or of jax arrays: which, is found by calling it. Gradients are
    those of all values, a scalar as it is, others weighted with random numbers; what an input does not reach is zero. Both
    run again in float64, and how far each is from its rerun says what is rounding. Where values agree and a gradient does
    not, a numerical derivative in float64 says whose is wrong. ::

        torchlike.diff.assert_same_gradients(torch.nn.functional.gelu, jax.nn.gelu, [x])  # JAX's is by tanh: they part

    Args:
        f, g: the functions. They return tensors or arrays, or tuples, lists and dicts of these with the same keys.
        inputs: what both are called with: arrays of numpy or JAX, tensors, trees of these; anything else is passed as it is.
        libraries: for each function "torch", "torchlike" or "jax", where several could be meant, as of ``lambda x: x * x``.

    Raises:
        AssertionError: they part. The text begins with the first parting: of a value, or of which input's gradient.
        TypeError: a function takes no library's arrays, or those of several.
    """
    __tracebackhide__ = True
    _assert_same(f, g, inputs, libraries, False, None)


def assert_same_training(f: Callable, g: Callable, inputs: Sequence = (), *, steps: int | None = None,
                         libraries: Sequence[str | None] = (None, None)) -> None:
    """Two training loops have the same losses and parameters after each step, but for rounding.

    A loop is a generator function, which yields after each step what is to be compared, under names that both have. ::

        def of_torch(w, x):                                     def of_jax(w, x):
            w = torch.nn.Parameter(w)                               for _ in range(3):
            optimizer = torch.optim.SGD([w], lr=0.1)                    loss, g = jax.value_and_grad(loss_of)(w, x)
            for _ in range(3):                                          w = w - 0.1 * g
                optimizer.zero_grad()                                   yield {"loss": loss, "w": w}
                loss = (x @ w).square().sum()
                loss.backward()
                optimizer.step()
                yield {"loss": loss, "w": w}

    Args:
        f, g: the functions, of tensors or of arrays, as for `assert_same_gradients`.
        inputs: what both are called with; initial parameters as a rule.
        steps: how many steps are compared; all that they yield by default.
        libraries: as for `assert_same_gradients`.

    Raises:
        AssertionError: they part. The text begins with the first parting: which step, and what.
        TypeError: a function takes no library's arrays, or those of several.
    """
    __tracebackhide__ = True
    _assert_same(f, g, inputs, libraries, True, steps)


# two functions


def _assert_same(f, g, inputs, libraries, is_training: bool, steps) -> None:
    __tracebackhide__ = True
    calls = [calling.called(function, inputs, _shown(letter, function), is_training, steps)
             for letter, function in (("f", f), ("g", g))]
    calls[1].labels = calls[0].labels  # one name for both
    results = [calling.run(call, library) for call, library in zip(calls, libraries, strict=True)]
    text = _difference(calls, results)
    if text:
        raise AssertionError(text)


def _shown(letter: str, function) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return letter if name == "<lambda>" else f"{letter} ({name})"


def _difference(calls: list[Call], results: list[Result]) -> str:
    """The text about where two results part, "" if they do not."""
    names = [call.name for call in calls]
    alone = _alone(names, [result.all for result in results])
    tables = [result.values if alone else result.all for result in results]
    both = [name for name in tables[0] if name in tables[1]]
    judged = _judged(both, names, calls, results)
    parted = [name for name in both if judged[name].verdict not in (SAME, ROUNDING)]
    if not parted and not alone:
        return ""
    lines, same = list(alone), [name for name in both if name not in parted]
    if parted and (calls[0].is_training or not alone):
        first = parted[0]
        if first in results[0].gradients:
            judged[first] = _blamed(judged[first], calls, results, first)
        lines = [*_told(first, names, [table[first] for table in tables], judged[first]), *alone]
        lines += [f"they part in {name}, too: {judged[name].why}" for name in parted[1:FEW]]
        lines += [f"they part in {len(parted) - FEW} more"] if len(parted) > FEW else []
    lines += [f"the same: {', '.join(same)}"] if same else []
    for call, result in zip(calls, results, strict=True):
        kind = "jax arrays" if result.library == "jax" else f"tensors of {result.library}"
        doubt = calling.doubt(call, result)
        lines.append(f"{call.name} is a function of {kind}{f'; {doubt}' if doubt else ''}")
    return "\n".join(lines)


def _judged(both: list[str], names: list[str], calls: list[Call], results: list[Result]) -> dict[str, Judgement]:
    """What each difference is. Reruns that agree say so whatever they are; where they do not, they are looked at."""
    found = {name: _judge(name, names, results, [True, True]) for name in both}
    if all(item.verdict in (SAME, ROUNDING, INEXACT) for item in found.values()):
        return found
    is_sure = [not calling.doubt(call, result) for call, result in zip(calls, results, strict=True)]
    return {name: item if item.verdict in (SAME, ROUNDING, INEXACT) else _judge(name, names, results, is_sure)
            for name, item in found.items()}


def _alone(names: list[str], values: list[dict]) -> list[str]:
    """What one side gives and the other does not."""
    lines = []
    for mine, other, name, theirs in ((values[0], values[1], *names), (values[1], values[0], *reversed(names))):
        lost = [key for key in mine if key not in other]
        lines += [f"{name} and {theirs} part in what they give: {name} alone has {', '.join(lost)}"] if lost else []
    return lines


def _told(name: str, names: list[str], values: list[np.ndarray], judgement: Judgement) -> list[str]:
    fault = f"; at fault: {judgement.fault}" if judgement.fault else ""
    the = "the " if name.startswith("gradient") else ""
    lines = [f"{names[0]} and {names[1]} part in {the}{name}: {judgement.verdict}{fault}", f"  {judgement.why}"]
    a, b = (x.astype(np.float32) if x.dtype == jnp.bfloat16 else x for x in values)
    if a.shape == b.shape and a.size and a.dtype.kind in "biufc" and b.dtype.kind in "biufc":
        lines.append(f"  distance: {verdicts.distance(a, b)}")
        with np.errstate(all="ignore"):
            gaps = np.nan_to_num(np.abs(a.astype(np.complex128) - b.astype(np.complex128)), nan=np.inf, posinf=np.inf)
        place = np.unravel_index(int(np.argmax(gaps)), a.shape)
        at = f" at [{', '.join(map(str, place))}]" if place else ""
        lines.append(f"  farthest{at}: {a[place]!s} of {names[0]}, {b[place]!s} of {names[1]}")
    return lines


def _judge(name: str, names: list[str], results: list[Result], is_sure: list[bool]) -> Judgement:
    """What the difference of a value or gradient is: by both reruns, or by the one that can be trusted."""
    a, b = pair = _alike([result.all[name] for result in results], [name in result.numbers for result in results])
    if a.shape != b.shape or a.dtype != b.dtype:
        return Judgement(DIFFERENT, f"{a.dtype}{list(a.shape)} against {b.dtype}{list(b.shape)}")
    plain = tuple(x.astype(np.float32) if x.dtype == jnp.bfloat16 else x for x in pair)
    if verdicts.bits_equal(*plain):
        return Judgement(SAME)
    if plain[0].dtype.kind not in "fc":
        return Judgement(DIFFERENT, f"they are {a.dtype}, which has no rounding")
    reruns = [result.wide for result, sure in zip(results, is_sure, strict=True) if sure and result.wide is not None]
    wide = [rerun.all.get(name) for rerun in reruns]
    trusted = [calling.widened(x) for x in wide if x is not None and x.shape == a.shape]
    if len(trusted) == 2:
        return verdicts.judge(plain, tuple(trusted), (names[0], names[1]), False)
    return _judge_less(pair, trusted, names)


def _alike(pair: list[np.ndarray], is_number: list[bool]) -> list[np.ndarray]:
    """Numbers in the type of the other side; integers, which in JAX have 32 bits as a rule, in 64."""
    a, b = (x.astype(np.int64) if x.dtype.kind in "iu" else x for x in pair)
    if is_number[0] != is_number[1]:
        a, b = (a.astype(b.dtype), b) if is_number[0] else (a, b.astype(a.dtype))
    return [a, b]


def _judge_less(pair, trusted: list, names: list[str]) -> Judgement:
    """Where one rerun at most can be trusted: both sides are held against it, or against each other."""
    eps, (a, b) = float(jnp.finfo(pair[0].dtype).eps), map(calling.widened, pair)
    by = trusted[0] if trusted else b
    unit = eps * calling.largest(by)
    off = [float(verdicts.gaps(x, by).max(initial=0.0)) for x in (a, b)]
    far, near = max(off), min(off)
    allowed = verdicts.LESS_EXACT * (near + unit)
    which = ("no rerun in float64 can be trusted, and the distance is " if not trusted else
             f"by the one rerun in float64 that can be trusted, {names[0]} is {off[0]:.3g} from it, {names[1]} ")
    why = f"{which}{off[1] if trusted else far:.3g}; {allowed:.3g} is allowed ({verdicts.LESS_EXACT} roundings)"
    return Judgement(ROUNDING if far <= allowed else DIFFERENT, why)


def _blamed(judgement: Judgement, calls: list[Call], results: list[Result], name: str) -> Judgement:
    """Where a gradient alone parts, a numerical derivative along the difference says whose it is, if it is near to one."""
    index = next((i for i, result in enumerate(results) if not calling.doubt(calls[i], result)), None)
    pair = [calling.widened(result.gradients[name]) for result in results]
    place = next(i for i in calls[0].floats if name == f"gradient of {calls[0].labels[i]}")
    if judgement.fault or index is None or pair[0].shape != pair[1].shape or pair[0].dtype != np.float64:
        return judgement
    gap = pair[0] - pair[1]
    size = float(np.linalg.norm(gap))
    if not np.isfinite(size) or not size:
        return judgement
    slope = _slope(calls[index], results[index], place, gap / size)
    far = [abs(slope - float(np.sum(g * gap / size))) for g in pair]
    if min(far) > DECIDES * size:
        return judgement
    wrong, right = (0, 1) if far[0] > far[1] else (1, 0)
    return Judgement(judgement.verdict, judgement.why,
                     f"{calls[wrong].name} (a numerical derivative in float64 agrees with {calls[right].name})")


def _slope(call: Call, result: Result, place: int, direction: np.ndarray) -> float:
    """The derivative of a function's weighted values, by two values."""
    library = calling.libraries()[result.library]
    leaves = [calling.widened(x) if isinstance(x, np.ndarray) else x for x in call.leaves]
    at = leaves[place]
    step, sums = STEP * max(1.0, calling.largest(at)), []
    for sign in (1, -1):
        leaves[place] = at + sign * step * direction
        values = library.run(call, leaves, calling.cotangents(result)).values
        sums.append(sum(float(np.real(np.sum(x * start))) for key, start in calling.cotangents(result).items()
                        if (x := values[key]).dtype.kind in "fc"))
    return (sums[0] - sums[1]) / (2 * step)
