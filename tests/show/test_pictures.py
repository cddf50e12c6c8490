"""Pictures of the page, in light, in dark and on a phone, against those in ``pictures/``; ``python -m
tests.show.screenshots`` takes those anew.

Two browsers do not draw the same pixels, so mean colours of blocks of 16 pixels a side are compared. Measured, of 255: the
browser that took the pictures is at most 1.2 away (what their 256 colours cost), a Chromium 25 versions older 6.4, and the
smallest errors that were planted, such as the lines between parts in no colour, a column moved by one pixel, or one colour
of the page 16 off, 14 to 17; without the fonts of ``pictures/`` and ``geometricPrecision`` the older one is 80 away.
"""

import numpy as np
import pytest

from tests.speed import sampled

screenshots = pytest.importorskip("tests.show.screenshots", reason="playwright is not installed")
MODES, MOMENTS, PICTURES = screenshots.MODES, screenshots.MOMENTS, screenshots.PICTURES
BLOCK, TOLERANCE = 16, 10
# Styles that spoil the page, each a little.
PLANTED = {
    "a panel is missing": ".step { opacity: 0 }", "values beside lines are missing": ".beside { opacity: 0 }",
    "arrows are missing": ".arrow { opacity: 0 }", "a button is missing": ".buttons button:nth-child(2) { opacity: 0 }",
    "another colour": ":root { --link: light-dark(#0b6cbd, #8cc8f5) }", "no lines": "* { border-color: #0000 !important }",
    "parts overlap": ".right { margin-left: -40px }", "moved by a pixel": ".right { padding-left: 17px }",
    "other letters": "code { font-size: 12.5px !important }",
}
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def url(browser, tmp_path_factory):
    return screenshots.shown(tmp_path_factory.mktemp("exact"))


def difference(page, mode: str, moment: str, folder) -> str:
    """How the page differs from the picture, "" if it does not; what it looks like is left in the folder."""
    taken = screenshots.taken(page, moment)
    name = f"{mode}_{moment}.png"
    (folder / name).write_bytes(taken)
    mine, wanted = (screenshots.pixels(page, picture) for picture in (taken, (PICTURES / name).read_bytes()))
    if mine.shape != wanted.shape:
        return f"{folder / name} is of size {mine.shape}, not {wanted.shape}"
    apart = np.abs(screenshots.blocks(mine, BLOCK) - screenshots.blocks(wanted, BLOCK)).max(-1)
    top, left = np.unravel_index(apart.argmax(), apart.shape)
    if apart[top, left] <= TOLERANCE:
        return ""
    return f"{folder / name} differs by {apart[top, left]:.1f} of 255 at x {left * BLOCK}, y {top * BLOCK}"


@pytest.mark.parametrize("mode", sampled(MODES, ci=3))
def test_page_looks_as_before(browser, url, mode, tmp_path):
    page = screenshots.opened(browser, url, mode)
    assert [found for moment in MOMENTS if (found := difference(page, mode, moment, tmp_path))] == []


@pytest.mark.parametrize("style", sampled(PLANTED.values(), ci=4), ids=PLANTED)
def test_a_planted_error_is_seen(browser, url, style, tmp_path):
    for mode in ("light", "dark"):
        page = screenshots.opened(browser, url, mode)
        page.add_style_tag(content=style)
        assert any(difference(page, mode, moment, tmp_path) for moment in ("forward", "end"))


def test_every_picture_is_compared():
    assert {path.stem for path in PICTURES.glob("*.png")} == {f"{mode}_{moment}" for mode in MODES for moment in MOMENTS}
    assert sum(path.stat().st_size for path in PICTURES.iterdir()) < 600_000
