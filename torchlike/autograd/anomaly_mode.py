"""Anomaly mode: which forward line made the Node whose backward failed, and where a NaN came from.

https://pytorch.org/docs/stable/autograd.html#anomaly-detection. While it is on, each new Node notes
the Python stack and the Node that was running when it was made (``metadata``, as in PyTorch). The
mode belongs to the process; Nodes are noted on the threads that switched it on.
"""

import os
import threading
import traceback
import warnings

from torchlike._ops.table import ROWS
from torchlike._trace.bind import bind
from torchlike._trace.trace import force, state
from torchlike.autograd.hooks import result_places

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_OURS = tuple(os.path.join(_ROOT, name) for name in ("_trace", "_faces", "_tensor.py", "_api.py", "autograd"))


class _Mode:
    """Whether the mode is on, and whether gradients are searched for NaN."""

    enabled = False
    check_nan = True


mode = _Mode()


class _Running(threading.local):
    """The Nodes whose backward is running on this thread, outermost first."""

    def __init__(self):
        self.nodes = []


_running = _Running()


class _Recorder:
    """Called on each new Node. `before` is what was called until now."""

    detects_anomaly = True

    def __init__(self, before):
        self.before = before
        alternative = getattr(before, "run_backward", None)
        if alternative is not None:
            self.run_backward = alternative

    def __call__(self, node, tensors, outs, given):
        note = node.metadata
        note["traceback_"] = traceback.format_list(_user_frames())
        if _running.nodes:
            note["parent_"] = _running.nodes[-1]
        if self.before is not None:
            self.before(node, tensors, outs, given)


def _user_frames() -> list:
    """The stack without the frames of torchlike's own machinery."""
    return [frame for frame in traceback.extract_stack()
            if not frame.filename.startswith(_OURS) and not frame.filename.startswith("<torchlike")]


# -- around each Node of a backward pass

def watch(evaluate):
    """`evaluate` (of the engine), which then explains its exceptions and looks for NaN."""
    def watched(task, node, buffer):
        _running.nodes.append(node)
        try:
            results = evaluate(task, node, buffer)
            if mode.check_nan and results:
                _refuse_nan(node, results)
        except Exception:
            _explain(node)
            raise
        finally:
            _running.nodes.pop()
        return results

    return watched


def _refuse_nan(node, results) -> None:
    places = result_places(node, results)
    t = state.trace
    before, t.grad = t.grad, False
    try:
        for position, i in enumerate(places):
            g = None if i is None else results[i]
            if g is not None and bool(force(bind(ROWS["any"], (bind(ROWS["isnan"], (g,)),))._cell)):
                raise RuntimeError(f"Function '{node.name()}' returned nan values in its {position}th "
                                   "output.")
    finally:
        t.grad = before


def _explain(node) -> None:
    """Warn where the failing Node was made, and what it was made for."""
    name, note = node.name(), node.metadata
    if "traceback_" not in note:
        warnings.warn(f"Error detected in {name}. No forward pass information available. Enable detect "
                      "anomaly during forward pass for more information.", UserWarning, stacklevel=2)
        return
    warnings.warn(f"Error detected in {name}. Traceback of forward call that caused the error:\n"
                  f"{''.join(note['traceback_'])}", UserWarning, stacklevel=2)
    while "parent_" in note:
        parent = note["parent_"]
        note = parent.metadata
        if "traceback_" not in note:
            warnings.warn(f"\n\nPrevious calculation was induced by {parent.name()}. No forward pass "
                          "information available. Enable detect anomaly during forward pass for more "
                          "information.", UserWarning,
                          stacklevel=2)
            return
        warnings.warn(f"\n\nPrevious calculation was induced by {parent.name()}. Traceback of forward call "
                      "that induced the previous "
                      f"calculation:\n{''.join(note['traceback_'])}", UserWarning, stacklevel=2)


# -- switching

def set_anomaly_enabled(enabled, check_nan=True) -> None:
    """Switch the mode."""
    mode.enabled, mode.check_nan = bool(enabled), bool(check_nan)
    t = state.trace
    recording = isinstance(t.special, _Recorder)
    if enabled and not recording:
        t.special = _Recorder(t.special)
    elif not enabled and recording:
        t.special = t.special.before


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on."""
    return mode.enabled


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode looks for NaN."""
    return mode.check_nan


class detect_anomaly:  # noqa: N801 - PyTorch's name
    """Inside, a failing backward names the forward line, and a NaN gradient is a RuntimeError.
    https://pytorch.org/docs/stable/autograd.html#torch.autograd.detect_anomaly"""

    def __init__(self, check_nan=True):
        self.prev, self.prev_check_nan = mode.enabled, mode.check_nan
        self.check_nan = check_nan
        warnings.warn("Anomaly Detection has been enabled. This mode will increase the runtime and should "
                      "only be enabled for debugging.", stacklevel=2)

    def __enter__(self):
        set_anomaly_enabled(True, self.check_nan)

    def __exit__(self, *exc):
        set_anomaly_enabled(self.prev, self.prev_check_nan)


class set_detect_anomaly:  # noqa: N801
    """Switch anomaly mode on or off at once; as a context, until its end.
    https://pytorch.org/docs/stable/autograd.html#torch.autograd.set_detect_anomaly"""

    def __init__(self, mode, check_nan=True):
        self.prev, self.prev_check_nan = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        set_anomaly_enabled(mode, check_nan)

    def __enter__(self):
        pass

    def __exit__(self, *exc):
        set_anomaly_enabled(self.prev, self.prev_check_nan)


FUNCTIONS: dict = {"is_anomaly_enabled": is_anomaly_enabled, "set_anomaly_enabled": set_anomaly_enabled,
             "is_anomaly_check_nan_enabled": is_anomaly_check_nan_enabled}
