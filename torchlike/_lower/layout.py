"""Lines of source: broken where they are too long, as a person would break them."""

import re
import textwrap
from collections.abc import Iterator

WIDTH = 100
_MOST = 68  # columns that the targets of an assignment take
_LITTLE = 16  # characters in a bracket that is not worth to be broken
_OPEN, _CLOSE = "([{", ")]}"


def broken(line: str, indent: int) -> list:
    """A statement as lines.

    Args:
        line: the statement, in one line.
        indent: how many spaces stand before it.

    Returns:
        The lines, indented.
    """
    whole = " " * indent + line
    if len(whole) <= WIDTH:
        return [whole]
    if line.startswith("return ") and len(_parts(line[7:])) > 1 and not line.endswith(","):
        return broken(f"return ({line[7:]},)", indent)
    names, equals, value = line.partition(" = ")
    if equals and len(names) + indent > _MOST and "(" not in names and ", " in names:
        parts = textwrap.wrap(names + ",", WIDTH - indent - 4, break_long_words=False)
        last = broken(f"_ = {value}", indent)  # a bracket that only closes would be counted
        last[0] = " " * indent + ")" + last[0][indent + 1:]
        return [" " * indent + "(", *(" " * (indent + 4) + part for part in parts), *last]
    start, end = _last_bracket(line)
    if start is None or end - start < _LITTLE:
        return _at_operators(line, indent) or [whole]
    head, body, tail = line[:start + 1], line[start + 1:end], line[end:]
    parts = _parts(body)
    found = [" " * indent + head]
    joined = ", ".join(parts)
    if len(joined) + indent + 4 <= WIDTH and len(parts) > 1:
        found.append(" " * (indent + 4) + joined)
    else:
        for part in parts:
            comma = "," if len(parts) > 1 or body.rstrip().endswith(",") else ""
            lines = broken(part + comma, indent + 4)
            found += lines
    return [*found, " " * indent + tail]


def _at_operators(line: str, indent: int) -> list:
    """The lines of an assignment or a return with one operand on each; nothing where there is no operator."""
    head, _, value = line.partition("return " if line.startswith("return ") else " = ")
    head = "return" if line.startswith("return ") else f"{head} ="
    for signs in ((" + ", " - "), (" @ ", " * ", " / ")):
        places = [i for i in _outside(value) if value[i:i + 3] in signs]
        if places:
            pieces = [value[i:k].strip() for i, k in zip([0, *places], [*places, len(value)], strict=True)]
            lines = [line for piece in pieces for line in broken(piece, indent + 4)]
            return [f"{' ' * indent}{head} (", *lines, " " * indent + ")"]
    return []


def _unquoted(text: str) -> Iterator:
    """(place, character, number of brackets around it) of what is in no quotes; a bracket is not in itself."""
    depth, quote = 0, ""
    for i, c in enumerate(text):
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        else:
            depth -= c in _CLOSE
            yield i, c, depth
            depth += c in _OPEN


def _outside(text: str) -> list:
    """The places that are in no bracket and in no quotes."""
    return [i for i, c, depth in _unquoted(text) if not depth and c not in _OPEN and c not in _CLOSE]


def _last_bracket(line: str) -> tuple:
    """(start, end) of the longest bracket that is not inside another one, of equal ones the last. No index is one."""
    start, best = 0, (None, None)
    for i, c, depth in _unquoted(line):
        if not depth and c in _OPEN:
            start = i
        elif not depth and c in _CLOSE and not (line[start] == "[" and line[start - 1:start].isalnum()) and (
                best[0] is None or i - start >= best[1] - best[0]):
            best = start, i
    return best


def _parts(body: str) -> list:
    """What commas separate, outside of brackets."""
    commas = [i for i in _outside(body) if body[i] == ","]
    found = [body[i:k].strip() for i, k in zip([0, *(i + 1 for i in commas)], [*commas, len(body)], strict=True)]
    return [part for part in found if part]


def block(lines, indent: int) -> list:
    """Statements as lines.

    Args:
        lines: statements; a list among them is the block below the statement before it.
        indent: how many spaces stand before them.

    Returns:
        The lines.
    """
    found, inside_of_function = [], False
    for line in lines:
        if isinstance(line, list):
            found += block(line, indent + 4)
            if found and indent and inside_of_function:
                found.append("")
            inside_of_function = False
            continue
        inside_of_function = line.startswith("def ")
        if inside_of_function and indent and found and found[-1]:
            found.append("")
        found += broken(line, indent)
    return found


def needed(lines, results) -> list:
    """Statements without assignments of what nothing reads.

    Args:
        lines: statements, as for `block`.
        results: the codes that are read behind them.

    Returns:
        The statements that are left.
    """
    kept = list(results)
    for line in reversed(lines):
        name, equals, _ = line.partition(" = ") if isinstance(line, str) else ("", "", "")
        if equals and name.isidentifier() and not _is_read(name, kept):
            continue
        kept.append(line)
    return kept[len(results):][::-1]


def _is_read(name, later) -> bool:
    """Whether a variable is read before it is assigned again; `later` has the last statement first."""
    word = re.compile(rf"\b{name}\b")
    for line in reversed(later):
        text = str(line)
        if not word.search(text):
            continue
        return not (isinstance(line, str) and text.startswith(f"{name} = ") and not word.search(text[len(name):]))
    return False
