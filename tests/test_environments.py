"""Programs print the same under Python's flags, the system's limits and JAX's variables, and users' JAX code keeps those."""

import contextlib
import gc
import os
import pathlib
import resource
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import torchlike
from tests.speed import case, sampled
from torchlike._compile.executors import hot
from torchlike._compile.jax_private import own_work

ROOT = pathlib.Path(__file__).parents[1]
LIMIT = 300  # seconds
PROGRAM = """
import io
import torch
from torch import nn
from torch.func import grad, hessian, jvp, vmap
import torchlike
from torchlike._compile.executors import hot

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Dropout(0.1), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
x = torch.randn(16, 4)


def train(steps):
    for _ in range(steps):
        optimizer.zero_grad()
        loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()
        loss.backward()
        optimizer.step()
        print(f"{loss.item():.4f}")


for _ in range(4):  # the background looks for the step on disk, and then compiles it
    train(3)
    hot.compiler.wait()
print("hot", torchlike.counters()["hot_runs"] > 0, torchlike.counters()["program_failures"])


def wave(w, x):
    return torch.sin(w * x).sum()


w = torch.randn(4)
print([round(v, 4) for v in vmap(grad(wave), (None, 0))(w, x)[3].tolist()])
print([round(v, 3) for v in hessian(wave)(w, x[0]).diagonal().tolist()])
print([round(v, 3) for v in jvp(torch.tanh, (w,), (torch.ones(4),))[1].tolist()])
print(round(nn.Conv2d(1, 2, 3)(torch.ones(1, 1, 6, 6)).sum().item(), 4))
print(torch.rand(3), torch.randperm(5), torch.randint(0, 9, (3,)), torch.multinomial(torch.ones(4), 2))
t = torch.arange(12.).reshape(3, 4)
t[1, 2:] = 7.
t[t > 8] = -1
print(t, t[[0, 2]], t.topk(2)[0], torch.linalg.inv(t[:3, :3] + 5 * torch.eye(3)))
try:
    t @ torch.ones(3)
except RuntimeError as error:
    print(error)
file = io.BytesIO()
torch.save(model.state_dict(), file)
found = torch.load(io.BytesIO(file.getvalue()))
print(sorted(found), torch.equal(found["0.weight"], model[0].weight))
"""
RUN = (f"import sys; sys.path.insert(0, {str(ROOT)!r}); from torchlike import cli; "
       "sys.exit(cli.main(['run', sys.argv[1]]))")
NOWHERE = "/dev/null/nowhere"  # where nobody can write, root neither
# Python's flags, variables (None: it is not there) and what limits the process.
FLAGS = {name: ([*name.split()], {}, None) for name in ("-O", "-OO", "-W error", "-I")}
LIMITS = {
    "3 GB of addresses": lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)),
    "one core": lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}),
    "64 files": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)),
    "a stack of 256 kB": lambda: resource.setrlimit(resource.RLIMIT_STACK, (256 << 10, 256 << 10)),
}
VARIABLES = [
    {"LANG": "C", "LC_ALL": "C"}, {"HOME": None}, {"HOME": NOWHERE}, {"TMPDIR": NOWHERE}, {"JAX_ENABLE_X64": "1"},
    {"JAX_NUMPY_DTYPE_PROMOTION": "strict"}, {"JAX_NUMPY_RANK_PROMOTION": "raise"}, {"JAX_DEBUG_NANS": "1"},
    {"XLA_FLAGS": "--xla_force_host_platform_device_count=4"}, {"JAX_DEFAULT_PRNG_IMPL": "rbg"},
    {"JAX_COMPILATION_CACHE_DIR": "compiled"}, {"JAX_DISABLE_JIT": "1"}, {"JAX_CHECK_TRACER_LEAKS": "1"},
    {"JAX_TRANSFER_GUARD": "disallow"}, {"JAX_TRANSFER_GUARD": "disallow_explicit"}]
SETTINGS = {**FLAGS, **{name: ([], {}, limit) for name, limit in LIMITS.items()},
            **{" ".join(f"{key}={value}" for key, value in given.items()): ([], given, None) for given in VARIABLES}}
IN_CI = {"-OO", "64 files", "JAX_ENABLE_X64=1", "JAX_DISABLE_JIT=1", "JAX_CHECK_TRACER_LEAKS=1",
         "JAX_TRANSFER_GUARD=disallow"}


def printed(folder: pathlib.Path, text: str, flags=(), variables=None, limit=None) -> str:
    """The output of a program, in a process of its own that has compiled nothing before."""
    (folder / "program.py").write_text(text)
    given = {**os.environ, "TORCHLIKE_PATIENCE": "0", "TORCHLIKE_CACHE": "off", **(variables or {})}
    environment = {name: value for name, value in given.items() if value is not None}
    done = subprocess.run([sys.executable, "-P", *flags, "-c", RUN, "program.py"], env=environment, cwd=folder, text=True,
                          timeout=LIMIT, preexec_fn=limit, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> str:
    """The output of the program under none of the settings."""
    found = printed(tmp_path_factory.mktemp("plain"), PROGRAM)
    assert "hot True 0\n" in found and found.count("\n") > 20
    return found


@pytest.mark.parametrize("name", [case(name, ci=name in IN_CI) for name in SETTINGS])
def test_a_program_prints_the_same(name, plain, tmp_path):
    assert printed(tmp_path, PROGRAM, *SETTINGS[name]) == plain


@pytest.mark.slow
def test_a_setting_that_changes_something_is_seen(plain, tmp_path):
    assert printed(tmp_path, PROGRAM, variables={"TORCHLIKE_COMPILE": "off"}) != plain


# -- users' own JAX code, in this process

WATCHED = {"disable_jit": jax.disable_jit, "checking_leaks": jax.checking_leaks,
           "transfer_guard": lambda: jax.transfer_guard("disallow_explicit"),
           "dtype_promotion": lambda: jax.numpy_dtype_promotion("strict"),
           "rank_promotion": lambda: jax.numpy_rank_promotion("raise")}
_sizes = iter(range(11, 1000))  # kernels of sizes that no test has traced


def work():
    """Kernels, a transform, a compiled program and a draw of torchlike's, each for the first time."""
    n = next(_sizes)
    x = torchlike.ones(n, n, requires_grad=True)
    with torchlike.configure(compile="now"):
        torchlike.addmm(x[0], x, x.t(), alpha=0.5).sum().backward()
        assert x.grad.shape == (n, n)
    gradient = torchlike.func.grad(lambda row: torchlike.linalg.inv(torchlike.diag(row)).sum())
    assert torchlike.func.vmap(gradient)(x.detach()).shape == (n, n)
    assert torchlike.linalg.inv(2 * torchlike.eye(n)).trace().item() == n / 2
    assert torchlike.rand(n).shape == (n,)
    return hot.counters["program_failures"]


def own_branch():
    return jax.jit(lambda x: x if x.sum() > 0 else -x)(jnp.ones(3))


def own_leak():
    kept = []
    return jax.jit(lambda x: kept.append(x) or x)(jnp.ones(3))


def own_transfer():
    return jnp.sin(np.ones(3, np.float32))


def own_promotion():
    return jnp.ones((2, 3), jnp.float32) + jnp.ones((2, 3), jnp.int32)


def own_rank():
    return jnp.ones((2, 3)) + jnp.ones(3)


def happens(code) -> bool:
    """Whether a user's code goes through."""
    try:
        code()
    except Exception:  # noqa: BLE001 - JAX's, of several kinds
        return False
    return True


@pytest.mark.parametrize("name", sampled(WATCHED, fast={"disable_jit"}))
def test_users_code_keeps_the_setting(name):
    codes = own_branch, own_leak, own_transfer, own_promotion, own_rank
    failures = hot.counters["program_failures"]
    with WATCHED[name]():
        before = [happens(code) for code in codes]
        assert work() == failures
        assert [happens(code) for code in codes] == before
    assert before != [happens(code) for code in codes] == [False, True, True, True, True]


@pytest.mark.parametrize("name", WATCHED)
def test_own_work_ends_with_what_it_began_with(name):
    with WATCHED[name]():
        before = jax.config.values
        with contextlib.suppress(KeyError), own_work(), own_work():
            assert jax.config.values != before
            raise KeyError
        assert jax.config.values == before


@pytest.mark.parametrize("name", ["disable_jit", "checking_leaks"])
def test_a_function_of_jaxs_runs_as_its_user_has_set(name):
    def branching(x):
        return jax.jit(lambda x: x + 1 if name != "disable_jit" or x.sum() > 0 else x)(x)

    def leaking(x):
        kept = []
        return jax.jit(lambda x: kept.append(x) or x + 1)(x)

    x = torchlike.ones(3)
    with WATCHED[name]():
        assert torchlike.from_jax(branching)(x).tolist() == [2.0, 2.0, 2.0]
        if name == "checking_leaks":
            with pytest.raises(Exception, match="Leaked trace"):
                torchlike.from_jax(leaking)(x)


@pytest.mark.slow
def test_kernels_keep_no_tracers():
    gc.collect()
    before = {id(x) for x in gc.get_objects() if isinstance(x, jax.core.Tracer)}
    work()
    gc.collect()
    assert [x for x in gc.get_objects() if isinstance(x, jax.core.Tracer) and id(x) not in before] == []
