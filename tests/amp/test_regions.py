"""What an autocast region does: cache, nesting, decorator, threads, forms that write, graphs."""

import threading

import pytest

import torchlike
from tests.amp.making import check, graph, nodes, tensor
from torchlike._modes import autocast
from torchlike._record import bind, tree
from torchlike._record.trace import state


def casts_of(cache, again, torch):
    w, x = tensor(torch, 3, 3, grad=True), tensor(torch, 3, 3, seed=1)
    with torch.autocast("cpu", cache_enabled=cache):
        y = x @ w + x @ w
        if again:
            with torch.autocast("cpu"):
                y = y + torch.nn.functional.linear(x, w)
    with torch.autocast("cpu"):
        y = y + x @ w
    return nodes(y).count("ToCopyBackward0"), torch.autograd.grad(y.sum(), w)


@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize("again", [True, False])
def test_cache(cache, again):
    check(lambda torch: casts_of(cache, again, torch))


def test_planted_cache_miss_is_seen(monkeypatch):
    monkeypatch.setattr(autocast.settings, "cache_enabled", False)
    monkeypatch.setattr(torchlike.amp._settings, "is_autocast_cache_enabled", lambda: False)
    assert casts_of(None, False, torchlike)[0] == 3


def test_cache_holds_no_views_and_no_results():
    def program(torch):
        w = tensor(torch, 3, 3, grad=True)
        with torch.autocast("cpu"):
            y = w.t() @ w.t() + (w * 2) @ (w * 2) + tensor(torch, 3, 3) @ w.double().float()
        return nodes(y), y

    check(program)


def test_cache_after_no_grad():
    def program(torch):
        w = tensor(torch, 3, 3, grad=True)
        with torch.autocast("cpu"):
            with torch.no_grad():
                first = w @ w
            second = w @ w
        return first, nodes(second)

    check(program)


def test_cache_is_stale_after_a_write():
    def program(torch):
        w = tensor(torch, 3, 3, grad=True)
        with torch.autocast("cpu"):
            first = w @ w
            with torch.no_grad():
                w.zero_()
            second = w @ w
            torch.clear_autocast_cache()
            return first, second, w @ w

    check(program)


def test_cache_in_other_grad_modes():
    def program(torch):
        w, v = (tensor(torch, 3, 3, seed=i, grad=True) for i in range(2))
        with torch.autocast("cpu"):
            with torch.no_grad():
                found = [v @ v]
                v.zero_()
                found.append(v @ v)
            found += [v @ v, w @ w]
            with torch.no_grad():
                w.zero_()
                found.append(w @ w)
            with torch.inference_mode():
                found.append((w @ w).sum().item())
            found.append(w.requires_grad_(False) @ w)
        return found

    check(program)


def test_cache_is_freed():
    w = torchlike.ones(2, 2, requires_grad=True)
    with torchlike.autocast("cpu"):
        with torchlike.autocast("cpu"):
            torchlike.mm(w, w)
        assert len(autocast.settings.cache) == 1
    assert autocast.settings.cache == {}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "float64", "int64"])
@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_eligible(dtype, name):
    def program(torch):
        x = tensor(torch, 3, 3).to(getattr(torch, dtype))
        found = []
        with torch.autocast("cpu", getattr(torch, name)):
            for f in (lambda: x @ x, lambda: x.prod(), lambda: torch.cat([x, x]), lambda: x + x,
                      lambda: torch.cat([x, x.float()]), lambda: torch.stack([x, x.double()]),
                      lambda: x.prod(dtype=torch.float64)):
                try:
                    found.append(f())
                except RuntimeError as error:
                    found.append(str(error))
        return found

    check(program)


def test_decorator():
    def program(torch):
        @torch.autocast("cpu")
        def inside(x):
            """Text."""
            return x @ x

        @torch.autocast("cpu", enabled=False)
        def outside(x):
            return x.float() @ x.float()

        x = tensor(torch, 2, 2)
        with torch.autocast("cpu"):
            return inside(x), outside(x), inside(outside(x)), inside.__name__, inside.__doc__

    check(program)


def test_a_region_may_be_entered_again():
    def program(torch):
        region, x = torch.autocast("cpu"), tensor(torch, 2, 2)
        with region:
            a = x @ x
        with region:
            b = x @ x
        return a, b, x @ x

    check(program)


def test_threads():
    def program(torch):
        x, found = tensor(torch, 2, 2), []

        def run():
            found.append(x @ x)
            with torch.autocast("cpu", torch.float16):
                found.append(x @ x)

        with torch.autocast("cpu"):
            other = threading.Thread(target=run)
            other.start()
            other.join()
            found.append(x @ x)
        return found

    check(program)


def test_forms_that_write_are_not_cast():
    def program(torch):
        x, y, out = tensor(torch, 3, 3), tensor(torch, 3, 3, seed=1), torch.empty(3, 3)
        half = x.bfloat16()
        with torch.autocast("cpu"):
            return (torch.mm(x, y, out=out), torch.matmul(x, y, out=torch.empty(3, 3)), x.clone().addmm_(x, y),
                    x.clone().index_copy_(0, torch.tensor([0]), y[:1]), torch.prod(half, 0, out=half[0].clone()),
                    torch.linalg.inv(x, out=torch.empty(3, 3)), torch.addmm(x, x, y, out=torch.empty(3, 3)),
                    torch.cat([x, y], out=torch.empty(6, 3)))

    check(program)


def test_mixed_dtypes_where_nothing_is_cast():
    def program(torch):
        x = tensor(torch, 3, 3)
        with torch.autocast("cpu"):
            return x.clone().addmm_(x.bfloat16(), x)

    check(program)


USES = [
    lambda torch, x, w: torch.nn.functional.linear(x, w),
    lambda torch, x, w: torch.nn.functional.linear(x, w, w[0]),
    lambda torch, x, w: x @ w,
    lambda torch, x, w: w @ x[0],
    lambda torch, x, w: torch.addmm(w, x, w),
    lambda torch, x, w: torch.einsum("ij,jk->ik", x, w),
    lambda torch, x, w: torch.nn.functional.mse_loss(x.bfloat16(), w),
    lambda torch, x, w: torch.nn.functional.cross_entropy(x @ w, torch.tensor([0, 1, 2])),
    lambda torch, x, w: torch.nn.functional.prelu(x @ w, w[0, :1]),
    lambda torch, x, w: torch.nn.functional.conv1d(x[None], w[:, :, None], w[0]),
    lambda torch, x, w: torch.cat([x @ w, w]),
    lambda torch, x, w: torch.linalg.inv(w @ x),
    lambda torch, x, w: torch.view_as_complex((w @ x)[:, :2]).abs(),
    lambda torch, x, w: torch.fft.rfft(w @ x).abs(),
    lambda torch, x, w: torch.layer_norm(w @ x, (3,)),
    lambda torch, x, w: (w @ x).softmax(-1),
    lambda torch, x, w: (w @ x).exp().sum(),
]


@pytest.mark.parametrize("use", USES, ids=range(len(USES)))
def test_graphs(use):
    def program(torch):
        x, w = tensor(torch, 3, 3), tensor(torch, 3, 3, seed=1, grad=True)
        with torch.autocast("cpu"):
            y = use(torch, x, w)
        grad, = torch.autograd.grad(y.float().sum(), w)
        return y, graph(y, 4), str(grad.dtype), grad

    check(program)


# -- who does not use it does not pay

def test_recording_without_autocast_is_untouched():
    assert state.open is state.trace
    with torchlike.autocast("cpu"):
        assert state.open is None
        with torchlike.autocast("cpu", enabled=False):
            assert state.open is state.trace
    assert state.open is state.trace


def test_other_operators_keep_their_short_forms(monkeypatch):
    x = torchlike.ones(3)
    (x + x).tolist()
    taken = []
    monkeypatch.setattr(bind, "bind", lambda *args: taken.append(args))
    with torchlike.autocast("cpu"):
        x.exp()
        x + x
        assert taken == []
        torchlike.ones(2, 2).mm(torchlike.ones(2, 2))
    assert taken  # the check sees an operator that is cast


def test_instructions_are_the_same_inside():
    """What is recorded in a region without listed operators is found again outside."""
    def program():
        return (torchlike.ones(3) * 2).sin()

    for _ in range(3):
        program().tolist()
    before = tree.counters["misses"]
    with torchlike.autocast("cpu"):
        program().tolist()
    assert tree.counters["misses"] == before
