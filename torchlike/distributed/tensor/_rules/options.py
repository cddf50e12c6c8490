"""What a program has switched on for its thread."""

import threading


class _Options(threading.local):
    """``divides_classes``: see `loss_parallel`."""

    divides_classes = False


thread = _Options()
