"""``torchlike diff``: the same program under real torch, the tape and JAX's transforms, compared.

Each engine runs in a fresh process. Agreement is judged element by element, by the dtype's tolerance.
"""

import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from rich.console import Console
from rich.table import Table

PROGRAMS = pathlib.Path(__file__).parent / "programs"
ENGINES = ("torch", "tape", "functional")
# Programs accumulate rounding over many steps, so these are wider than an operator's own tolerance.
TOLERANCE = {"float64": (1e-7, 1e-9), "complex128": (1e-7, 1e-9)}
DEFAULT_TOLERANCE = (2e-3, 2e-5)


def diff(programs, as_json=False, rtol=None, atol=None) -> int:
    """Compare each program; print tables or JSON; 1 if anything disagrees."""
    paths = [pathlib.Path(p) for p in programs] or sorted(PROGRAMS.glob("[a-z]*.py"))
    reports = []
    console = Console()
    for path in paths:
        if not path.exists():
            print(f"torchlike diff: no such file: {path}", file=sys.stderr)
            return 2
        report = compare(path, rtol, atol)
        reports.append(report)
        if not as_json:
            show(console, report)
    agree = all(r["agree"] for r in reports)
    if as_json:
        print(json.dumps({"agree": agree, "programs": reports}, indent=1))
    else:
        console.print(f"{sum(r['agree'] for r in reports)} of {len(reports)} programs agree")
    return 0 if agree else 1


def torch_installed() -> bool:
    """Whether real torch can be imported here."""
    return importlib.util.find_spec("torch") is not None


def compare(path, rtol=None, atol=None) -> dict:
    """Run one program under all engines and compare everything it left."""
    with tempfile.TemporaryDirectory() as folder:
        runs = {engine: run_engine(engine, path, folder) for engine in ENGINES
                if engine != "torch" or torch_installed()}
    rows, errors = [], {e: r["error"] for e, r in runs.items() if r["error"]}
    if not errors:
        names = list(dict.fromkeys(name for r in runs.values() for name in r["values"]))
        rows = [_row(name, runs, rtol, atol) for name in names]
    return {"program": path.name, "engines": [e for e in ENGINES if e in runs], "errors": errors, "rows": rows,
            "agree": not errors and all(row["agree"] for row in rows)}


def run_engine(engine, path, folder) -> dict:
    """One engine in a fresh process: {"error", "values", "kinds", "stdout"}."""
    out = str(pathlib.Path(folder) / engine)
    command = [sys.executable, "-m", "torchlike.diff.worker", "--engine", engine, "--out", out, str(path)]
    if engine == "torch":  # without importing the torchlike package
        command[1:3] = [str(pathlib.Path(__file__).with_name("worker.py"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not pathlib.Path(out + ".json").exists():
        return {"error": done.stderr or f"exit status {done.returncode}", "values": {}, "kinds": {}, "stdout": ""}
    record = json.loads(pathlib.Path(out + ".json").read_text())
    with np.load(out + ".npz") as arrays:
        record["values"] = {name: arrays[name] for name in arrays.files}
    return record


def _row(name, runs, rtol, atol) -> dict:
    """The comparison of one tensor. The tape is compared with the other two."""
    kinds = next(r["kinds"] for r in runs.values() if name in r["values"])
    row = {"name": name, "kind": kinds[name], "agree": True}
    mine = runs["tape"]["values"].get(name)
    for engine, run in runs.items():
        if engine == "tape":
            continue
        theirs = run["values"].get(name)
        if mine is None or theirs is None:
            row.update({engine: None, "agree": False})
            continue
        absolute, relative, agree = difference(mine, theirs, rtol, atol)
        row[engine] = {"absolute": absolute, "relative": relative}
        row["agree"] = row["agree"] and agree
    return row


def difference(a, b, rtol=None, atol=None):
    """(largest absolute, largest relative difference, agree). Different shapes or dtypes never agree."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return float("inf"), float("inf"), False
    if a.size == 0:
        return 0.0, 0.0, True
    default = TOLERANCE.get(a.dtype.name, DEFAULT_TOLERANCE)
    rtol = default[0] if rtol is None else rtol
    atol = default[1] if atol is None else atol
    agree = bool(np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True))
    wide = [np.asarray(v, np.complex128 if v.dtype.kind == "c" else np.float64) for v in (a, b)]
    with np.errstate(invalid="ignore", divide="ignore"):
        gap = np.abs(wide[0] - wide[1])
        gap = np.where(np.isnan(gap) & ((wide[0] == wide[1]) | (np.isnan(wide[0]) & np.isnan(wide[1]))), 0.0, gap)
        scale = np.maximum(np.abs(wide[0]), np.abs(wide[1]))
        relative = np.where(gap == 0, 0.0, gap / np.where(scale == 0, 1, scale))
    return float(gap.max()), float(relative.max()), agree


def show(console, report) -> None:
    """Print one program's table."""
    table = Table(title=report["program"], title_justify="left")
    has_torch = "torch" in report["engines"]
    for column in ("tensor", "kind", "torch" if has_torch else "torch (not installed)", "", "jax.vjp", "", "agree"):
        table.add_column(column)
    for row in report["rows"]:
        cells = [row["name"], row["kind"]]
        for engine in ("torch", "functional"):
            found = row.get(engine)
            cells += [f"{found['absolute']:.1e}", f"{found['relative']:.1e}"] if found else ["-", "-"]
        table.add_row(*cells, "yes" if row["agree"] else "[red]NO[/red]")
    console.print(table)
    for engine, text in report["errors"].items():
        console.print(f"{engine} failed:\n{text}", markup=False)
