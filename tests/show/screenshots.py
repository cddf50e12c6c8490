"""Pictures of the page, taken so that another machine takes the same, and how two of them differ.

Nothing of the machine is in a picture: both fonts come from ``pictures/`` (hints and subpixels, which depend on the system,
are off), the scale is fixed, nothing moves. The numbers of the program are exact in float32. ``python -m
tests.show.screenshots`` takes the pictures anew; look at them before you check them in.
"""

import base64
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy as np
from playwright.sync_api import sync_playwright

from tests.show import programs
from tests.show.conftest import BROWSER, FLAGS

PICTURES = pathlib.Path(__file__).parent / "pictures"
MODES = {
    "light": {"viewport": {"width": 960, "height": 640}},
    "dark": {"viewport": {"width": 960, "height": 640}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 780}},
}
# {name: (number or name of the frame, view)}
MOMENTS = {"start": (0, "output"), "forward": ("relu", "graph"), "backward": ("AddmmBackward0", "gradients"),
           "end": (-1, "memory")}
_AREAS = 32  # colours
_STYLE = """
@font-face { font-family: page-sans; src: url(data:font/woff2;base64,%s); }
@font-face { font-family: page-mono; src: url(data:font/woff2;base64,%s); }
* { font-family: page-sans !important; text-rendering: geometricPrecision !important;
  animation: none !important; transition: none !important; scroll-behavior: auto !important }
code, pre, kbd, code *, .graph text { font-family: page-mono !important }
"""
_NAMES = """JSON.parse(document.getElementById("data").textContent).frames.map((frame) => frame.name)"""
_PIXELS = """async (url) => {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  canvas.getContext("2d").drawImage(image, 0, 0);
  const { data } = canvas.getContext("2d").getImageData(0, 0, image.width, image.height);
  return [image.height, image.width, btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(""))];
}"""


def pixels(page, picture: bytes) -> np.ndarray:
    """The pixels of a PNG, which the browser decodes: no library is needed."""
    url = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
    height, width, data = page.evaluate(_PIXELS, url)
    return np.frombuffer(base64.b64decode(data), np.uint8).reshape(height, width, 4)[..., :3]


def png(picture: np.ndarray) -> bytes:
    """A PNG of pixels with at most 256 colours, a third of the browser's in size: the most frequent ones, which are those of
    areas, and of others, which are those of the edges of letters, one of several that are nearly the same.
    """
    height, width = picture.shape[:2]
    colours, places, counts = np.unique(picture.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    edges = order[_AREAS:]
    apart = np.sort(np.unique(colours[edges] // 16, axis=0, return_index=True)[1])
    palette = colours[[*order[:_AREAS], *edges[apart]]][:256]
    nearest = np.abs(colours[:, None].astype(int) - palette.astype(int)).sum(-1).argmin(-1).astype(np.uint8)
    rows = np.pad(nearest[places.reshape(height, width)], ((0, 0), (1, 0)))  # each begins with how it is filtered: not
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)), (b"PLTE", palette.tobytes()),
              (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks)


def blocks(picture: np.ndarray, size: int) -> np.ndarray:
    """The mean colour of each block of so many pixels a side; what is left over at the ends is part of no block."""
    height, width = (n // size * size for n in picture.shape[:2])
    return picture[:height, :width].reshape(height // size, size, width // size, size, 3).mean((1, 3))


def opened(browser, url: str, mode: str):
    """The page in a context of its own, when it has its fonts."""
    page = browser.new_context(**MODES[mode], device_scale_factor=1, reduced_motion="reduce").new_page()
    page.goto(url)
    for name in ("sans", "mono"):
        assert page.evaluate("async (font) => (await document.fonts.load(font)).length", f"14px page-{name}") == 1
    page.evaluate("document.body.hidden = true; document.body.offsetHeight; document.body.hidden = false")  # laid out anew
    return page


def taken(page, moment: str) -> bytes:
    """The picture of a moment: of what is seen, on a phone of all that can be scrolled to."""
    frame, view = MOMENTS[moment]
    names = page.evaluate(_NAMES)
    number = names.index(frame) if isinstance(frame, str) else range(len(names))[frame]
    page.evaluate("document.querySelector('.source').scrollTop = 0")  # where it was depends on when the fonts came
    page.get_by_role("slider", name="frame").fill(str(number))
    page.get_by_role("tab", name=view).click()
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    return page.screenshot(full_page=page.viewport_size["width"] < 500)


def shown(folder: pathlib.Path) -> str:
    """The URL of the page of the program, with the fonts and without movement."""
    path = programs.written(folder, programs.EXACT, "exact.py")
    subprocess.run([sys.executable, "-m", "torchlike", "show", path], cwd=folder, capture_output=True, check=True)
    fonts = [base64.b64encode((PICTURES / f"{name}.woff2").read_bytes()).decode() for name in ("sans", "mono")]
    page = folder / "exact.html"
    page.write_text(page.read_text().replace("</head>", f"<style>{_STYLE % tuple(fonts)}</style></head>"))
    return page.as_uri()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        browser, url = started.chromium.launch(executable_path=BROWSER, args=FLAGS), shown(pathlib.Path(folder))
        for mode in MODES:
            page = opened(browser, url, mode)
            for moment in MOMENTS:
                (PICTURES / f"{mode}_{moment}.png").write_bytes(png(pixels(page, taken(page, moment))))


if __name__ == "__main__":
    main()
