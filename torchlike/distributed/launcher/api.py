"""`elastic_launch`: runs a function in the processes of one machine."""

import contextlib
import dataclasses
import os
import pickle
import shutil
import tempfile
from collections.abc import Callable
from typing import Any

from torchlike._base.errors import UnsupportedError
from torchlike.distributed.elastic._agent import Job, worker_environment
from torchlike.distributed.elastic._nodes import OneNode
from torchlike.distributed.elastic.multiprocessing.errors import ChildFailedError, ProcessFailure, record
from torchlike.multiprocessing.spawn import ProcessException, start_processes

__all__ = ["LaunchConfig", "elastic_launch", "launch_agent"]
_REFUSED = ("logs_specs", "numa_options", "duplicate_stdout_filters", "duplicate_stderr_filters")
_TIMEOUT = 900  # seconds


@dataclasses.dataclass
class LaunchConfig:
    """How a function is run. https://pytorch.org/docs/stable/elastic/run.html

    Args:
        min_nodes, max_nodes: machines: 1; more are refused when it is run.
        nproc_per_node: processes.
        logs_specs, numa_options, duplicate_stdout_filters, duplicate_stderr_filters: refused unless they are None.
        run_id, role: TORCHELASTIC_RUN_ID and ROLE_NAME.
        rdzv_endpoint, rdzv_backend, rdzv_configs, rdzv_timeout: without effect on one machine.
        max_restarts: how often all processes are started again when one has failed.
        monitor_interval, log_line_prefix_template, metrics_cfg, event_log_handler, signals_to_handle: without effect.
        start_method: "spawn", "fork" or "forkserver".
        local_addr: MASTER_ADDR; "localhost" where it is None.
        virtual_local_rank: whether each process has LOCAL_RANK 0 and sees one GPU.
        shutdown_timeout: without effect; from TORCH_ELASTIC_SHUTDOWN_TIMEOUT, or 30, where it is None.

    Raises:
        ValueError: a negative `shutdown_timeout`.
    """

    min_nodes: int
    max_nodes: int
    nproc_per_node: int
    logs_specs: Any = None
    run_id: str = ""
    role: str = "default_role"
    rdzv_endpoint: str = ""
    rdzv_backend: str = "etcd"
    rdzv_configs: dict[str, Any] = dataclasses.field(default_factory=dict)
    rdzv_timeout: int = -1
    max_restarts: int = 3
    monitor_interval: float = 0.1
    start_method: str = "spawn"
    log_line_prefix_template: str | None = None
    metrics_cfg: dict[str, str] = dataclasses.field(default_factory=dict)
    local_addr: str | None = None
    event_log_handler: str = "null"
    numa_options: Any = None
    signals_to_handle: str = "SIGTERM,SIGINT,SIGHUP,SIGQUIT"
    duplicate_stdout_filters: list[str] | None = None
    duplicate_stderr_filters: list[str] | None = None
    virtual_local_rank: bool = False
    shutdown_timeout: int | None = None

    def __post_init__(self):
        if self.rdzv_timeout != -1:
            self.rdzv_configs["timeout"] = self.rdzv_timeout
        self.rdzv_configs.setdefault("timeout", _TIMEOUT)
        if self.shutdown_timeout is None:
            self.shutdown_timeout = int(os.environ.get("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", "30"))
        elif self.shutdown_timeout < 0:
            raise ValueError(f"shutdown_timeout must be non-negative, got {self.shutdown_timeout}")


class elastic_launch:  # noqa: N801 - PyTorch's name
    """Runs a function on each rank, when it is called with the function's arguments.

    Args:
        config: a LaunchConfig.
        entrypoint: the function; for "spawn" one that can be pickled.
        health_check_server: without effect.
    """

    def __init__(self, config: LaunchConfig, entrypoint: Callable | str | None, health_check_server=None):
        self._config, self._entrypoint = config, entrypoint

    def __call__(self, *args) -> dict[int, Any]:
        """Run it.

        Args:
            args: the function's.

        Returns:
            {rank: what it has returned}.

        Raises:
            ChildFailedError: a rank has failed, more often than it may. UnsupportedError: several machines, a program
                instead of a function, an option that is refused.
        """
        return launch_agent(self._config, self._entrypoint, list(args))


def launch_agent(config: LaunchConfig, entrypoint: Callable | str | None, args: list, health_check_server=None) -> dict:
    """What `elastic_launch` does.

    Args:
        config, entrypoint, health_check_server: as for `elastic_launch`.
        args: the function's arguments.

    Returns:
        {rank: what the function has returned}.

    Raises:
        as `elastic_launch`.
    """
    _check(config, entrypoint)
    folder = tempfile.mkdtemp(prefix="torchelastic_")
    try:
        for attempt in range(config.max_restarts):
            with contextlib.suppress(ChildFailedError):
                return _attempt(config, entrypoint, args, attempt, folder)
        return _attempt(config, entrypoint, args, config.max_restarts, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check(config, entrypoint) -> None:
    refused = [name for name in _REFUSED if getattr(config, name) is not None]
    if refused:
        raise UnsupportedError(f"LaunchConfig({refused[0]}=) is not supported")
    if config.max_nodes > 1:
        raise UnsupportedError("elastic_launch on several machines is not supported: torchlike run --nnodes starts "
                               "programs there")
    if not callable(entrypoint):
        raise UnsupportedError("elastic_launch of a program is not supported: torchlike run starts programs")


def _attempt(config, entrypoint, args, attempt: int, folder: str) -> dict:
    """One start of all ranks."""
    address = config.local_addr or "localhost"
    place = OneNode(config.nproc_per_node, address).join(attempt)
    job = Job([], config.nproc_per_node, config.role, config.run_id, config.max_restarts, config.monitor_interval,
              config.shutdown_timeout or 0, "", {}, {}, None, config.signals_to_handle.split(","), config.virtual_local_rank)
    names = [os.path.join(folder, f"{attempt}_{rank}") for rank in range(config.nproc_per_node)]
    environments = [worker_environment(job, place, rank, attempt, f"{name}.json") for rank, name in enumerate(names)]
    running = start_processes(_work, (entrypoint, args, environments, names), config.nproc_per_node, join=False,
                              start_method=config.start_method)
    try:
        while not running.join():  # when one fails it ends the others
            pass
    except ProcessException as error:
        raise ChildFailedError(_name(entrypoint), _failures(running, names, error.error_index)) from error
    finally:
        for process in running.processes:
            if process.is_alive():  # this one was interrupted
                process.terminate()
    return {rank: _value(name) for rank, name in enumerate(names)}


def _work(rank: int, entrypoint, args, environments, names) -> None:
    """What a process runs."""
    os.environ.update(environments[rank])
    value = record(entrypoint)(*args)
    with open(f"{names[rank]}.value", "wb") as file:
        pickle.dump(value, file)


def _value(name: str):
    with open(f"{name}.value", "rb") as file:
        return pickle.load(file)


def _failures(running, names, first: int) -> dict[int, ProcessFailure]:
    """The ranks that have failed by themselves."""
    return {rank: ProcessFailure(rank, process.pid, process.exitcode, f"{names[rank]}.json")
            for rank, process in enumerate(running.processes)
            if rank == first or os.path.exists(f"{names[rank]}.json")}


def _name(entrypoint) -> str:
    return getattr(entrypoint, "__qualname__", str(entrypoint))
