"""``python -m torchlike.distributed.launch``: the older form of ``torchlike run``, whose workers are given ``--local-rank``.
https://pytorch.org/docs/stable/distributed.html#launch-utility
"""

import argparse
import sys
import warnings
from collections.abc import Sequence

from torchlike.distributed.run import get_args_parser, run

__all__ = ["launch", "main", "parse_args"]


def parse_args(args: Sequence[str] | None) -> argparse.Namespace:
    """Reads arguments.

    Args:
        args: them; None for those of the process.

    Returns:
        What they say.
    """
    parser = get_args_parser()
    parser.add_argument("--use-env", "--use_env", action="store_true", help="do not give workers --local-rank")
    return parser.parse_args(args)


def launch(args: argparse.Namespace) -> int:
    """Starts the workers and waits for them.

    Args:
        args: what `parse_args` gives.

    Returns:
        The exit status.

    Raises:
        ValueError: a program that is not Python's is given ``--local-rank``.
    """
    if args.no_python and not args.use_env:
        raise ValueError("When using the '--no-python' flag, you must also set the '--use-env' flag.")
    return run(args)


def main(args: Sequence[str] | None = None) -> int:
    """The command.

    Args:
        args: the arguments; None for those of the process.

    Returns:
        The exit status.
    """
    warnings.warn("The module torch.distributed.launch is deprecated\nand will be removed in future. Use torchrun.\n"
                  "Note that --use-env is set by default in torchrun.\nIf your script expects `--local-rank` argument to be "
                  "set, please\nchange it to read from `os.environ['LOCAL_RANK']` instead. See \n"
                  "https://pytorch.org/docs/stable/distributed.html#launch-utility for \nfurther instructions\n",
                  FutureWarning, stacklevel=2)
    return launch(parse_args(args))


if __name__ == "__main__":
    sys.exit(main())
