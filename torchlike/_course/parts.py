"""Solutions and skeletons of each step, cut out of the one finished engine, `solution.py`.

Marks in it say to which steps a line belongs; lines without one belong to all::

    # [4]                    the lines from here to "# [end]" are there from step 4 on
    out.tangents = {}  # [9]           this line is, from step 9 on
    # [3-5] operands = saved           this comment is a line in steps 3 to 5, and later gone

A definition with ``# given`` is the learner's from the start. Blocks at the left margin are what a step adds at the end of
the learner's file, so they stand in the order of the steps.
"""

import ast
import functools
import pathlib
import re
import textwrap

SOLUTION = pathlib.Path(__file__).parent / "solution.py"
STEPS = range(1, 11)
_OPEN = re.compile(r"\s*# \[(\d+)\]")
_CLOSE = re.compile(r"\s*# \[end\]")
_LINE = re.compile(r"(.*\S)  # \[(\d+)\]")
_FORMER = re.compile(r"(\s*)# \[(\d+)-(\d+)\] (.*)")
_GIVEN = "  # given"
_JOINED = "\0"  # a space at which no line is broken
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


@functools.cache
def solution(step: int) -> str:
    """The finished engine as it is after a step."""
    lines = (line for _, line in _lines(SOLUTION.read_text(encoding="utf-8"), step))
    return _spaced("\n".join(lines).replace(_GIVEN, ""))


@functools.cache
def skeleton(step: int) -> str:
    """What a step adds to the learner's file: signatures, docstrings, and NotImplementedError where they write."""
    lines = _lines(SOLUTION.read_text(encoding="utf-8"), step)
    own = "\n".join(line for block, line in lines if block == (step if step > 1 else 0))
    return _stubbed(own)


def _lines(text: str, step: int):
    """(number of the block at the left margin, line) of the lines that a step has; 0 outside of blocks."""
    inside: list[tuple[int, bool]] = []  # of the open blocks
    for line in text.splitlines():
        if opened := _OPEN.fullmatch(line):
            inside.append((int(opened[1]), line.startswith("#")))
        elif _CLOSE.fullmatch(line):
            inside.pop()
        elif all(first <= step for first, _ in inside):
            found = _at(line, step)
            if found is not None:
                yield next((first for first, at_margin in inside if at_margin), 0), found


def _at(line: str, step: int) -> str | None:
    """A line as a step has it, None if it does not."""
    if former := _FORMER.fullmatch(line):
        return former[1] + former[4] if int(former[2]) <= step <= int(former[3]) else None
    if marked := _LINE.fullmatch(line):
        return marked[1] if int(marked[2]) <= step else None
    return line


def _stubbed(text: str) -> str:
    """The text with the bodies of functions, and rules in tables, left to be written."""
    lines = text.splitlines()
    edits: list[tuple[int, int, list[str]]] = []  # first and last line, and what takes their place
    for node in ast.parse(text).body:
        edits += _edits(node, lines)
    for start, end, new in reversed(edits):
        lines[start - 1:end] = new
    return _spaced("\n".join(lines).replace(_GIVEN, ""))


def _spaced(text: str) -> str:
    """The text with two empty lines around functions and classes; `solution.py` has one, to be short."""
    text = re.sub(r"\n{2,}(?=@|def |class )", "\n\n\n", text)
    return re.sub(r"(\n .*)\n{2,}(?=\S)", r"\1\n\n\n", text).strip() + "\n"


def _edits(node: ast.stmt, lines: list[str]) -> list[tuple[int, int, list[str]]]:
    """How a statement becomes its skeleton, from top to bottom."""
    if lines[node.lineno - 1].endswith(_GIVEN):
        return []
    if isinstance(node, ast.ClassDef):
        return [edit for item in node.body for edit in _edits(item, lines)]
    if isinstance(node, _FUNCTION):
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        start = body[0].lineno if body else node.body[-1].end_lineno + 1
        return [(start, node.end_lineno or start, [" " * node.body[0].col_offset + "raise NotImplementedError"])]
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
        return [(node.lineno, node.end_lineno or node.lineno, [f"{ast.unparse(node.targets[0])} = unwritten"])]
    tables = [part for part in ast.walk(node) if isinstance(part, ast.Dict)]
    if not any(isinstance(key, ast.Constant) for table in tables for key in table.keys):
        return []
    return [(node.lineno, node.end_lineno or node.lineno, _table(node, tables[0]))]


def _table(node: ast.stmt, table: ast.Dict) -> list[str]:
    """A statement with a table of rules, each of which is left to be written."""
    table.values = [_rule(value) for value in table.values]
    head, _, tail = ast.unparse(node).partition(ast.unparse(table))
    entries = [f'"{key.value}": {ast.unparse(value)},'.replace(" ", _JOINED)
               for key, value in zip(table.keys, table.values, strict=True) if isinstance(key, ast.Constant)]
    wrapped = textwrap.wrap(" ".join(entries), 116, initial_indent="    ", subsequent_indent="    ", break_long_words=False)
    return [head + "{", *(line.replace(_JOINED, " ") for line in wrapped), "}" + tail]


def _rule(value: ast.expr) -> ast.expr:
    """`unwritten` for a function, a tuple of as many for a tuple of functions, and nothing for what is to be found out. What
    is a function of the same step stays."""
    unwritten = ast.Name("unwritten")
    if isinstance(value, ast.Name):
        return value
    if isinstance(value, ast.Tuple) and all(isinstance(element, ast.Lambda) for element in value.elts):
        return ast.Tuple([unwritten for _ in value.elts])
    return ast.Tuple([]) if isinstance(value, ast.Tuple) else unwritten
