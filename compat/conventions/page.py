"""docs/differences as text: an index with the counts, a page a chapter with its counterparts and where they differ."""

import textwrap

from compat.conventions import differing, pinning, table
from compat.conventions.finding import EVERYWHERE

FOLDER = "docs/differences"
_MANY = 4  # points that a cell lists
_INTRO = """\
# Where PyTorch and JAX give different answers

`python -m compat.conventions` wrote these pages: it runs each PyTorch function and its JAX counterpart at special
points (ties, zeros, bounds, infinities, nan, other dtypes, empty inputs, repeated indices, branch cuts) and compares
the value, the gradient and the second gradient. Nothing here is typed by hand but the table of counterparts, and that
is checked: at ordinary points both give the same, or the table says what does not.

{counts}

## How to read a page

- Its first table has the counterparts: the PyTorch call, the JAX expression of the same inputs, and what to watch.
  `x`, `y` and the like are arrays; `dim`, `eps` and the like have the values of the call.
- Below, each function has a table of the points where the two differ, with both results. The *gradient* is that for a
  gradient of ones, the *second gradient* that of the sum of the gradients.
- The rule says what each side does, as far as its results tell: a derivative from one side, the mean of both, shares
  among equal elements, nan where the other has a number.
- Under a table are JAX expressions that give PyTorch's answer, each for the kinds of points that are named: there,
  value and both gradients were compared. For the other kinds of that table none is known. PyTorch's errors have no
  expression.

## What is the same rule everywhere

- The gradient of a complex input is its conjugate in JAX. The pages compare after conjugating, or else every complex
  row would differ.
- JAX runs as it comes, without `jax_enable_x64`: where PyTorch returns int64 or float64, the pages count int32 and
  float32 as the same.
- Inputs are float32 unless the kind of point says otherwise. Results agree that differ by rounding: 0.2 % in float32,
  more in half types.
- PyTorch runs on the CPU, JAX on XLA's CPU backend, one operation at a time. XLA takes subnormal numbers as zeros.
- What follows from rounding alone is left out: where a matrix is singular or a variance zero, elements that change by
  more than 5 % if all inputs grow by a thousandth.
- A gradient that PyTorch leaves None counts as zeros. An error counts as one point of its kind.

## `pin`, `sloped` and `pulled`

Some expressions use these functions, for values and derivatives that no formula gives at a point. `pin` stands inside
`jnp.where`, whose other branch gets a harmless number there: nan and infinity would leak into the gradient from a branch
that is not taken. `sloped` and `pulled` keep JAX's value and take PyTorch's derivative, everywhere.

```python
import functools

import jax
import jax.numpy as jnp


{pin}
```

In the expressions `jsp` is `jax.scipy` and `nn` is `jax.nn`. With two inputs `pin` does not tell mixed second
derivatives apart.

`with torchlike.subgradients("jax"):` records operations of torchlike with JAX's gradients at such points, and
`torchlike.explain` says where a run stood on one.
"""


def texts(found) -> dict:
    """{path: text} of all pages, from what was found of all rows."""
    chapters = table.chapters()
    pages = {
        f"{FOLDER}/{name}.md": _chapter(title, [one for one in found if one.row.chapter == name])
        for name, title in chapters.items()
    }
    pages[f"{FOLDER}/README.md"] = _INTRO.format(counts=_counts(found, chapters), pin=pinning.source().rstrip())
    return pages


def _counts(found, chapters) -> str:
    lines = [
        "| chapter | names | points tried | points that differ | kinds of points, by function | with a JAX expression |"
        " where PyTorch raises | none known |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, title in chapters.items():
        numbers = _numbers([one for one in found if one.row.chapter == name])
        lines.append(f"| [{title}]({name}.md) | {' | '.join(map(str, numbers))} |")
    return "\n".join([*lines, f"| all | {' | '.join(map(str, _numbers(found)))} |"])


def _numbers(found) -> list:
    names = {name for one in found for name in [one.row.name, *(other for other, _ in one.row.names)]}
    groups = [group for one in found for group in one.groups]
    return [
        len(names),
        sum(one.tried for one in found),
        sum(group.count for group in groups),
        len(groups),
        sum(bool(group.answer) for group in groups),
        sum(group.answer is None for group in groups),
        sum(group.answer == "" for group in groups),
    ]


def _chapter(title, found) -> str:
    parts = [
        f"# {title}\n\nWritten by `python -m compat.conventions`; [README.md](README.md) says how to read it.\n\n"
        "## Counterparts\n\n"
        "| PyTorch | JAX | what to watch |\n|---|---|---|\n" + "".join(counterpart(one) for one in found)
    ]
    return (
        "\n## Differences\n\n".join([*parts, "\n".join(section(one) for one in found if one.groups)])
        if any(one.groups for one in found)
        else parts[0]
    )


def counterpart(one) -> str:
    """The line of a row in the table of counterparts."""
    row = one.row
    given = ", ".join(f"{name}={value!r}" for name, value in row.given.items())
    others = [f"also {', '.join(_code(name) for name, _ in row.names)}"] if row.names else []
    checked = [f"run with {_code(given)}"] if given else []
    kinds = [_kind(group) for group in one.groups if group.kind != EVERYWHERE]
    differs = [f"differs at {', '.join(kinds)}"] if kinds else []
    chance = ["drawn by chance: same dtype, shape, mean and deviation"] if row.same == "moments" else []
    notes = "; ".join(
        [
            *([row.watch] if row.watch else []),
            *([f"not the same: {row.differs}"] if row.differs else []),
            *chance,
            *differs,
            *others,
            *checked,
        ]
    )
    return f"| {_code(row.call)} | {_code(row.jax)} | {notes} |\n"


def section(one) -> str:
    """The differences of one row."""
    lines = [
        f"### {_code(one.row.call)}, {_code(one.row.jax)}\n",
        "| points | | PyTorch | JAX | rule |",
        "|---|---|---|---|---|",
    ]
    for group in one.groups:
        for i, entry in enumerate(group.entries):
            cells = "" if i else _kind(group), _where(entry), _list(entry.theirs), _list(entry.ours), entry.rule
            lines.append(f"| {' | '.join(cells)} |")
    answers: dict = {}
    for group in one.groups:
        if group.answer:
            answers.setdefault(group.answer, []).append(_kind(group))
    if answers:
        lines.append("\nPyTorch's answer in JAX:\n")
    for text, kinds in answers.items():
        lines += [*textwrap.wrap(f"- {', '.join(kinds)}:", 130, subsequent_indent="  "), f"  `{text}`"]
    return "\n".join(lines) + "\n"


def _kind(group) -> str:
    """Of what holds for the whole dtype the dtype."""
    is_whole = not any(entry.places for entry in group.entries)
    return "complex" if group.kind.startswith("complex") and is_whole else group.kind


def _where(entry) -> str:
    where = [place for place in entry.where if place]
    shown = _list(where)
    return f"{differing.level_name(entry.level)}{f' at {shown}' if shown else ''}"


def _list(texts) -> str:
    cells = [text.replace("|", "\\|") for text in texts[:_MANY]]
    more = len(texts) - _MANY
    return "; ".join(cells) + (f"; and {more} more" if more > 0 else "")


def _code(text) -> str:
    return f"`{text.replace('|', chr(92) + '|')}`"
