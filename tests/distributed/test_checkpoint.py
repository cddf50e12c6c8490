"""`torch.distributed.checkpoint` by orbax, against torch's on what the two give a program."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap

import jax
import pytest
import torch
import torch.distributed.checkpoint as theirs
from orbax import checkpoint as orbax

import torchlike
import torchlike.distributed.checkpoint as ours
from tests.speed import sampled
from torchlike._base.errors import UnsupportedError

BOTH = ((torch, theirs), (torchlike, ours))
in_both = pytest.mark.parametrize(("t", "dcp"), BOTH, ids=["torch", "torchlike"])
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:torch")


def trained(t):
    t.manual_seed(0)
    model = t.nn.Sequential(t.nn.Linear(3, 4), t.nn.BatchNorm1d(4), t.nn.Linear(4, 2))
    optimizer = t.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    for _ in range(2):
        optimizer.zero_grad()
        (model(t.arange(15.0).view(5, 3)) ** 2).sum().backward()
        optimizer.step()
    return model, optimizer


def state_of(t):
    model, optimizer = trained(t)
    return {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3, "name": "run", "rates": [0.1, 0.2],
            "tensors": [t.arange(3), {"half": t.ones(2, dtype=t.bfloat16)}], "none": None, "flags": t.tensor([True, False])}


def told(value):
    if isinstance(value, torch.Tensor | torchlike.Tensor):
        values = [round(x, 4) for x in value.flatten().tolist()]
        return str(value.dtype).replace("torchlike", "torch"), tuple(value.shape), values
    if isinstance(value, dict):
        return {key: told(x) for key, x in value.items()}
    return [told(x) for x in value] if isinstance(value, list | tuple) else value


def blank(t, value):
    if isinstance(value, t.Tensor):
        return t.zeros_like(value)
    if isinstance(value, dict):
        return {key: blank(t, x) for key, x in value.items()}
    if isinstance(value, list) and any(isinstance(x, t.Tensor | dict) for x in value):
        return [blank(t, x) for x in value]
    return None


def test_round_trip(tmp_path):
    found = []
    for t, dcp in BOTH:
        state = state_of(t)
        dcp.save(state, checkpoint_id=tmp_path / t.__name__)
        again = blank(t, state)
        tensor = again["model"]["0.weight"]
        dcp.load(again, checkpoint_id=tmp_path / t.__name__)
        assert told(again) == told(state)
        assert again["model"]["0.weight"] is tensor
        found.append(told(again))
    assert found[0] == found[1]


@in_both
def test_a_part_is_read_alone_and_cast(t, dcp, tmp_path):
    saved = state_of(t)
    dcp.save(saved, checkpoint_id=tmp_path / "c")
    state = {"model": {"0.bias": t.zeros(4, dtype=t.float64)}, "epoch": 0}
    dcp.load(state, checkpoint_id=tmp_path / "c")
    assert state["epoch"] == 3
    assert state["model"]["0.bias"].dtype == t.float64
    assert state["model"]["0.bias"].float().tolist() == saved["model"]["0.bias"].tolist()


@in_both
def test_modules_and_optimizers_as_they_are(t, dcp, tmp_path):
    model, optimizer = trained(t)
    dcp.save({"app": Stateful(model, optimizer)}, checkpoint_id=tmp_path / "c")
    t.manual_seed(1)
    other = t.nn.Sequential(t.nn.Linear(3, 4), t.nn.BatchNorm1d(4), t.nn.Linear(4, 2))
    dcp.load({"app": Stateful(other, None)}, checkpoint_id=tmp_path / "c")
    assert told(other.state_dict()) == told(model.state_dict())


class Stateful:
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer

    def state_dict(self):
        return {"model": self.model.state_dict()} | ({"optimizer": self.optimizer.state_dict()} if self.optimizer else {})

    def load_state_dict(self, state):
        self.model.load_state_dict(state["model"])


def _failure(dcp, action):
    with pytest.raises(dcp.CheckpointException) as info:
        action()
    return [(type(e[0] if isinstance(e, tuple) else e).__name__, str(e[0] if isinstance(e, tuple) else e))
            for e in info.value.failures.values()]


@pytest.mark.parametrize("wanted", [lambda t: {"y": t.zeros(2)}, lambda t: {"x": t.zeros(4)},
                                    lambda t: {"x": t.zeros(3), "d": {"z": 1}}], ids=["missing", "size", "inner"])
def test_errors_change_nothing(wanted, tmp_path):
    said = []
    for t, dcp in BOTH:
        dcp.save({"x": t.ones(3)}, checkpoint_id=tmp_path / t.__name__)
        state = wanted(t)
        said.append(_failure(dcp, lambda dcp=dcp, state=state, t=t: dcp.load(state, checkpoint_id=tmp_path / t.__name__)))
        assert all(x.sum() == 0 for x in state.values() if isinstance(x, t.Tensor))
    assert said[0] == said[1]


@pytest.mark.parametrize("place", ["..", "../elsewhere", "/", "data-", "", 3, None])
def test_metadata_names_no_place_outside(place, tmp_path):
    for folder in ("elsewhere", "here"):
        ours.save({"x": torchlike.ones(3)}, checkpoint_id=tmp_path / folder)
    metadata = torchlike.load(tmp_path / "here" / ".metadata")
    torchlike.save({**metadata, "data": place}, tmp_path / "here" / ".metadata")
    state = {"x": torchlike.zeros(3)}
    assert _failure(ours, lambda: ours.load(state, checkpoint_id=tmp_path / "here")) == [
        ("ValueError", "the metadata names no directory of data")]
    assert state["x"].tolist() == [0, 0, 0]


@in_both
def test_saving_again_replaces(t, dcp, tmp_path):
    for value in (1.0, 2.0):
        dcp.save({"x": t.full((3,), value), "n": value}, checkpoint_id=tmp_path / "c")
    state = {"x": t.zeros(3), "n": 0}
    dcp.load(state, checkpoint_id=tmp_path / "c")
    assert (state["x"].tolist(), state["n"]) == ([2.0] * 3, 2.0)


def test_a_checkpoint_of_an_earlier_version(tmp_path):
    folder = f"data-{'0' * 16}"
    with orbax.PyTreeCheckpointer() as checkpointer:
        checkpointer.save(tmp_path / folder, {"x": jax.numpy.arange(3.0)})
    torchlike.save({"tensors": {"x": ([3], torchlike.float32)}, "objects": {"n": 5}, "data": folder}, tmp_path / ".metadata")
    state = {"x": torchlike.zeros(3), "n": None}
    ours.load(state, checkpoint_id=tmp_path)
    assert (state["x"].tolist(), state["n"]) == ([0, 1, 2], 5)
    ours.save(state, checkpoint_id=tmp_path)
    assert folder not in os.listdir(tmp_path)


def test_no_rest_is_left(tmp_path):
    for value in (1.0, 2.0):
        ours.save({"x": torchlike.full((3,), value)}, checkpoint_id=tmp_path)
    assert len([name for name in os.listdir(tmp_path) if name.startswith("data-")]) == 1


@in_both
def test_in_the_background(t, dcp, tmp_path):
    x = t.arange(1000.0)
    future = dcp.async_save({"x": x}, checkpoint_id=tmp_path / "c")
    x.zero_()
    future.result()
    state = {"x": t.zeros(1000)}
    dcp.load(state, checkpoint_id=tmp_path / "c")
    assert state["x"].tolist() == list(range(1000))


def test_errors_of_the_background(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("x")
    future = ours.async_save({"x": torchlike.ones(2)}, checkpoint_id=blocked)
    with pytest.raises(ours.CheckpointException):
        future.result()


@in_both
def test_planners_and_what_is_in_a_checkpoint(t, dcp, tmp_path):
    made = dcp.save({"model": {"w": t.ones(2, 3)}, "step": 4}, checkpoint_id=tmp_path / "c")
    read = dcp.FileSystemReader(tmp_path / "c").read_metadata()
    for metadata in (made, read, pickle.loads(pickle.dumps(read))):
        entry = metadata.state_dict_metadata["model.w"]
        assert (entry.size, entry.properties.dtype, [chunk.sizes for chunk in entry.chunks]) == ((2, 3), t.float32, [(2, 3)])
        assert metadata.state_dict_metadata["step"] == dcp.BytesStorageMetadata()
        assert metadata.planner_data == {"model.w": ("model", "w"), "step": ("step",)}
    state = {"model": {"w": t.zeros(2, 3), "bias": t.zeros(3)}, "step": 0}
    dcp.load(state, checkpoint_id=tmp_path / "c", planner=dcp.DefaultLoadPlanner(allow_partial_load=True))
    assert told(state) == told({"model": {"w": t.ones(2, 3), "bias": t.zeros(3)}, "step": 4})
    assert _failure(dcp, lambda: dcp.load(state, checkpoint_id=tmp_path / "c", planner=dcp.DefaultLoadPlanner())) == [
        ("RuntimeError", "Missing key in checkpoint state_dict: model.bias.")]


def test_refusals(tmp_path):
    with pytest.raises(UnsupportedError, match="async_stager"):
        ours.async_save({}, checkpoint_id=tmp_path, async_stager=object())
    with pytest.raises(UnsupportedError, match="serialization_format"):
        ours.FileSystemWriter(tmp_path, serialization_format="safetensors")
    with pytest.raises(RuntimeError, match="checkpoint_id"):
        ours.save({"x": 1})


KILLED = """
import sys, threading, time, os, signal
import torchlike as torch
import torchlike.distributed.checkpoint as dcp
path, delay = sys.argv[1], float(sys.argv[2])
dcp.save({"x": torch.zeros(300_000), "n": 0}, checkpoint_id=path)
print("saved", flush=True)
threading.Timer(delay, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
for n in range(1, 1000):
    dcp.save({"x": torch.full((300_000,), float(n)), "n": n}, checkpoint_id=path)
"""


@pytest.mark.parametrize("delay", sampled((0.1, 0.02, 0.05, 0.17, 0.31), ci={0.1}))
def test_killed_in_the_middle(delay, tmp_path):
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(KILLED), str(tmp_path), str(delay)], capture_output=True,
                          text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    state = {"x": torchlike.ones(300_000), "n": None}
    ours.load(state, checkpoint_id=tmp_path)
    assert state["x"].unique().tolist() == [float(state["n"])]

