"""Schedulers against real torch: every rate of many steps to the last bit, states both ways, errors, warnings."""

import copy
import math
import warnings

import pytest
import torch

import torchlike
from torchlike._compile.executors import hot

LIBS = (torch, torchlike)


class Halving:
    """A callable object: its attributes are saved, a plain function is not."""

    def __init__(self, base=0.5):
        self.base = base

    def __call__(self, x):
        return self.base ** x


# name: scheduler of the library's lr_scheduler module and an optimizer with two groups
PLAIN = {
    "LambdaLR": lambda s, o: s.LambdaLR(o, lambda epoch: 0.95 ** epoch),
    "LambdaLR each": lambda s, o: s.LambdaLR(o, [lambda epoch: epoch // 3, Halving()]),
    "MultiplicativeLR": lambda s, o: s.MultiplicativeLR(o, lambda epoch: 0.93),
    "MultiplicativeLR each": lambda s, o: s.MultiplicativeLR(o, (Halving(0.99), lambda epoch: 1 - 0.01 * epoch)),
    "StepLR": lambda s, o: s.StepLR(o, 3),
    "StepLR gamma": lambda s, o: s.StepLR(o, step_size=4, gamma=0.7),
    "MultiStepLR": lambda s, o: s.MultiStepLR(o, [2, 5, 5, 9], gamma=0.3),
    "ConstantLR": lambda s, o: s.ConstantLR(o),
    "ConstantLR factor": lambda s, o: s.ConstantLR(o, factor=0.7, total_iters=9),
    "LinearLR": lambda s, o: s.LinearLR(o),
    "LinearLR down": lambda s, o: s.LinearLR(o, start_factor=0.9, end_factor=0.1, total_iters=11),
    "ExponentialLR": lambda s, o: s.ExponentialLR(o, 0.9),
    "PolynomialLR": lambda s, o: s.PolynomialLR(o),
    "PolynomialLR power": lambda s, o: s.PolynomialLR(o, total_iters=13, power=0.9),
    "CosineAnnealingLR": lambda s, o: s.CosineAnnealingLR(o, 7),
    "CosineAnnealingLR eta_min": lambda s, o: s.CosineAnnealingLR(o, T_max=10, eta_min=0.013),
    "CosineAnnealingWarmRestarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 5),
    "CosineAnnealingWarmRestarts T_mult": lambda s, o: s.CosineAnnealingWarmRestarts(o, 3, T_mult=2, eta_min=0.01),
    "CyclicLR": lambda s, o: s.CyclicLR(o, 0.01, 0.1, step_size_up=5),
    "CyclicLR triangular2": lambda s, o: s.CyclicLR(o, 0.01, [0.1, 0.2], step_size_up=3, step_size_down=6,
                                                    mode="triangular2", base_momentum=[0.7, 0.75]),
    "CyclicLR exp_range": lambda s, o: s.CyclicLR(o, [0.01, 0.03], 0.1, step_size_up=4, mode="exp_range", gamma=0.97),
    "CyclicLR scale_fn": lambda s, o: s.CyclicLR(o, 0.01, 0.1, step_size_up=4, scale_fn=Halving(0.8)),
    "CyclicLR iterations": lambda s, o: s.CyclicLR(o, 0.01, 0.1, step_size_up=4, scale_fn=lambda x: 1 / (x + 1),
                                                   scale_mode="iterations", cycle_momentum=False),
    "OneCycleLR": lambda s, o: s.OneCycleLR(o, 0.1, total_steps=50),
    "OneCycleLR linear": lambda s, o: s.OneCycleLR(o, [0.1, 0.3], epochs=5, steps_per_epoch=9, anneal_strategy="linear"),
    "OneCycleLR three_phase": lambda s, o: s.OneCycleLR(o, 0.1, 47, three_phase=True, pct_start=0.35, div_factor=10.0,
                                                        base_momentum=0.8, max_momentum=[0.9, 0.99]),
    "OneCycleLR no momentum": lambda s, o: s.OneCycleLR(o, 0.1, 47, cycle_momentum=False, final_div_factor=100.0),
    "ChainedScheduler": lambda s, o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 4), s.ExponentialLR(o, 0.9)]),
    "ChainedScheduler three": lambda s, o: s.ChainedScheduler(
        [s.StepLR(o, 4), s.LinearLR(o), s.CosineAnnealingLR(o, 9, 0.001)], optimizer=o),
    "SequentialLR": lambda s, o: s.SequentialLR(o, [s.ConstantLR(o, 0.1, 3), s.ExponentialLR(o, 0.9)], [6]),
    "SequentialLR three": lambda s, o: s.SequentialLR(
        o, [s.LinearLR(o, 0.1, total_iters=5), s.CosineAnnealingLR(o, 10), s.StepLR(o, 3)], milestones=[5, 15]),
    "SequentialLR restarts": lambda s, o: s.SequentialLR(
        o, [s.LinearLR(o), s.CosineAnnealingWarmRestarts(o, 4)], milestones=[5]),
    "SequentialLR nested": lambda s, o: s.SequentialLR(
        o, [s.SequentialLR(o, [s.ConstantLR(o), s.StepLR(o, 2)], [4]), s.PolynomialLR(o, 9)], milestones=[10]),
    "SequentialLR chained": lambda s, o: s.SequentialLR(
        o, [s.ChainedScheduler([s.ConstantLR(o), s.ExponentialLR(o, 0.8)]), s.PolynomialLR(o, 9)], milestones=[10]),
    "SWALR": lambda s, o: swa(s).SWALR(o, 0.03),
    "SWALR linear": lambda s, o: swa(s).SWALR(o, [0.03, 0.5], anneal_epochs=4, anneal_strategy="linear"),
    "SWALR at once": lambda s, o: swa(s).SWALR(o, 0.03, anneal_epochs=0),
}
CLOSED = ["StepLR gamma", "MultiStepLR", "ConstantLR factor", "LinearLR down", "ExponentialLR", "PolynomialLR power",
          "CosineAnnealingLR eta_min", "LambdaLR", "MultiplicativeLR"]
PLATEAU = {
    "default": {}, "abs": {"threshold_mode": "abs", "threshold": 0.02, "patience": 1},
    "max": {"mode": "max", "patience": 2, "factor": 0.5, "cooldown": 3}, "max abs": {"mode": "max", "threshold_mode": "abs"},
    "smallest": {"patience": 0, "min_lr": [0.02, 0.001]}, "eps": {"patience": 0, "eps": 0.01}, "one": {"min_lr": 0.05},
}


def library(schedulers):
    return torchlike if schedulers is torchlike.optim.lr_scheduler else torch


def swa(schedulers):
    return library(schedulers).optim.swa_utils


def optimizer(lib, name="SGD", tensors=False, **options):
    rates = [lib.tensor(0.1), lib.tensor(0.37)] if tensors else [0.1, 0.37]
    groups = [{"params": [lib.ones(2)], "lr": rate} for rate in rates]
    options = {"momentum": 0.9} if name == "SGD" and not options else options
    return getattr(lib.optim, name)(groups, **options)


def plain(value):
    """Tensors as their dtype and number, callable objects and schedulers' parts as their attributes."""
    if isinstance(value, torch.Tensor | torchlike.Tensor):
        return str(value.dtype), value.tolist()
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(plain(v) for v in value)
    return value


def look(opt, scheduler):
    groups = [{key: plain(v) for key, v in group.items() if key != "params"} for group in opt.param_groups]
    return groups, plain(scheduler.get_last_lr()), plain(scheduler.state_dict())


def walk(lib, make, steps=22, **options):
    """What is seen after each of these steps, then the warnings: a combination of combinations gives one."""
    opt = optimizer(lib, **options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scheduler = make(lib.optim.lr_scheduler, opt)
        seen = [look(opt, scheduler)]
        for _ in range(steps):
            opt.step()
            scheduler.step()
            seen.append(look(opt, scheduler))
    return [*seen, [(w.category, str(w.message)) for w in caught]]


@pytest.mark.parametrize("name", PLAIN)
def test_every_rate(name):
    theirs, mine = (walk(lib, PLAIN[name], steps=45) for lib in LIBS)
    assert mine == theirs


@pytest.mark.parametrize("name", [n for n in PLAIN if "CyclicLR" in n or "OneCycleLR" in n])
def test_betas_are_cycled(name):
    theirs, mine = (walk(lib, PLAIN[name], name="Adam") for lib in LIBS)
    assert mine == theirs


@pytest.mark.parametrize("name", PLAIN)
def test_tensor_rates(name):
    theirs, mine = (walk(lib, PLAIN[name], steps=12, tensors=True) for lib in LIBS)
    assert agree(mine, theirs)


def agree(mine, theirs) -> bool:
    """Equal but for the last digit of float32: once XLA has compiled several operations as one, they round less often."""
    if isinstance(mine, float) and isinstance(theirs, float):
        return mine == pytest.approx(theirs, rel=3e-7)
    if isinstance(mine, dict) and isinstance(theirs, dict):
        return mine.keys() == theirs.keys() and all(agree(mine[k], theirs[k]) for k in mine)
    if isinstance(mine, list | tuple) and isinstance(theirs, list | tuple):
        return len(mine) == len(theirs) and all(map(agree, mine, theirs))
    return mine == theirs


@pytest.mark.parametrize("name", CLOSED + [n for n in PLAIN if "Restarts" in n and "Seq" not in n])
def test_step_with_an_epoch(name):
    seen = []
    for lib in LIBS:
        opt = optimizer(lib)
        scheduler = PLAIN[name](lib.optim.lr_scheduler, opt)
        opt.step()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            looks = []
            for epoch in (1, 4, 5, 2, 11, 0, 30):
                scheduler.step(epoch)
                looks.append(look(opt, scheduler))
            scheduler.step()
        seen.append((looks, look(opt, scheduler), [(w.category, str(w.message), w.filename) for w in caught]))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("giver", LIBS, ids=lambda lib: f"from {lib.__name__}")
def test_state_goes_to_the_other_library(name, giver):
    taker = torchlike if giver is torch else torch
    straight = walk(taker, PLAIN[name], steps=14)
    given, taken = optimizer(giver), optimizer(taker)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first, second = (PLAIN[name](lib.optim.lr_scheduler, o) for lib, o in ((giver, given), (taker, taken)))
    for _ in range(8):
        given.step()
        first.step()
    saved = copy.deepcopy(first.state_dict())
    taken.load_state_dict(copy.deepcopy(given.state_dict()))
    second.load_state_dict(saved)
    assert look(taken, second) == straight[8]
    for i in range(9, 15):
        taken.step()
        second.step()
        assert look(taken, second) == straight[i]


@pytest.mark.parametrize("name", PLATEAU)
@pytest.mark.parametrize("tensors", [False, True])
def test_plateau(name, tensors):
    def run(lib):
        opt = optimizer(lib, tensors=tensors)
        scheduler = lib.optim.lr_scheduler.ReduceLROnPlateau(opt, **PLATEAU[name])
        seen = []
        for i in range(40):
            figure = 1 + math.sin(i) / (i + 1)
            scheduler.step(lib.tensor(figure) if tensors else figure)
            seen.append((*look(opt, scheduler), scheduler.in_cooldown))
        other = lib.optim.lr_scheduler.ReduceLROnPlateau(opt)
        other.load_state_dict(scheduler.state_dict())
        return seen, look(opt, other)

    assert run(torchlike) == run(torch)


@pytest.mark.parametrize("last_epoch", [0, 4, 9])
@pytest.mark.parametrize("make", [
    lambda s, o, e: s.LambdaLR(o, Halving(), last_epoch=e), lambda s, o, e: s.MultiplicativeLR(o, Halving(), e),
    lambda s, o, e: s.StepLR(o, 5, last_epoch=e), lambda s, o, e: s.MultiStepLR(o, [1, 5, 10], last_epoch=e),
    lambda s, o, e: s.ConstantLR(o, last_epoch=e), lambda s, o, e: s.LinearLR(o, last_epoch=e),
    lambda s, o, e: s.ExponentialLR(o, 0.9, e), lambda s, o, e: s.PolynomialLR(o, last_epoch=e),
    lambda s, o, e: s.CosineAnnealingLR(o, 5, last_epoch=e),
    lambda s, o, e: s.CosineAnnealingWarmRestarts(o, 5, last_epoch=e),
    lambda s, o, e: s.CyclicLR(o, 0.1, 0.2, 4, last_epoch=e, cycle_momentum=False),
    lambda s, o, e: s.CyclicLR(o, 0.1, 0.2, 4, last_epoch=e), lambda s, o, e: s.OneCycleLR(o, 0.1, 30, last_epoch=e),
    lambda s, o, e: swa(s).SWALR(o, 0.1, last_epoch=e),
], ids=range(14))
def test_last_epoch(make, last_epoch):
    def run(lib):
        opt = optimizer(lib)
        extra = {"max_lr": 0.1, "min_lr": 1e-5, "max_momentum": 0.95, "base_momentum": 0.85}
        for group in opt.param_groups:
            group.update(extra, initial_lr=group["lr"])
        opt.step()
        scheduler = make(lib.optim.lr_scheduler, opt, last_epoch)
        seen = [look(opt, scheduler)]
        for _ in range(6):
            opt.step()
            scheduler.step()
            seen.append(look(opt, scheduler))
        return seen

    assert run(torchlike) == run(torch)


# -- what is refused, and what is warned of

def late_group(s, o, make):
    """A group that is added after the scheduler was made."""
    scheduler = make(s, o)
    o.add_param_group({"params": [library(s).zeros(2)], "lr": 0.5})
    o.step()
    for _ in range(12):
        scheduler.step()
    return look(o, scheduler)


def plateau_with_late_group(s, o, **options):
    scheduler = s.ReduceLROnPlateau(o, patience=0, **options)
    o.add_param_group({"params": [library(s).zeros(2)], "lr": 0.5})
    for _ in range(3):
        scheduler.step(1.0)
    return look(o, scheduler)


def too_far(s, o):
    scheduler = s.OneCycleLR(o, 0.1, 3)
    o.step()
    for _ in range(5):
        scheduler.step()


ANSWERS = [
    lambda s, o: s.StepLR(3, 2), lambda s, o: s.CyclicLR(object(), 0.1, 0.2), lambda s, o: s.OneCycleLR("", 0.1, 3),
    lambda s, o: s.ReduceLROnPlateau(None), lambda s, o: s.ReduceLROnPlateau(None, factor=1.0),
    lambda s, o: s.LRScheduler(o),
    lambda s, o: s._LRScheduler(o), lambda s, o: s.StepLR(o, 2, last_epoch=3), lambda s, o: s.StepLR(o, 0).step(),
    lambda s, o: s.LambdaLR(o, [abs]), lambda s, o: s.LambdaLR(o, 3), lambda s, o: s.MultiplicativeLR(o, [abs] * 3),
    lambda s, o: s.MultiplicativeLR(o, 0.5), lambda s, o: s.ConstantLR(o, 1.1), lambda s, o: s.ConstantLR(o, -0.1),
    lambda s, o: s.ConstantLR(o, 0, 1).step(), lambda s, o: s.LinearLR(o, 0), lambda s, o: s.LinearLR(o, 1.5),
    lambda s, o: s.LinearLR(o, 0.5, 1.5), lambda s, o: s.LinearLR(o, 0.5, -1),
    lambda s, o: s.CosineAnnealingWarmRestarts(o, 0),
    lambda s, o: s.CosineAnnealingWarmRestarts(o, 2.5), lambda s, o: s.CosineAnnealingWarmRestarts(o, 2, 0),
    lambda s, o: s.CosineAnnealingWarmRestarts(o, 2, 1.5), lambda s, o: s.CosineAnnealingWarmRestarts(o, 2, 1, "x"),
    lambda s, o: s.CosineAnnealingWarmRestarts(o, 2).step(-1), lambda s, o: s.CyclicLR(o, [0.1], 0.2),
    lambda s, o: s.CyclicLR(o, 0.1, [0.1, 0.2, 0.3]), lambda s, o: s.CyclicLR(o, 0.1, 0.2, mode="round"),
    lambda s, o: s.CyclicLR(o, 0.1, 0.2, base_momentum=[1]), lambda s, o: s.CyclicLR(o, 0.1, 0.2, max_momentum=(1, 2, 3)),
    lambda s, o: s.OneCycleLR(o, 0.1), lambda s, o: s.OneCycleLR(o, 0.1, 0), lambda s, o: s.OneCycleLR(o, 0.1, 2.5),
    lambda s, o: s.OneCycleLR(o, 0.1, epochs=3), lambda s, o: s.OneCycleLR(o, 0.1, epochs=0, steps_per_epoch=3),
    lambda s, o: s.OneCycleLR(o, 0.1, epochs=2, steps_per_epoch=3.5), lambda s, o: s.OneCycleLR(o, 0.1, 9, pct_start=2),
    lambda s, o: s.OneCycleLR(o, 0.1, 9, pct_start=1), lambda s, o: s.OneCycleLR(o, 0.1, 9, anneal_strategy="sin"),
    lambda s, o: s.OneCycleLR(o, [0.1], 9), too_far,
    lambda s, o: s.ReduceLROnPlateau(o, factor=1.0), lambda s, o: s.ReduceLROnPlateau(o, mode="mid"),
    lambda s, o: s.ReduceLROnPlateau(o, threshold_mode="mid"), lambda s, o: s.ReduceLROnPlateau(o, min_lr=[1]),
    lambda s, o: s.ReduceLROnPlateau(o).step("x"), lambda s, o: s.ReduceLROnPlateau(o).step(),
    plateau_with_late_group, lambda s, o: plateau_with_late_group(s, o, min_lr=[0.01, 0.02]),
    lambda s, o: s.ChainedScheduler([]), lambda s, o: s.ChainedScheduler([s.StepLR(o, 2), 3]),
    lambda s, o: s.ChainedScheduler([3]), lambda s, o: s.ChainedScheduler([s.StepLR(o, 2), s.ReduceLROnPlateau(o)]),
    lambda s, o: s.ChainedScheduler([s.StepLR(o, 2), s.StepLR(copy.deepcopy(o), 2)]),
    lambda s, o: s.SequentialLR(o, [], []), lambda s, o: s.SequentialLR(o, [s.StepLR(o, 2)], [3]),
    lambda s, o: s.SequentialLR(o, [3], []), lambda s, o: s.SequentialLR(o, [s.ReduceLROnPlateau(o)], []),
    lambda s, o: s.SequentialLR(copy.deepcopy(o), [s.StepLR(o, 2)], []),
    lambda s, o: swa(s).SWALR(o, 0.1, anneal_strategy="sin"), lambda s, o: swa(s).SWALR(o, 0.1, anneal_epochs=-1),
    lambda s, o: swa(s).SWALR(o, 0.1, anneal_epochs=1.5), lambda s, o: swa(s).SWALR(o, [0.1]),
    lambda s, o: swa(s).SWALR(3, 0.1),
    lambda s, o: s.StepLR(o, 2).get_lr(), lambda s, o: swa(s).SWALR(o, 0.1).get_lr(),
    lambda s, o: s.CyclicLR(o, 1, 2).get_lr(),
    lambda s, o: s.StepLR(o, 2).step(), lambda s, o: s.StepLR(o, 2).step(epoch=3),
    *(lambda s, o, name=name: late_group(s, o, PLAIN[name]) for name in PLAIN),
]


@pytest.mark.parametrize("number", range(len(ANSWERS)))
def test_errors_and_warnings(number):
    answers = []
    for lib in LIBS:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            opt = optimizer(lib)
            try:
                out = plain(ANSWERS[number](lib.optim.lr_scheduler, opt))
            except Exception as error:  # noqa: BLE001 - whatever torch raises
                out = type(error), str(error)
        out = None if isinstance(out, torch.optim.lr_scheduler.LRScheduler) else out
        answers.append((out, [(w.category, str(w.message)) for w in caught]))
    assert answers[1] == answers[0]


def no_momentum(lib, scheduler):
    opt = lib.optim.Adagrad([lib.ones(2)])
    return getattr(lib.optim.lr_scheduler, scheduler)(opt, 0.1, 7)


@pytest.mark.parametrize("name", ["CyclicLR", "OneCycleLR"])
def test_an_optimizer_without_momentum(name):
    texts = []
    for lib in LIBS:
        with pytest.raises(ValueError, match="cycle_momentum") as error:
            no_momentum(lib, name)
        texts.append(str(error.value))
    assert texts[0] == texts[1]


def overridden_step(lib):
    opt = optimizer(lib)
    scheduler = lib.optim.lr_scheduler.StepLR(opt, 3)
    opt.step = lambda: None
    return scheduler.step


def second_scheduler(lib):
    opt = optimizer(lib)
    opt.step()
    return lib.optim.lr_scheduler.StepLR(opt, 3).step


def two_schedulers(lib):
    opt = optimizer(lib)
    lib.optim.lr_scheduler.StepLR(opt, 3)
    second = lib.optim.lr_scheduler.ExponentialLR(opt, 0.3)
    opt.step()
    return second.step


@pytest.mark.parametrize("make", [overridden_step, second_scheduler, two_schedulers])
def test_warning_of_the_order(make):
    said = []
    for lib in LIBS:
        step = make(lib)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            step()
            step()
        said.append([(w.category, str(w.message), w.filename) for w in caught])
    assert said[0] == said[1]
    assert (make is two_schedulers) == (said[0] == [])


def test_a_scheduler_keeps_no_optimizer_alive_by_its_step():
    opt = optimizer(torchlike)
    torchlike.optim.lr_scheduler.StepLR(opt, 3)
    assert opt.step.__wrapped__ is torchlike.optim.SGD.step
    assert copy.deepcopy(opt).step.__func__ is torchlike.optim.SGD.step


def test_a_training_loop_compiles_no_more_for_a_schedule():
    x = torchlike.ones(3, requires_grad=True)
    opt = torchlike.optim.SGD([x], lr=0.1, momentum=0.9)
    scheduler = torchlike.optim.lr_scheduler.OneCycleLR(opt, 0.1, 60)

    def step():
        opt.zero_grad()
        (x * x).sum().backward()
        opt.step()
        scheduler.step()
        return x.sum().item()

    with torchlike.configure(compile="now"):
        for _ in range(3):
            step()
        hot.compiler.wait()
        before = hot.counters["programs"]
        for _ in range(40):
            step()
        assert hot.counters["programs"] - before <= 1
