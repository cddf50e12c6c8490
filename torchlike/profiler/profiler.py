"""`profile`, with its schedules. What takes the times is in `torchlike/autograd/profiler.py`."""

import enum
import json
import os
import socket
import time
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from torchlike._base.errors import UnsupportedError
from torchlike._record.facade import accelerators as _accelerators
from torchlike._record.warning import warn_once
from torchlike.autograd import profiler as _prof
from torchlike.autograd.profiler_util import ProfilerActivity as ProfilerActivity

_CLEARS = ("Warning: Profiler clears events at the end of each cycle. Only events from the current cycle will be reported. "
           "To keep events across cycles, set acc_events=True.")
_STOPPED = ("ProfilerAction.DEVICE_STOPPED is set internally by the profiler and must not be returned by a user-provided "
            "schedule")
_OPTIONS = ("profile_memory", "with_stack", "record_shapes", "with_modules", "with_flops")


_COUNTED = "ProfilerStep"  # under this name a profile counts its steps


class ProfilerAction(enum.Enum):
    """What is done in a step. https://pytorch.org/docs/stable/profiler.html#torch.profiler.ProfilerAction"""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    DEVICE_STOPPED = 4


_RECORDS = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


def supported_activities() -> set:
    """CPU, and CUDA where JAX has a GPU."""
    return {ProfilerActivity.CPU, ProfilerActivity.CUDA} if _accelerators() else {ProfilerActivity.CPU}


def _default_schedule_fn(_) -> ProfilerAction:
    """Without a schedule every step is recorded."""
    return ProfilerAction.RECORD


def schedule(*, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0,
             skip_first_wait: int = 0) -> Callable:
    """A schedule for `profile`: skip some steps; then in cycles wait, warm up and record.
    https://pytorch.org/docs/stable/profiler.html#torch.profiler.schedule

    Args:
        wait, warmup, active: how many steps of a cycle do what. Without warm-up it warns.
        repeat: after how many cycles nothing is done any more; 0 means never.
        skip_first: how many steps come before the first cycle.
        skip_first_wait: other than 0, the first cycle does not wait.

    Returns:
        A function from the number of a step to a `ProfilerAction`.

    Raises:
        AssertionError: a negative number, or no active steps.
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0).")
    if warmup == 0:
        warnings.warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)
    length = wait + warmup + active
    shift = wait if skip_first_wait else 0

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        cycle, place = divmod(step - skip_first + shift, length)
        if step < skip_first or (repeat > 0 and cycle >= repeat) or place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if place == length - 1 else ProfilerAction.RECORD

    return action


def tensorboard_trace_handler(dir_name: str, worker_name: str | None = None, use_gzip: bool = False,
                              use_python_export: bool = False) -> Callable:
    """An ``on_trace_ready`` that writes each trace to a file of its own, where TensorBoard's plugin looks.
    https://pytorch.org/docs/stable/profiler.html#torch.profiler.tensorboard_trace_handler

    Args:
        dir_name: the folder, which is made; RuntimeError where it cannot be.
        worker_name: what the file's name begins with; None means host and process.
        use_gzip: whether it is compressed.
        use_python_export: ignored.

    Returns:
        A function of a `profile`.
    """
    def handler(prof) -> None:
        try:
            os.makedirs(dir_name, exist_ok=True)
        except Exception as error:
            raise RuntimeError("Can't create directory: " + dir_name) from error
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        file = f"{worker}.{time.time_ns()}.pt.trace.json" + (".gz" if use_gzip else "")
        prof.export_chrome_trace(os.path.join(dir_name, file), use_python_export=use_python_export)

    return handler


def _known(activities) -> set:
    """Those among the given things that are activities."""
    return {activity for item in activities for activity in (item if isinstance(item, dict) else (item,))
            if isinstance(activity, ProfilerActivity)}


def _parsed(activities) -> set:
    """The activities, each given as such or as a key of a dictionary of what to collect of it."""
    found: set = set()
    for item in activities:
        if not isinstance(item, ProfilerActivity | dict):
            raise TypeError(f"Expected ProfilerActivity or dict, got {type(item)}")
        for activity in item if isinstance(item, dict) else (item,):
            if activity in found:
                raise ValueError(f"Activity {activity} specified more than once")
            found.add(activity)
    return found


class _KinetoProfile:
    """A profile without a schedule: `profile` says what its options do.
    https://pytorch.org/docs/stable/profiler.html#torch.profiler._KinetoProfile"""

    def __init__(self, *, activities: Iterable | None = None, record_shapes: bool = False, profile_memory: bool = False,
                 with_stack: bool = False, with_flops: bool = False, with_modules: bool = False,
                 experimental_config: Any = None, execution_trace_observer: Any = None, acc_events: bool = False,
                 custom_trace_id_callback: Callable[[], str] | None = None,
                 post_processing_timeout_s: float | None = None) -> None:
        if experimental_config is not None:
            raise UnsupportedError("torch.profiler.profile(experimental_config=...): its settings are Kineto's")
        self.activities = _parsed(activities) if activities is not None else supported_activities()
        self.record_shapes, self.profile_memory, self.with_stack = record_shapes, profile_memory, with_stack
        self.with_flops, self.with_modules, self.acc_events = with_flops, with_modules, acc_events
        self.experimental_config, self.execution_trace_observer = experimental_config, execution_trace_observer
        self.custom_trace_id_callback = custom_trace_id_callback
        self.post_processing_timeout_s = post_processing_timeout_s
        self.profiler: _prof.profile | None = None
        names = (("CUDA", "cuda"), ("XPU", "xpu"), ("MTIA", "mtia"), ("HPU", "hpu"))
        self.use_device = next((name for key, name in names if ProfilerActivity[key] in self.activities), None)
        self.preset_metadata: dict[str, str] = {}
        self._trace_metadata: dict[str, str] = {}

    def start(self) -> None:
        """Begin to take times."""
        self.prepare_trace()
        self.start_trace()

    def stop(self) -> None:
        """End."""
        self.stop_trace()

    def prepare_trace(self) -> None:
        """Warm up: run kernel by kernel, which compiles the kernels, without taking times."""
        if self.profiler is not None and not self.acc_events:
            warn_once(_CLEARS)
        if self.profiler is None or not self.acc_events:
            self.profiler = _prof.profile(
                use_cpu=ProfilerActivity.CPU in self.activities, use_device=self.use_device,
                record_shapes=self.record_shapes, with_flops=self.with_flops, profile_memory=self.profile_memory,
                with_stack=self.with_stack, with_modules=self.with_modules, use_kineto=True, acc_events=self.acc_events,
                custom_trace_id_callback=self.custom_trace_id_callback,
                post_processing_timeout_s=self.post_processing_timeout_s)
        self.profiler._prepare_trace()

    def start_trace(self) -> None:
        """Take times from now on. AssertionError before `prepare_trace`."""
        if self.execution_trace_observer:
            self.execution_trace_observer.start()
        self._begun("Profiler must be initialized before starting trace")._start_trace()
        for option in _OPTIONS:
            if getattr(self, option):
                self.add_metadata_json(option, "1")
        for key, value in self.preset_metadata.items():
            self.add_metadata_json(key, value)

    def stop_trace(self) -> None:
        """Take no times any more."""
        self._stop_trace(None)

    def _stop_trace(self, error) -> None:
        if self.execution_trace_observer:
            self.execution_trace_observer.stop()
        self._begun("Profiler must be initialized before stopping trace").__exit__(error, None, None)

    def _begun(self, otherwise) -> _prof.profile:
        if self.profiler is None:
            raise AssertionError(otherwise)
        return self.profiler

    # -- results

    def export_chrome_trace(self, path: str, use_python_export: bool = False) -> None:
        """Write the last cycle's trace for Perfetto (https://ui.perfetto.dev) or chrome://tracing: JSON, compressed where
        the path ends in ".gz"."""
        self._begun("Profiler must be initialized before exporting chrome trace").export_chrome_trace(
            path, self._trace_metadata)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write the user's lines with their times. Needs ``with_stack``."""
        self._begun("Profiler must be initialized before exporting stacks").export_stacks(path, metric)

    def export_memory_timeline(self, path: str, device: str | None = None) -> None:
        """UnsupportedError: PyTorch has deprecated it."""
        raise UnsupportedError("torch.profiler.profile.export_memory_timeline: PyTorch has deprecated it")

    def toggle_collection_dynamic(self, enable: bool, activities: Iterable) -> None:
        """Take no times for a while: traces run as compiled programs then. It acts where CPU is among the activities."""
        if self.profiler is not None and ProfilerActivity.CPU in set(activities):
            self.profiler.toggle_collection_dynamic(enable, activities)

    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0,
                     group_by_overload_name: bool = False):
        """The sums by operator, and by shapes (with ``record_shapes``) and source line (with ``with_stack`` and 1)."""
        return self._begun("Profiler must be initialized before getting key averages").key_averages(
            group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def events(self):
        """All events, see `torch.autograd.profiler_util.FunctionEvent`."""
        return self._begun("Profiler must be initialized before accessing events").function_events

    # -- what else is written with the trace

    def add_metadata(self, key: str, value: str) -> None:
        """Write a text with the trace."""
        self._trace_metadata[key] = json.dumps(value)

    def add_metadata_json(self, key: str, value: str) -> None:
        """Write what this JSON says with the trace."""
        self._trace_metadata[key] = value

    def preset_metadata_json(self, key: str, value: str) -> None:
        """The same, before the start."""
        self.preset_metadata[key] = value

    def set_custom_trace_id_callback(self, callback) -> None:
        """From now on this function names the traces."""
        self.custom_trace_id_callback = callback

    def get_trace_id(self):
        """The name of this trace; None before the start."""
        return None if self.profiler is None else self.profiler.trace_id


class profile(_KinetoProfile):  # noqa: N801 - PyTorch's name
    """Times the operators of a block, in steps if there is a `schedule`.
    https://pytorch.org/docs/stable/profiler.html#torch.profiler.profile

    Differs from torch: a program recorded here is compiled as a whole, and then no operator has a time of its own. While
    a profile records or warms up, the traces of its thread therefore run operator by operator, each waited for. So the
    figures say where the time goes, but not how long a step takes: the compiled program is faster than their sum, since
    XLA fuses operators and drops what nobody needs. Measure steps without a profiler, and see `jax.profiler.trace` for
    XLA's own view of a compiled program.

    - An operator is one event. ``aten::linear`` has no ``aten::addmm`` in it, a gradient (``MulBackward0``) no operators,
      what nobody needs does not appear, ``add_`` is ``aten::add`` and a write.
    - "[Python and recording]" is what lies between two traces: the user's Python, and ours. "[compilation of kernels]"
      is what happens once for each new operator and shape; a step of warm-up does it before the times are taken.
    - The line of a gradient is that of its forward operation if that is known, else that of ``backward()``. Of an
      operation without history it is the line that recorded it first at its place, as in `torchlike.explain`.
    - On a GPU the time of an operator is that between its call and its result. Only the profile's thread is timed, and not
      what JAX computes under `torch.func`. Random numbers are drawn in Python, as PyTorch's on the CPU.

    Args:
        activities: CPU, and CUDA for times on a GPU, each as a `ProfilerActivity` or as the key of a dictionary; None means
            `supported_activities`.
        schedule: a function from the number of a step to a `ProfilerAction`; `step()` ends one. None records all.
        on_trace_ready: called with the profile where a cycle ends.
        record_shapes, with_stack, with_flops, profile_memory: columns of the table and arguments in the trace: the operands'
            shapes, the user's source line, XLA's count of operations, and the bytes of results (what is freed is not
            subtracted). ``key_averages(group_by_stack_n=1)`` sums by operator and line.
        with_modules, post_processing_timeout_s: without effect.
        experimental_config: UnsupportedError for anything but None: its settings are Kineto's.
        execution_trace_observer: an object with ``start``, ``stop`` and ``cleanup``, which are called with the profile's.
        acc_events: whether the events of earlier cycles are kept.
        use_cuda: deprecated; it warns, and as in PyTorch the activities stay as they are.
        custom_trace_id_callback: a function that gives the ``trace_id``.

    Raises:
        AssertionError: there is nothing to profile.
        TypeError: an activity is something else.
        ValueError: an activity is given twice, or the schedule gives DEVICE_STOPPED.
    """

    def __init__(self, *, activities: Iterable | None = None, schedule: Callable[[int], ProfilerAction] | None = None,
                 on_trace_ready: Callable[..., Any] | None = None, record_shapes: bool = False,
                 profile_memory: bool = False, with_stack: bool = False, with_flops: bool = False,
                 with_modules: bool = False, experimental_config: Any = None, execution_trace_observer: Any = None,
                 acc_events: bool = False, use_cuda: bool | None = None,
                 custom_trace_id_callback: Callable[[], str] | None = None,
                 post_processing_timeout_s: float | None = None) -> None:
        chosen = supported_activities() if activities is None else _known(activities)
        if use_cuda is not None:
            warnings.warn("`use_cuda` is deprecated, use `activities` argument instead", FutureWarning, stacklevel=2)
            chosen = chosen | {ProfilerActivity.CUDA} if use_cuda else chosen - {ProfilerActivity.CUDA}
        if not chosen:
            raise AssertionError("No valid profiler activities found")
        super().__init__(
            activities=activities, record_shapes=record_shapes, profile_memory=profile_memory, with_stack=with_stack,
            with_flops=with_flops, with_modules=with_modules, experimental_config=experimental_config,
            execution_trace_observer=execution_trace_observer, acc_events=acc_events,
            custom_trace_id_callback=custom_trace_id_callback, post_processing_timeout_s=post_processing_timeout_s)
        self.record_steps = schedule is not None
        self.schedule = _default_schedule_fn if schedule is None else schedule
        self.on_trace_ready, self.step_num = on_trace_ready, 0
        self.step_rec_fn: _prof.record_function | None = None
        self.current_action = self._scheduled(0)
        _prof.KinetoStepTracker.init_step_count(_COUNTED)

    def _scheduled(self, step) -> ProfilerAction:
        action = self.schedule(step)
        if action is ProfilerAction.DEVICE_STOPPED:
            raise ValueError(_STOPPED)
        return action

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, exc_type, exc_value, traceback) -> None:
        self._finish(exc_type)
        _prof.KinetoStepTracker.erase_step_count(_COUNTED)
        if self.execution_trace_observer:
            self.execution_trace_observer.cleanup()

    def start(self) -> None:
        """Begin with step 0."""
        self._go(ProfilerAction.NONE, self.current_action)
        self._begin_step()

    def stop(self) -> None:
        """End the last step, and with it the cycle."""
        self._finish(None)

    def step(self) -> None:
        """The next step begins. https://pytorch.org/docs/stable/profiler.html#torch.profiler.profile.step"""
        self._end_step(None)
        before, self.current_action = self.current_action, self._scheduled(self.step_num + 1)
        self.step_num += 1
        _prof.KinetoStepTracker.increment_step(_COUNTED)
        self._go(before, self.current_action)
        self._begin_step()

    def _finish(self, error) -> None:
        self._end_step(error)
        before = self.current_action
        if before is ProfilerAction.WARMUP:
            self.start_trace()
        if before is not ProfilerAction.NONE:
            self._stop_trace(error)
        if before in _RECORDS:
            self._trace_ready()

    def _begin_step(self) -> None:
        if self.record_steps:
            self.step_rec_fn = _prof.record_function(f"ProfilerStep#{self.step_num}")
            self.step_rec_fn.__enter__()

    def _end_step(self, error) -> None:
        span, self.step_rec_fn = self.step_rec_fn, None
        if span is not None:
            span.__exit__(error, None, None)

    def _trace_ready(self) -> None:
        if self.on_trace_ready:
            self.on_trace_ready(self)

    def _go(self, before, after) -> None:
        """From one action to the next."""
        if before is ProfilerAction.WARMUP and after is not ProfilerAction.WARMUP:
            if after is ProfilerAction.NONE:
                warnings.warn("Incorrect schedule: WARMUP followed by NONE", stacklevel=3)
            self.start_trace()
            if after is ProfilerAction.NONE:
                self.stop_trace()
            return
        if (before is ProfilerAction.RECORD and after in _RECORDS) or before is after is ProfilerAction.WARMUP:
            return
        if before is ProfilerAction.RECORD:
            warnings.warn(f"Incorrect schedule: RECORD followed by {after.name}", stacklevel=3)
        if before in _RECORDS:
            self.stop_trace()
        if before is ProfilerAction.RECORD_AND_SAVE:
            self._trace_ready()
        if after is not ProfilerAction.NONE:
            self.prepare_trace()
        if after in _RECORDS:
            self.start_trace()
