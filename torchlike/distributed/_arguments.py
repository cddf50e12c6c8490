"""The arguments of ``torchlike run``, which are torchrun's. `run.py` has what they say, and imports what starts ranks."""

import argparse
import os
from typing import Any

from torchlike._base.command_line import Parser

SHUTDOWN = 4  # seconds from SIGTERM to SIGKILL: all have ended after 5


def add_arguments(parser: Parser) -> None:
    """Adds the launcher's arguments, and the program's.

    Args:
        parser: to which.
    """
    def add(name: str, about: str, default=None, type=str, **how) -> None:
        flags = [f"--{name}", f"--{name.replace('-', '_')}"] if "-" in name else [f"--{name}"]
        parser.add_argument(*how.pop("short", ()), *flags, help=about, type=type, default=_from_environment(name, default),
                            **how)

    def switch(name: str, about: str, *short: str) -> None:
        flags = [f"--{name}", f"--{name.replace('-', '_')}"] if "-" in name else [f"--{name}"]
        parser.add_argument(*short, *flags, help=about, action="store_true", default=_is_on(name))

    add("nproc-per-node", "workers of this machine: a number, cpu, gpu or auto (default: 1)", "1", metavar="N")
    add("devices", "the other way: so many ranks in one process, each with a device of its own", None, int, metavar="N")
    add("nnodes", "machines: a number, or least:most (default: 1)", "1:1", metavar="N")
    add("node-rank", "which machine this is, from 0 (with the backend static)", None, int, metavar="I")
    add("master-addr", "where node 0 is (with the backend static)", "127.0.0.1", metavar="HOST")
    add("master-port", "its port (default: 29500)", None, int, metavar="PORT")
    add("rdzv-backend", "how machines find each other: static (by --node-rank) or c10d (in the order in which they come)",
        "static", choices=["static", "c10d"])
    add("rdzv-endpoint", "where they meet: host:port, the same on all", "", metavar="HOST:PORT")
    add("rdzv-id", "the name of the run, the same on all", "none", metavar="NAME")
    add("rdzv-conf", "timeout=, last_call_timeout=, keep_alive_interval=: seconds, separated by commas", "", metavar="CONF")
    switch("standalone", "one machine; nothing of --rdzv-... is needed or used")
    add("local-addr", "where other machines reach this one", None, metavar="HOST")
    add("max-restarts", "how often all workers are started again when one has failed (default: 0)", 0, int, metavar="N")
    add("monitor-interval", "seconds between looks at the workers (default: 0.1)", 0.1, float, metavar="S")
    add("shutdown-timeout", f"seconds from SIGTERM to SIGKILL (default: {SHUTDOWN})", None, int, metavar="S")
    add("signals-to-handle", "signals that end all workers", "SIGTERM,SIGINT,SIGHUP,SIGQUIT", metavar="NAMES")
    add("start-method", "taken, without effect: workers are processes of their own", "spawn",
        choices=["spawn", "fork", "forkserver"])
    add("role", "a name for the workers of this machine", "default", metavar="NAME")
    switch("module", "the program is a module, as for python -m", "-m")
    switch("no-python", "the program is started as it is, not by Python")
    switch("run-path", "taken, without effect: programs are run as scripts anyway")
    add("log-dir", "the folder of log files", None, metavar="FOLDER")
    add("redirects", "what goes to log files only: 1 (stdout), 2 (stderr), 3 (both), or for each: 0:1,1:3", "0",
        short=("-r",), metavar="STD")
    add("tee", "what goes to log files as well", "0", short=("-t",), metavar="STD")
    add("local-ranks-filter", "the local ranks that are shown: 0,1", "", metavar="RANKS")
    switch("virtual-local-rank", "each worker has LOCAL_RANK 0 and sees one GPU")
    for name in ("event-log-handler", "logs-specs", "numa-binding", "duplicate-stdout-filters", "duplicate-stderr-filters"):
        add(name, argparse.SUPPRESS)
    parser.add_program("a Python file, a notebook, or a folder with a __main__.py; behind it the program's own arguments",
                       "training_script", "training_script_args")


def _from_environment(name: str, default: Any) -> Any:
    return os.environ.get(f"PET_{name.replace('-', '_').upper()}", default)


def _is_on(name: str) -> bool:
    found = _from_environment(name, "0")
    return found.isdecimal() and int(found) != 0


def get_args_parser() -> Parser:
    """The parser of the arguments.

    Returns:
        The parser; its positional arguments are ``training_script`` and ``training_script_args``.
    """
    parser = Parser(prog="torchlike run", description="Run a PyTorch program on torchlike, in many processes.")
    add_arguments(parser)
    return parser
