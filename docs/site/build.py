"""Builds the site: ``python docs/site/build.py [--open]``, into docs/site/_build/html.

The guides here, and what is made from the package: the lessons with what their programs give now, the reference from
docstrings with what differs from PyTorch, the page of a run. Every block that says ``python run`` is run, and what it prints
is written below it; of ``python draw`` that is a picture. Warnings of Sphinx are errors.
"""

import argparse
import inspect
import io
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
import types
import warnings
import webbrowser
from contextlib import redirect_stdout

import torchlike
from torchlike._diff.driver import PROGRAMS
from torchlike._lessons import running
from torchlike._lessons.groups import GROUPS
from torchlike._lessons.lesson import Lesson, lesson, names_in

HERE = pathlib.Path(__file__).parent
DOCS, ROOT = HERE.parent, HERE.parent.parent
PLAIN = ("design.md", "CHANGELOG.md", "contributing.md", "versioning.md", "notices.md", "differences", "pictures")
SPACES = ("", "nn", "nn.functional", "nn.init", "nn.utils", "optim", "optim.lr_scheduler", "autograd", "autograd.functional",
          "func", "linalg", "fft", "special", "distributions", "sparse", "utils.data", "utils.checkpoint", "amp", "graph",
          "memory")
_RUN = re.compile(r"```python (run|draw)\n(.*?)```", re.DOTALL)
_LINK = re.compile(r"https://\S+?(?=[)\s]|$)")
_TO_FILES = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)([^)#\s]+)(#[^)]*)?\)")


def main() -> int:
    """Builds, and opens if asked."""
    parser = argparse.ArgumentParser(description="Build the site.")
    parser.add_argument("--open", action="store_true", help="show it in the browser")
    parser.add_argument("--groups", nargs="*", default=list(GROUPS), help="only these groups of lessons")
    parser.add_argument("--target", type=pathlib.Path, default=HERE / "_build", help="the folder to write to")
    options = parser.parse_args()
    source, html = options.target / "source", options.target / "html"
    shutil.rmtree(options.target, ignore_errors=True)
    write_sources(source, options.groups)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", str(source), str(html)]
    status = subprocess.run(command, check=False).returncode
    if status == 0 and options.open:
        webbrowser.open((html / "index.html").as_uri())
    return status


def write_sources(target: pathlib.Path, groups: list[str]) -> None:
    """All documents, as Sphinx reads them."""
    target.mkdir(parents=True)
    for name in PLAIN:
        path = DOCS / name
        shutil.copytree(path, target / name) if path.is_dir() else shutil.copy(path, target / name)
    shutil.copy(HERE / "conf.py", target)
    for path in [HERE / "index.md", *sorted((HERE / "guides").glob("*.md"))]:
        made = target / path.relative_to(HERE)
        made.parent.mkdir(exist_ok=True)
        made.write_text(run_blocks(path.read_text(encoding="utf-8"), path.stem), encoding="utf-8")
    write_lessons(target / "lessons", groups)
    write_reference(target / "api")
    static = target / "_static"
    static.mkdir()
    program = str(PROGRAMS / "training_loop.py")
    subprocess.run([sys.executable, "-m", "torchlike", "show", "-o", str(static / "show.html"), program], check=True,
                   capture_output=True)
    chapters = sorted(path.stem for path in (target / "differences").glob("*.md") if path.stem != "README")
    with (target / "differences" / "README.md").open("a", encoding="utf-8") as file:
        file.write("\n```{toctree}\n:hidden:\n\n" + "\n".join(chapters) + "\n```\n")
    for path in target.rglob("*.md"):
        path.write_text(linked(path, path.read_text(encoding="utf-8")), encoding="utf-8")


def linked(path: pathlib.Path, text: str) -> str:
    """A document without links to files of the project that are no documents: their words stay."""
    def kept(found: re.Match) -> str:
        return found[0] if (path.parent / found[2]).exists() else found[1]

    return _TO_FILES.sub(kept, text)


def run_blocks(text: str, name: str) -> str:
    """A document with what its blocks print; they are one program, in which torch is torchlike."""
    variables = running.namespace("torchlike")

    def shown(found: re.Match) -> str:
        printed = io.StringIO()
        with redirect_stdout(printed), warnings.catch_warnings(record=True) as told:
            running.execute(found[2], f"{name}.py", variables)
        lines = [f"{each.category.__name__}: {each.message}" for each in told]
        output = "\n".join([*lines, printed.getvalue().rstrip()]).strip()
        kind = "{raw} html" if found[1] == "draw" else "text"
        return f"```python\n{found[2]}```" + (f"\n\n```{kind}\n{output}\n```" if output else "")

    return _RUN.sub(shown, text)


# -- lessons

def write_lessons(target: pathlib.Path, groups: list[str]) -> None:
    """A page for each lesson, and an index by group."""
    lines = ["# Lessons\n", "Each is a program and a question: predict what its last line prints, then read on.\n"]
    for group in groups:
        own = names_in(group)
        folder = target / group
        folder.mkdir(parents=True)
        for name in own:
            (folder / f"{name}.md").write_text(lesson_page(lesson(name)), encoding="utf-8")
        lines += [f"## {GROUPS[group]}\n", "```{toctree}", ":maxdepth: 1\n", *(f"{group}/{name}" for name in own), "```\n"]
    (target / "index.md").write_text("\n".join(lines), encoding="utf-8")


def lesson_page(one: Lesson) -> str:
    """A lesson with what its programs give."""
    results = running.Results(one)
    right = results.correct()
    answers = "\n".join(f"{i}. `{answer.line}`" for i, answer in enumerate(one.answers, 1))
    told = "\n".join(f"- `{answer.line}`{' is right' if i in right else ''}: {answer.remark}"
                     for i, answer in enumerate(one.answers))
    related = [f"[{lesson(name).title}](../{lesson(name).group}/{name}.md)" for name in one.related]
    steps = f"`torchlike lesson --step {one.name}` goes through its backward passes."
    parts = [
        f"# {one.title}", results.told(one.intro), _code("python", one.programs["PyTorch"]),
        "## What does the last line print?", results.told(one.question), answers,
        "## What it prints", _code("text", results["tape"].output), told,
        "## JAX", _code("python", one.programs["JAX"]), _code("text", results["jax"].output),
        "## Why", results.told(one.why), "## Which to prefer", results.told(one.prefer),
        steps if "backward()" in one.programs["PyTorch"] else "",
        f"See also: {', '.join(related)}." if related else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _code(kind: str, text: str) -> str:
    return f"```{kind}\n{text.rstrip()}\n```"


# -- reference

def write_reference(target: pathlib.Path) -> None:
    """A page for each namespace, from docstrings, with what differs from PyTorch."""
    target.mkdir()
    gaps = tomllib.loads((ROOT / "compat" / "gaps.toml").read_text(encoding="utf-8"))["gap"]
    lines = ["# Reference\n", "By PyTorch's namespaces, from the docstrings. What differs from PyTorch stands with each "
             "name, and [here](gaps.md) all together.\n", "```{toctree}", ":maxdepth: 1\n"]
    for space in SPACES:
        name = space or "torch"
        (target / f"{name}.md").write_text(space_page(space, gaps), encoding="utf-8")
        lines.append(name)
    (target / "gaps.md").write_text(gaps_page(gaps), encoding="utf-8")
    (target / "index.md").write_text("\n".join([*lines, "gaps", "```\n"]), encoding="utf-8")


def space_page(space: str, gaps: list) -> str:
    """The functions and classes of a namespace."""
    module = torchlike
    for part in filter(None, space.split(".")):
        module = getattr(module, part)
    title = f"torch.{space}" if space else "torch"
    parts = [f"# {title}"]
    for name, value in sorted(vars(module).items(), key=lambda item: item[0].lower()):
        if name.startswith("_") or isinstance(value, types.ModuleType) or not callable(value) or not inspect.getdoc(value):
            continue
        word = re.compile(rf"(?<![\w.]){re.escape(name)}(?![\w.])")
        parts += entry(name, value, [gap for gap in gaps if word.search(gap["name"])])
    return "\n\n".join(parts) + "\n"


def entry(name: str, value, gaps: list) -> list[str]:
    """What the reference says of one name."""
    doc = inspect.getdoc(value) or ""
    link = _LINK.search(doc)
    text = _LINK.sub("", doc).strip()
    shown = [f"## {name}", _code("python", f"{name}{_signature(value)}")]
    if text:
        shown.append(_code("text", textwrap.dedent(text)))
    if link is not None:
        shown.append(f"[PyTorch's page]({link[0]})")
    return shown + [f"*{gap['kind']}*, {_plain(gap['name'])}: {_plain(gap['what'])}" for gap in gaps]


def _signature(value) -> str:
    try:
        return str(inspect.signature(value))
    except (TypeError, ValueError):
        return "(...)"


def gaps_page(gaps: list) -> str:
    """Everything that is known to be missing or different."""
    rows = [f"- **{_plain(gap['name'])}** ({gap['kind']}): {_plain(gap['what'])}" for gap in gaps]
    return "# What differs from PyTorch\n\n" + "\n".join(rows) + "\n"


def _plain(text: str) -> str:
    """Text in which Markdown has nothing to find."""
    return re.sub(r"([\\`*_\[\]<>{}#|$])", r"\\\1", text)


if __name__ == "__main__":
    sys.exit(main())
