"""What ``import torchlike`` costs, and what it leaves for later."""

import ast
import os
import pathlib
import subprocess
import sys

import pytest

import torchlike
from torchlike import _LATER

RUNS = 5
MOST = 0.6  # of what ``import jax`` takes: 0.35 s where that takes 0.6
PROGRAM = """
import time
start = time.process_time()
import jax
middle = time.process_time()
import torchlike
print(middle - start, time.process_time() - middle)
"""


def process(program, **variables) -> str:
    environment = {**os.environ, **variables}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return subprocess.run([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True,
                          check=True).stdout


@pytest.mark.slow
def test_time(tmp_path):
    """Compare with JAX's import in processor time, with the bytecode of a first run. The least of all runs counts, since
    other work on the machine only adds."""
    found = [[*map(float, process(PROGRAM, PYTHONPYCACHEPREFIX=str(tmp_path)).split())] for _ in range(RUNS + 1)]
    jax, own = map(min, zip(*found[1:], strict=True))
    assert own <= MOST * jax, found


@pytest.mark.slow
def test_what_few_programs_need_is_not_imported():
    names = ("optax", "flax", "torch", "scipy", *(f"torchlike.{name}" for name in (*_LATER.values(), "_diff", "_draw")))
    found = process(f"import sys, torchlike\nprint([name for name in {names} if name in sys.modules])")
    assert found.strip() == "[]"
    assert process("import torchlike\nprint(torchlike.optim.rules.optax.sgd.__name__)").strip() == "sgd"


def test_names_that_are_imported_later_are_those_that_type_checkers_see():
    path = pathlib.Path(torchlike.__file__)
    block = next(node for node in ast.parse(path.read_text()).body
                 if isinstance(node, ast.If) and ast.unparse(node.test) == "_typing.TYPE_CHECKING")
    seen = {}
    for line in block.body:
        [alias] = line.names
        assert alias.asname == alias.name
        seen[alias.name] = alias.name if line.module == "torchlike" else line.module.removeprefix("torchlike.")
    assert seen == _LATER


@pytest.mark.parametrize("package", ["torchlike", "torch"])
def test_names_that_are_imported_later_are_there(package):
    program = f"""
import sys, torchlike
torchlike.install() if {package!r} == "torch" else None
import {package}
for name in {[*_LATER]}:
    assert name in dir({package})
    found = getattr({package}, name)
    assert getattr({package}, name) is found is sys.modules.get({package!r} + "." + name, found), name
print({package}.diff.__module__, [name for name in {[*_LATER]} if {package!r} + "." + name in sys.modules])
"""
    assert process(program).strip() == f"{package} {[name for name in _LATER if _LATER[name] == name]}"


def test_star_gives_no_module():
    assert process("import random, types\nfrom torchlike import *\nprint(random.Random, types.FunctionType, diff.compare)")
    assert {"ones", "float32", "Tensor", "diff", "no_grad"} <= set(torchlike.__all__)


@pytest.mark.parametrize("collects", [True, False])
def test_garbage_collector_is_as_it_was(collects):
    ask = f"import gc\n{'' if collects else 'gc.disable()'}\nimport torchlike\nprint(gc.isenabled())"
    assert process(ask).strip() == str(collects)


def test_garbage_collector_is_as_it_was_after_a_failure():
    process_that_fails = """
import gc, sys
sys.modules["sqlite3"] = None
try:
    import torchlike
except ImportError:
    print(gc.isenabled())
"""
    assert process(process_that_fails).strip() == "True"


NO_MODULE_HIDES = """
import importlib, pkgutil, sys, types
import torchlike
for found in pkgutil.walk_packages(torchlike.__path__, "torchlike.", onerror=lambda name: None):
    package, _, name = found.name.rpartition(".")
    before = vars(sys.modules[package]).get(name) if package in sys.modules else None
    try:
        importlib.import_module(found.name)
    except ImportError:  # needs a package that is not here
        continue
    if before is not None and vars(sys.modules[package])[name] is not before:
        print(found.name)
"""


@pytest.mark.slow
def test_no_module_takes_the_place_of_a_function_when_it_is_imported():
    """As `torch.distributed.rendezvous`, which is a function and a module, once did."""
    assert process(NO_MODULE_HIDES) == ""
