"""Stores, live against torch's: what each call gives, raises and says."""

import datetime
import os
import pickle
import re
import socket
import threading
import time

import pytest
import torch.distributed as theirs

from tests.speed import sampled
from torchlike import distributed as ours

CALLS = """
s.timeout
s.set("k", "v"); s.get("k")
s.set("b", b"\\x00\\xff"); s.get("b")
s.set_timeout(datetime.timedelta(seconds=0.2)); s.timeout
s.set_timeout(0.25); s.timeout
s.get("nokey")
s.wait(["k", "no1", "no2"])
s.wait(["no1", "no2"], datetime.timedelta(seconds=0.1))
s.wait(["k"])
s.wait([])
s.add("n", 3)
s.add("n", -5)
s.get("n")
s.set("num", "12abc"); s.add("num", 1)
s.add("big", 2**62); s.add("big", 2**62)
s.check(["k"])
s.check(["k", "zz"])
s.check([])
s.compare_set("c1", "x", "y")
s.check(["c1"])
s.compare_set("c2", "", "y")
s.compare_set("c2", "y", "z")
s.compare_set("c2", "y", "w")
s.delete_key("c2")
s.check(["c2"])
s.num_keys()
s.has_extended_api()
s.append("k", "w"); s.append("ap", "w"); s.get("k") + s.get("ap")
s.multi_set(["m1", "m2"], ["1", "2"]); s.multi_get(["m1", "m2"])
s.multi_get(["m1", "m3"])
s.multi_get([])
sorted(k for k in s.list_keys() if "count" not in k)
s.clone().get("k")
s.barrier("bar", 1)
s.barrier("bar2", 2, datetime.timedelta(seconds=0.1))
s.set("", "e"); s.get("")
s.set("ev", ""); s.get("ev")
s.set("ü", "é"); s.get("ü")
"""
QUEUES = """
s.queue_push("q", "1")
s.queue_push("q", "2")
s.queue_len("q")
s.check(["q"])
n = s.num_keys(); s.queue_push("other", "1"); s.num_keys() - n
s.queue_pop("q")
s.queue_pop("q", False)
s.queue_pop("q", False)
s.set_timeout(0.1); s.queue_pop("q")
s.queue_len("none")
"""
STORES = {
    "hash": lambda d, path: d.HashStore(),
    "tcp": lambda d, path: d.TCPStore("127.0.0.1", 0, None, True, datetime.timedelta(seconds=5)),
    "prefix": lambda d, path: d.PrefixStore("p", d.HashStore()),
    "prefix tcp": lambda d, path: d.PrefixStore("p", d.TCPStore("127.0.0.1", 0, None, True)),
    "file": lambda d, path: d.FileStore(str(path / d.__name__), 2),
}


def told(function):
    """What a call gives, or the type and text of what it raises."""
    try:
        return function()
    except Exception as error:  # noqa: BLE001 - compared
        return f"{type(error).__name__}: {error}"


def answers(store, calls) -> list:
    def call(line):
        *before, last = line.split("; ")
        names = {"s": store, "datetime": datetime}
        for each in before:
            exec(each, names)
        return eval(last, names)

    return [(line, told(lambda line=line: call(line))) for line in calls.strip().splitlines()]


@pytest.mark.parametrize("kind", sampled(("hash", "tcp", "file", "prefix", "prefix tcp"), fast={"hash"}))
def test_every_call_is_torchs(kind, tmp_path):
    calls = CALLS + QUEUES
    if kind == "file":  # torch's waits for a second at least
        calls = "\n".join(line for line in CALLS.splitlines() if not re.search("no1|m3|bar2", line)) + \
            '\ns.queue_push("q", "1")\ns.queue_len("q")\n'
    found, wanted = (answers(STORES[kind](d, tmp_path), calls) for d in (ours, theirs))
    assert found == wanted


@pytest.mark.parametrize("kind", ["hash", "tcp", "file"])
def test_a_value_that_is_no_number(kind, tmp_path):
    store = STORES[kind](ours, tmp_path)  # torch's TCPStore breaks its connection
    store.set("k", "v")
    with pytest.raises(ValueError, match="stoll"):
        store.add("k", 1)
    assert store.get("k") == b"v"
    with pytest.raises(TypeError, match=re.escape("set(): incompatible function arguments.")):
        store.set("k", 3)  # pyrefly: ignore
    with pytest.raises(ours.DistStoreError, match="vectors must be of same size"):
        store.multi_set(["a", "b"], ["1"])
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(store)


def test_a_stores_own_class():
    def own(d):
        class Own(d.Store):
            def __init__(self):
                super().__init__()
                self.had = {}

            def set(self, key, value):
                self.had[key] = value

        store = Own()
        d.PrefixStore("x", store).set("k", b"v")
        return store.had, store.timeout, store.has_extended_api(), told(lambda: store.queue_push("q", "1"))

    assert own(ours) == own(theirs)
    assert told(lambda: ours.Store().add("x", 1)) == told(lambda: theirs.Store().add("x", 1))
    nested = ours.PrefixStore("a", ours.PrefixStore("b", ours.HashStore()))
    assert type(nested._underlying_non_prefix_store) is ours.HashStore


def test_errors_are_torchs():
    for name in ("DistError", "DistBackendError", "DistStoreError", "DistNetworkError", "QueueEmptyError"):
        mine, real = getattr(ours, name), getattr(theirs, name)
        assert [kind.__name__ for kind in mine.__mro__] == [kind.__name__ for kind in real.__mro__]
        assert mine.__module__.replace("torchlike", "torch") == real.__module__


def served(d, seconds=5.0, **how):
    return d.TCPStore("127.0.0.1", 0, None, True, datetime.timedelta(seconds=seconds), **how)


@pytest.mark.slow
def test_connecting_fails_as_torchs():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]  # bound, and nobody listens
        calls = (lambda d: d.TCPStore("127.0.0.1", port, None, False, datetime.timedelta(seconds=0.3)),
                 lambda d: d.TCPStore("nosuchhost.invalid", 1, None, False, datetime.timedelta(seconds=0.3)),
                 lambda d: d.TCPStore("127.0.0.1", 0, 2, True, datetime.timedelta(seconds=0.5)),
                 lambda d: d.TCPStore("127.0.0.1", port, None, True, master_listen_fd=999))
        for call in calls:
            assert told(lambda call=call: call(ours)) == told(lambda call=call: call(theirs))
    ports = [served(d) for d in (ours, theirs)]
    texts = [told(lambda d=d, s=s: d.TCPStore("127.0.0.1", s.port, None, True)).replace(str(s.port), "PORT")
             for d, s in zip((ours, theirs), ports, strict=True)]
    assert texts[0] == texts[1]
    with pytest.raises(TypeError, match="incompatible constructor arguments"):
        ours.TCPStore("127.0.0.1", 1 << 16)


def test_many_clients_and_one_that_comes_late():
    server = served(ours)
    late = []

    def client(index):
        store = ours.TCPStore("127.0.0.1", server.port, None, False, 5)
        store.add("count", 1)
        late.append(store.get("late"))

    threads = [threading.Thread(target=client, args=(index,)) for index in range(16)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    assert late == []
    server.set("late", "now")
    for thread in threads:
        thread.join()
    assert late == [b"now"] * 16
    assert server.get("count") == b"16"


def test_the_server_waits_for_all_workers():
    found = []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        master = threading.Thread(target=lambda: found.append(
            ours.TCPStore("127.0.0.1", port, 3, True, 5, master_listen_fd=listening.fileno())))
        master.start()
        others = [ours.TCPStore("127.0.0.1", port, 3, False, 5) for _ in range(2)]
        master.join()
    assert found[0].port == port
    assert found[0].list_keys() == []
    assert found[0].num_keys() == 1
    assert len(others) == 2


def test_threads_of_one_client_do_not_wait_for_each_other():
    server = served(ours)
    client = ours.TCPStore("127.0.0.1", server.port, None, False, 5)
    got = []
    waiting = threading.Thread(target=lambda: got.append(client.get("later")))
    waiting.start()
    start = time.perf_counter()
    for _ in range(100):
        client.add("n", 1)
    assert time.perf_counter() - start < 2
    assert not got
    client.set("later", "x")
    waiting.join()
    assert got == [b"x"]


def test_values_that_wait_in_a_queue_come_once_each():
    server, got = served(ours), []
    threads = [threading.Thread(target=lambda: got.append(server.queue_pop("q"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for index in range(8):
        server.queue_push("q", str(index))
    for thread in threads:
        thread.join()
    assert sorted(got) == [b"%d" % index for index in range(8)]
    assert server.queue_len("q") == 0


def test_large_values_and_a_client_that_goes():
    server = served(ours)
    gone = ours.TCPStore("127.0.0.1", server.port, None, False, 5)
    del gone
    server.set("large", b"x" * 3_000_000)
    client = ours.TCPStore("127.0.0.1", server.port, None, False, 5)
    assert client.get("large") == b"x" * 3_000_000
    with socket.create_connection(("127.0.0.1", server.port)) as rude:
        rude.sendall(b"\x00\x00\x00\x09\x00\x00\x00\x05hello")
        assert rude.recv(1) == b""  # parted with, and the others go on
    assert client.add("n", 1) == 1


def test_a_store_that_is_deleted_closes_its_sockets():
    before = len(os.listdir("/proc/self/fd"))
    server = served(ours)
    client = server.clone()
    port = server.port
    del server
    with pytest.raises(ours.DistNetworkError, match="Failed to recv, got 0 bytes"):
        client.get("k")
    del client
    assert len(os.listdir("/proc/self/fd")) == before
    again = ours.TCPStore("127.0.0.1", port, None, True, 5)
    assert again.port == port
    assert not [thread for thread in threading.enumerate() if thread.name == "torchlike store"][1:]


def test_stores_of_one_process_share_a_server_if_they_may():
    first = served(ours, multi_tenant=True)
    second = ours.TCPStore("127.0.0.1", first.port, None, True, multi_tenant=True)
    first.set("k", "v")
    del first
    assert second.get("k") == b"v"


def test_a_server_that_waits_costs_nothing():
    server = served(ours)
    server.set("k", "v")
    before = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - before < 0.05


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes fork on POSIX")
def test_a_forked_process_connects_by_itself():
    server = served(ours)
    server.set("k", "v")
    pid = os.fork()
    if not pid:
        status = 1
        try:
            server.set("child", server.get("k"))
            del server  # the parent's goes on
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(pid, 0)[1] == 0
    assert server.get("child") == b"v"


def test_files_are_shared_and_removed(tmp_path):
    def steps(d):
        path = str(tmp_path / f"{d.__name__}.store")
        first, second = d.FileStore(path, 2), d.FileStore(path, 2)
        first.set("a", "1")
        found = [second.get("a"), second.add("n", 2), first.add("n", 3), first.num_keys(), first.path == path]
        del first
        found.append(os.path.exists(path))
        del second
        found.append(os.path.exists(path))
        left = d.FileStore(path + "x")
        left.set("a", "1")
        del left
        return [*found, os.path.exists(path + "x")]

    assert steps(ours) == steps(theirs)
    with pytest.raises(FileNotFoundError):
        ours.FileStore(str(tmp_path / "none" / "x"), 1)
