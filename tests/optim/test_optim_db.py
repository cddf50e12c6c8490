"""All optimizers by torch's own table of their option sets and errors: twenty steps under both libraries.

The whole product with dtypes and flags is slow: `pytest -m slow`; a sample of it always runs.
"""

import copy
import warnings

import pytest
import torch
from torch.testing._internal.common_optimizers import OptimizerErrorEnum, optim_db

import torchlike
from tests.optim.optim_compare import (
    TOLERANCE,
    build,
    convert,
    difference,
    numbers,
    run,
    steps,
    takes,
)

INFOS = {info.name: info for info in optim_db if info.name != "SparseAdam"}  # there are no sparse tensors
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
CASES = [(name, i) for name, sets in SETS.items() for i in range(len(sets))]
ERRORS = [(name, i) for name, info in INFOS.items()
          for i in range(len(info.optim_error_inputs_func("cpu", torch.float32)))]
DTYPES = ("float32", "float64", "complex64", "complex128", "bfloat16", "float16")
FLAGS = ("foreach", "fused", "differentiable", "maximize", "capturable")


DOUBLE = ("float64", "complex128")
ITERATIONS = {"float32": 5, "complex64": 5, "bfloat16": 2, "float16": 2}  # of L-BFGS, before digits decide about its way


def compare(name, options, dtype="float32", count=20):
    if name == "LBFGS":
        follow_lbfgs(options, dtype, count)
        return
    theirs, mine = (run(lib, INFOS[name], options, dtype, count) for lib in (torch, torchlike))
    found = difference(mine, theirs, allowed(name, dtype))
    assert found is None, found


def follow_lbfgs(options, dtype, count):
    """The first iterations whole; in double precision also where all steps lead to. Near the end the curvature comes
    from differences of almost equal numbers.
    """
    double = dtype in DOUBLE
    first = options if double else {**options, "max_iter": ITERATIONS[dtype]}
    theirs, mine = (run(lib, INFOS["LBFGS"], first, dtype, 1) for lib in (torch, torchlike))
    found = difference(mine, theirs, allowed("LBFGS", dtype))
    if double and found is None:
        theirs, mine = (run(lib, INFOS["LBFGS"], options, dtype, count)[0][0] for lib in (torch, torchlike))
        found = difference(mine, theirs, (1e-5, 1e-5))
    assert found is None, found


def allowed(name, dtype):
    """Muon's matrices are rounded to bfloat16 on the way; an iteration of L-BFGS goes on from all before it."""
    relative, absolute = TOLERANCE[dtype]
    if name == "Muon":
        return relative, max(absolute, 2e-3)
    return (100 * relative, 100 * absolute) if name == "LBFGS" else (relative, absolute)


@pytest.mark.parametrize("name", INFOS)
def test_twenty_steps(name):
    """The last set of torch's has the most options. Three steps of L-BFGS are sixty iterations."""
    options = [i.kwargs for i in INFOS[name].optim_inputs_func("cpu")][-1]
    compare(name, options, *(("float64", 3) if name == "LBFGS" else ()))


def every_set():
    """Each set in each dtype; CI tries each in float32, and in one or two more."""
    return [pytest.param(*case, dtype, marks=[pytest.mark.slow, *([pytest.mark.exhaustive] if k and (k + i) % 3 else [])])
            for i, case in enumerate(CASES) for k, dtype in enumerate(DTYPES)]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "number", "dtype"), every_set())
def test_every_set(name, number, dtype):
    compare(name, SETS[name][number], dtype)


@pytest.mark.slow
@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize(("name", "number"), CASES)
def test_every_flag(name, number, flag):
    if takes(INFOS[name], flag):
        compare(name, {**SETS[name][number], flag: True}, count=3)


@pytest.mark.parametrize(("name", "number"), ERRORS)
def test_error_inputs(name, number):
    given = INFOS[name].optim_error_inputs_func("cpu", torch.float32)[number]
    answers = []
    for lib in (torch, torchlike):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            answers.append((attempt(lib, name, given), [(w.category, str(w.message)) for w in caught]))
    if given.error_type is not UserWarning:
        assert answers[0][0][0] is given.error_type
    assert answers[1] == answers[0]


def attempt(lib, name, given):
    """The error of an input of torch's table, or None."""
    params = given.optimizer_error_input.params
    params = [torch.ones(2, 2)] if params is None else params
    made: dict = {}
    params = own(params, lib, made)
    try:
        optimizer = getattr(lib.optim, name)(params, **convert(given.optimizer_error_input.kwargs, lib))
        if given.error_on is OptimizerErrorEnum.STEP_ERROR:
            optimizer.step()
    except Exception as error:  # noqa: BLE001 - whatever torch raises
        return type(error), str(error)
    return None


def own(value, lib, made):
    """Parameters of the library with gradients; one that is given twice stays one."""
    if isinstance(value, torch.Tensor):
        if id(value) not in made:
            kind = lib.nn.Parameter if isinstance(value, torch.nn.Parameter) else (lambda x: x)
            made[id(value)] = kind(convert(value.detach(), lib))
            made[id(value)].grad = None if value.grad is None else convert(value.grad, lib)
        return made[id(value)]
    if isinstance(value, dict):
        return {k: own(v, lib, made) for k, v in value.items()}
    return type(value)(own(v, lib, made) for v in value) if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("giver", [torch, torchlike], ids=lambda lib: f"from {lib.__name__}")
@pytest.mark.parametrize("name", INFOS)
def test_state_goes_to_the_other_library(name, giver):
    info, options = INFOS[name], [i.kwargs for i in INFOS[name].optim_inputs_func("cpu")][-1]
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
    found = numbers(others), numbers(second.state_dict())
    assert difference(found, straight, allowed(name, dtype)) is None


@pytest.mark.slow
@pytest.mark.parametrize(("name", "number"), [c for c in CASES if takes(INFOS[c[0]], "differentiable")])
def test_derivative_of_a_step(name, number):
    """With `differentiable`, by the parameter and by its gradient; PyTorch corrects Adam's moments in 32 bits then."""
    found = []
    for lib in (torch, torchlike):
        leaf = convert(torch.linspace(-2, 1.5, 12, dtype=torch.float64).reshape(3, 4), lib).requires_grad_()
        grad = convert(torch.linspace(1, -3, 12, dtype=torch.float64).reshape(3, 4), lib).requires_grad_()
        p = leaf.clone()
        options = convert(SETS[name][number], lib)
        optimizer = getattr(lib.optim, name)([p], **options, differentiable=True)
        p.grad = grad
        try:
            optimizer.step()
            (p * p).sum().backward()
            found.append(numbers([lib.zeros_like(x) if x.grad is None else x.grad for x in (leaf, grad)]))
        except Exception as error:  # noqa: BLE001 - whatever torch raises
            found.append((type(error), str(error)))
    wrong = difference(found[1], found[0], (1e-6, 1e-6))
    assert wrong is None, wrong


def test_a_difference_is_seen():
    a, b = (run(torch, INFOS["Adam"], {"eps": eps}) for eps in (1e-8, 1e-4))
    assert difference(a, a, TOLERANCE["float32"]) is None
    assert "off by" in difference(([a[0][0]],), ([b[0][0]],), TOLERANCE["float32"])
    assert "instead of" in difference(a[0][1], b[0][1]["param_groups"], TOLERANCE["float32"])
