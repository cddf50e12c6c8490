"""``python -m compat.api``: write the public API as text; with ``--check`` only say which files are not as written."""

import argparse
import importlib.util
import pathlib
import sys
import types

ROOT = pathlib.Path(__file__).parents[2]


def bare(name) -> None:
    """Let the modules of a package be imported without its own: what that imports may not be written yet."""
    if name not in sys.modules:
        made = types.ModuleType(name)
        made.__path__ = [str(ROOT / name.replace(".", "/"))]
        made.__spec__ = importlib.util.spec_from_loader(name, None, is_package=True)
        sys.modules[name] = made


def main() -> int:
    """Write or compare."""
    parser = argparse.ArgumentParser(prog="python -m compat.api", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if a file is out of date")
    check = parser.parse_args().check
    bare("torchlike")
    bare("torchlike._api")
    count = 0
    # the functions that are written by hand call those of the first stage; homes are of what the others have written
    for stage in ("modules", "namespaces", "signatures", "dispatcher_names", "homes"):
        texts = importlib.import_module(f"compat.api.{stage}").texts()
        for path, text in outdated(texts).items():
            print(path)
            count += 1
            if not check:
                (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
                (ROOT / path).write_text(text)
    return 1 if count and check else 0


def outdated(texts) -> dict:
    """{path: text} of the files that are missing or differ."""
    return {path: text for path, text in texts.items() if not (ROOT / path).exists() or (ROOT / path).read_text() != text}


if __name__ == "__main__":
    sys.exit(main())
