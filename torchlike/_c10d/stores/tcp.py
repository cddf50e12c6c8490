"""A store that one process serves to many."""

import os
import socket
import threading
import time
import weakref
from typing import ClassVar

from torchlike._base.forkable import forkable
from torchlike._base.turns import away
from torchlike._c10d.errors import DistNetworkError, DistStoreError
from torchlike._c10d.stores._server import LATE, WRONG, Server
from torchlike._c10d.stores._table import WAITING, message_length, packed, seconds, unpacked
from torchlike._c10d.stores.base import Store

_GRACE = 10.0  # seconds in which an answer is sent that is due
_JOINED = b"init/"  # how many processes have come
_PAUSE = 0.02  # seconds between attempts to connect
_GONE = "Failed to recv, got 0 bytes. Connection was likely closed. Did the remote server shutdown or crash?"


class _Client:
    """Connections to a server. Each request has one for itself as long as it waits, so threads do not wait for each other,
    and a forked process makes its own."""

    _all: ClassVar[weakref.WeakSet] = weakref.WeakSet()

    def __init__(self, host: str, port: int):
        self.host, self.port = host, port
        self._idle: list[socket.socket] = []
        _Client._all.add(self)

    def connect(self, timeout: float) -> None:
        """The first connection, tried until it is made or the time is over."""
        until = time.monotonic() + timeout
        while True:
            try:
                self._idle.append(self._connection(max(0.05, until - time.monotonic())))
                return
            except OSError:
                if time.monotonic() + _PAUSE >= until:
                    raise DistNetworkError(f"The client socket has timed out after {round(timeout * 1000)}ms while "
                                           f"trying to connect to ({self.host}, {self.port}).") from None
                time.sleep(_PAUSE)

    def _connection(self, timeout: float) -> socket.socket:
        made = socket.create_connection((self.host, self.port), timeout)
        if made.getsockname() == made.getpeername():  # a port that nobody listens to, connected to itself
            made.close()
            raise ConnectionRefusedError
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made

    def ask(self, request: bytes, timeout: float) -> list[bytes]:
        """The answer to a request, which comes within that time."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = None
        try:
            if connection is None:
                connection = self._connection(_GRACE)
            connection.settimeout(timeout + _GRACE)
            connection.sendall(request)
            answer = _received(connection)
        except BaseException as error:
            if connection is not None:
                connection.close()  # what might still come is the answer to this request
            if isinstance(error, OSError):
                raise DistNetworkError(_GONE if isinstance(error, ConnectionError) else str(error)) from None
            raise
        self._idle.append(connection)
        return unpacked(answer)

    def close(self) -> None:
        """Closes the connections that nobody uses."""
        while self._idle:
            self._idle.pop().close()

    @classmethod
    def left_by_fork(cls) -> None:
        """In a forked process: the connections are the parent's."""
        for client in list(cls._all):
            client.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Client.left_by_fork)


def _received(connection: socket.socket) -> bytes:
    come = bytearray()
    while (length := message_length(come)) is None or len(come) < length:
        read = connection.recv(1 << 16)
        if not read:
            raise ConnectionResetError
        come += read
    return bytes(come)


class _Shared:
    """Servers that several stores of this process share (``multi_tenant``), by port."""

    lock = forkable(threading.Lock())
    servers: ClassVar[weakref.WeakValueDictionary] = weakref.WeakValueDictionary()


def _server(host: str, port: int, fd: int | None, multi_tenant: bool) -> Server:
    with _Shared.lock:
        found = _Shared.servers.get(port) if multi_tenant and port else None
        if found is None or not found.users:
            found = Server(host, port, fd)
            if multi_tenant:
                _Shared.servers[found.port] = found
        found.users += 1
    return found


def _leave(server: Server) -> None:
    with _Shared.lock:
        server.users -= 1
        is_last = not server.users
    if is_last:
        server.close()


class TCPStore(Store):
    """Keys and values that one process has and serves to all that connect to it.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.TCPStore

    Threads that use one store do not wait for each other, as in PyTorch they do. A forked process makes connections of its
    own; the server stays the parent's, and ends with the store that started it. It is not encrypted and asks for no
    password. Unlike PyTorch's, a server whose host is "localhost" or 127.0.0.1 cannot be reached from other machines.

    Args:
        host_name: where the server is.
        port: its port; 0, with `is_master`, for any that is free, which `port` tells.
        world_size: how many processes use the store; None if that is not known.
        is_master: whether this process serves it.
        timeout: how long to wait for the server, for other processes, and in `get` and `wait`: a timedelta, or seconds.
        wait_for_workers: whether the server waits here for all `world_size` processes.
        multi_tenant: whether several stores of this process may share a server of this port.
        master_listen_fd: a socket that listens on `port`, for the server.
        use_libuv: taken, without effect: there is one kind of server.

    Raises:
        DistNetworkError: the port is in use, or there is no server after the timeout.
        DistStoreError: after the timeout some processes are missing.
        TypeError: the port is none.
    """

    def __init__(self, host_name: str, port: int, world_size: int | None = None, is_master: bool = False, timeout=300.0,
                 wait_for_workers: bool = True, multi_tenant: bool = False, master_listen_fd: int | None = None,
                 use_libuv: bool = True):
        if not 0 <= port < 1 << 16:
            raise TypeError("__init__(): incompatible constructor arguments.")
        super().__init__()
        self.set_timeout(timeout)
        self._host, self._libuv, self._server = host_name, use_libuv, None
        if is_master:
            self._server = _server(host_name, port, master_listen_fd, multi_tenant)
            weakref.finalize(self, _leave, self._server)
            port = self._server.port
        own = host_name if host_name == "::1" else "127.0.0.1"
        self._client = _Client(own if is_master else host_name, port)
        weakref.finalize(self, self._client.close)
        self._client.connect(seconds(timeout))
        if world_size is not None and world_size > 0 and wait_for_workers:
            self._join(world_size)

    def _join(self, world_size: int) -> None:
        until = time.monotonic() + seconds(self._timeout)
        joined = int(self._ask("add", [_JOINED, b"1"])[0])
        while self._server is not None and joined < world_size:
            if time.monotonic() > until:
                waited = -int(-seconds(self._timeout) // 1)
                raise DistStoreError(f"Timed out after {waited} seconds waiting for clients. {joined}/{world_size} clients "
                                     "joined.")
            time.sleep(_PAUSE)
            joined = int(self._ask("add", [_JOINED, b"0"])[0])

    def __repr__(self):
        server = "<nullptr>" if self._server is None else f"TCPServer(port={self.port})"
        return f"TCPStore(client=TCPClient({self._client.host}:{self.port}), server={server})"

    def _ask(self, operation, fields, timeout=None):
        wanted = self._timeout.total_seconds() if timeout is None else timeout
        waits = max(0.0, wanted) if operation in WAITING else 0.0
        with away():
            word, *answer = self._client.ask(packed(operation.encode(), b"%.6f" % waits, *fields), waits)
        if word == LATE:
            keys = ", ".join(f"/{key.decode('utf-8', 'replace')}" for key in fields)
            raise DistStoreError(f"wait timeout after {round(waits * 1000)}ms, keys: {keys}")
        if word == WRONG:
            raise ValueError(answer[0].decode())
        return answer

    @property
    def host(self) -> str:
        """The host name that was given."""
        return self._host

    @property
    def port(self) -> int:
        """The port of the server."""
        return self._client.port

    @property
    def libuvBackend(self) -> bool:  # noqa: N802 - PyTorch's name
        """What was given as `use_libuv`."""
        return self._libuv

    @property
    def is_master(self) -> bool:
        """Whether this store serves. PyTorch's has no such property."""
        return self._server is not None

    def has_extended_api(self):
        return True

    def list_keys(self):
        return [key for key in super().list_keys() if key != _JOINED.decode()]

    def barrier(self, key, world_size, timeout=None):
        try:
            super().barrier(key, world_size, timeout)
        except DistStoreError:
            waited = seconds(self._timeout if timeout is None else timeout)
            raise DistStoreError(f"barrier timeout after {round(waited * 1000)}ms, key: {key}") from None

    def clone(self):
        """A store of the same server. It does not keep the server alive."""
        made = TCPStore(self._client.host, self.port, None, False, self._timeout, use_libuv=self._libuv)
        made._host = self._host
        return made
