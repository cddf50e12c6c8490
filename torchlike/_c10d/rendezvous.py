"""How processes find each other: by a URL to a store, a rank and their number.
https://pytorch.org/docs/stable/distributed.html#initialization
"""

import datetime
import numbers
import os
from collections.abc import Callable, Iterator
from urllib.parse import ParseResult, urlparse

from torchlike._c10d.stores import FileStore, Store, TCPStore

__all__ = ["register_rendezvous_handler", "rendezvous"]
_TIMEOUT = datetime.timedelta(minutes=30)
_handlers: dict[str, Callable[..., Iterator[tuple[Store, int, int]]]] = {}


def register_rendezvous_handler(scheme: str, handler: Callable) -> None:
    """Adds a way to find each other. https://pytorch.org/docs/stable/distributed.html

    Args:
        scheme: what its URLs begin with.
        handler: a generator function of a URL, which yields a store, the rank and the number of ranks.

    Raises:
        RuntimeError: there is one for the scheme.
    """
    if scheme in _handlers:
        raise RuntimeError(f"Rendezvous handler for {scheme}:// already registered")
    _handlers[scheme] = handler


def rendezvous(url: str, rank: int = -1, world_size: int = -1, **kwargs):
    """Finds the other processes: ``env://`` by environment variables, ``tcp://host:port?rank=0&world_size=2`` by an address
    and ``file:///path?rank=0&world_size=2`` by a file.

    Args:
        url: the URL.
        rank: this process's, if the URL does not tell.
        world_size: how many there are, if the URL does not tell.
        kwargs: for the handler: ``timeout``, a timedelta, 30 minutes by default.

    Returns:
        An iterator over (store, rank, world_size); it has one.

    Raises:
        RuntimeError: no text, no ints, or a scheme that is not known.
        ValueError: something is missing.
        AssertionError: rank or world_size are told twice.
    """
    if not isinstance(url, str | bytes):
        raise RuntimeError(f"`url` must be a string. {type(url)}: {url}")
    for name, value in (("rank", rank), ("world_size", world_size)):
        if not isinstance(value, numbers.Integral):
            raise RuntimeError(f"`{name}` must be an integer. {value}")
    return _found(str(url), rank, world_size, **kwargs)


def _found(url: str, rank: int, world_size: int | None, **kwargs):
    """The same; with None the number of ranks is that of the environment, or not known."""
    parts, is_open = urlparse(url), world_size is None
    if world_size is None:
        from_env = os.environ if parts.scheme == "env" else {}
        rank, world_size = int(from_env.get("RANK", rank)), int(from_env.get("WORLD_SIZE", -1))
    told = {"rank": rank} if rank != -1 else {}
    if world_size != -1 or is_open:
        told["world_size"] = world_size
    if told or is_open:
        query = _query(parts)
        if query.keys() & {"rank", "world_size"}:
            raise AssertionError(f"The url: {url} has node-specific arguments(rank, world_size) already.")
        url = parts._replace(query="&".join(f"{name}={value}" for name, value in (query | told).items())).geturl()
    if parts.scheme not in _handlers:
        raise RuntimeError(f"No rendezvous handler for {parts.scheme}://")
    return _handlers[parts.scheme](url, **kwargs)


def _query(parts: ParseResult) -> dict[str, str]:
    pairs = (pair.split("=") for pair in parts.query.split("&") if pair)
    return {pair[0]: pair[1] for pair in pairs}


def _problem(scheme: str, text: str) -> ValueError:
    return ValueError(f"Error initializing torch.distributed using {scheme}:// rendezvous: {text}")


def _ranks(parts: ParseResult) -> tuple[int, int]:
    """The rank and the number of ranks that a URL tells."""
    query = _query(parts)
    for name in ("rank", "world_size"):
        if name not in query:
            raise _problem(parts.scheme, f"{name.replace('_', ' ')} parameter missing")
    return int(query["rank"]), int(query["world_size"])


def is_agent_store() -> bool:
    """Whether the launcher of ranks serves the store of MASTER_ADDR and MASTER_PORT (TORCHELASTIC_USE_AGENT_STORE)."""
    return os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"


def _store(host: str, port: int, rank: int, world_size: int, timeout) -> Store:
    """Rank 0 serves it, or the launcher does."""
    if not 0 <= port < 1 << 16:
        raise ValueError(f"port must have value from 0 to 65535 but was {port}.")
    if is_agent_store():
        return TCPStore(host, port, world_size, False, timeout)
    return TCPStore(host, port, world_size, rank == 0, timeout, multi_tenant=True)


def _by_file(url: str, **_):
    parts = urlparse(url)
    if not parts.path:
        raise _problem("file", "path missing")
    rank, world_size = _ranks(parts)
    yield FileStore(parts.path, world_size), rank, world_size
    raise RuntimeError("Unable to perform rerendezvous using file:// method")


def _by_tcp(url: str, timeout: datetime.timedelta = _TIMEOUT, **_):
    parts = urlparse(url)
    if parts.port is None:
        raise _problem("tcp", "port number missing")
    rank, world_size = _ranks(parts)
    if parts.hostname is None:
        raise AssertionError("hostname cannot be None")
    yield _store(parts.hostname, parts.port, rank, world_size, timeout), rank, world_size
    raise RuntimeError("Unable to perform re-rendezvous using tcp:// method")


def _variable(name: str) -> str:
    found = os.environ.get(name)
    if not found:
        raise _problem("env", f"environment variable {name} expected, but not set")
    return found


def _by_env(url: str, timeout: datetime.timedelta = _TIMEOUT, **_):
    query = _query(urlparse(url))
    rank = int(query["rank"] if "rank" in query else _variable("RANK"))
    world_size = int(query["world_size"] if "world_size" in query else _variable("WORLD_SIZE"))
    host, port = _variable("MASTER_ADDR"), int(_variable("MASTER_PORT"))
    yield _store(host, port, rank, world_size, timeout), rank, world_size
    raise RuntimeError("Unable to perform re-rendezvous using env:// method")


for _scheme, _handler in (("env", _by_env), ("tcp", _by_tcp), ("file", _by_file)):
    register_rendezvous_handler(_scheme, _handler)
