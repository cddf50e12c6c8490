"""Ports of this machine."""

import socket


def free_port() -> int:
    """A port that nobody has on the loopback address just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
