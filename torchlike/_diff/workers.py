"""The processes in which engines run programs: each is forked from one that has imported the engine's library, or, where
that is not done, starts anew.
"""

import concurrent.futures
import dataclasses
import os
import sys
from pathlib import Path

from torchlike._diff.processes import Command, Company, Ended, ForkServer, Processes

RUN, RECORD = "run", "record"  # what a program leaves; every operation
_ROOT = str(Path(__file__).parents[2])
# Whatever the current folder is, torchlike is the one that runs here; and the program finds its own modules first.
_TORCHLIKE = ("import sys; sys.path.insert(0, sys.argv.pop(1)); from torchlike._diff.worker import main; "
              "sys.path.append(sys.path.pop(0)); main()")
# Under PyTorch nothing of torchlike is imported: the files are found by their folder, which leaves the path again.
_TORCH = ("import sys; sys.path.insert(0, sys.argv.pop(1)); import forkserver, program_run, recorder; del sys.path[0]; "
          "import torch; forkserver.main({'run': program_run.main, 'record': lambda: recorder.main(torch, program_run)})")
_STARTS = {"torch": [_TORCH, str(Path(__file__).parent)], "torchlike": [_TORCHLIKE, _ROOT]}


class Workers:
    """Runs programs under engines. Its methods may be called by any thread."""

    def __init__(self, torch_python: str | None = None):
        """`torch_python`: the Python whose PyTorch runs programs; None for this one."""
        self.processes = Processes()
        self.pythons = {"torch": torch_python or sys.executable, "torchlike": sys.executable}
        self._servers: dict[str, ForkServer] = {}
        # That of this process; the order of sets is the same in all.
        self._environment = {"PYTHONHASHSEED": "0", **os.environ}

    def run_ranks(self, engine: str, task: str, arguments: list[list[str]], timeout: float | None) -> list[Ended]:
        """`run` of processes that wait for one another, each with its arguments."""
        company = Company()
        with concurrent.futures.ThreadPoolExecutor(len(arguments)) as pool:
            return list(pool.map(lambda own: self.run(engine, task, own, timeout, company), arguments))

    def run(self, engine: str, task: str, arguments: list[str], timeout: float | None,
            company: Company | None = None) -> Ended:
        """Runs a task under an engine until it ends, or for so many seconds. StoppedError after `stop`."""
        library = "torch" if engine == "torch" else "torchlike"
        arguments = arguments if engine == "torch" else ["--engine", engine, *arguments]
        command = [self.pythons[library], "-P", "-c", *_STARTS[library]]
        if not ForkServer.is_possible:
            command += [task, *arguments]
            return self.processes.until_end(lambda: Command(command, self._environment), timeout, company)
        ended = self.processes.until_end(lambda: self._server(library, command).start(task, arguments), timeout, company)
        server = self._servers[library]
        if server.process.poll() is not None:  # it could not import the library, say
            return dataclasses.replace(ended, errors=ended.errors + server.errors())
        return ended

    def _server(self, library: str, command: list[str]) -> ForkServer:
        """The library's fork server, started if there is none: one thread is here at a time, and none after `stop`, for
        `Processes` starts one process at a time, and none once it is stopped.
        """
        if library not in self._servers:
            self._servers[library] = ForkServer(command, self._environment)
        return self._servers[library]

    def stop(self) -> None:
        """End the processes that run, and start no others."""
        self.processes.stop()
        for server in self._servers.values():
            server.stop()
