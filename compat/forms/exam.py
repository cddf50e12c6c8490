"""One form under both packages: by position, by keyword, with each optional argument, with out=.

What PyTorch computes must come out; what it refuses must be refused with the same class of exception. Keywords that its
parser knows in no signature make no form, though a stub has them: there torchlike may do more.
"""

import collections
import copy
import inspect
import itertools
import re

import torch

import torchlike
from compat import compare
from compat.findings import add, tally
from compat.forms.signatures import REQUIRED, Form
from compat.forms.values import PROFILES, SKIP, default, value
from compat.opinfo.compare import difference
from compat.opinfo.translate import Missing, attribute, ours

Call = collections.namedtuple("Call", "form how arguments keywords")
_ALIASES = {"dim": "axis", "keepdim": "keepdims"}  # the names that the parser takes from numpy
_LONGEST = 140
_NO_FORM = re.compile("received an invalid combination of arguments|got an unexpected keyword")
_NO_VALUES = ("empty", "resize", "set_", "is_pinned", "data_ptr", "seed", "Tensor.new", "num_threads")


def exists(path: str) -> bool:
    """Whether torchlike has a function of this path; which names it lacks or refuses is `compat.surface`'s business."""
    try:
        return not hasattr(attribute(torchlike, path), "refusal")
    except (AttributeError, NotImplementedError):
        return False


def examine(forms: list[Form]) -> dict:
    """{"calls": the tally} of all calls of one function; settings are afterwards what they are at the start of a process."""
    counted = tally()
    for form in forms:
        for call in calls(form):
            add(counted, judge(call), written(call))
    for package in (torch, torchlike):
        _put_back(package)
    return {"calls": counted}


def _put_back(package):
    """A default device, for one, is a mode, under which PyTorch's chain_matmul forgets its `out`."""
    package.set_default_device(None)
    package.set_deterministic_debug_mode(0)
    package.set_warn_always(False)


def calls(form: Form):
    """The calls of a form, with a profile that PyTorch takes, else with the first."""
    for profile in PROFILES:
        subject = [profile.tensor("self")] if form.is_method else []
        needed = [(a, value(a, profile)) for a in form.arguments if a.default is REQUIRED]
        if any(made is SKIP for _, made in needed):
            return
        plain = _call(form, "required", subject, needed, {})
        if not isinstance(run(torch, plain), compare.Raised):
            break
    else:
        yield _call(form, "required", [PROFILES[0].tensor("self")] if form.is_method else [],
                    [(a, value(a, PROFILES[0])) for a in form.arguments if a.default is REQUIRED], {})
        return
    yield plain
    yield from _variants(form, profile, subject, needed)


def _variants(form, profile, subject, needed):
    starred = any(a.kind.startswith("*") for a in form.arguments)
    by_name = {a.name: made for a, made in needed}
    if not starred:
        yield Call(form, "by keyword", subject, by_name)
        for name, alias in _ALIASES.items():
            if name in by_name:
                yield Call(form, f"by numpy's name {alias}", subject,
                           {alias if n == name else n: made for n, made in by_name.items()})
    optional = [a for a in form.arguments if a.default is not REQUIRED]
    known = list(itertools.takewhile(lambda pair: pair[1] is not SKIP, ((a, default(a)) for a in optional
                                                                        if not a.by_keyword_only)))
    if known:
        yield _call(form, "defaults by position", subject, [*needed, *known], {})
    for argument in optional:
        for made in (default(argument), value(argument, profile)):
            if made is not SKIP:
                yield _call(form, f"with {argument.name}={_short(made)}", subject, needed, {argument.name: made})
    if form.takes_out:
        result = run(torch, _call(form, "", subject, needed, {}))
        yield _call(form, "with out=", subject, needed, {"out": _outs(result[0])})


def _call(form, how, subject, pairs, keywords) -> Call:
    """Arguments by position as far as they can be."""
    positional = [made for a, made in pairs if not a.by_keyword_only]
    return Call(form, how, [*subject, *positional], {a.name: made for a, made in pairs if a.by_keyword_only} | keywords)


def _outs(result):
    if isinstance(result, torch.Tensor):
        return torch.empty(0, dtype=result.dtype)
    return tuple(map(_outs, result)) if isinstance(result, tuple) else None


def run(package, call: Call):
    """The result, or the exception as Raised."""
    package.manual_seed(0)
    with compare.caught():
        try:
            if package is torch:
                arguments, keywords = copy.deepcopy((call.arguments, call.keywords))
            else:
                arguments, keywords = ours(call.arguments), ours(call.keywords)
            result = attribute(package, call.form.path)(*arguments, **keywords)
            written_to = [a for a in (*arguments, keywords.get("out")) if compare.is_tensor(a)]
            return list(result) if inspect.isgenerator(result) else (result, written_to)
        except Exception as error:  # noqa: BLE001 - whatever it raises is the result
            return compare.raised(error)


def judge(call: Call) -> str:
    """What differs, "" if nothing does."""
    want = run(torch, call)
    try:
        got = run(torchlike, call)
    except Missing as error:
        return f"missing {error}"
    if isinstance(want, compare.Raised) and call.keywords and want.kind == "TypeError" and _NO_FORM.search(want.text):
        return ""
    failures = [x.kind if isinstance(x, compare.Raised) else "" for x in (want, got)]
    if any(failures):
        return "" if failures[0] == failures[1] else f"torch {_outcome(want)}, torchlike {_outcome(got)}"
    return difference(want, got, values=not any(word in call.form.path for word in _NO_VALUES))


def _outcome(result) -> str:
    return f"raises {result.kind}: {result.text[:_LONGEST]}" if isinstance(result, compare.Raised) else "works"


def written(call: Call) -> str:
    """The call as a reader would write it."""
    parts = [_short(a) for a in call.arguments] + [f"{name}={_short(a)}" for name, a in call.keywords.items()]
    return f"{call.form.path}({', '.join(parts)}) [{call.how}]"


def _short(made) -> str:
    if isinstance(made, torch.Tensor):
        return f"{str(made.dtype).removeprefix('torch.')}{list(made.shape)}"
    return f"[{', '.join(map(_short, made))}]" if isinstance(made, list | tuple) else repr(made)
