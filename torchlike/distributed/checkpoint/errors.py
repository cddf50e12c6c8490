"""What is raised where a checkpoint cannot be written or read."""


class CheckpointException(BaseException):
    """A save or load failed, on one rank at least.

    Args:
        msg: "save" or "load".
        failures: a dict from ranks to errors.
    """

    def __init__(self, msg, failures):
        super().__init__(msg, failures)
        self._failures = failures

    @property
    def failures(self) -> dict:
        """A dict from ranks to errors."""
        return self._failures

    def __str__(self):
        return f"CheckpointException ranks:{self._failures.keys()}\n" + "\n".join(map(str, self._failures.values()))
