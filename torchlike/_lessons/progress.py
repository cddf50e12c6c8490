"""Which lessons a learner has answered: a small file in the user's folder for states of programs."""

import json
import os
import pathlib


def file() -> pathlib.Path:
    """Where it is kept: ``$XDG_STATE_HOME/torchlike/lessons.json``, by default below ``~/.local/state``."""
    home = os.environ.get("XDG_STATE_HOME") or pathlib.Path.home() / ".local" / "state"
    return pathlib.Path(home) / "torchlike" / "lessons.json"


def answered() -> dict[str, bool]:
    """{name of a lesson: whether the last answer was right}."""
    try:
        found = json.loads(file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(name): bool(right) for name, right in found.items()} if isinstance(found, dict) else {}


def note(name: str, right: bool) -> None:
    """Remembers an answer. Where the file cannot be written nothing is remembered."""
    known = {**answered(), name: right}
    target = file()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_suffix(".part")
        part.write_text(json.dumps(known, indent=1), encoding="utf-8")
        os.replace(part, target)
    except OSError:
        return
