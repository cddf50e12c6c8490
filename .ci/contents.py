"""``python .ci/contents.py dist/*``: fails for a wheel or an sdist that has more or less in it than a release has."""

import sys
import tarfile
import zipfile

TOP = {"torchlike", "tests", "compat", "benchmarks", "docs", "README.md", "LICENSE", "pyproject.toml", "PKG-INFO",
       ".gitignore"}
ALONE = ("torchlike_pytest.py", "torchlike_command.py")  # modules that are not of the package
DATA = (".pt", ".pth", ".npz", ".npy", ".safetensors", ".pkl", ".pyc", ".so", ".zip", ".ipynb")


def wheel_errors(names: list[str]) -> list[str]:
    """What is wrong with the files of a wheel: the package, pytest's plugin and the command are in it, no data of tests."""
    info = {name.split("/")[0] for name in names if name.split("/")[0].endswith(".dist-info")}
    found = [f"{name} is not of the package" for name in names if name.split("/")[0] not in {"torchlike", *ALONE, *info}]
    found += [f"{name} is data" for name in names if name.endswith(DATA)]
    found += [f"{name} is a test" for name in names if name.split("/")[-1].startswith(("test_", "conftest"))]
    wanted = ["torchlike/__init__.py", *ALONE, *(f"{folder}/licenses/LICENSE" for folder in info)]
    found += [f"{name} is missing" for name in wanted if name not in names]
    return found + ([] if len(info) == 1 else ["no metadata"])


def sdist_errors(names: list[str]) -> list[str]:
    """What is wrong with the files of an sdist: the project's top level, whole, and no data."""
    inner = [name.partition("/")[2] for name in names]
    tops = {name.split("/")[0] for name in inner} - {""}
    return [*(f"{name} is not of the project" for name in sorted(tops - TOP)),
            *(f"{name} is missing" for name in sorted(TOP - tops - {".gitignore"})),
            *(f"{name} is data" for name in inner if name.endswith(DATA))]


def main(paths: list[str]) -> int:
    """Print the errors of files; 1 if there are any."""
    found = []
    for path in paths:
        if path.endswith(".whl"):
            with zipfile.ZipFile(path) as wheel:
                found += wheel_errors(wheel.namelist())
        else:
            with tarfile.open(path) as sdist:
                found += sdist_errors([member.name for member in sdist.getmembers() if member.isfile()])
    print("\n".join(found) or f"{len(paths)} files are as they should be")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
