"""``%%show`` in JupyterLab, in a browser: the page below a cell, its slider and its keys.

JupyterLab and anywidget have to be installed.
"""

import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

MISSING = [name for name in ("jupyterlab", "anywidget") if importlib.util.find_spec(name) is None]
CELLS = ["%load_ext torchlike.show\nimport torchlike as torch\nx = torch.ones(2, requires_grad=True)",
         "%%show\n(x * 3).exp().sum().backward()\nprint('printed')"]
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser"),
              pytest.mark.skipif(bool(MISSING), reason=f"{' and '.join(MISSING)} not installed")]


def notebook() -> dict:
    """A notebook of the cells, as its file has it."""
    cells = [{"cell_type": "code", "id": str(i), "source": cell, "outputs": [], "metadata": {}, "execution_count": None}
             for i, cell in enumerate(CELLS)]
    kernel = {"name": "python3", "display_name": "Python 3"}  # else JupyterLab asks
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def answers(address: str) -> bool:
    """Whether there is a server."""
    try:
        return urllib.request.urlopen(address).status == 200
    except urllib.error.URLError:
        return False


@pytest.fixture
def lab(tmp_path):
    """The address of a JupyterLab whose only file is the notebook."""
    (tmp_path / "notebook.ipynb").write_text(json.dumps(notebook()))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    places = {f"JUPYTER_{name}": str(tmp_path / name) for name in ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR")}
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}",
         "--IdentityProvider.token=", f"--ServerApp.root_dir={tmp_path}"],
        env={**os.environ, **places}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address, end = f"http://127.0.0.1:{port}/lab", time.monotonic() + 60
        while not answers(address) and server.poll() is None and time.monotonic() < end:
            time.sleep(0.2)
        yield address
    finally:
        server.terminate()
        server.wait()


def test_page_below_a_cell(browser, lab):
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.goto(f"{lab}/tree/notebook.ipynb")
    page.get_by_text("| Idle").wait_for(timeout=60_000)  # the kernel has started
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    frame = page.frame_locator(".jp-OutputArea iframe")
    slider = frame.get_by_role("slider", name="frame")
    slider.wait_for(timeout=60_000)
    slider.fill("2")
    assert frame.get_by_role("heading", name="forward: exp").is_visible()
    frame.get_by_role("heading", name="forward: exp").click()
    last = slider.get_attribute("max")
    for key, wanted in (("ArrowRight", "3"), ("p", "2"), ("End", last), ("Home", "0")):
        page.keyboard.press(key)
        assert slider.input_value() == wanted, key
    assert frame.get_by_role("heading", name="<cell 2>").first.is_visible()
    page.context.close()
