"""``torchlike run --nproc-per-node 4 train.py``: the arguments of PyTorch's torchrun, and what they say.
https://pytorch.org/docs/stable/elastic/run.html

``python -m torchlike.distributed.run`` is the same. Arguments have defaults in variables of the environment (PET_NNODES for
``--nnodes``, and so on).
"""

import argparse
import os
import sys
import uuid
from collections.abc import Sequence

from torchlike.distributed._arguments import SHUTDOWN, get_args_parser
from torchlike.distributed.elastic._agent import FAILED, Job, Signals, launch
from torchlike.distributed.elastic._nodes import Meeting, Nodes, OneNode, RendezvousError, SignalError
from torchlike.distributed.elastic._output import say

__all__ = ["config_from_args", "determine_local_world_size", "get_args_parser", "main", "parse_args", "parse_min_max_nnodes",
           "run"]
_PORT = 29500
_TIMEOUT, _LAST_CALL, _KEEP_ALIVE = 600.0, 30.0, 15.0  # seconds
_WORKER = "torchlike._worker"
_NO = "not supported: "


def parse_args(args: Sequence[str] | None) -> argparse.Namespace:
    """Reads arguments.

    Args:
        args: them; None for those of the process.

    Returns:
        What they say.
    """
    return get_args_parser().parse_args(args)


def parse_min_max_nnodes(nnodes: str) -> tuple[int, int]:
    """How many nodes there are.

    Args:
        nnodes: a number, or "least:most".

    Returns:
        The least and the most.

    Raises:
        RuntimeError: it is neither.
    """
    parts = nnodes.split(":")
    if len(parts) > 2:
        raise RuntimeError(f'nnodes={nnodes} is not in "MIN:MAX" format')
    return int(parts[0]), int(parts[-1])


def determine_local_world_size(nproc_per_node: str) -> int:
    """How many workers a machine has.

    Args:
        nproc_per_node: a number, "cpu" for one a core, "gpu" for one a GPU, "auto" for GPUs if there are any.

    Returns:
        The number.

    Raises:
        ValueError: it is none of these, or there are no GPUs.
    """
    if nproc_per_node.lstrip("-").isdigit():
        return int(nproc_per_node)
    if nproc_per_node not in ("cpu", "gpu", "auto"):
        raise ValueError(f"Unsupported nproc_per_node value: {nproc_per_node}")
    gpus = 0 if nproc_per_node == "cpu" else _gpus()
    if nproc_per_node == "gpu" and not gpus:
        raise ValueError("Cuda is not available.")
    return gpus or os.cpu_count() or 1


def _gpus() -> int:
    """How many NVIDIA GPUs a process sees; asked of the driver's folder, since JAX is not imported here."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        return len([name for name in visible.split(",") if name and name != "-1"])
    try:
        return len(os.listdir("/proc/driver/nvidia/gpus"))
    except OSError:
        return 0


def _bits(text: str, workers: int) -> dict[int, int]:
    """What -r and -t say, by local rank."""
    if text.isdigit():
        found = dict.fromkeys(range(workers), int(text))
    else:
        found = {int(rank): int(bits) for rank, _, bits in (part.partition(":") for part in text.split(","))}
    if not all(0 <= bits <= 3 for bits in found.values()):
        raise ValueError(f"{text} is not 0, 1, 2, 3 or of the form 0:1,1:2")
    return {rank: bits for rank, bits in found.items() if bits}


def _command(args: argparse.Namespace) -> list[str]:
    own = ["--local-rank={local_rank}"] if getattr(args, "use_env", True) is False else []
    rest = [args.training_script, *own, *args.training_script_args]
    if args.no_python:
        if args.module:
            raise ValueError("Don't use both the '--no-python' flag and the '--module' flag at the same time.")
        return rest
    if not args.module and not os.path.exists(args.training_script):
        raise ValueError(f"can't open file '{args.training_script}'")
    module = ["-m"] if args.module else []
    return [sys.executable, "-u", "-P", "-m", _WORKER, *module, *rest]


def config_from_args(args: argparse.Namespace) -> Job:
    """What the arguments say is to be run. PyTorch's gives a ``LaunchConfig``, the command and its arguments.

    Args:
        args: what `parse_args` gives.

    Returns:
        What is run.

    Raises:
        ValueError: arguments do not go together, or are of what torchlike does not have.
    """
    for name in ("event_log_handler", "logs_specs", "numa_binding", "duplicate_stdout_filters", "duplicate_stderr_filters"):
        if getattr(args, name) is not None:
            raise ValueError(f"{_NO}--{name.replace('_', '-')}")
    least, most = parse_min_max_nnodes(args.nnodes)
    if not 0 < least <= most:
        raise ValueError(f"min_nodes must be > 0 and <= max_nodes, got min_nodes={least}, max_nodes={most}")
    if args.max_restarts < 0:
        raise ValueError("max_restarts must be >= 0")
    workers = determine_local_world_size(args.nproc_per_node)
    if workers < 1:
        raise ValueError(f"--nproc-per-node {workers}: there is one worker at least")
    shown = {int(rank) for rank in args.local_ranks_filter.split(",")} if args.local_ranks_filter else None
    shutdown = args.shutdown_timeout if args.shutdown_timeout is not None else \
        float(os.environ.get("TORCH_ELASTICSHUTDOWN_TIMEOUT", SHUTDOWN))
    run_id = str(uuid.uuid4()) if _is_alone(args, most) and args.rdzv_id == "none" else args.rdzv_id
    return Job(_command(args), workers, args.role, run_id, args.max_restarts, args.monitor_interval, shutdown,
               args.log_dir or "", _bits(args.redirects, workers), _bits(args.tee, workers), shown,
               args.signals_to_handle.split(","), args.virtual_local_rank)


def _is_alone(args: argparse.Namespace, most: int) -> bool:
    return args.standalone or most == 1


def _meeting(args: argparse.Namespace, job: Job, signals: Signals) -> Meeting:
    least, most = parse_min_max_nnodes(args.nnodes)
    is_static = args.rdzv_backend == "static"
    if is_static and least != most:
        raise ValueError(f"--nnodes {args.nnodes} needs --rdzv-backend c10d: with static the number of nodes is known")
    if is_static and not 0 <= (args.node_rank or 0) < most:
        raise ValueError(f"--node-rank {args.node_rank} needs more nodes than --nnodes {most}")
    endpoint = args.rdzv_endpoint or f"{args.master_addr}:{args.master_port or _PORT}"
    host, colon, port = endpoint.rpartition(":")
    if not colon:
        host, port = endpoint, str(args.master_port or _PORT)
    conf = dict(part.partition("=")[::2] for part in args.rdzv_conf.split(",") if part)
    timeout = float(conf.get("timeout", conf.get("join_timeout", _TIMEOUT)))
    keep_alive = float(conf.get("keep_alive_interval", _KEEP_ALIVE / 3)) * float(conf.get("keep_alive_max_attempt", 3))
    return Meeting(job.run_id, host.strip("[]"), int(port), (args.node_rank or 0) if is_static else None, least, most,
                   job.workers, job.role, args.local_addr or "", timeout, float(conf.get("last_call_timeout", _LAST_CALL)),
                   keep_alive, lambda: signals.first is not None)


def run(args: argparse.Namespace) -> int:
    """Starts the workers and waits for them.

    Args:
        args: what `parse_args` gives.

    Returns:
        The exit status. PyTorch's returns None, or raises ChildFailedError.

    Raises:
        ValueError: arguments do not go together, or are of what torchlike does not have.
    """
    job = config_from_args(args)
    if args.devices is not None:
        _become_one_process(args, job)
    _, most = parse_min_max_nnodes(args.nnodes)
    with Signals(job.signals) as signals:
        if _is_alone(args, most):
            return launch(job, OneNode(job.workers, args.local_addr or "localhost"), signals)
        try:
            nodes = Nodes(_meeting(args, job, signals))
        except RendezvousError as error:
            say(str(error))
            return FAILED
        except SignalError:
            return 128 + (signals.first or 0)
        return launch(job, nodes, signals)


def _become_one_process(args: argparse.Namespace, job: Job) -> None:
    """Goes on as the process that runs all ranks. ValueError for what is about several processes."""
    own = ("devices", "module", "training_script", "training_script_args")
    default = vars(parse_args([args.training_script]))
    others = [name for name, value in vars(args).items() if name in default and name not in own and value != default[name]]
    if args.devices < 1 or others:
        raise ValueError(f"--devices {args.devices}: there is one rank at least" if args.devices < 1 else
                         f"--devices is one process, without --{others[0].replace('_', '-')}")
    command, place = job.command, job.command.index(_WORKER) + 1
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os.execv(command[0], [*command[:place], "--devices", str(args.devices), *command[place:]])


def main(args: Sequence[str] | None = None) -> int:
    """The command. Wrong arguments leave with status 2.

    Args:
        args: the arguments; None for those of the process.

    Returns:
        The exit status.
    """
    parser = get_args_parser()
    try:
        return run(parser.parse_args(args))
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    sys.exit(main())
