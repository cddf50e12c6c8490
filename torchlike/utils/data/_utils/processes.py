"""Starting worker processes. How a worker computes is told in `torchlike.utils.data.dataloader`."""

import contextlib
import multiprocessing.connection
import os
import pickle
import warnings

from torchlike._record.facade import ForkServer
from torchlike._record.trace import run, state
from torchlike.utils.data._utils import worker

_NOT_PICKLED = (
    "Got pickle error when attempting to start a worker Process. This might be because the worker Process arguments are not "
    "picklable. Python 3.14+ changed the multiprocessing start method in non-Mac POSIX platforms to 'forkserver', which "
    "requires the worker Process arguments to be picklable. You can also try multiprocessing.set_start_method('fork').")


class WorkerDied(Exception):
    """Some workers ended without being asked to. Its arguments are their numbers and, as text, their process ids."""

    def __init__(self, processes, workers):
        super().__init__(", ".join(str(processes[i].pid) for i in workers))
        self.workers = workers


class Pool:
    """The workers of one iterator: ``processes``, ``tasks`` (pipes to them) and ``results`` (pipes from them)."""

    def __init__(self, context, jobs):
        self.processes, self.tasks, self.results = [], [], []
        self._server = None
        self._pid = os.getpid()
        try:
            if context.get_start_method() == "fork":
                self._fork(context, jobs)
            else:
                for job in jobs:
                    self._start(context, worker.main, (), job)
        except BaseException:
            self.end(0)
            raise

    def _fork(self, context, jobs):
        run(state.trace)
        self._server = ForkServer()
        links = []
        for job in jobs:
            mine, theirs = context.Pipe()
            links.append(mine)
            with warnings.catch_warnings():  # from Python 3.12 on: of what cannot happen, see _compile/executors/forked.py
                warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
                self._start(context, worker.forked_main, (theirs,), job)
            theirs.close()
        self._server.start(links)

    def _start(self, context, target, extra, job):
        (their_tasks, tasks), (results, their_results) = context.Pipe(duplex=False), context.Pipe(duplex=False)
        self.tasks.append(tasks)
        self.results.append(results)
        process = context.Process(target=target, args=(*extra, job, their_tasks, their_results), daemon=True)
        try:
            process.start()
        except (TypeError, AttributeError, pickle.PicklingError):
            warnings.warn(_NOT_PICKLED, stacklevel=6)
            raise
        self.processes.append(process)
        their_tasks.close()  # else a later worker inherits the pipe, and this one's end goes unnoticed
        their_results.close()

    def send(self, worker_id, task) -> None:
        """Sends a task to a worker. If the worker has died nothing happens; waiting for the result will show it."""
        with contextlib.suppress(OSError):
            self.tasks[worker_id].send(task)

    def receive(self, workers, timeout):
        """The next message of one of these workers, None if there is none within `timeout` seconds (None: wait).

        WorkerDied if some have died, and no message of any is there.
        """
        ready = multiprocessing.connection.wait(
            [*(self.results[i] for i in workers), *(self.processes[i].sentinel for i in workers)], timeout)
        if not ready:
            return None
        cause = None
        for i in workers:
            if self.results[i] in ready:
                try:
                    return worker.receive(self.results[i])
                except (EOFError, OSError) as error:
                    cause = error
        for i in workers:
            if self.results[i] in ready or self.processes[i].sentinel in ready:
                self.processes[i].join(worker.CHECK_INTERVAL)  # its files close before it ends
        raise WorkerDied(self.processes, [i for i in workers if not self.processes[i].is_alive()]) from cause

    def end(self, patience) -> None:
        """Ask the workers to end, wait `patience` seconds for each, and then end them."""
        if os.getpid() != self._pid:
            return  # a fork of the process that they belong to
        for i in range(len(self.processes)):
            self.send(i, None)
        for process in self.processes:
            process.join(patience)
            if process.is_alive():
                process.terminate()
                process.join(patience)
        if self._server is not None:
            self._server.close()
        for pipe in (*self.tasks, *self.results):
            pipe.close()
