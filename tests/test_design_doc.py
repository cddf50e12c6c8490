"""The code in docs/design.md runs, in order, as one program."""

import pathlib
import re

PAGE = pathlib.Path(__file__).parents[1] / "docs" / "design.md"


def test_design_page_runs():
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert len(blocks) >= 10
    exec(compile("\n".join(blocks), str(PAGE), "exec"), {"__name__": "design"})
