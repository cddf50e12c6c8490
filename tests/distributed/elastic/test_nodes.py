"""Several launchers on one machine, as if they were on several: how they find each other, and end together."""

import os
import re
import signal
import socket
import sys

import pytest

from tests.distributed.launching import Launcher, gone
from tests.speed import sampled

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")
SHOW = """
import os, sys
names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "GROUP_WORLD_SIZE", "ROLE_RANK",
         "ROLE_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
sys.stdout.write(" ".join(os.environ[name] for name in names) + "\\n")
"""
FAILS = """
import os, sys, time
rank, count = int(os.environ["RANK"]), int(os.environ["TORCHELASTIC_RESTART_COUNT"])
sys.stdout.write(f"{rank} {os.getpid()} {count}\\n")
if count == 0:
    folder = os.path.dirname(os.path.abspath(__file__))
    open(os.path.join(folder, f"here.{rank}"), "w").close()
    while not all(os.path.exists(os.path.join(folder, f"here.{each}")) for each in range(4)):
        time.sleep(0.01)
    if rank == 3:
        sys.exit(3)
if count == 0:
    time.sleep(60)
"""


@pytest.fixture
def endpoint():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"127.0.0.1:{free.getsockname()[1]}"


def node(folder, program, endpoint, rank=None, *flags, backend="static", nnodes="2", nproc="2", conf="timeout=15"):
    place = [] if rank is None else ["--node-rank", str(rank)]
    return Launcher(folder, program, "--nnodes", nnodes, "--nproc-per-node", nproc, "--rdzv-backend", backend,
                    "--rdzv-endpoint", endpoint, "--rdzv-conf", conf, *place, *flags)


def lines(*outs):
    return sorted((re.sub(r"^\[rank\d+\]: ", "", line).split() for out in outs for line in out.splitlines()),
                  key=lambda words: int(words[0]))


@pytest.mark.parametrize("backend", sampled(("static", "c10d"), fast={"c10d"}))
def test_ranks_of_two_nodes(tmp_path, endpoint, backend):
    later = node(tmp_path, SHOW, endpoint, 1 if backend == "static" else None, backend=backend, nproc="3")
    first = node(tmp_path, SHOW, endpoint, 0 if backend == "static" else None, backend=backend, nproc="2")
    (status, out, err), (other_status, other_out, other_err) = first.end(), later.end()
    assert (status, other_status, err, other_err) == (0, 0, "", "")
    found = lines(out, other_out)
    assert [int(words[0]) for words in found] == list(range(5))
    assert {(words[2], words[5], words[7], words[8]) for words in found} == {("5", "2", "5", "127.0.0.1")}
    assert len({words[9] for words in found}) == 1
    assert [words[6] for words in found] == [words[0] for words in found]  # one role
    sizes = [words[3] for words in found]
    assert sizes in (["2", "2", "3", "3", "3"], ["3", "3", "3", "2", "2"])
    if backend == "static":
        assert sizes[0] == "2"


@pytest.mark.slow
def test_fewer_nodes_than_might_be(tmp_path, endpoint):
    only = node(tmp_path, SHOW, endpoint, backend="c10d", nnodes="1:3", conf="last_call_timeout=0.3")
    status, out, _ = only.end()
    assert status == 0
    assert [words[5] for words in lines(out)] == ["1", "1"]


@pytest.mark.slow
@pytest.mark.parametrize("restarts", [0, 1])
def test_when_one_node_fails_the_other_ends_or_begins_again(tmp_path, endpoint, restarts):
    launchers = [node(tmp_path, FAILS, endpoint, rank, "--max-restarts", str(restarts)) for rank in (0, 1)]
    (status, out, err), (other_status, other_out, other_err) = (launcher.end() for launcher in launchers)
    assert "rank 3 failed (exit status 3" in other_err
    assert "rank 3 of node 1 has failed (exit status 3): the workers of this node are ended" in err
    assert (status, other_status) == ((0, 0) if restarts else (1, 3))
    assert len(lines(out, other_out)) == (8 if restarts else 4)
    assert gone([int(words[1]) for words in lines(out, other_out)], 0)


@pytest.mark.slow
def test_a_node_that_never_comes(tmp_path, endpoint):
    for rank, text in ((0, "1 of 2 nodes have come; missing: --node-rank 1. Waited 0.5 s"),
                       (1, f"nobody answers at {endpoint}: is the launcher of node 0 there")):
        status, out, err = node(tmp_path, SHOW, endpoint, rank, conf="timeout=0.5").end()
        assert (status, out) == (1, "")
        assert text in err
        assert err.count("\n") == 1


@pytest.mark.slow
def test_nodes_that_do_not_agree(tmp_path, endpoint):
    def fail(*launchers):
        ends = [launcher.end() for launcher in launchers]
        assert [(status, out) for status, out, _ in ends] == [(1, "")] * len(ends)
        return [err for _, _, err in ends]

    first, second = fail(node(tmp_path, SHOW, endpoint, 0, nnodes="2"), node(tmp_path, SHOW, endpoint, 1, nnodes="3"))
    for text in (first, second):
        assert re.search("one node was started with --nnodes [23], another with --nnodes [23]", text)
    status, _, text = node(tmp_path, SHOW, endpoint, 2).end()
    assert status == 2
    assert "--node-rank 2 needs more nodes than --nnodes 2" in text


@pytest.mark.slow
def test_a_node_that_is_started_twice_or_too_late(tmp_path, endpoint):
    sleeps = "import time, sys; sys.stdout.write('0 here\\n'); time.sleep(1.5)"
    first, second = node(tmp_path, sleeps, endpoint, 0), node(tmp_path, sleeps, endpoint, 1)
    first.line()
    status, _, err = node(tmp_path, sleeps, endpoint, 1).end()
    assert status == 1
    assert "two nodes were started with --node-rank 1" in err
    status, _, err = node(tmp_path, sleeps, endpoint, 0).end()
    assert status == 1
    assert "is in use: choose another one by --rdzv-endpoint or --master-port" in err
    assert (first.end()[0], second.end()[0]) == (0, 0)
    first, second = (node(tmp_path, sleeps, endpoint, backend="c10d") for _ in range(2))
    first.line()
    status, _, err = node(tmp_path, sleeps, endpoint, backend="c10d").end()
    assert status == 1
    assert "this node comes too late" in err
    assert (first.end()[0], second.end()[0]) == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("killed", [0, 1])
def test_a_launcher_that_is_killed_ends_the_other_nodes(tmp_path, endpoint, killed):
    program = "import os, sys, time; sys.stdout.write(f'0 {os.getpid()}\\n'); time.sleep(60)"
    launchers = [node(tmp_path, program, endpoint, rank, conf="timeout=15,keep_alive_interval=0.5") for rank in (0, 1)]
    pids = [int(launcher.line().split()[-1]) for launcher in launchers for _ in range(2)]
    os.kill(launchers[killed].process.pid, signal.SIGKILL)
    status, _, err = launchers[1 - killed].end()
    assert status == 1
    assert ("has ended" if killed == 0 else "gives no sign of life") in err
    assert gone(pids, 1)
    launchers[killed].end()


@pytest.mark.slow
def test_ctrl_c_on_one_node_ends_all(tmp_path, endpoint):
    program = "import os, sys, time; sys.stdout.write(f'0 {os.getpid()}\\n'); time.sleep(60)"
    launchers = [node(tmp_path, program, endpoint, rank) for rank in (0, 1)]
    pids = [int(launcher.line().split()[-1]) for launcher in launchers for _ in range(2)]
    launchers[1].process.send_signal(signal.SIGINT)
    assert launchers[1].end()[0] == 130
    status, _, err = launchers[0].end()
    assert status == 1
    assert "SIGINT has ended the launcher of node 1" in err
    assert gone(pids, 0)


@pytest.mark.slow
def test_ctrl_c_while_it_waits_for_others(tmp_path, endpoint):
    launcher = node(tmp_path, SHOW, endpoint, 1)
    with pytest.raises(Exception, match="timed out"):
        launcher.process.wait(1.0)
    launcher.process.send_signal(signal.SIGINT)
    assert launcher.end()[0] == 130
    assert launcher.seconds < 5
