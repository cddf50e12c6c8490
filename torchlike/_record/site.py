"""Where in the user's program something was done, as (code object, instruction): one look at the stack,
of which lines and text are made only when somebody asks.

Measured: 0.1 us a Node, where recording one takes 1.1 or more.
"""

import itertools
import linecache
import os
import sys

from torchlike._record.cell import counter_of

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_PROGRAMS = os.path.join(_ROOT, "_diff", "programs", "")  # as a user's


class _Ours(dict):
    """{file name: whether it is torchlike's}, filled as it is asked."""

    def __missing__(self, filename):
        found = self[filename] = filename.startswith((_ROOT, "<torchlike")) and not filename.startswith(_PROGRAMS)
        return found


_ours = _Ours()
_last_writer = (None, 1)


def is_ours(code) -> bool:
    """Whether a code object is torchlike's own."""
    return _ours[code.co_filename]


is_own_file = _ours.__getitem__  # the same for the name of a file


def here():
    """The innermost place outside torchlike that led to this call; None if there is none."""
    return _walk(2)[0]


def count_write(cell, node=None) -> None:
    """A write to the cell, which `node` records, by the user's line: its version goes up."""
    counter = counter_of(cell)
    counter.version += 1
    counter.written = _writer() if node is None else node.site


def _writer():
    """`here`, looking first where the last writer's frame was."""
    global _last_writer
    code, depth = _last_writer
    try:
        frame = sys._getframe(depth)
        if frame.f_code is code:
            return code, frame.f_lasti
    except ValueError:  # the stack is less deep than that
        pass
    site, depth = _walk(2)
    if site is not None:
        _last_writer = site[0], depth - 1
    return site


def at_instruction(child):
    """`here` for the Node of a tree node. Where that was is kept on the tree node: see `Node.__init__`."""
    site, depth = _walk(2)
    if site is not None:
        child.code, child.frames = site[0], depth - 2  # from the constructor, two frames nearer
    return site


def _walk(depth):
    frame = sys._getframe(depth)
    while frame is not None:
        code = frame.f_code
        if not _ours[code.co_filename]:
            return (code, frame.f_lasti), depth
        frame, depth = frame.f_back, depth + 1
    return None, depth


def place(site) -> tuple:
    """(file, line, function) of a site; each None where there is none."""
    if site is None:
        return None, None, None
    code, instruction = site
    return code.co_filename, _span(code, instruction)[0], code.co_name


def describe(site) -> str:
    """A site as in a traceback: file, line and function, and below them the source."""
    code, instruction = site
    line, last, start, end = _span(code, instruction)
    text = f'  File "{code.co_filename}", line {line}, in {code.co_name}'
    source = linecache.getline(code.co_filename, line).rstrip()
    if not source:
        return text
    shown = source.lstrip()
    text += f"\n    {shown}"
    indent = len(source) - len(shown)
    if last == line and start is not None and source.isascii() and (start > indent or end < len(source)):
        text += f"\n    {' ' * (start - indent)}{'^' * (end - start)}"
    return text


def _span(code, instruction) -> tuple:
    """(line, last line, first column, last column) of an instruction."""
    found = next(itertools.islice(code.co_positions(), instruction // 2, None))
    return found if found[0] is not None else (code.co_firstlineno, None, None, None)


def located(title, site) -> str:
    """The lines added to an error; nothing where the site is not known."""
    return "" if site is None else f"\n{title}:\n{describe(site)}"


def noted(error, lines):
    """An exception with lines that a traceback shows below its text, which stays PyTorch's (PEP 678)."""
    if lines:
        error.add_note(lines.lstrip("\n"))
    return error
