"""Classes: every argument of their constructors, by position and by keyword, and what the object then is and does.

A call is a text, ``t.nn.Linear(4, 3, bias=False)``, that is run with each package as ``t``. Compared are the object's text,
its public attributes, its state, and what it does once: a module is called, an optimizer and a schedule make steps, a
distribution is sampled and asked for its properties, data are iterated. What PyTorch refuses must be refused alike.
"""

import inspect
import itertools
import re

import torch

import torchlike
from compat import compare
from compat.compare.tolerances import DATABASE
from compat.findings import add, tally
from compat.forms.arguments import HELPERS, INPUTS, NEEDED, OTHERS, SUBJECTS
from compat.opinfo.translate import attribute

SPACES = ("nn", "optim", "optim.lr_scheduler", "distributions", "utils.data")
_PLAIN = (bool, int, float, str, type(None), tuple, list)


def classes() -> dict[str, type]:
    """{path below torch: class} of the public classes that can be made and that torchlike has."""
    found: dict = {}
    for space in SPACES:
        owner = attribute(torch, space)
        for name in sorted(getattr(owner, "__all__", None) or dir(owner)):
            kind = getattr(owner, name, None)
            if isinstance(kind, type) and not name.startswith("_") and not issubclass(kind, BaseException) \
                    and kind not in found.values() and _exists(f"{space}.{name}"):
                found[f"{space}.{name}"] = kind
    return found


def _exists(path) -> bool:
    try:
        return not hasattr(attribute(torchlike, path), "refusal")
    except (AttributeError, NotImplementedError):
        return False


def examine(path: str, kind: type) -> dict:
    """{"calls": the tally} of all calls of one constructor."""
    counted = tally()
    calls = list(texts(path, kind))
    usable = (given for given in INPUTS if calls and _is_used(run(torch, calls[0], given)))
    found = next(usable, INPUTS[0])
    for text in calls:
        add(counted, compare.difference(run(torch, text, found), run(torchlike, text, found), DATABASE), text)
    return {"calls": counted}


def texts(path: str, kind: type) -> list[str]:
    """The calls of a constructor: what it needs, by position and by keyword, and with each further argument."""
    parameters = _parameters(kind)
    named = [p for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    starred = [made for p in parameters if p.kind == p.VAR_POSITIONAL and (made := value(path, p)) is not None]
    needed = {p.name: value(path, p) for p in named if p.default is p.empty}
    further = {p.name: _others(path, p) for p in named if p.default is not p.empty}
    if None in needed.values():
        return []
    needed |= next((extra for extra in _extras(further) if works(_call(path, starred, needed | extra))), {})
    by_keyword = {p.name for p in named if p.kind == p.KEYWORD_ONLY}
    first = itertools.takewhile(lambda p: p.name in needed and p.name not in by_keyword, named)
    positional = [needed[p.name] for p in first]
    rest = dict(list(needed.items())[len(positional):])
    found = [_call(path, [*starred, *positional], rest)]
    if not starred:
        found.append(_call(path, [], needed))
        defaults = itertools.takewhile(lambda p: p.name not in by_keyword, named)
        found.append(_call(path, [needed.get(p.name, repr(p.default)) for p in defaults], {}))
    for name, values in further.items():
        found += [_call(path, [*starred, *positional], rest | {name: made}) for made in values]
    return [text for text in dict.fromkeys(found) if "<" not in text]


def _parameters(kind) -> list:
    """Those of the innermost constructor that names them."""
    for each in kind.__mro__:
        try:
            found = list(inspect.signature(each).parameters.values())
        except (TypeError, ValueError):
            continue
        if any(p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in found):
            return [p for p in found if each is kind or p.name != "mode"]  # RNNBase takes which of its heirs it is
    return []


def _extras(further):
    """Nothing, then each single further argument."""
    yield {}
    for name, values in further.items():
        for made in values[1:]:
            yield {name: made}


def _is_used(found) -> bool:
    return not isinstance(found, str) and found[2][:1] != ["use"]


def works(text) -> bool:
    """Whether PyTorch takes a call."""
    with compare.caught():
        try:
            _made(torch, text)
        except Exception:  # noqa: BLE001 - whatever it raises
            return False
    return True


def _made(package, text):
    """The object of a call. A setting that its constructor has changed is as it was."""
    made = eval(text, {"t": package, **HELPERS})
    if hasattr(made, "prev") and hasattr(made, "__exit__"):
        with made:
            pass
    return made


def value(path, parameter) -> str | None:
    """The text of what to give for a parameter that must be given."""
    name = path.rpartition(".")[2]
    return NEEDED.get(f"{name}.{parameter.name}") or NEEDED.get(parameter.name)


def _others(path, parameter) -> list[str]:
    """The texts of what to give for an argument that has a default: that, and others."""
    default = parameter.default
    name = path.rpartition(".")[2]
    known = OTHERS.get(f"{name}.{parameter.name}") or OTHERS.get(parameter.name)
    if known is None and path.startswith("distributions."):
        known = NEEDED.get(parameter.name)
    if known is not None:
        return [repr(default), *([known] if isinstance(known, str) else known)]
    if isinstance(default, bool):
        return [repr(default), repr(not default)]
    if isinstance(default, int | float):
        return [repr(default), repr(default + 1 if isinstance(default, int) else default * 0.5 + 0.01)]
    return [repr(default)]


def _call(path, positional, keywords) -> str:
    return f"t.{path}({', '.join([*positional, *(f'{name}={made}' for name, made in keywords.items())])})"


def run(package, text, given):
    """What a call and the use of its object give, described; or what it raises."""
    package.manual_seed(0)
    with compare.caught():
        try:
            made = _made(package, text)
            shown = _text(made)
        except Exception as error:  # noqa: BLE001 - whatever it raises is the result
            return f"raises {_kind(error)}"
        try:
            used = use(package, made, given)
        except Exception as error:  # noqa: BLE001 - whatever it raises is the result
            used = ["use", _kind(error)]
        return compare.describe([shown, _attributes(made), used])


def _kind(error) -> str:
    """Its class, or the innermost that Python has where torchlike made one of its own."""
    return next(kind.__name__ for kind in type(error).__mro__ if not kind.__module__.startswith("torchlike"))


def _text(made) -> str:
    return re.sub(r"<[\w.]*?(\w+)( object)? at 0x\w+>", r"<\1>", repr(made)).replace("torchlike", "torch")


def _attributes(made) -> list:
    """Public attributes: plain ones with their values, of others the names."""
    found = vars(made) if hasattr(made, "__dict__") else {}
    return [(name, found[name] if isinstance(found[name], _PLAIN) and "object" not in repr(found[name]) else "")
            for name in sorted(found) if not name.startswith("_")]


def use(package, made, given):
    """What an object does once."""
    for space, used in SUBJECTS.items():
        if isinstance(made, attribute(package, space)):
            return used(package, made, given)
    return []
