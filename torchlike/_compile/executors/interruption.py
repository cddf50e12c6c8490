"""Ctrl-C while a trace runs.

An exception that a signal's handler raises may come between any two steps. As long as the inputs are at hand nothing is
lost: the trace runs again when somebody looks again. Once a run has let go of an input there is no way back, so it goes on
to its end, and then the exception goes on. Only what cannot be computed then, for lack of memory say, is lost.
"""

import itertools


class Interrupted(Exception):
    """An executor was interrupted and has finished all the same: ``results`` are what it would have returned, None for what
    is lost, ``__cause__`` is the interruption."""

    def __init__(self, results: list):
        super().__init__()
        self.results = results


def to_the_end(calls: list, env: list) -> BaseException | None:
    """Follow the steps of calls, whatever comes between, up to a call that fails twice.

    Args:
        calls: the steps of each call. It may be begun anew: what it reads is there until the next call begins.
        env: the list of values that the steps take.

    Returns:
        The interruption, or why a call fails, if there was one.
    """
    interruption, first, at, failed = None, 0, 0, -1
    while True:
        try:
            # Not `while`: what a signal raises where CPython 3.12 and later jump back to its head goes past the handler.
            for at in range(first, len(calls)):
                for step in calls[at]:
                    step(env)
            return interruption
        except BaseException as error:  # noqa: BLE001 - Ctrl-C, or what the step raises
            if failed == at:
                return error
            interruption, first, failed = error, at, at


def keep_result(compiled, given: tuple, kept: list) -> None:
    """Append ``compiled(*given)`` to `kept`, in one step of C's: Python looks for signals at its end and not in between, so
    that what a program returns is there if its inputs are gone.

    Args:
        compiled: what JAX has compiled. Its ``__call__`` is Python, which looks for signals; its ``_call`` is not.
        given: the arguments.
        kept: what takes the result.
    """
    kept.extend(itertools.starmap(getattr(compiled, "_call", None) or compiled, (given,)))
