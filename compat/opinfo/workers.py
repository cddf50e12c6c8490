"""Processes that examine operators, so that a crash or an endless loop of one is a finding and nothing more."""

import multiprocessing
import multiprocessing.connection
import time

import jax
from rich.progress import Progress

from compat.opinfo import exam


class Worker:
    """A process that examines one operator after the other; killed where it takes too long."""

    def __init__(self, how):
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, *how), daemon=True)
        self.process.start()
        theirs.close()
        self.name, self.deadline = "", 0.0

    def give(self, name, limit):
        self.name, self.deadline = name, time.monotonic() + limit
        self.connection.send(name)

    def end(self):
        self.process.kill()
        self.process.join()


def _serve(connection, wanted, dtypes, limit):
    operators = exam.operators()
    while True:
        name = connection.recv()
        try:
            found = exam.examine(operators[name], wanted, dtypes, limit)
        except Exception as error:  # noqa: BLE001 - a fault of the exam itself is told like one of the operator
            found = {"crash": f"{type(error).__name__}: {error}"}
        connection.send(found)
        jax.clear_caches()  # each operator has its own programs: they would fill the memory


def run(names, how, jobs, limit) -> dict:
    """{operator: findings}. A crash or a timeout is a finding of that operator alone."""
    found, left = {}, list(reversed(names))
    workers = []
    with Progress(transient=True) as progress:
        bar = progress.add_task("operators", total=len(names))
        while left or workers:
            while left and len(workers) < jobs:
                workers.append(Worker(how))
                workers[-1].give(left.pop(), limit + 60)
            ready = multiprocessing.connection.wait([w.connection for w in workers], timeout=1)
            for worker in list(workers):
                finding = _result(worker, worker.connection in ready)
                if finding is None:
                    continue
                found[worker.name] = finding
                progress.advance(bar)
                if "crash" in finding or "timeout" in finding or not left:
                    worker.end()
                    workers.remove(worker)
                else:
                    worker.give(left.pop(), limit)
    return {name: found[name] for name in names}


def _result(worker, ready):
    """A worker's finding, None if it is still at work."""
    if ready:
        try:
            return worker.connection.recv()
        except (EOFError, ConnectionError):
            return {"crash": f"the process ended with {worker.process.exitcode}"}
    return {"timeout": "took too long"} if time.monotonic() > worker.deadline else None
