"""Anomaly mode: which forward line made the Node whose backward failed, and where a NaN came from.

https://pytorch.org/docs/stable/autograd.html#anomaly-detection. While it is on, each new Node notes
the Python stack and the Node that was running when it was made (``metadata``, as in PyTorch). The
mode belongs to the process; Nodes are noted on the threads that switched it on.

Beyond PyTorch it looks at the values of the forward pass: the error for a nan gradient ends with what the gradient
holds and with the first result that was not finite, and it can raise there or open a debugger.
"""

import os
import threading
import traceback
import warnings

import numpy as np

from torchlike._base.block import Block
from torchlike._record.site import noted
from torchlike._record.trace import state
from torchlike.autograd.anomaly_values import bad_value, described, enter_debugger, lines, values_of
from torchlike.autograd.reachable import reachable

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_OURS = tuple(os.path.join(_ROOT, name) for name in ("_record", "_modes", "_api", "autograd"))


class _Mode:
    """Whether the mode is on, and its options (see `detect_anomaly`)."""

    enabled = False
    check_nan = True
    check_inf = False
    check_forward = False
    debugger = False

    def options(self) -> tuple:
        return self.check_nan, self.check_inf, self.check_forward, self.debugger

    def set(self, enabled, check_nan, check_inf=False, check_forward=False, debugger=False) -> None:
        self.enabled, self.check_nan, self.check_inf = bool(enabled), bool(check_nan), bool(check_inf)
        self.check_forward, self.debugger = bool(check_forward), debugger


mode = _Mode()


class _Running(threading.local):
    """The Nodes whose backward is running on this thread, outermost first."""

    def __init__(self):
        self.nodes = []


_running = _Running()


class _Recorder:
    """The Observer that keeps the stack of each new Node."""

    detects_anomaly, sees_all = True, False

    def node_made(self, node, tensors, outs, numbers) -> None:
        """Keep the stack, and look at the results if the mode says so."""
        note = node.metadata
        note["traceback_"] = traceback.format_list(_user_frames())
        if _running.nodes:
            note["parent_"] = _running.nodes[-1]
        if mode.check_nan and not _running.nodes:
            _look_at(node, outs)


_recorder = _Recorder()


def _user_frames() -> list:
    """The stack without the frames of torchlike's own machinery."""
    return [frame for frame in traceback.extract_stack()
            if not frame.filename.startswith(_OURS) and not frame.filename.startswith("<torchlike")]


# -- around each Node of a backward pass

def watch(evaluate):
    """Makes the engine explain the exceptions of Nodes and look for nan.

    Args:
        evaluate: the engine's function that runs one Node.

    Returns:
        A function to call in its place.
    """
    def watched(task, node, buffer):
        _running.nodes.append(node)
        try:
            grads = list((buffer or {}).values())
            results = evaluate(task, node, buffer)
            if mode.check_nan and results:
                _refuse_nan(task, node, grads, results)
        except Exception:
            _explain(node)
            raise
        finally:
            _running.nodes.pop()
        return results

    return watched


def _look_at(node, outs) -> None:
    """Remember a result of the forward pass that is not finite; with ``check_forward`` refuse it."""
    for i, x in enumerate(outs):
        bad = bad_value(node.name(), f"forward result {i}", node.site, x)
        if bad is None:
            continue
        node.metadata.setdefault("not_finite_", bad)
        if mode.check_forward and (np.isnan(bad.values).any() or mode.check_inf):
            enter_debugger(mode.debugger, bad)
            kind = "nan" if np.isnan(bad.values).any() else "inf"
            raise noted(RuntimeError(f"Function '{node.name()}' returned {kind} values in its forward pass."), lines(bad))


def _refuse_nan(task, node, grads, results) -> None:
    """RuntimeError where a gradient holds nan (or, if asked for, inf)."""
    for position, i in enumerate(node.result_places(results)):
        g = None if i is None else results[i]
        bad = bad_value(node.name(), f"gradient {position}", None, g)
        if bad is None:
            continue
        kind = "nan" if np.isnan(bad.values).any() else "inf"
        if kind == "inf" and not mode.check_inf:
            continue
        enter_debugger(mode.debugger, bad)
        raise noted(RuntimeError(f"Function '{node.name()}' returned {kind} values in its {position}th output."),
                    lines(bad) + _what_came_in(node, grads) + _first_forward(task))


def _what_came_in(node, grads) -> str:
    found = ""
    for i, g in enumerate(grads):
        values = values_of(g)
        if values is not None:
            found += f"\nincoming gradient {i} of {node.name()}: {described(values)}"
    return found


def _first_forward(task) -> str:
    """The first result of the forward pass that was not finite, among the Nodes of this backward."""
    found = [node for node in reachable(task.waiting) if "not_finite_" in getattr(node, "_metadata", ())]
    if not found:
        return "\nAll results of the forward pass were finite."
    first = min(found, key=lambda node: node.seq)
    return f"\nThe first that was not finite is {lines(first.metadata['not_finite_']).lstrip()}"


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

def set_anomaly_enabled(enabled, check_nan=True, check_inf=False, check_forward=False, debugger=False) -> None:
    """Switches the mode on or off. It belongs to the process, but only Nodes of threads that switched it on keep their
    stack.
    https://pytorch.org/docs/stable/autograd.html#anomaly-detection

    Args:
        enabled: whether the mode is on.
        check_nan, check_inf, check_forward, debugger: as for `detect_anomaly`.
    """
    mode.set(enabled, check_nan, check_inf, check_forward, debugger)
    thread = state.thread
    others = tuple(observer for observer in thread.observers if observer is not _recorder)
    thread.observers = (_recorder, *others) if enabled else others


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on."""
    return mode.enabled


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode looks for NaN."""
    return mode.check_nan


class detect_anomaly(Block):  # noqa: N801 - PyTorch's name
    """Inside, a failing backward names the forward line, and a nan gradient is a RuntimeError. Warns that it makes programs
    slow.
    https://pytorch.org/docs/stable/autograd.html#torch.autograd.detect_anomaly

    That error goes on after PyTorch's text: how many nan and inf, where the first is, shape and range, the gradients
    that came in, and the first result of the forward pass that was not finite. The options by keyword are ours.

    Args:
        check_nan: whether nan in a gradient is refused.
        check_inf: whether infinite values are refused too.
        check_forward: whether they are refused in the forward pass already, at the line.
        debugger: called with what was found (its text, ``name``, ``site``, ``values``); True opens pdb there.
    """

    def __init__(self, check_nan=True, *, check_inf=False, check_forward=False, debugger=False):
        self.prev, self.before = mode.enabled, mode.options()
        self.prev_check_nan = mode.check_nan
        self.check_nan, self.options = check_nan, (check_nan, check_inf, check_forward, debugger)
        warnings.warn("Anomaly Detection has been enabled. This mode will increase the runtime and should "
                      "only be enabled for debugging.", stacklevel=2)

    def _begin(self) -> None:
        set_anomaly_enabled(True, *self.options)

    def _end(self) -> None:
        set_anomaly_enabled(self.prev, *self.before)


class set_detect_anomaly(Block):  # noqa: N801
    """Switches anomaly mode on or off at once; as a context, until its end.
    https://pytorch.org/docs/stable/autograd.html#torch.autograd.set_detect_anomaly

    Args:
        mode: whether it is on.
        check_nan, check_inf, check_forward, debugger: as for `detect_anomaly`.
    """

    def __init__(self, mode, check_nan=True, *, check_inf=False, check_forward=False, debugger=False):
        self.prev, self.prev_check_nan = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        self.before = _options()
        try:
            set_anomaly_enabled(mode, check_nan, check_inf, check_forward, debugger)
        except BaseException:  # Ctrl-C, say: nobody has what would put it back
            self._end()
            raise

    def _begin(self) -> None:
        pass

    def _end(self) -> None:
        set_anomaly_enabled(self.prev, *self.before)


def _options() -> tuple:
    return mode.options()


FUNCTIONS: dict = {"is_anomaly_enabled": is_anomaly_enabled, "set_anomaly_enabled": set_anomaly_enabled,
             "is_anomaly_check_nan_enabled": is_anomaly_check_nan_enabled}
