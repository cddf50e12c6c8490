"""Raising where CPython delivers signals, in chosen code."""

import contextlib
import dis
import functools
import inspect
import os
import sys
import threading

import torchlike

PACKAGE = os.path.dirname(torchlike.__file__) + os.sep


@functools.cache
def places(code) -> frozenset:
    """The instructions of a code object before which CPython looks for signals: after calls and at the heads of loops."""
    found, before = set(), "RESUME"
    for instruction in dis.get_instructions(code):
        if before.startswith(("RESUME", "CALL")) and before != "CALL_INTRINSIC_1":
            found.add(instruction.offset)
        if instruction.opname.startswith("JUMP_BACKWARD"):
            found.add(instruction.offset)
        before = instruction.opname
    return frozenset(found)


@functools.cache
def points(code) -> frozenset:
    """The `places` where an exception goes the way that one of a signal's handler does.

    What a signal's handler raises after a call goes to the handler of that call; a place whose own handler is another one,
    at the end of a `try`, is left out. So is the start of a context's ``__exit__``: no context written in Python can be left
    when it is ended there, PyTorch's own neither.
    """
    left_out, before, last = set(), "RESUME", 0
    tries = dis.Bytecode(code).exception_entries

    def handler(offset):
        return next((entry.target for entry in tries if entry.start <= offset < entry.end), None)

    for instruction in dis.get_instructions(code):
        earlier, last = last, instruction.offset
        is_start = before == "RESUME" and code.co_name == "__exit__"
        if is_start or (before.startswith("CALL") and handler(earlier) != handler(last)):
            left_out.add(last)
        before = instruction.opname
    return places(code) - left_out


def in_package(code) -> bool:
    """Whether code is of torchlike."""
    return code.co_filename.startswith(PACKAGE)


class Interruption:
    """A tracer that raises in code `among` it, at the place of this number where a signal can arrive.

    Args:
        number: which place, from 1 on; 0 for none.
        among: whether a code object is looked at.
        error: the class that is raised.
        of: gives the places of a code object.

    ``seen`` counts places, ``frame`` is where it raised, ``spot`` the code object and the instruction.
    """

    def __init__(self, number: int, among=in_package, error: type[BaseException] = KeyboardInterrupt, of=points):
        self.number, self.among, self.error, self.of = number, among, error, of
        self.seen, self.places, self.frame, self.spot = 0, [], None, None

    @classmethod
    def at(cls, met: list, number: int, error: type[BaseException]) -> "Interruption":
        """One that raises at the place of a number among those that were met. Only code of that function is traced, which
        is many times faster; its place is known by how often its spot was met before."""
        code, offset = met[number - 1]
        return cls(met[:number].count((code, offset)), lambda other: other is code, error, lambda _: (offset,))

    def follows(self, code) -> bool:
        """Whether the instructions of a code object are looked at: none of a generator's, whose errors Python may ignore."""
        return self.among(code) and not code.co_flags & inspect.CO_GENERATOR

    def instruction(self, frame, offset: int) -> None:
        """An instruction of a frame is about to run."""
        code = frame.f_code
        if offset in self.of(code):
            self.seen += 1
            if not self.number:
                self.places.append((code, offset))
            elif self.seen == self.number:
                self.frame, self.spot = names(frame), (code, offset)
                raise self.error

    def run(self, program) -> None:
        """Run the program until it is interrupted."""
        traced(program, self)


def names(frame) -> list:
    """Functions and lines from the one interrupted outwards; of other packages than torchlike only that one."""
    found = []
    while frame is not None and (not found or in_package(frame.f_code)):
        found.append(f"{frame.f_code.co_filename.removeprefix(PACKAGE)}:{frame.f_lineno} {frame.f_code.co_name}")
        frame = frame.f_back
    return found


def traced(program, tracer) -> bool:
    """Run the program under the tracer; whether what it raises came out."""
    try:
        with _followed(tracer):
            program()
    except BaseException:  # it, or what torchlike makes of it
        if tracer.frame is None:
            raise
        return True
    return False


@contextlib.contextmanager
def _by_settrace(tracer):
    """A block whose instructions a tracer is told of, by `sys.settrace`."""
    def trace(frame, event, _):
        if not tracer.follows(frame.f_code):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            tracer.instruction(frame, frame.f_lasti)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


@contextlib.contextmanager
def _by_monitoring(tracer):
    """A block whose instructions a tracer is told of, by `sys.monitoring`, in this thread. From Python 3.12 on
    `sys.settrace` tells of no instructions in the first call of a function."""
    monitoring, events, thread, codes = sys.monitoring, sys.monitoring.events, threading.get_ident(), []

    def start(code, _):
        if threading.get_ident() == thread and tracer.follows(code):
            codes.append(code)
            monitoring.set_local_events(_TOOL, code, events.INSTRUCTION)

    def instruction(_, offset):
        if threading.get_ident() == thread:
            tracer.instruction(sys._getframe(1), offset)

    monitoring.use_tool_id(_TOOL, __name__)
    try:
        monitoring.register_callback(_TOOL, events.PY_START, start)
        monitoring.register_callback(_TOOL, events.INSTRUCTION, instruction)
        monitoring.set_events(_TOOL, events.PY_START)
        yield
    finally:
        monitoring.set_events(_TOOL, events.NO_EVENTS)
        for code in codes:
            monitoring.set_local_events(_TOOL, code, events.NO_EVENTS)
        monitoring.free_tool_id(_TOOL)


_TOOL = 4  # a number that the documentation leaves free
_followed = _by_monitoring if sys.version_info >= (3, 12) else _by_settrace
