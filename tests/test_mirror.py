"""tests/ mirrors torchlike/: the test of torchlike/_record/views.py is tests/record/test_views.py.

Each folder of tests/ has a folder or module of that name in torchlike/, leading underscores dropped; so has each test file
at the top. What has none is listed here, with the reason.
"""

import pathlib

import pytest

TESTS = pathlib.Path(__file__).parent
ROOT = TESTS.parent
EXCEPTIONS = {
    "tests/compat": "mirrors compat/, whose tools are tested as well",
    "tests/campaigns": "of many cases drawn by chance, whichever module they are of",
    "tests/gpu": "of what only a GPU shows, whichever module it is of",
    "tests/properties": "what must hold of whole training loops and of very large graphs, whichever module they use",
    "tests/test_benchmarks.py": "of benchmarks/",
    "tests/test_design_doc.py": "of docs/design.md",
    "tests/test_docstrings.py": "of the docstrings of all files",
    "tests/test_environments.py": "of flags, limits and variables, which whole programs run under",
    "tests/test_docs.py": "of the site that docs/site/build.py makes",
    "tests/test_import.py": "of what the import of the package costs",
    "tests/test_layering.py": "of the imports of all files",
    "tests/test_mirror.py": "of this rule",
    "tests/test_readme.py": "of README.md",
    "tests/test_releases.py": "of how releases are made",
    "tests/test_speed.py": "of tests/speed.py",
}


def plain(path: pathlib.PurePath) -> str:
    """A path as the mirror has it: ``_record/views.py`` -> ``record/views``."""
    return "/".join(part.removeprefix("_") for part in path.with_suffix("").parts)


def package() -> set:
    """All folders and modules below torchlike/, in the mirror's names."""
    top = ROOT / "torchlike"
    return {plain(path.relative_to(top)) for path in top.rglob("*") if path.is_dir() or path.suffix == ".py"}


def of_tests() -> list:
    """All folders with tests, and the test files at the top, below the root."""
    files = [path.relative_to(ROOT) for path in sorted(TESTS.rglob("test_*.py"))]
    folders = {folder for path in files for folder in path.parents if len(folder.parts) > 1}
    return sorted(folders) + [path for path in files if len(path.parts) == 2]


def errors(paths, there) -> list:
    """What of these paths has no counterpart, and exceptions that are none."""
    names = {path.as_posix(): plain(path.relative_to("tests")).removeprefix("test_") for path in paths}
    mirrored = {path: name in there for path, name in names.items()}
    return [*(f"{path} mirrors nothing in torchlike/" for path in mirrored if not mirrored[path] and path not in EXCEPTIONS),
            *(f"{path} is no exception" for path in EXCEPTIONS if mirrored.get(path, True))]


def test_tree():
    assert errors(of_tests(), package()) == []


@pytest.mark.parametrize("planted", ["tests/novelty", "tests/nn/novelty", "tests/test_novelty.py"])
def test_a_planted_path_is_seen(planted):
    assert errors([*of_tests(), pathlib.PurePath(planted)], package()) == [f"{planted} mirrors nothing in torchlike/"]


def test_a_stale_exception_is_seen():
    paths = [path for path in of_tests() if path.name != "properties"]
    assert errors(paths, package()) == ["tests/properties is no exception"]
