"""All checks of one module of `torch.testing._internal.common_modules.module_db`, with counts.

The torch module is the reference; ours is made by the same arguments after the same seed, and given the same state.
"""

import copy
import itertools
import pickle
import re

import numpy as np
import torch
from torch.testing._internal.common_modules import ModuleErrorEnum, module_db

import torchlike
from compat import findings
from compat.compare import array
from compat.opinfo.checks import Raised, attempt, both_raised, leaves, quiet, random_like
from compat.opinfo.compare import difference
from compat.opinfo.translate import Missing, class_of, ours, shared_memory

DTYPES = ("float32", "float64")
CHECKS = ("init", "repr", "state", "forward", "grads", "hooks", "copies", "conversions", "errors")


def modules() -> dict:
    """{name: ModuleInfo}."""
    return {info.name: info for info in module_db}


def examine(info, dtypes=DTYPES, limit=None) -> dict:
    """{check: {"passed", "failed", "first"}} for a module; "missing" where it does not exist. `limit`: as many inputs."""
    try:
        class_of(info.module_cls)
    except Missing as missing:
        return {"missing": str(missing)}
    found = {check: findings.tally() for check in CHECKS}
    with quiet(), torchlike.configure(compile="off"):
        for dtype in dtypes:
            if getattr(torch, dtype) in info.dtypes:
                for training in (True, False):
                    _one_mode(info, dtype, training, limit, found)
        if info.module_error_inputs_func is not None:
            for given in _inputs(info.module_error_inputs_func, info, "float32", True):
                findings.add(found["errors"], error(info, given), "error")
    return {check: tally for check, tally in found.items() if tally["passed"] + tally["failed"]}


def _one_mode(info, dtype, training, limit, found) -> None:
    for i, given in enumerate(_inputs(info.module_inputs_func, info, dtype, training)[:limit]):
        where = f"{dtype} {'train' if training else 'eval'} {i} {given.desc}"
        for check, text in sample(info, given, dtype, training).items():
            findings.add(found[check], text, where)


def _inputs(function, info, dtype, training):
    torch.manual_seed(0)
    return function(info, device="cpu", dtype=getattr(torch, dtype), requires_grad=True, training=training)


def pair(info, given, dtype) -> tuple:
    """(torch's module, ours), each after the same seed; Raised for what raises."""
    kind, args, kwargs = class_of(info.module_cls), *_arguments(given.constructor_input)
    torch.manual_seed(1)
    theirs = attempt(lambda: info.module_cls(*given.constructor_input.args, **given.constructor_input.kwargs))
    torchlike.manual_seed(1)
    mine = attempt(lambda: kind(*args, **kwargs))
    for module, package in ((theirs, torch), (mine, torchlike)):
        if not isinstance(module, Raised):
            module.to(getattr(package, dtype))
            if info.is_lazy:
                package.manual_seed(1)
                args, kwargs = given.forward_input.args, given.forward_input.kwargs
                module(*args, **kwargs) if package is torch else module(*ours(args), **ours(kwargs))
    return theirs, mine


def _arguments(given) -> tuple:
    with shared_memory():
        return ours(tuple(given.args)), ours(dict(given.kwargs))


def sample(info, given, dtype, training) -> dict:
    """{check: what differs, or ""} for one set of arguments."""
    theirs, mine = pair(info, given, dtype)
    found = both_raised(theirs, mine)
    if found is not None:
        return {"init": found}
    theirs.train(training)
    mine.train(training)
    made = {"init": initial(theirs, mine), "repr": _equal(repr(theirs), repr(mine)), "state": state(theirs, mine)}
    if made["state"]:
        return made
    made["copies"] = copies(mine, given)
    mine.load_state_dict(ours(dict(theirs.state_dict())))  # as before that pass
    made |= passes(theirs, mine, given)
    made["hooks"] = _compared(lambda m, p: hooked(m, p, given), theirs, mine)
    made["conversions"] = _compared(converted, theirs, mine)
    return made


def _compared(function, theirs, mine) -> str:
    want, got = attempt(lambda: function(theirs, torch)), attempt(lambda: function(mine, torchlike))
    found = both_raised(want, got)
    return _equal(want, got) if found is None else found


def _equal(want, got) -> str:
    return "" if want == got else f"{want!r}, ours {got!r}"


def initial(theirs, mine) -> str:
    """The same numbers from the same seed."""
    return state(theirs, mine) or next(filter(None, (
        f"{name}: {found}" for (name, a), b in zip(theirs.state_dict().items(), mine.state_dict().values(), strict=True)
        if (found := difference(a, b)))), "")


def state(theirs, mine) -> str:
    """The same names, shapes and dtypes, in order; the same parameters, buffers and submodules."""
    def described(module):
        tensors = [(name, tuple(x.shape), str(x.dtype)) for name, x in module.state_dict().items()]
        return (tensors, [(name, p.requires_grad) for name, p in module.named_parameters()],
                [name for name, _ in module.named_buffers()], [name for name, _ in module.named_modules()])

    return _equal(described(theirs), described(mine))


def passes(theirs, mine, given) -> dict:
    """Forward with random numbers from the same seed, and the gradients of inputs and parameters."""
    args, kwargs = given.forward_input.args, given.forward_input.kwargs
    theirs_given, mine_given = (args, kwargs), _arguments(given.forward_input)
    want = _passed(torch, theirs, *theirs_given)
    got = _passed(torchlike, mine, *mine_given)
    if isinstance(want, Raised) or isinstance(got, Raised):
        return {"forward": both_raised(want, got)}
    texts = {"forward": difference(want[0], got[0]) or _after(theirs, mine), "grads": ""}
    for i, (a, b) in enumerate(itertools.zip_longest(want[1], got[1])):
        wrong = difference(a, b) if a is not None and b is not None else _equal(a is None, b is None)
        wrong = "" if wrong and a is not None and b is not None and _rounded(a, b) else wrong
        if wrong:
            texts["grads"] = f"gradient {i}: {wrong}"
            break
    return texts


def _rounded(want, got) -> bool:
    """Whether gradients in float32 differ by no more than 5e-5 of the largest. Against float64 PyTorch's own of a
    Transformer are off by 1.9e-5 of it, ours by 3.3e-5."""
    if str(want.dtype) != "torch.float32" or want.shape != tuple(got.shape) or not want.numel():
        return False
    want, got = array(want), array(got)
    return bool(np.abs(want - got).max() <= 5e-5 * np.abs(want).max())


def _passed(package, module, args, kwargs):
    def run():
        package.manual_seed(5)
        out = module(*args, **kwargs)
        rng, outs = np.random.default_rng(3), [x for x in leaves(out) if x.requires_grad]
        given = [random_like(package, x, rng) for x in outs]
        wanted = [x for x in (*leaves(args), *leaves(kwargs), *module.parameters()) if x.requires_grad]
        grads = package.autograd.grad(outs, wanted, given, allow_unused=True) if outs and wanted else ()
        return out, grads

    return attempt(run)


def _after(theirs, mine) -> str:
    """Buffers, such as running means, after a forward pass."""
    return next(filter(None, (f"{name}: {found}" for (name, a), b in zip(
        theirs.named_buffers(), mine.buffers(), strict=True) if (found := difference(a, b)))), "")


def hooked(module, package, given) -> list:
    """What hooks of every kind are given, in order: kinds and shapes."""
    log: list = []
    arguments = (given.forward_input.args, given.forward_input.kwargs)
    args, kwargs = arguments if package is torch else ours(arguments)

    def told(kind):
        def hook(module, *values):
            log.append((kind, type(module).__name__, _shapes(values)))
        return hook

    handles = [module.register_forward_pre_hook(told("pre"), with_kwargs=True),
               module.register_forward_hook(told("forward"), with_kwargs=True),
               module.register_full_backward_pre_hook(told("backward pre")),
               module.register_full_backward_hook(told("backward")),
               module.register_state_dict_pre_hook(lambda *a: log.append(("state pre", a[1]))),
               module.register_state_dict_post_hook(lambda *a: log.append(("state", sorted(a[1])))),
               module.register_load_state_dict_pre_hook(lambda *a: log.append(("load pre", sorted(a[1])))),
               module.register_load_state_dict_post_hook(lambda *a: log.append(("load", list(a[1].missing_keys))))]
    package.manual_seed(5)
    outs = [x for x in leaves(module(*args, **kwargs)) if x.requires_grad]
    if outs:
        sum(x.abs().sum() for x in outs).backward()
    module.load_state_dict(module.state_dict())
    for handle in handles:
        handle.remove()
    module(*args, **kwargs)
    return log


def _shapes(value):
    if isinstance(value, torch.Tensor | torchlike.Tensor):
        return str(value.dtype).replace("torchlike", "torch"), tuple(value.shape)
    if isinstance(value, dict):
        return {k: _shapes(v) for k, v in value.items()}
    return [_shapes(v) for v in value] if isinstance(value, list | tuple) else type(value).__name__


def copies(module, given) -> str:
    """A deep copy and a pickled copy compute what the module does."""
    def run(module):
        args, kwargs = _arguments(given.forward_input)
        torchlike.manual_seed(5)
        return leaves(module(*args, **kwargs))

    made = attempt(lambda: [copy.deepcopy(module), pickle.loads(pickle.dumps(module))])
    want = attempt(lambda: run(module))
    if isinstance(made, Raised) or isinstance(want, Raised):
        return str(made) if isinstance(made, Raised) else ""  # told by the forward check
    for other in made:
        got = attempt(lambda other=other: run(other))
        if isinstance(got, Raised) or not all(torchlike.equal(a, b) or bool(a.isnan().any())
                                              for a, b in zip(want, got, strict=True)):
            return f"a copy gives {got if isinstance(got, Raised) else 'other values'}"
    return ""


def converted(module, package) -> list:
    """Dtypes and flags after conversions, and what `zero_grad` and `requires_grad_` do."""
    log: list[list] = []
    for step in ("half", "bfloat16", "float", "double"):
        getattr(module, step)()
        log.append([str(x.dtype) for x in module.state_dict().values()])
    module.to(package.float32).requires_grad_(False)
    log.append([p.requires_grad for p in module.parameters()])
    module.requires_grad_(True).zero_grad()
    log.append([p.grad is None for p in module.parameters()])
    log.append([module.apply(lambda m: None) is module, module.training, module.eval().training])
    return log


def error(info, given) -> str:
    """The exception of arguments that must be refused: its type, and PyTorch's expression for its text."""
    mine = given.module_error_input
    kind = class_of(info.module_cls)

    def run():
        args, kwargs = _arguments(mine.constructor_input)
        module = kind(*args, **kwargs)
        if given.error_on is ModuleErrorEnum.FORWARD_ERROR:
            args, kwargs = _arguments(mine.forward_input)
            module(*args, **kwargs)

    got = attempt(run)
    if not isinstance(got, Raised):
        return f"no {given.error_type.__name__}"
    same = type(got.error).__name__ == given.error_type.__name__ and re.search(given.error_regex, str(got.error))
    return "" if same else f"{given.error_type.__name__}: {given.error_regex} | ours {got}"
