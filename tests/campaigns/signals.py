"""Raising where CPython delivers signals, in chosen code."""

import dis
import functools
import inspect
import os
import sys

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

    def __call__(self, frame, event, argument):
        code = frame.f_code
        if not self.among(code) or code.co_flags & inspect.CO_GENERATOR:
            return None  # Python ignores an exception while a generator is closed
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode" and frame.f_lasti in self.of(code):
            self.seen += 1
            if not self.number:
                self.places.append((code, frame.f_lasti))
            elif self.seen == self.number:
                self.frame, self.spot = names(frame), (code, frame.f_lasti)
                raise self.error
        return self

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
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        program()
    except BaseException:  # it, or what torchlike makes of it
        if tracer.frame is None:
            raise
        return True
    finally:
        sys.settrace(before)
    return False
