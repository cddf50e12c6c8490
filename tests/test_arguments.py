"""Arguments are read without JAX, by their whole names, up to where a program's name stands."""

import argparse
import json
import os
import pathlib
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import torchlike.distributed.launch
import torchlike.distributed.run
from tests.speed import case
from torchlike import _arguments, _command
from torchlike._diff import program_run

MOST = 0.4  # seconds of a processor: half of it is enough, and importing JAX takes four times as many
HEAVY = ("jax", "jaxlib", "numpy", "rich", "torchlike.cli")
FRESH = """
import json, sys, time, runpy
try:
    status = runpy.run_path(sys.argv[0])["main"]()
except SystemExit as left:
    status = left.code
print()
print(json.dumps([status, sorted(sys.modules), time.process_time()]))
"""
HELP = ["-h", "run -h", "show -h", "step -h", "lessons -h", "lesson -h", "diff -h", "course -h", "course start -h",
        "course next -h", "course check -h", "course hint -h", "course solution -h", "plan -h", "run --standalone -h"]
WRONG = ["", "bogus", "--versio", "run", "run --nproc 2 p.py", "run absent.py", "lesson absent", "lessons absent",
         "diff absent.py", "diff --deep", "diff --second-order", "diff --params x", "course check 11",
         "plan p.py --device cpu",
         "plan p.py --mesh pipe=2,pp=2 --device h100", "step --norm x p.py"]
QUICK = {"-h", "course check -h", "bogus", "diff --deep"}


def fresh(line: str) -> tuple[int, set[str], float]:
    """(status, imported modules, seconds of a processor) of the command in a process of its own."""
    code = f"import sys; sys.argv = [{_command.__file__!r}, *sys.argv[1:]]\n{FRESH}"
    root = str(pathlib.Path(_command.__file__).parents[1])
    done = subprocess.run([sys.executable, "-P", "-c", code, *line.split()], env={**os.environ, "PYTHONPATH": root},
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    status, modules, seconds = json.loads(done.stdout.splitlines()[-1])
    return status, set(modules), seconds


@pytest.mark.parametrize(("line", "status"), [
    *(case(line, 0, id=line, fast=line in QUICK) for line in ("--version", *HELP)),
    *(case(line, 2, id=line or "nothing", fast=line in QUICK) for line in WRONG)])
def test_help_and_errors_do_not_wait_for_jax(line, status):
    found = [fresh(line) for _ in range(3)]
    assert {(left, *sorted(modules & set(HEAVY))) for left, modules, _ in found} == {(status,)}
    assert min(seconds for _, _, seconds in found) < MOST


@pytest.mark.parametrize(("line", "status"), [
    case("lessons leaves", 0, fast=True), case("course", 0), case("course hint --folder absent", 2),
    case("course solution 1 --yes", 0)])
def test_lists_do_not_wait_for_jax(line, status):
    left, modules, seconds = fresh(line)
    assert (left, sorted(modules & {"jax", "torchlike.cli"})) == (status, [])
    assert seconds < 2 * MOST


@pytest.mark.slow
def test_an_import_of_jax_is_seen():
    _, modules, seconds = fresh(f"run {__file__}")
    assert {"jax", "numpy", "rich", "torchlike.cli"} <= modules and seconds > MOST


# -- where options end

def options_of(parser: argparse.ArgumentParser) -> list[str]:
    return list(parser._option_string_actions)


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    return {name: part for action in parser._actions if isinstance(action, argparse._SubParsersAction)
            for name, part in action.choices.items()}


WHOLE = _arguments.parser()
COMMANDS = commands_of(WHOLE)
LAUNCHERS = {"torch.distributed.run": torchlike.distributed.run.parse_args,
             "torch.distributed.launch": torchlike.distributed.launch.parse_args}
OPTIONS = sorted({option for parser in (WHOLE, *COMMANDS.values(), *commands_of(COMMANDS["course"]).values())
                  for option in options_of(parser)} | {"--use-env", "--use_env"})
PREFIXES = sorted({option[:end] for option in OPTIONS for end in range(1, len(option) + 1)})
ABBREVIATIONS = [prefix for prefix in PREFIXES if prefix not in OPTIONS and prefix.strip("-")]


def read_plan(given: list[str]) -> tuple[str, list[str]]:
    options = _arguments.read(["plan", given[0], "--mesh", "data=2", "--device", "h100", "--", *given[1:]])
    return options.program, options.arguments


def read_command(name: str, given: list[str]) -> tuple[str, list[str]]:
    options = _arguments.read([name, *given])
    return options.program, options.arguments


def read_launcher(name: str, given: list[str]) -> tuple[str, list[str]]:
    options = LAUNCHERS[name](given)
    return options.training_script, options.training_script_args


def read_worker(given: list[str]) -> tuple[str, list[str]]:
    program, *arguments = program_run.parser().parse_args(["--out", "x", *given]).program
    return program, arguments


READERS = {"run": lambda given: read_command("run", given), "show": lambda given: read_command("show", given),
           "step": lambda given: read_command("step", given), "plan": read_plan, "a worker of diff": read_worker,
           **{name: lambda given, name=name: read_launcher(name, given) for name in LAUNCHERS}}


@pytest.fixture(scope="module", autouse=True)
def _parsers_once():
    """The parser, made once: it parses thousands of times."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_arguments, "parser", lambda: WHOLE)
        yield


@pytest.mark.parametrize("reader", READERS)
def test_what_is_behind_a_program_is_the_programs(reader):
    for prefix in PREFIXES:
        for rest in ([], ["x"], ["--", "x"]):
            assert READERS[reader]([__file__, prefix, *rest]) == (__file__, [prefix, *rest])


WORDS = st.lists(st.sampled_from(PREFIXES) | st.sampled_from(["--", "", "-5", "a b", "--lr=1", "-x", "run", "plan"])
                 | st.text(max_size=4), max_size=6)


@pytest.mark.parametrize("reader", READERS)
@given(words=WORDS)
@settings(max_examples=100, deadline=None)
def test_whatever_is_behind_a_program_is_the_programs(reader, words):
    assert READERS[reader]([__file__, *words]) == (__file__, words)


@pytest.mark.parametrize("reader", ["run", "show", "step", *LAUNCHERS])
def test_two_dashes_before_a_program_end_the_options(reader):
    assert READERS[reader](["--", __file__, "--", "-h"]) == (__file__, ["--", "-h"])


def test_two_dashes_ask_for_no_ranks():
    assert not _command.asks_for_ranks(["run", "--", "p.py"])


# A command line in which something is left out: where an abbreviation stands.
LINES = {"run": ["run", None, __file__], "show": ["show", None, __file__], "step": ["step", None, __file__],
         "plan": ["plan", __file__, "--mesh", "data=2", "--device", "h100", None], "diff": ["diff", __file__, None],
         "lessons": ["lessons", None], "lesson": ["lesson", "backward_adds", None], "course": ["course", None],
         "next": ["course", "next", None], "check": ["course", "check", "1", None],
         "solution": ["course", "solution", "1", None], "start": ["course", "start", None], "hint": ["course", "hint", None]}


@pytest.mark.parametrize("name", [*LINES, *LAUNCHERS])
def test_an_abbreviation_before_a_program_is_named(name, capsys):
    read = LAUNCHERS.get(name, _arguments.read)
    for prefix in ABBREVIATIONS:
        with pytest.raises(SystemExit) as left:
            read([word or prefix for word in LINES.get(name, [None, __file__])])
        assert left.value.code == 2 and prefix in capsys.readouterr().err.splitlines()[-1].split(": error: ")[1].split()


def test_an_abbreviation_that_is_taken_is_seen(monkeypatch):
    monkeypatch.setattr(COMMANDS["run"], "allow_abbrev", True)
    with pytest.raises(SystemExit):
        READERS["run"]([__file__, "--run", "x"])


def test_variables_that_say_nothing_are_told_by_name(monkeypatch, capsys):
    monkeypatch.setenv("PET_MAX_RESTARTS", "many")
    with pytest.raises(SystemExit):
        torchlike.distributed.run.parse_args([__file__])
    assert "--max-restarts" in capsys.readouterr().err
