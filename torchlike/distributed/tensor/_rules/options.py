"""What a program has switched on for its thread."""

import threading


class _Options(threading.local):
    """``divides_classes``: see `loss_parallel`; ``takes_tensors``: see `implicit_replication`."""

    divides_classes = False
    takes_tensors = False


thread = _Options()
