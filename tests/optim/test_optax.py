"""`optim.Optax` against optax on its own, and as one of PyTorch's optimizers."""

import copy
import io

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import torchlike as torch
from tests.speed import sampled
from torchlike._base.errors import UnsupportedError
from torchlike._compile import kernels
from torchlike._compile.executors import hot

STEPS = 20
SHAPES = {"weight": (4, 3), "bias": (4,), "scale": ()}


def _mask(params):
    return {name: name != "bias" for name in params}


def _labels(params):
    return {name: "slow" if name == "bias" else "fast" for name in params}


FACTORIES = {
    "sgd": lambda: optax.sgd(0.1),
    "momentum": lambda: optax.sgd(0.1, momentum=0.9, nesterov=True),
    "adam": lambda: optax.adam(1e-2),
    "adam_bfloat16": lambda: optax.adam(1e-2, mu_dtype=jnp.bfloat16),
    "adamw": lambda: optax.adamw(1e-2, weight_decay=0.1, mask=_mask),
    "nadam": lambda: optax.nadam(1e-2),
    "amsgrad": lambda: optax.amsgrad(1e-2),
    "radam": lambda: optax.radam(1e-2),
    "adamax": lambda: optax.adamax(1e-2),
    "adan": lambda: optax.adan(1e-2),
    "adagrad": lambda: optax.adagrad(1e-2),
    "adadelta": lambda: optax.adadelta(1.0),
    "adabelief": lambda: optax.adabelief(1e-2),
    "adafactor": lambda: optax.adafactor(1e-2, min_dim_size_to_factor=2),
    "lion": lambda: optax.lion(1e-3, weight_decay=0.1),
    "lamb": lambda: optax.lamb(1e-2, weight_decay=0.1),
    "lars": lambda: optax.lars(1e-2, weight_decay=0.1),
    "novograd": lambda: optax.novograd(1e-2),
    "rmsprop": lambda: optax.rmsprop(1e-2, centered=True, momentum=0.5),
    "rprop": lambda: optax.rprop(1e-2),
    "sm3": lambda: optax.masked(optax.sm3(1e-2), lambda params: {k: k != "scale" for k in params}),  # it takes no 0-d arrays
    "yogi": lambda: optax.yogi(1e-2),
    "fromage": lambda: optax.fromage(1e-2),
    "noisy_sgd": lambda: optax.noisy_sgd(1e-2, key=0),
    "random_keys": lambda: optax.chain(optax.add_noise(0.1, 0.5, key=jax.random.key(3)), optax.sgd(1e-2)),
    "schedule": lambda: optax.adam(optax.warmup_cosine_decay_schedule(0.0, 0.1, 5, STEPS)),
    "chain": lambda: optax.chain(optax.clip_by_global_norm(0.5), optax.adam(1e-2), optax.ema(0.9)),
    "multi_steps": lambda: optax.MultiSteps(optax.adam(1e-2), 3),
    "masked": lambda: optax.masked(optax.adam(1e-2), _mask),
    "multi_transform": lambda: optax.multi_transform({"slow": optax.sgd(1e-3), "fast": optax.adam(1e-2)}, _labels),
    "injected": lambda: optax.inject_hyperparams(optax.adamw)(1e-2, weight_decay=0.1),
    "injected_schedule": lambda: optax.inject_hyperparams(optax.adam)(optax.linear_schedule(0.1, 0.0, STEPS), b1=0.8),
    "apply_if_finite": lambda: optax.apply_if_finite(optax.adam(1e-2), 2),
    "schedule_free": lambda: optax.contrib.schedule_free_adamw(1e-2),
    "muon": lambda: optax.contrib.muon(1e-2),
    "prodigy": lambda: optax.contrib.prodigy(1e-1),
    "cocob": lambda: optax.contrib.cocob(),
}


def _values(dtype=np.float32, seed=0):
    rng = np.random.default_rng(seed)
    return {name: rng.standard_normal(shape).astype(dtype) for name, shape in SHAPES.items()}


def _grads(step, dtype=np.float32):
    return _values(dtype, 100 + step)


def _params(values):
    return {name: torch.nn.Parameter(torch.tensor(value)) for name, value in values.items()}


def _set_grads(params, grads):
    for name, p in params.items():
        p.grad = None if grads.get(name) is None else torch.tensor(grads[name])


def _pure(tx, values, steps=STEPS, dtype=np.float32, jit=jax.jit):
    values = jax.tree.map(jnp.asarray, values)
    state = tx.init(values)

    @jit
    def step(values, state, grads):
        updates, state = tx.update(grads, state, values)
        return optax.apply_updates(values, updates), state

    for i in range(steps):
        values, state = step(values, state, _grads(i, dtype))
    return values


def _of_optax(name, dtype=np.float32):
    # XLA's own jit keeps float32 between bfloat16 operations; torchlike's programs round, as operations one by one do
    jit = (lambda function: function) if name == "adam_bfloat16" else jax.jit
    return _pure(FACTORIES[name](), _values(dtype), dtype=dtype, jit=jit)


def _ours(optimizer, params, steps=range(STEPS), dtype=np.float32):
    for i in steps:
        _set_grads(params, _grads(i, dtype))
        optimizer.step()


def _assert_close(params, values, rtol=1e-6, atol=1e-7):
    for name, p in params.items():
        np.testing.assert_allclose(p.detach().numpy(), np.asarray(values[name]), rtol, atol, err_msg=name)


# Rates made from the count of steps: in JAX's mode of 64 bits they have 64 themselves. Rates near 0.1 differ by one rounding
# between two compilations, in each step.
RATES_BY_MODE = {"adafactor": 1e-7, "schedule": STEPS * 0.1 * 2**-23, "injected_schedule": STEPS * 0.1 * 2**-23}


@pytest.mark.parametrize("name", sampled(FACTORIES, fast={"sgd", "adamw"}, ci=3))
def test_as_optax_on_its_own(name):
    """In 64 bits: two compilations of float32 may round the same formula differently on some processors."""
    dtype, rtol, atol = (np.float32, 1e-6, RATES_BY_MODE[name]) if name in RATES_BY_MODE else (np.float64, 1e-12, 1e-13)
    params = _params(_values(dtype))
    _ours(torch.optim.Optax(params.items(), FACTORIES[name]()), params, dtype=dtype)
    with jax.enable_x64(dtype is np.float64):
        wanted = _of_optax(name, dtype)
    _assert_close(params, wanted, rtol, atol)
    assert not np.allclose(params["weight"].detach().numpy(), _values()["weight"])


def test_the_comparison_sees_a_wrong_rate():
    params = _params(_values())
    _ours(torch.optim.Optax(params.items(), optax.adam(1.0001e-2)), params)
    with pytest.raises(AssertionError):
        _assert_close(params, _pure(optax.adam(1e-2), _values()))


def test_doubles_are_computed_in_64_bits():
    params = _params(_values(np.float64))
    _ours(torch.optim.Optax(params.items(), optax.adam(1e-2)), params, dtype=np.float64)
    with jax.enable_x64(True):
        wanted = _pure(optax.adam(1e-2), _values(np.float64), dtype=np.float64)
    assert params["weight"].dtype is torch.float64
    _assert_close(params, wanted, 1e-13, 1e-14)


def test_complex_gradients_follow_pytorchs_convention():
    """One step of descent on |z - 1|**2 lowers it, in the direction of 1."""
    z = torch.nn.Parameter(torch.tensor([1j, 2 - 1j]))
    optimizer = torch.optim.Optax([z], optax.sgd(0.5))
    (z - 1).abs().pow(2).sum().backward()
    optimizer.step()
    assert torch.allclose(z.detach(), torch.ones(2, dtype=torch.complex64), atol=1e-6)


# -- the interface of PyTorch's optimizers

def _trained(optimizer, model, steps=3, closure=True):
    x = torch.ones(5, 3)

    def loss():
        optimizer.zero_grad()
        found = (model(x) - 1).pow(2).mean()
        found.backward()
        return found

    for _ in range(steps):
        if closure:
            optimizer.step(loss)
        else:
            loss()
            optimizer.step()
    return loss()


def test_closure_and_zero_grad():
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 2)
    twin = copy.deepcopy(model)
    a = _trained(torch.optim.Optax(model.parameters(), optax.adam(0.1)), model)
    b = _trained(torch.optim.Optax(twin.parameters(), optax.adam(0.1)), twin, closure=False)
    assert torch.equal(a, b)
    optimizer = torch.optim.Optax(model.parameters(), optax.sgd(0.1))
    optimizer.zero_grad()
    assert model.weight.grad is None


def test_hooks():
    params = _params(_values())
    optimizer = torch.optim.Optax(params.values(), optax.sgd(0.1))
    seen = []
    optimizer.register_step_pre_hook(lambda *_: seen.append("before"))
    optimizer.register_step_post_hook(lambda *_: seen.append("after"))
    _ours(optimizer, params, range(2))
    assert seen == ["before", "after"] * 2


def test_maximize():
    params, up = _params(_values()), _params(_values())
    _ours(torch.optim.Optax(params.items(), optax.sgd(-0.1)), params)
    _ours(torch.optim.Optax(up.items(), optax.sgd(0.1), maximize=True), up)
    _assert_close(up, {name: p.detach().numpy() for name, p in params.items()})


@pytest.mark.parametrize("name", sampled(
    ("adam", "sgd", "adam_bfloat16", "adafactor", "multi_steps", "injected", "random_keys", "sm3"), fast={"adam", "sgd"}))
def test_state_dict_round_trip(name):
    params = _params(_values())
    optimizer = torch.optim.Optax(params.items(), FACTORIES[name]())
    _ours(optimizer, params, range(7))
    file = io.BytesIO()
    torch.save({"optimizer": optimizer.state_dict(), "params": params}, file)
    file.seek(0)
    saved = torch.load(file, weights_only=True)
    again = {name: torch.nn.Parameter(p.detach()) for name, p in saved["params"].items()}
    loaded = torch.optim.Optax(again.items(), FACTORIES[name]())
    loaded.load_state_dict(saved["optimizer"])
    _ours(loaded, again, range(7, STEPS))
    _assert_close(again, _of_optax(name))


def test_a_loaded_state_is_a_copy():
    params, others = _params(_values()), _params(_values())
    first = torch.optim.Optax(params.items(), optax.adam(1e-2))
    _ours(first, params, range(2))
    second = torch.optim.Optax(others.items(), optax.adam(1e-2))
    second.load_state_dict(first.state_dict())
    before = first.state["group_0"]["0.mu.weight"].clone()
    _ours(second, others, range(2))
    assert torch.equal(first.state["group_0"]["0.mu.weight"], before)


def test_a_state_of_another_transformation_is_refused():
    params = _params(_values())
    adam = torch.optim.Optax(params.items(), optax.adam(1e-2))
    _ours(adam, params, range(1))
    momentum = torch.optim.Optax(params.items(), optax.sgd(1e-2, momentum=0.9))
    with pytest.raises(ValueError, match=r"group 0: missing 0\.trace\.bias.*unexpected 0\.count"):
        momentum.load_state_dict(adam.state_dict())
    _ours(momentum, params, range(1))
    wrong = adam.state_dict()
    wrong["state"] = {"group_0": {**wrong["state"]["group_0"], "0.mu.weight": torch.ones(2)}}
    with pytest.raises(ValueError, match=r"0\.mu\.weight has shape \(2,\)"):
        adam.load_state_dict(wrong)


def test_deepcopy():
    params = _params(_values())
    optimizer = torch.optim.Optax(params.items(), optax.adam(1e-2))
    _ours(optimizer, params, range(3))
    copied, theirs = copy.deepcopy((optimizer, params))
    _ours(optimizer, params, range(3, STEPS))
    _ours(copied, theirs, range(3, STEPS))
    _assert_close(theirs, _pure(optax.adam(1e-2), _values()))


def test_parameters_without_a_gradient_are_left_alone():
    params = _params(_values())
    optimizer = torch.optim.Optax(params.items(), optax.adamw(1e-2, weight_decay=0.1))
    _ours(optimizer, params, range(2))
    state = optimizer.state["group_0"]
    value, version, moment = params["bias"].detach().clone(), params["bias"]._version, state["0.mu.bias"].clone()
    _set_grads(params, {**_grads(2), "bias": None})
    optimizer.step()
    assert torch.equal(params["bias"].detach(), value)
    assert params["bias"]._version == version
    assert torch.equal(state["0.mu.bias"], moment)
    assert state["0.count"].item() == 3
    values = dict(_values())
    bias = values.pop("bias")
    alone = _params(_values())
    optimizer = torch.optim.Optax(alone.items(), optax.adam(1e-2))
    for i in range(STEPS):
        _set_grads(alone, {**_grads(i), "bias": None})
        optimizer.step()
    _assert_close(alone, {**_pure(optax.adam(1e-2), _values()), "bias": bias})


def test_no_gradients_at_all():
    params = _params(_values())
    optimizer = torch.optim.Optax(params.items(), optax.adam(1e-2))
    optimizer.step()
    assert not optimizer.state


# -- groups and hyperparameters

def test_groups_with_hyperparameters_of_their_own():
    params = _params(_values())
    optimizer = torch.optim.Optax([
        {"params": [("weight", params["weight"])], "lr": 0.5},
        {"params": [("bias", params["bias"])], "tx": optax.adam(0.1)},
        {"params": [("scale", params["scale"])]},
    ], optax.inject_hyperparams(optax.sgd)(0.1))
    assert [group.get("lr") for group in optimizer.param_groups] == [0.5, None, 0.1]
    assert all("tx" not in group for group in optimizer.param_groups)
    _ours(optimizer, params)
    wanted = {}
    for name, tx in (("weight", optax.sgd(0.5)), ("bias", optax.adam(0.1)), ("scale", optax.sgd(0.1))):
        wanted[name] = _pure(tx, _values())[name]
    _assert_close(params, wanted)


def test_a_group_is_not_changed_by_its_optimizer():
    p = torch.nn.Parameter(torch.ones(2))
    group = {"params": [p], "tx": optax.adam(0.1)}
    torch.optim.Optax([group], optax.sgd(0.1))
    assert "tx" in group


def test_lr_may_change_and_be_a_tensor():
    rate = torch.tensor(0.1)
    params, others = _params(_values()), _params(_values())
    numbers = torch.optim.Optax(params.items(), optax.inject_hyperparams(optax.adam)(0.1))
    tensors = torch.optim.Optax([{"params": others.items(), "lr": rate}], optax.inject_hyperparams(optax.adam)(0.5))
    for i in range(STEPS):
        numbers.param_groups[0]["lr"] = 0.1 / (1 + i)
        rate.fill_(0.1 / (1 + i))
        _ours(numbers, params, [i])
        _ours(tensors, others, [i])
    wanted = _pure(optax.inject_hyperparams(optax.adam)(lambda count: 0.1 / (1 + count)), _values())
    _assert_close(params, wanted, 1e-5, 1e-6)
    _assert_close(others, wanted, 1e-5, 1e-6)


@pytest.mark.parametrize("make", [
    lambda o: torch.optim.lr_scheduler.StepLR(o, 5, 0.5),
    lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, STEPS),
], ids=["StepLR", "CosineAnnealingLR"])
def test_pytorchs_schedulers(make):
    params = _params(_values())
    optimizer = torch.optim.Optax(params.items(), optax.inject_hyperparams(optax.sgd)(0.1))
    scheduler = make(optimizer)
    rates = []
    for i in range(STEPS):
        rates.append(scheduler.get_last_lr()[0])
        _ours(optimizer, params, [i])
        scheduler.step()
    table = jnp.asarray(rates, jnp.float32)
    _assert_close(params, _pure(optax.sgd(lambda count: table[count]), _values()))


def test_changing_numbers_compile_nothing_new():
    params = _params(_values())
    optimizer = torch.optim.Optax(params.items(), optax.inject_hyperparams(optax.adam)(0.1))
    _ours(optimizer, params, range(1))
    before = kernels.counters["kernels"]
    for i in range(30):
        optimizer.param_groups[0]["lr"] = 0.1 / (1 + i)
        _ours(optimizer, params, [i])
    assert kernels.counters["kernels"] == before


def test_a_step_is_recorded_and_waits_for_nothing():
    """Steps run when the trace does: neither the state nor the parameters have arrays of their own before."""
    params = _params(_values())
    optimizer = torch.optim.Optax(params.items(), optax.adam(1e-2))
    _set_grads(params, _grads(0))
    runs = hot.counters["cold_runs"] + hot.counters["hot_runs"]
    with torch.no_grad():
        p = params["weight"]
        p.grad = p * 2
        p.grad.add_(1)
    optimizer._update(0, optimizer.param_groups[0], optimizer._forms[0], None)
    assert hot.counters["cold_runs"] + hot.counters["hot_runs"] == runs
    assert params["weight"]._cell.array is None


@pytest.mark.parametrize("option", ["lr", "weight_decay"])
def test_options_that_nothing_reads_are_refused(option):
    p = torch.nn.Parameter(torch.ones(2))
    with pytest.raises(ValueError, match=f"no hyperparameter '{option}'"):
        torch.optim.Optax([{"params": [p], option: 0.1}], optax.sgd(0.1))
    optimizer = torch.optim.Optax([{"params": [p], "name": "mine"}], optax.sgd(0.1))
    optimizer.param_groups[0]["lr"] = 0.1
    p.grad = torch.ones(2)
    with pytest.raises(ValueError, match="no hyperparameter 'lr'"):
        optimizer.step()


def test_hyperparameters_that_a_schedule_sets_are_no_options():
    p = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.Optax([p], optax.inject_hyperparams(optax.adam)(optax.constant_schedule(0.1)))
    assert "lr" not in optimizer.param_groups[0]
    assert optimizer.param_groups[0]["b1"] == 0.9


# -- what is refused

def test_refusals():
    p = torch.nn.Parameter(torch.ones(2))
    with pytest.raises(TypeError, match=r"GradientTransformation, but got function"):
        torch.optim.Optax([p], optax.adam)
    with pytest.raises(ValueError, match="appears twice in a group"), pytest.warns(UserWarning, match="duplicate"):
        torch.optim.Optax([p, p], optax.adam(0.1))
    with pytest.raises(ValueError, match="'learning_rate'; give each its own parameter group"):
        torch.optim.Optax([p], optax.chain(*[optax.inject_hyperparams(optax.sgd)(0.1) for _ in range(2)]))


def test_transformations_that_need_the_loss():
    p = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
    optimizer = torch.optim.Optax([p], optax.polyak_sgd())
    p.grad = torch.ones(2)
    with pytest.raises(TypeError, match=r"'value'.*give step\(\) a closure"):
        optimizer.step()

    def loss():
        optimizer.zero_grad()
        found = p.pow(2).sum()
        found.backward()
        return found

    value = jnp.asarray([1.0, -2.0])
    tx = optax.polyak_sgd()
    state = tx.init(value)
    for _ in range(5):
        optimizer.step(loss)
        updates, state = tx.update(2 * value, state, value, value=(value ** 2).sum())
        value = optax.apply_updates(value, updates)
    np.testing.assert_allclose(p.detach().numpy(), value, 1e-6)


def test_line_searches_are_refused_by_name():
    p = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
    optimizer = torch.optim.Optax([p], optax.lbfgs())
    with pytest.raises(UnsupportedError, match="'value_fn'"):
        _trained_on(optimizer, p)


def _trained_on(optimizer, p):
    def loss():
        found = p.pow(2).sum()
        found.backward()
        return found

    optimizer.step(loss)


# -- schedules

SCHEDULES = {
    "constant": optax.constant_schedule(0.1),
    "cosine": optax.cosine_decay_schedule(0.1, 15),
    "warmup": optax.warmup_cosine_decay_schedule(0.0, 0.1, 5, 20),
    "polynomial": optax.polynomial_schedule(0.1, 0.01, 2, 10),
    "piecewise": optax.piecewise_constant_schedule(0.1, {5: 0.5, 10: 0.1}),
    "exponential": optax.exponential_decay(0.1, 5, 0.9),
    "onecycle": optax.cosine_onecycle_schedule(20, 0.1),
    "joined": optax.join_schedules([optax.linear_schedule(0.0, 0.1, 5), optax.constant_schedule(0.1)], [5]),
    "plain": lambda epoch: 0.1 if epoch < 7 else 0.01,
}


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("make", [
    lambda p: torch.optim.SGD([p], lr=0.3),
    lambda p: torch.optim.Optax([p], optax.inject_hyperparams(optax.sgd)(0.3)),
], ids=["SGD", "Optax"])
def test_schedules(name, make):
    p = torch.nn.Parameter(torch.ones(2))
    optimizer = make(p)
    scheduler = torch.optim.lr_scheduler.OptaxLR(optimizer, SCHEDULES[name])
    for epoch in range(25):
        assert optimizer.param_groups[0]["lr"] == float(SCHEDULES[name](epoch)) == scheduler.get_last_lr()[0]
        p.grad = torch.ones(2)
        optimizer.step()
        scheduler.step()


def test_schedules_of_groups_and_their_state():
    p, q = (torch.nn.Parameter(torch.ones(2)) for _ in range(2))
    optimizer = torch.optim.SGD([{"params": [p]}, {"params": [q]}], lr=0.3)
    both = [SCHEDULES["cosine"], SCHEDULES["piecewise"]]
    scheduler = torch.optim.lr_scheduler.OptaxLR(optimizer, both)
    for _ in range(3):
        optimizer.step()
        scheduler.step()
    state = scheduler.state_dict()
    assert "schedules" not in state and "optimizer" not in state
    again = torch.optim.lr_scheduler.OptaxLR(optimizer, both)
    again.load_state_dict(state)
    again.step()
    assert again.get_last_lr() == [float(s(4)) for s in both]
    with pytest.raises(ValueError, match="Expected 2 schedules, but got 1"):
        torch.optim.lr_scheduler.OptaxLR(optimizer, both[:1])
    with pytest.raises(TypeError, match="should be a function, but got float"):
        torch.optim.lr_scheduler.OptaxLR(optimizer, 0.1)
