"""The table of JAX's names: torchlike's uses are found, every supported release has them, and the table is true."""

import json
import subprocess
import sys

import jax
import pytest

from compat.jax_names import VERSIONS, table
from compat.jax_names.examine import ABSENT, answer
from compat.jax_names.uses import OVERRIDDEN, Use, uses_in
from torchlike import version
from torchlike._base.jax_versions import complaint, numbers

SEAM = """
from typing import Any
from jax._src import core
Trace: Any = core.Trace
EvalTrace = core.EvalTrace
class Own(core.Tracer):
    pass
"""
SOURCE = """
import jax
import jax.numpy as jnp
from jax import lax, tree_util as tree
from torchlike._compile.jax_private import EvalTrace, Own

class Mine(EvalTrace, Own):
    def process(self, primitive, *, lots):
        return jax.jit(primitive, donate_argnums=(0,), keep_unused=True)

    def _own(self):
        return jnp.zeros(3), lax.add(1, 2), tree.tree_map(self, 1, is_leaf=None), self.jit(other=1)
"""


def test_uses_are_found():
    found = uses_in({"torchlike/_compile/jax_private.py": SEAM, "torchlike/a.py": SOURCE})
    assert {str(use) for use in found} == {
        "jax._src.core", "jax._src.core.Trace", "jax._src.core.EvalTrace", "jax._src.core.Tracer", "jax.lax",
        "jax.tree_util",
        "override jax._src.core.EvalTrace.process(lots)", "override jax._src.core.Tracer.process(lots)", "jax.jit",
        "jax.jit(donate_argnums, keep_unused)", "jax.numpy.zeros", "jax.lax.add", "jax.tree_util.tree_map",
        "jax.tree_util.tree_map(is_leaf)"}
    assert found[Use("jax.jit", ("donate_argnums", "keep_unused"))] == "torchlike/a.py:9"


@pytest.mark.slow
def test_every_supported_release_has_what_torchlike_uses():
    assert table.complaints(table.of_torchlike(), table.read()) == []


def test_planted_uses_are_seen():
    known = {"jax.jit": "", "jax.gone": "0.12.0.1 absent"}
    assert table.complaints([Use("jax.jit"), Use("jax.gone"), Use("jax.new")], known) == [
        "jax.new: not in the table, run python -m compat.jax_names --write", "jax.gone: 0.12.0.1 absent"]


def test_releases_of_the_table_are_those_that_are_supported():
    assert all(complaint(each, *version.jax) == "" for each in VERSIONS)
    assert VERSIONS[0] == version.jax[0]
    newest, beyond = numbers(VERSIONS[-1]), numbers(version.jax[1])
    assert newest[:2] == (beyond[0], beyond[1] - 1), "the cap is behind the newest release that was tested"
    assert ", ".join(VERSIONS) in table.TABLE.read_text().partition("\n")[0]


def test_the_jax_that_is_here_has_them():
    uses = sorted(table.of_torchlike(), key=str)
    found = {str(use): why for use, why in zip(uses, table.asked(uses), strict=True) if why}
    assert found == {}, jax.__version__


@pytest.mark.parametrize(("use", "why"), [
    (Use("jax.jit"), ""), (Use("jax.jit", ("keep_unused",)), ""), (Use("jax.jit", ("nonsense",)), "lacks nonsense"),
    (Use("jax.nonsense"), ABSENT), (Use("jax._src.core.nonsense.more"), ABSENT), (Use("jax.experimental.nonsense"), ABSENT),
    (Use("jax._src.core.Trace.process_primitive", (), OVERRIDDEN), ""),
    (Use("jax._src.core.Trace.process_custom_jvp_call", (), OVERRIDDEN), "adds symbolic_zeros"),
    (Use("jax._src.core.Trace.process_custom_jvp_call", ("lots", "symbolic_zeros"), OVERRIDDEN), "lacks lots"),
    (Use("jax._src.core.Trace.of_ours", (), OVERRIDDEN), ""),
    (Use("jax._src.lib._jax.get_distributed_runtime_client", ("init_timeout",)), ""),
    (Use("jax._src.lib._jax.get_distributed_runtime_client", ("nonsense",)), "lacks nonsense"),
])
def test_answers(use, why):
    assert answer(use.name, use.keywords, use.how) == why


def test_a_deprecated_name_is_told_of():
    program = """
import json, sys, types, warnings
module = types.ModuleType("jax")
def __getattr__(name):
    warnings.warn(f"jax.{name} is deprecated", DeprecationWarning)
    return print
module.__getattr__ = __getattr__
sys.modules["jax"] = module
import runpy
runpy.run_path(sys.argv[1], run_name="__main__")
"""
    path = str(table.TABLE.with_name("examine.py"))
    done = subprocess.run([sys.executable, "-c", program, path], input=json.dumps([["jax.old", [], ""]]),
                          capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["deprecated"]


@pytest.mark.slow
def test_the_command(capsys, monkeypatch):
    from compat.jax_names.__main__ import main
    monkeypatch.setattr(sys, "argv", ["jax_names"])
    assert main() == 0 and "all releases have them" in capsys.readouterr().out
    monkeypatch.setattr(table, "of_torchlike", lambda: {Use("jax.nonsense"): "a.py:1"})
    assert main() == 1 and "jax.nonsense" in capsys.readouterr().out
