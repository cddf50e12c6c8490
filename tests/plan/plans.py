"""Plans as the command makes them."""

import json
import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).parents[2] / "benchmarks" / "scaled.py"
_LIMIT = 300  # seconds


def command(*arguments):
    """(status, what it printed, what it told on standard error) of ``torchlike plan``."""
    done = subprocess.run([sys.executable, "-m", "torchlike", "plan", *map(str, arguments)], capture_output=True, text=True,
                          timeout=_LIMIT, check=False)
    return done.returncode, done.stdout, done.stderr


def planned(mesh, *arguments, options=()):
    """{name of a way: its data} for benchmarks/scaled.py."""
    status, out, err = command(SCRIPT, "--mesh", mesh, "--device", "cpu", "--json", *options, "--", *arguments)
    assert status == 0, err
    return {way["name"]: way for way in json.loads(out)["ways"]}
