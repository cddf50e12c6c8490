"""The site: it is built without a warning, its links lead somewhere, what it shows was run, and its search finds."""

import pathlib
import re
import shutil
import subprocess
import sys
from urllib.parse import unquote, urlparse

import pytest

ROOT = pathlib.Path(__file__).parents[1]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, with two groups of lessons that lead to no others."""
    pytest.importorskip("furo")
    target = tmp_path_factory.mktemp("site") / "built"
    command = [sys.executable, str(ROOT / "docs" / "site" / "build.py"), "--groups", "unused", "--target", str(target)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


@pytest.mark.exhaustive
def test_links_lead_somewhere(site):
    html = site / "html"
    ids: dict = {}
    for path in html.rglob("*.html"):
        ids[path.resolve()] = set(re.findall(r'\bid="([^"]+)"', path.read_text(encoding="utf-8")))
    dead, count = [], 0
    for path in ids:
        for link in re.findall(r'<a [^>]*href="([^"]+)"', path.read_text(encoding="utf-8")):
            parts = urlparse(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists() or (parts.fragment and target in ids and unquote(parts.fragment) not in ids[target]
                                       and target.parent.name != "_static"):
                dead.append((path.name, link))
    assert dead == [] and count > 1000


def test_what_is_shown_was_run(site):
    sources = {path.stem: path.read_text(encoding="utf-8") for path in (site / "source" / "guides").glob("*.md")}
    assert set(sources) == {"run", "compare", "distribute", "port", "teach", "memory", "speed"}
    assert not any("```python run" in text or "```python draw" in text for text in sources.values())
    assert "tape and jax: " in sources["compare"] and "<svg" in sources["teach"] and "def loss(params)" in sources["port"]
    lesson = (site / "source" / "lessons" / "unused").glob("*.md")
    assert all("is right" in path.read_text(encoding="utf-8") for path in lesson)


def test_reference_has_gaps(site):
    text = (site / "source" / "api" / "torch.md").read_text(encoding="utf-8")
    assert len(re.findall("^## ", text, re.MULTILINE)) > 600 and "*differs*, " in text


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_search_finds(site):
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=BROWSER, args=FLAGS)
        page = browser.new_page()
        page.goto((site / "html" / "index.html").as_uri())
        page.get_by_placeholder("Search").first.fill("allow_unused")
        page.keyboard.press("Enter")
        page.locator("ul.search li a").first.wait_for()
        assert page.locator("ul.search li a").count() > 1
        page.goto((site / "html" / "index.html").as_uri())
        page.get_by_role("link", name="a training loop, operation by operation").click()
        page.get_by_role("slider", name="frame").wait_for()
        browser.close()
