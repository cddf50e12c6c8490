"""GradScaler: the scale, skipped steps, states, errors."""

import copy
import pickle

import pytest

import torchlike
from compat import compare
from tests.amp.making import check, module, same, tensor
from tests.speed import sampled
from torchlike.amp import grad_scaler


def start(torch, scale=4.0, **kwargs):
    p = torch.nn.Parameter(tensor(torch, 3))
    return p, torch.optim.SGD([p], lr=0.1), torch.amp.GradScaler("cpu", scale, **kwargs)


def train(torch, bad=(2, 5, 6), steps=10, dtype="bfloat16"):
    """Training in which some gradients are not finite."""
    model = module(torch, lambda nn: nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2)))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    scaler, found = torch.amp.GradScaler("cpu", 64.0, growth_interval=3), []
    x, target = tensor(torch, 8, 4, seed=9), torch.tensor([0, 1] * 4)
    for step in range(steps):
        optimizer.zero_grad()
        with torch.autocast("cpu", getattr(torch, dtype)):
            loss = torch.nn.functional.cross_entropy(model(x), target)
        scaler.scale(loss * float("inf") if step in bad else loss).backward()
        if step % 2:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        found.append((loss.detach(), scaler.get_scale(), scaler._get_growth_tracker()))
    return found, list(scaler.state_dict().items()), [p.detach() for p in model.parameters()]


@pytest.mark.parametrize("dtype", sampled(("bfloat16", "float16"), fast={"float16"}))
def test_training(dtype):
    check(lambda torch: train(torch, dtype=dtype))


def test_planted_wrong_growth_is_seen(monkeypatch):
    want = train(torchlike)[1]
    monkeypatch.setattr(grad_scaler.GradScaler, "_adapt", lambda self, scale, tracker: tracker.add_(1))
    assert train(torchlike)[1] != want


def test_planted_missed_infinity_is_seen(monkeypatch):
    def unscale(grads, found_inf, inv_scale):
        for grad in grads:
            grad.mul_(inv_scale)

    want = compare.describe(train(torchlike)[2])
    monkeypatch.setattr(grad_scaler, "_unscale", unscale)
    assert not same(want, compare.describe(train(torchlike)[2]))


def test_two_optimizers():
    def program(torch):
        (p, first, scaler), (q, second, _) = start(torch), start(torch)
        scaler.scale(p.sum() + (q * float("nan")).sum()).backward()
        scaler.step(first)
        scaler.step(second)
        scaler.update()
        return p.detach(), q.detach(), scaler.get_scale()

    check(program)


@pytest.mark.parametrize("value", [3.5, "tensor", "two", "grad", 3])
def test_new_scale(value):
    def program(torch):
        p, _, scaler = start(torch)
        scaler.scale(p.sum())
        given = {"tensor": torch.tensor([8.0]), "two": torch.ones(2), "grad": torch.ones(1, requires_grad=True)}
        scaler.update(given.get(value, value))
        return scaler.get_scale()

    want, got = (compare.outcome(program, package) for package in compare.PACKAGES)
    assert same(want, got)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize("check_only", [True, False])
def test_unscaling(dtype, check_only):
    def program(torch):
        p = torch.nn.Parameter(torch.zeros(3, dtype=getattr(torch, dtype)))
        optimizer, scaler = torch.optim.SGD([p], lr=0.1), torch.amp.GradScaler("cpu", 3.0)
        scaler.scale((p * p.new_tensor([1.0, float("inf"), 3.0])).sum()).backward()
        if check_only:
            found = scaler._check_inf_per_device(optimizer)
        else:
            scaler.unscale_(optimizer)
            found = scaler._found_inf_per_device(optimizer)
        return p.grad, list(found.values()), scaler._scale, scaler._growth_tracker

    check(program)


def test_containers():
    def program(torch):
        p, _, scaler = start(torch)
        mapped = scaler.scale(x for x in (p, p * 2))
        return scaler.scale([p, (p, [p])]), list(mapped), scaler.scale(p.double()), scaler.scale(p.bfloat16())

    check(program)


def test_disabled():
    def program(torch):
        p, optimizer, scaler = start(torch, enabled=False)
        scaler.scale(p.sum()).backward()
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        scaler.load_state_dict({})
        return p.detach(), scaler.get_scale(), scaler.state_dict(), scaler.is_enabled(), scaler._get_growth_tracker()

    check(program)


def test_states():
    def program(torch):
        p, optimizer, scaler = start(torch, growth_interval=5, growth_factor=3.0)
        fresh = scaler.state_dict()
        scaler.scale(p.sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        second = torch.amp.GradScaler("cpu")
        second.load_state_dict(scaler.state_dict())
        third = pickle.loads(pickle.dumps(scaler))
        scaler.load_state_dict(fresh)
        scaler.set_growth_factor(5.0), scaler.set_backoff_factor(0.25), scaler.set_growth_interval(7)
        return (fresh, second.state_dict(), third.state_dict(), scaler.state_dict(), copy.deepcopy(second).state_dict(),
                scaler.get_growth_factor(), scaler.get_backoff_factor(), scaler.get_growth_interval())

    check(program)


ERRORS = {
    "update first": lambda torch, p, o, s: s.update(),
    "step first": lambda torch, p, o, s: s.step(o),
    "unscale first": lambda torch, p, o, s: s.unscale_(o),
    "no gradients": lambda torch, p, o, s: (s.scale(p.sum()), s.step(o)),
    "no checks": lambda torch, p, o, s: (s.scale(p.sum()), s.update()),
    "unscale twice": lambda torch, p, o, s: (s.scale(p.sum()).backward(), s.unscale_(o), s.unscale_(o)),
    "step twice": lambda torch, p, o, s: (s.scale(p.sum()).backward(), s.step(o), s.step(o)),
    "unscale after step": lambda torch, p, o, s: (s.scale(p.sum()).backward(), s.step(o), s.unscale_(o)),
    "closure": lambda torch, p, o, s: s.step(o, closure=len),
    "no tensors": lambda torch, p, o, s: s.scale(3),
    "empty state": lambda torch, p, o, s: s.load_state_dict({}),
    "pickled in between": lambda torch, p, o, s: (s.scale(p.sum()).backward(), s.unscale_(o), pickle.dumps(s)),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    check(lambda torch: ERRORS[name](torch, *start(torch)))


@pytest.mark.parametrize("old", [True, False])
@pytest.mark.parametrize("unscaled", [True, False])
def test_optimizers_that_unscale_by_themselves(old, unscaled):
    def program(torch):
        seen = []

        class New(torch.optim.SGD):
            _step_supports_amp_scaling = True

            def step(self, closure=None):
                seen.append((self.grad_scale, self.found_inf))

        class Old(torch.optim.SGD):
            _step_supports_amp_scaling = True

            def step(self, closure=None, grad_scaler=None):
                grad_scaler.unscale_(self)
                seen.append(grad_scaler._found_inf_per_device(self))

        p, _, scaler = start(torch)
        optimizer = (Old if old else New)([p], lr=0.1)
        scaler.scale((p / 0).sum()).backward()
        if unscaled and not old:
            scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        return [list(x.values()) if isinstance(x, dict) else x for x in seen], scaler.get_scale(), \
            hasattr(optimizer, "grad_scale")

    check(program)
