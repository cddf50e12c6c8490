"""Processes that must compute the same bits.

The cold tier and whole programs round differently, and when a program is ready is a matter of time. Replicas of a model,
which take the same steps on several ranks, would drift apart by that. So while a process computes together with others, a
program is compiled at a certain run, by whoever runs it, and not in the background: each rank is in the same tier at the
same step.
"""

RUNS = 8  # by numpy, before a program is compiled: with fewer, what runs a few times only would be compiled, too


class Together:
    """``groups``: how many groups of several processes this one is in."""

    def __init__(self):
        self.groups = 0

    def begin(self) -> None:
        """This process is in one group more."""
        self.groups += 1

    def end(self) -> None:
        """It has left one."""
        self.groups -= 1


together = Together()
