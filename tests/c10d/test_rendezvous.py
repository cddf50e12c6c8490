"""Rendezvous, live against torch's: what is found, and what is said of what is missing."""

import datetime
import socket

import pytest
import torch.distributed as theirs

from torchlike import distributed as ours

VARIABLES = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_USE_AGENT_STORE")


def told(function):
    try:
        return function()
    except Exception as error:  # noqa: BLE001 - compared
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize(("url", "given", "how"), [
    ("env://", {}, {}),
    ("env://", {"RANK": "0"}, {}),
    ("env://", {"RANK": "0", "WORLD_SIZE": "1"}, {}),
    ("env://", {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1"}, {}),
    ("env://", {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "70000"}, {"rank": 0, "world_size": 1}),
    ("tcp://127.0.0.1", {}, {"rank": 0, "world_size": 1}),
    ("tcp://127.0.0.1:70000", {}, {"rank": 0, "world_size": 1}),
    ("tcp://127.0.0.1:1234", {}, {}),
    ("tcp://127.0.0.1:1234", {}, {"rank": 0}),
    ("tcp://127.0.0.1:1234?rank=0", {}, {"rank": 0}),
    ("tcp://:1234", {}, {"rank": 0, "world_size": 1}),
    ("file://", {}, {"rank": 0, "world_size": 1}),
    ("file:///tmp/x", {}, {"rank": 0}),
    ("odd://x", {}, {}),
    (3, {}, {}),
    ("env://", {}, {"rank": "0"}),
    ("env://", {}, {"world_size": 1.5}),
])
def test_texts_are_torchs(url, given, how, monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    found, wanted = (told(lambda d=d: next(d.rendezvous(url, **how))) for d in (ours, theirs))
    assert found == wanted
    assert isinstance(found, str)


def test_ranks_find_each_other(monkeypatch, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.delenv("TORCHELASTIC_USE_AGENT_STORE", raising=False)
    monkeypatch.setenv("MASTER_ADDR", "127.0.0.1")
    monkeypatch.setenv("MASTER_PORT", str(port))
    for url in ("env://", f"file://{tmp_path / 'store'}", f"tcp://127.0.0.1:{port}"):
        # With two ranks in one thread the server must not wait for both.
        found = ours.rendezvous(url, 0, 1, timeout=datetime.timedelta(seconds=5))
        store, rank, world_size = next(found)
        assert (rank, world_size) == (0, 1)
        store.set("k", "v")
        if url == "env://":
            monkeypatch.setenv("TORCHELASTIC_USE_AGENT_STORE", "True")
            client, rank, _ = next(ours.rendezvous(url, 0, 1, timeout=datetime.timedelta(seconds=5)))
            assert client.get("k") == b"v"
            assert not client.is_master  # the launcher serves it
            monkeypatch.delenv("TORCHELASTIC_USE_AGENT_STORE")
        with pytest.raises(RuntimeError, match=r"Unable to perform re-?rendezvous using"):
            next(found)


def test_a_handler_of_ones_own():
    def own(url, **how):
        yield url, how

    for d in (ours, theirs):
        d.register_rendezvous_handler("own", own)
        assert list(d.rendezvous("own://x", 1, 2, timeout=3)) == [("own://x?rank=1&world_size=2", {"timeout": 3})]
    assert told(lambda: ours.register_rendezvous_handler("tcp", own)) == \
        told(lambda: theirs.register_rendezvous_handler("tcp", own))
