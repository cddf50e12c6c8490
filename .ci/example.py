"""``python -P .ci/example.py README.md``: runs README's programs where only the wheel is installed."""

import importlib.util
import pathlib
import re
import sys

import torchlike


def main() -> None:
    """Run each block of Python of the file that is named."""
    assert "site-packages" in torchlike.__file__, torchlike.__file__
    assert importlib.util.find_spec("tests") is None
    for code in re.findall(r"```python\n(.*?)```", pathlib.Path(sys.argv[1]).read_text(), re.S):
        exec(code, {"__name__": "readme"})  # noqa: S102 - that is what it is for
    print(f"torchlike {torchlike.__version__} runs from {torchlike.__file__}")


if __name__ == "__main__":
    main()
