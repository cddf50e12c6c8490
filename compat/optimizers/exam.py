"""All checks of one optimizer of `torch.testing._internal.common_optimizers.optim_db`, with counts.

Both libraries get the same parameters and gradients; compared are the parameters after some steps, the state, warnings
and errors.
"""

import copy
import warnings
from typing import Any

import torch
from torch.testing._internal.common_optimizers import OptimizerErrorEnum, optim_db

import torchlike
from compat import compare, findings
from compat.compare import tolerances
from compat.optimizers.running import build, convert, run, steps, takes

CHECKS = ("sets", "flags", "errors", "state", "derivatives")
INFOS: dict[str, Any] = {info.name: info for info in optim_db if info.name != "SparseAdam"}  # there are no sparse tensors
MORE = {  # what torch's table leaves out
    "Adafactor": [{"eps": (1e-6, 1e-2)}, {"lr": 0.3}, {"lr": torch.tensor(0.02).double()}, {"beta2_decay": 0.0}],
    "Muon": [{"adjust_lr_fn": "match_rms_adamw", "nesterov": False}, {"adjust_lr_fn": "original", "eps": 1e-3},
             {"weight_decay": 0.0, "momentum": 0.0}, {"ns_steps": 0}, {"ns_steps": 100}, {"ns_coefficients": (1.0, 2.0)}],
    "LBFGS": [{"lr": 0.1, "max_iter": 3}, {"history_size": 3}, {"max_eval": 7, "max_iter": 9},
              {"line_search_fn": "strong_wolfe", "lr": 0.5, "max_iter": 7}, {"line_search_fn": "golden"},
              {"line_search_fn": "strong_wolfe", "max_eval": 3}, {"tolerance_change": 0.1}],
    "SGD": [{"lr": 0.0}, {"momentum": 0.9, "lr": torch.tensor([0.1])}], "Adam": [{"betas": (0.0, 0.0)}, {"eps": 0.0}],
    "RMSprop": [{"alpha": 0.3, "momentum": 0.9}], "ASGD": [{"t0": 3, "alpha": 0.5}],
}
SETS = {name: [*(i.kwargs for i in info.optim_inputs_func("cpu")), *MORE.get(name, [])] for name, info in INFOS.items()}
DTYPES = ("float32", "float64", "complex64", "complex128", "bfloat16", "float16")
FLAGS = ("foreach", "fused", "differentiable", "maximize", "capturable")
_DOUBLE = ("float64", "complex128")
_ITERATIONS = {"float32": 5, "complex64": 5, "bfloat16": 2, "float16": 2}  # of L-BFGS, before digits decide about its way


def examine(name, dtypes=DTYPES) -> dict:
    """{check: {"passed", "failed", "first"}} for an optimizer."""
    found = {check: findings.tally() for check in CHECKS}
    for i, options in enumerate(SETS[name]):
        for dtype in dtypes:
            findings.add(found["sets"], steps_differ(name, options, dtype), f"{options} {dtype}")
        for flag in FLAGS:
            if takes(INFOS[name], flag):
                findings.add(found["flags"], steps_differ(name, {**options, flag: True}, count=3), f"{options} {flag}")
        if takes(INFOS[name], "differentiable"):
            findings.add(found["derivatives"], derivatives_differ(name, i), str(options))
    for given in error_inputs(name):
        findings.add(found["errors"], errors_differ(name, given), str(given.optimizer_error_input.desc))
    for giver in (torch, torchlike):
        findings.add(found["state"], state_differs(name, giver), f"from {giver.__name__}")
    return {check: counted for check, counted in found.items() if counted["passed"] + counted["failed"]}


def last_options(name) -> dict:
    """The last set of torch's has the most options."""
    return [i.kwargs for i in INFOS[name].optim_inputs_func("cpu")][-1]


def error_inputs(name):
    """What must be refused."""
    return INFOS[name].optim_error_inputs_func("cpu", torch.float32)


def steps_differ(name, options, dtype="float32", count=20) -> str:
    """Parameters, state and warnings after some steps."""
    if name == "LBFGS":
        return _lbfgs_differs(options, dtype, count)
    theirs, mine = (run(lib, INFOS[name], options, dtype, count) for lib in (torch, torchlike))
    return compare.difference(theirs, mine, allowed(name, dtype))


def _lbfgs_differs(options, dtype, count):
    """The first iterations whole; in double precision also where all steps lead to. Near the end the curvature comes
    from differences of almost equal numbers.
    """
    double = dtype in _DOUBLE
    first = options if double else {**options, "max_iter": _ITERATIONS[dtype]}
    theirs, mine = (run(lib, INFOS["LBFGS"], first, dtype, 1) for lib in (torch, torchlike))
    found = compare.difference(theirs, mine, allowed("LBFGS", dtype))
    if double and not found:
        theirs, mine = (run(lib, INFOS["LBFGS"], options, dtype, count)[0][0] for lib in (torch, torchlike))
        found = compare.difference(theirs, mine, tolerances.steps(*tolerances.ENDS_OF_LBFGS))
    return found


def allowed(name, dtype) -> tolerances.Tolerance:
    """Muon's matrices are rounded to bfloat16 on the way; an iteration of L-BFGS goes on from all before it."""
    relative, absolute = tolerances.OPTIMIZERS[dtype]
    if name == "Muon":
        absolute = max(absolute, 2e-3)
    return tolerances.steps(100 * relative, 100 * absolute) if name == "LBFGS" else tolerances.steps(relative, absolute)


def errors_differ(name, given) -> str:
    """Type and text of the error, and the warnings, of an input of torch's table."""
    answers = []
    for lib in (torch, torchlike):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            answers.append((_attempt(lib, name, given), [(w.category, str(w.message)) for w in caught]))
    if given.error_type is not UserWarning and (answers[0][0] is None or answers[0][0][0] is not given.error_type):
        return f"torch: {answers[0]}"
    return "" if answers[1] == answers[0] else f"{answers[0]}, ours {answers[1]}"


def _attempt(lib, name, given):
    """The error of an input of torch's table, or None."""
    params = given.optimizer_error_input.params
    params = _own([torch.ones(2, 2)] if params is None else params, lib, {})
    try:
        optimizer = getattr(lib.optim, name)(params, **convert(given.optimizer_error_input.kwargs, lib))
        if given.error_on is OptimizerErrorEnum.STEP_ERROR:
            optimizer.step()
    except Exception as error:  # noqa: BLE001 - whatever torch raises
        return type(error), str(error)
    return None


def _own(value, lib, made):
    """Parameters of the library with gradients; one that is given twice stays one."""
    if isinstance(value, torch.Tensor):
        if id(value) not in made:
            kind = lib.nn.Parameter if isinstance(value, torch.nn.Parameter) else (lambda x: x)
            made[id(value)] = kind(convert(value.detach(), lib))
            made[id(value)].grad = None if value.grad is None else convert(value.grad, lib)
        return made[id(value)]
    if isinstance(value, dict):
        return {k: _own(v, lib, made) for k, v in value.items()}
    return type(value)(_own(v, lib, made) for v in value) if isinstance(value, list | tuple) else value


def state_differs(name, giver) -> str:
    """Three steps, the state goes to the other library, three steps there: as six steps."""
    info, options = INFOS[name], last_options(name)
    taker = torchlike if giver is torch else torch
    dtype = "float64" if name == "LBFGS" else "float32"
    straight = run(giver, info, options, dtype, count=6)[0]
    params, first = build(giver, info, options, dtype)
    steps(giver, info, params, first, dtype, range(3))
    others, second = build(taker, info, {}, dtype)
    for p, q in zip(others, params, strict=True):
        p.data.copy_(convert(q.detach(), taker))
    second.load_state_dict(convert(copy.deepcopy(first.state_dict()), taker))
    steps(taker, info, others, second, dtype, range(3, 6))
    made = compare.describe((others, second.state_dict()))
    return compare.difference(straight, made, allowed(name, dtype))


def derivatives_differ(name, number) -> str:
    """With `differentiable`, by the parameter and by its gradient; PyTorch corrects Adam's moments in 32 bits then."""
    found = []
    for lib in (torch, torchlike):
        leaf = convert(torch.linspace(-2, 1.5, 12, dtype=torch.float64).reshape(3, 4), lib).requires_grad_()
        grad = convert(torch.linspace(1, -3, 12, dtype=torch.float64).reshape(3, 4), lib).requires_grad_()
        p = leaf.clone()
        optimizer = getattr(lib.optim, name)([p], **convert(SETS[name][number], lib), differentiable=True)
        p.grad = grad
        try:
            optimizer.step()
            (p * p).sum().backward()
            found.append(compare.describe([lib.zeros_like(x) if x.grad is None else x.grad for x in (leaf, grad)]))
        except Exception as error:  # noqa: BLE001 - whatever torch raises
            found.append(compare.raised(error))
    theirs, mine = found
    return compare.difference(theirs, mine, tolerances.steps(*tolerances.DERIVATIVES_OF_STEPS))
