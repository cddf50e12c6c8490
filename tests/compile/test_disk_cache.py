"""What was compiled once is never compiled again: later processes find it on disk, and nothing there can hurt them."""

import dataclasses
import errno
import hashlib
import json
import os
import pathlib
import pickle
import subprocess
import sys

import jax
import jaxlib
import numpy as np
import pytest

import torchlike as torch
from tests.test_layering import PACKAGE, sources
from torchlike._base.config import settings
from torchlike._compile import digest, disk_cache, kernels
from torchlike._compile.backends import xla_cpu
from torchlike._compile.executors import hot
from torchlike._ops.all import ROWS
from torchlike._ops.table import Row
from torchlike._record.caches import caches
from torchlike._record.facade import function_kernel, plain_forms, record

PROGRAM = """
import json, pathlib, sys
import jax

compiled = []
jax.monitoring.register_event_duration_secs_listener(
    lambda name, *_, **__: compiled.append(name) if name.endswith("backend_compile_duration") else None)
import torchlike as torch
from torchlike._compile.executors import hot

model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
losses = []
for i in range(5):
    optimizer.zero_grad()
    loss = model(torch.arange(8.0).view(2, 4)).square().mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    hot.compiler.wait()
with torch.configure(compile="kernels"):
    losses.append(torch.arange(6.0).cos().sum().item())
print(json.dumps({"compiled": len(compiled), "losses": losses, **torch.counters()}))
"""


def start(folder, **environment):
    """PROGRAM in a process of its own, seeded, with its cache in `folder`."""
    return subprocess.Popen([sys.executable, "-c", "import torchlike; torchlike.manual_seed(0)" + PROGRAM],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "TORCHLIKE_CACHE": str(folder), **environment})


def told(process):
    """What it printed, and nothing beside it."""
    out, errors = process.communicate()
    assert process.returncode == 0 and not errors, errors
    return json.loads(out)


@pytest.mark.slow
def test_a_second_process_compiles_nothing(tmp_path):
    """Two at once fill the folder. The one after them compiles nothing, though compiling would never pay in it."""
    both = [start(tmp_path, TORCHLIKE_PATIENCE="0") for _ in range(2)]
    first, twin = [told(process) for process in both]
    assert first["compiled"] + twin["compiled"] > 0  # one may be ahead of the other
    assert first["programs"] > 0 and first["kernel_compiles"] > 0
    assert all(len(file.name) == 64 for file in tmp_path.iterdir())  # nothing temporary is left
    second = told(start(tmp_path, TORCHLIKE_PATIENCE="1e9"))
    assert second["compiled"] == 0
    assert second["hot_runs"] > 0
    assert second["cache_hits"] == second["programs"] + second["kernel_compiles"]
    assert second["losses"] == pytest.approx(first["losses"], rel=1e-6)
    assert twin["losses"] == pytest.approx(first["losses"], rel=1e-6)


@pytest.mark.slow
def test_a_process_that_compiles_no_lapack_call_runs_one(tmp_path):
    """Whatever of JAX's lowering would have prepared LAPACK has not run in the second process."""
    program = "import torchlike as t; print(t.linalg.inv(t.tensor([[2., 0.], [0., 4.]])).tolist())"
    for _ in range(2):
        made = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                              env={**os.environ, "TORCHLIKE_CACHE": str(tmp_path)})
        assert (made.returncode, made.stdout) == (0, "[[0.5, 0.0], [0.0, 0.25]]\n"), made.stderr


# -- in this process: all that it has compiled is forgotten in between

@pytest.fixture
def folder(tmp_path):
    with torch.configure(cache=str(tmp_path), compile="now"):
        yield tmp_path


def forget():
    kernels.cache.start_anew()
    caches.clear()


def compute(scale=3.0):
    """A program's result, and (how often it was found on disk, written there)."""
    forget()
    before = torch.counters()
    found = (torch.arange(4.0) * scale).exp().sum().item()
    assert found == pytest.approx(np.exp(np.arange(4) * scale).sum(), rel=1e-5)
    after = torch.counters()
    return after["cache_hits"] - before["cache_hits"], after["cache_writes"] - before["cache_writes"]


def test_a_program_is_found_again(folder):
    assert compute() == (0, 1)
    assert compute() == (1, 0)
    assert compute(2.0) == (0, 1)
    assert len([*folder.iterdir()]) == 2


def damage_cut(data):
    return data[:len(data) // 2]


def damage_flip(data):
    return data[:-1] + bytes([data[-1] ^ 1])


def damage_other(data):
    return hashlib.sha256(pickle.dumps("x")).digest() + pickle.dumps("x")


@pytest.mark.parametrize("damage", [damage_cut, damage_flip, damage_other, lambda data: b""])
def test_a_damaged_file_is_replaced(folder, damage):
    compute()
    (file,) = folder.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    assert compute() == (0, 1)
    assert compute() == (1, 0)


@pytest.mark.parametrize(("owner", "name", "value"), [
    (jax, "__version__", "0.1"), (jaxlib, "__version__", "0.1"), (digest.version, "full", "2.13.0+torchlike.9"),
    (xla_cpu, "_processor", lambda: ("another",)),
])
def test_versions_and_processors_do_not_share(folder, monkeypatch, owner, name, value):
    compute()
    monkeypatch.setattr(owner, name, value)
    digest.of_sources.cache_clear()
    assert compute() == (0, 1)
    digest.of_sources.cache_clear()


def test_the_source_of_kernels_counts(folder, monkeypatch):
    compute()
    before = digest.of_sources()
    digest.of_sources.cache_clear()
    monkeypatch.setattr(digest, "SOURCES", ("_ops",))
    assert digest.of_sources() != before
    assert compute() == (0, 1)
    digest.of_sources.cache_clear()


def test_jax_settings_count(folder):
    compute()
    with jax.default_matmul_precision("highest"):
        assert compute() == (0, 1)


def test_the_default_dtype_counts(folder):
    compute()
    torch.set_default_dtype(torch.float64)
    try:
        assert compute() == (0, 1)
    finally:
        torch.set_default_dtype(torch.float32)


def test_numbers_that_change_are_no_part_of_the_name(folder):
    def steps(*scales):
        forget()
        before = torch.counters()["cache_writes"]
        for scale in scales:
            (torch.arange(3.0) * scale).sum().item()
        return torch.counters()["cache_writes"] - before

    assert steps(1.0, 2.0, 3.0) == 2  # a constant at first
    assert steps(1.0, 5.0) == 0


def test_found_before_it_would_pay(folder):
    """A program of an earlier process is loaded while it runs for the first time, in the background."""
    x = torch.arange(4.0)
    x.tolist()

    def run():
        (x * 7).sum().item()

    run()
    forget()
    with torch.configure(compile="background", patience=1e9):
        before = torch.counters()["hot_runs"]
        for _ in range(3):
            run()
            hot.compiler.wait()
        assert torch.counters()["hot_runs"] == before + 2
        for _ in range(3):
            (x * 8).cos().sum().item()  # never compiled, so not found
            hot.compiler.wait()
        assert torch.counters()["hot_runs"] == before + 2


def test_donated_buffers_and_the_order_of_results_survive(folder):
    def step():
        forget()
        a, b = torch.arange(4.0), torch.ones(4)
        (a + b).sum().item()
        a.add_(b)
        c = a * b - 1
        return c.tolist(), a.tolist(), b.tolist()

    assert step() == step() == ([0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0], [1.0] * 4)


def test_off():
    with torch.configure(cache="off", compile="now"):
        assert disk_cache.folder() is None
        assert compute() == (0, 0)


def test_the_users_settings_of_jax_stay(folder, tmp_path_factory):
    own = tmp_path_factory.mktemp("jax")
    before = dict(jax.config.values)
    compute()
    compute()
    assert dict(jax.config.values) == before and not [*own.iterdir()]


# -- the folder

def test_the_default_is_in_the_users_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    disk_cache._folder.cache_clear()
    with torch.configure(cache="", compile="now"):
        compute()
    disk_cache._folder.cache_clear()
    made = tmp_path / "torchlike"
    assert len([*made.iterdir()]) == 1 and made.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("given", ["", "relative"])
def test_without_that_variable_it_is_below_home(monkeypatch, tmp_path, given):
    monkeypatch.setenv("XDG_CACHE_HOME", given)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert disk_cache._users() == tmp_path / ".cache" / "torchlike"


def test_where_nothing_can_be_made_there_is_no_cache(tmp_path):
    (tmp_path / "file").write_text("")
    with torch.configure(cache=str(tmp_path / "file" / "below"), compile="now"):
        assert disk_cache.folder() is None
        assert compute() == (0, 0)


@pytest.mark.parametrize("code", [errno.EROFS, errno.ENOSPC, errno.EACCES])
def test_where_nothing_can_be_written_nothing_is(folder, monkeypatch, code):
    tries = []

    def refuse(**_):
        tries.append(1)
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(disk_cache.tempfile, "mkstemp", refuse)
    assert compute() == compute() == (0, 0)
    assert len(tries) == 1


def test_a_folder_that_others_may_write_to_is_not_used(tmp_path):
    """What is read there runs."""
    tmp_path.chmod(0o777)
    with torch.configure(cache=str(tmp_path)):
        assert disk_cache.folder() is None


def test_somebody_elses_folder_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(disk_cache.os, "geteuid", lambda: os.getuid() + 1)
    with torch.configure(cache=str(tmp_path)):
        assert disk_cache.folder() is None


def test_files_that_were_not_used_for_longest_go_first(tmp_path):
    kept = disk_cache.Folder(tmp_path)
    with torch.configure(cache_bytes=1000):
        for age, name in enumerate("abc"):
            kept.write(name, bytes(200))
            os.utime(tmp_path / name, (age, age))
        assert kept.read("a") == bytes(200)  # used now
        kept.write("d", bytes(300))
        assert {file.name for file in tmp_path.iterdir()} == {"a", "c", "d"}
        kept.write("large", bytes(2000))
    assert kept.read("large") is None and kept.holds("d")


def test_another_process_may_remove_files(tmp_path):
    kept = disk_cache.Folder(tmp_path)
    kept.write("a", b"1")
    (tmp_path / "a").unlink()
    assert kept.read("a") is None and not kept.holds("a")


# -- digests

def test_texts_tell_values_apart():
    values = [1, True, 1.0, 1j, "1", b"1", None, ..., (1,), [1], ((1,),), (1, 1), float, int, 0.0, -0.0, float("nan"),
              torch.float32, torch.bfloat16, torch.device("cpu"), torch.device("cuda", 1), torch.Size([1]), slice(1),
              np.float32(1), np.dtype("int8"), ROWS["sin"], ROWS["cos"], torch.contiguous_format]
    assert len({digest.text(value) for value in values}) == len(values)
    assert digest.text(tuple(values)) == digest.text(tuple(values))


@pytest.mark.parametrize("value", [object(), lambda: 1, compute, Row, np.zeros(3), (1, {2}), pathlib])
def test_what_only_this_process_knows_has_no_text(value):
    with pytest.raises(digest.Unknown):
        digest.text(value)


def test_a_row_of_the_users_has_no_text():
    row = ROWS["sin"]
    with pytest.raises(digest.Unknown):
        digest.text(dataclasses.replace(row))


def test_a_function_of_the_users_is_not_kept(folder):
    x = torch.ones(2)
    x.tolist()
    before = torch.counters()
    for scale in (2.0, 3.0):
        def scaled(x, scale=scale):
            return (x * scale,)

        (made,) = record(function_kernel(("test", scaled), "scaled", lambda: scaled, plain_forms([x])), [x])
        assert made.tolist() == [scale] * 2
    after = torch.counters()
    assert after["programs"] > before["programs"] and after["cache_writes"] == before["cache_writes"]


def test_kernels_are_made_in_the_folders_that_count():
    """Their source is part of every name."""
    makers = {path.split("/")[1] for path, text in sources().items() if "function_kernel(" in text}
    assert makers <= {*digest.SOURCES, "_record"}, PACKAGE


def test_the_suite_does_not_use_the_users_folder():
    assert settings.cache == os.environ["TORCHLIKE_CACHE"] != ""
