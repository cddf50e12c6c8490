"""The process that has a `TCPStore`'s keys and values: one thread answers all connections, and sleeps between requests.

A request that has to wait stands in a list of its missing key until that comes, its time is over or its connection closes.
"""

import contextlib
import errno
import heapq
import itertools
import os
import selectors
import socket
import threading
import time
import weakref
from typing import ClassVar

from torchlike._c10d.errors import DistNetworkError, DistStoreError
from torchlike._c10d.stores._table import OPERATIONS, Table, message_length, packed, unpacked

DONE, LATE, WRONG = b"done", b"late", b"wrong"  # how answers begin
_CHUNK = 1 << 16
_NEW_KEYS = {"set", "add", "append", "compare_set", "queue_push"}  # of their first field
_LOOPBACK = {"localhost": "127.0.0.1", "127.0.0.1": "127.0.0.1", "::1": "::1"}


class _Connection:
    """What has come and what is to go."""

    def __init__(self, sock: socket.socket):
        self.sock, self.come, self.going = sock, bytearray(), bytearray()
        self.is_open = True


class _Waiting:
    """A request that waits."""

    def __init__(self, connection: _Connection, operation: str, fields: list[bytes]):
        self.connection, self.operation, self.fields, self.is_over = connection, operation, fields, False


class Server:
    """Serves a table to all that connect, until it is closed.

    Args:
        host: "localhost" and the like: only this machine can connect. Anything else: all that reach it can.
        port: the port, 0 for any.
        fd: a socket that listens already, None to make one.
    """

    _all: ClassVar[weakref.WeakSet] = weakref.WeakSet()

    def __init__(self, host: str, port: int, fd: int | None = None):
        self._listening = _listening(host, port) if fd is None else _given(fd, port)
        self._listening.setblocking(False)
        self.port = self._listening.getsockname()[1]
        self._table, self._process, self.users = Table(), os.getpid(), 0
        self._for: dict[bytes, list[_Waiting]] = {}
        self._deadlines: list[tuple[float, int, _Waiting]] = []
        self._numbers = itertools.count()
        self._woken, self._wakes = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listening, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        Server._all.add(self)
        self._thread = threading.Thread(target=self._serve, name="torchlike store", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends the thread and closes all connections."""
        if self._process == os.getpid() and self._wakes.fileno() != -1:
            self._wakes.close()
            if threading.current_thread() is not self._thread:
                self._thread.join()

    def _serve(self) -> None:
        try:
            while True:
                for key, events in self._selector.select(self._until_next()):
                    if key.fileobj is self._woken:
                        return
                    if key.fileobj is self._listening:
                        self._accept()
                    else:
                        self._move(key.data, events)
                self._end_late()
        finally:
            self._drop()

    def _drop(self) -> None:
        """Closes all, without a word to the selector: a forked process shares the parent's."""
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self._selector.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            sock, _ = self._listening.accept()
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._selector.register(sock, selectors.EVENT_READ, _Connection(sock))

    def _move(self, connection: _Connection, events: int) -> None:
        try:
            if events & selectors.EVENT_WRITE:
                self._send(connection)
            if events & selectors.EVENT_READ:
                read = connection.sock.recv(_CHUNK)
                if not read:
                    raise ConnectionResetError
                connection.come += read
                self._requests(connection)
        except BlockingIOError:
            pass
        except Exception:  # noqa: BLE001 - of a broken connection, or bytes that are no request: the others go on
            self._part(connection)

    def _part(self, connection: _Connection) -> None:
        if connection.is_open:
            connection.is_open = False
            self._selector.unregister(connection.sock)
            connection.sock.close()

    def _requests(self, connection: _Connection) -> None:
        while (length := message_length(connection.come)) is not None and len(connection.come) >= length:
            operation, timeout, *fields = unpacked(bytes(connection.come[:length]))
            del connection.come[:length]
            name = operation.decode()
            if name not in OPERATIONS:
                raise ValueError(name)
            self._take(_Waiting(connection, name, fields), float(timeout))

    def _take(self, request: _Waiting, timeout: float) -> None:
        lacking = self._table.lacks(request.operation, request.fields)
        if lacking is None:
            self._do(request)
        elif timeout <= 0:
            self._answer(request, LATE)
        else:
            self._for.setdefault(lacking, []).append(request)
            heapq.heappush(self._deadlines, (time.monotonic() + timeout, next(self._numbers), request))

    def _do(self, request: _Waiting) -> None:
        try:
            answer = self._table.apply(request.operation, request.fields)
        except ValueError as error:
            self._answer(request, WRONG, str(error).encode())
            return
        self._answer(request, DONE, *answer)
        keys = request.fields[:1] if request.operation in _NEW_KEYS else \
            request.fields[::2] if request.operation == "multi_set" else ()
        for key in keys:
            self._release(key)

    def _release(self, key: bytes) -> None:
        """Requests that wait for a key that has come, in the order in which they came."""
        for request in self._for.pop(key, ()):
            if request.is_over or not request.connection.is_open:
                continue
            lacking = self._table.lacks(request.operation, request.fields)
            if lacking is None:
                self._do(request)
            else:
                self._for.setdefault(lacking, []).append(request)

    def _answer(self, request: _Waiting, *fields: bytes) -> None:
        request.is_over = True
        if request.connection.is_open:
            request.connection.going += packed(*fields)
            try:
                self._send(request.connection)
            except OSError:
                self._part(request.connection)

    def _send(self, connection: _Connection) -> None:
        with contextlib.suppress(BlockingIOError):
            del connection.going[:connection.sock.send(connection.going)]
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if connection.going else 0)
        if self._selector.get_key(connection.sock).events != wanted:
            self._selector.modify(connection.sock, wanted, connection)

    def _until_next(self) -> float | None:
        while self._deadlines and self._deadlines[0][2].is_over:
            heapq.heappop(self._deadlines)
        return max(0.0, self._deadlines[0][0] - time.monotonic()) if self._deadlines else None

    def _end_late(self) -> None:
        while self._deadlines and self._deadlines[0][0] <= time.monotonic():
            request = heapq.heappop(self._deadlines)[2]
            if not request.is_over:
                self._forget(request)
                self._answer(request, LATE)

    def _forget(self, request: _Waiting) -> None:
        for key in set(request.fields) & self._for.keys():
            self._for[key] = [each for each in self._for[key] if each is not request]
            if not self._for[key]:
                del self._for[key]

    @classmethod
    def left_by_fork(cls) -> None:
        """In a forked process: the sockets are the parent's, which alone serves."""
        for server in list(cls._all):
            server._drop()
            server._wakes.close()
        cls._all.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=Server.left_by_fork)


def _listening(host: str, port: int) -> socket.socket:
    try:
        if host in _LOOPBACK:
            address = _LOOPBACK[host]
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            return socket.create_server((address, port), family=family, backlog=2048)
        if socket.has_dualstack_ipv6():
            return socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=2048)
        return socket.create_server(("", port), backlog=2048)
    except OSError as error:
        name = _name(error)
        raise DistNetworkError("The server socket has failed to listen on any local network address. "
                               f"port: {port}, useIpv6: false, {name}") from None


def _given(fd: int, port: int) -> socket.socket:
    try:
        found = socket.socket(fileno=os.dup(fd))
    except OSError as error:
        raise DistNetworkError(f"Failed to open existing socket. socket: {fd}, {_name(error)}") from None
    bound = found.getsockname()[1]
    if bound != port:
        found.close()
        raise DistStoreError(f"listen fd {fd} is bound to port {bound}, expected to be bound to port {port}")
    return found


def _name(error: OSError) -> str:
    """What libuv says of an error of the system."""
    number = error.errno or 0
    text = os.strerror(number).lower()
    name = errno.errorcode.get(number, str(number))
    return f"code: {-number}, name: {name}, message: {text}"
