"""The page in a browser: every control, by pointer and by keys, in light and dark, wide and narrow; and what axe-core says.

A Chromium has to be installed; npm, for axe-core, at its side (`npm ci` in torchlike/show/web).
"""

import json
import pathlib
import subprocess
import sys

import pytest

from tests.show import programs

WEB = pathlib.Path(__file__).parents[2] / "torchlike" / "show" / "web"
AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"
TABS = ("graph", "jaxpr", "gradients", "memory", "why", "engines", "output")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """{name: URL of the page} of the programs."""
    folder = tmp_path_factory.mktemp("pages")
    made = {}
    for name in ("SMALL", "TRAINING", "NAN", "FAILING"):
        path = programs.written(folder, getattr(programs, name), f"{name.lower()}.py")
        engines = ["--engines"] if name == "SMALL" else []
        subprocess.run([sys.executable, "-m", "torchlike", "show", *engines, path], cwd=folder, capture_output=True,
                       check=False)
        made[name] = (folder / f"{name.lower()}.html").as_uri()
    return made


@pytest.fixture
def open_page(browser, pages):
    """Opens a program's page; whatever the page says of errors, or asks of a network, fails the test."""
    contexts, problems = [], []

    def opened(name, **how):
        context = browser.new_context(**{"viewport": {"width": 1300, "height": 900}, **how})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: problems.append(request.url) if not request.url.startswith("file:") else None)
        page.goto(pages[name])
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == []


def position(page) -> int:
    return int(page.get_by_role("slider", name="frame").input_value())


def test_slider_buttons_and_keys(open_page):
    page = open_page("SMALL")
    frames = int(page.get_by_role("slider", name="frame").get_attribute("max")) + 1
    go = page.get_by_role("group", name="Go")
    assert position(page) == 0 and go.get_by_role("button", name="first").is_disabled()
    go.get_by_role("button", name="on").click()
    assert position(page) == 1
    go.get_by_role("button", name="last").click()
    assert position(page) == frames - 1 and go.get_by_role("button", name="on").is_disabled()
    go.get_by_role("button", name="back").click()
    assert position(page) == frames - 2
    go.get_by_role("button", name="first").click()
    for key, wanted in (("ArrowRight", 1), ("n", 2), ("p", 1), ("ArrowLeft", 0), ("End", frames - 1), ("Home", 0),
                        ("PageDown", min(10, frames - 1)), ("PageUp", max(0, min(10, frames - 1) - 10))):
        page.keyboard.press(key)
        assert position(page) == wanted, key
    page.get_by_role("slider", name="frame").fill("3")
    assert position(page) == 3 and page.get_by_role("heading", name="forward: mul").is_visible()


def test_source_shows_what_came_of_each_line(open_page):
    page = open_page("SMALL")
    line = page.locator(".source li").nth(4)
    assert line.locator(".beside").count() == 0
    page.get_by_role("slider", name="frame").fill("2")
    assert "float32[2] [1, 2]" in line.inner_text() and page.locator(".source li.here").count() == 1
    page.keyboard.press("End")
    assert "grad [1, 4]" in line.inner_text()
    line.locator(".beside").click()
    assert page.get_by_role("heading", name="backward: SqrtBackward0").is_visible()


def test_step_says_where_gradients_go(open_page):
    page = open_page("SMALL")
    page.get_by_label("what to stop at").fill("MulBackward0")
    page.get_by_role("button", name="next").click()
    step = page.get_by_role("region", name="This step")
    assert "d x = g · other" in step.inner_text() and "def mul_backward(g, x, other):" in step.inner_text()
    step.get_by_role("button", name="backward: SqrtBackward0").click()
    assert page.get_by_role("heading", name="backward: SqrtBackward0").is_visible()


def test_breakpoints(open_page):
    page = open_page("NAN")
    page.locator(".stops select").select_option("nan or infinity")
    page.get_by_role("button", name="next").click()
    assert page.get_by_role("heading", name="backward: SqrtBackward0").is_visible()
    page.locator(".stops select").select_option("line")
    page.get_by_label("what to stop at").fill("3")
    page.get_by_role("button", name="before").click()
    assert page.get_by_role("heading", name="forward: tensor").is_visible()
    page.locator(".stops select").select_option("norm above")
    page.get_by_label("what to stop at").fill("1.2")
    page.get_by_role("button", name="next").click()
    assert "SumBackward0" not in page.get_by_role("region", name="This step").inner_text()
    page.locator(".stops select").select_option("name")
    page.get_by_label("what to stop at").fill("nowhere")
    page.get_by_role("button", name="next").click()
    assert page.get_by_text("no such frame in this direction").is_visible()


def test_graph_opens_closes_and_leads_on(open_page):
    page = open_page("TRAINING")
    graph = page.locator(".graph")
    closed = graph.locator("g.box.many")
    page.get_by_role("button", name="close all").click()
    before = graph.locator("g.box").count()
    page.get_by_role("button", name="open all").click()
    assert graph.locator("g.box").count() > before and graph.locator("g.module", has_text="blocks.0.linear").count() == 1
    page.get_by_role("button", name="close all").click()
    graph.locator("g.closed", has_text="blocks").press("Enter")
    assert "4 times" in closed.first.text_content()
    graph.locator("g.module", has_text="blocks").press("Enter")
    assert graph.locator("g.box").count() == before
    graph.locator("g.box:not(.closed)").last.click()
    assert position(page) > 0 and graph.locator("g.box.here").count() == 1
    page.keyboard.press("End")
    assert graph.locator("g.box.coloured").count() > 0


def test_tabs(open_page):
    page = open_page("SMALL")
    tabs = page.get_by_role("tablist", name="Views")
    tabs.get_by_role("tab", name="graph").focus()
    for name in (*TABS[1:], TABS[0]):
        page.keyboard.press("ArrowRight")
        assert tabs.get_by_role("tab", name=name).get_attribute("aria-selected") == "true"
    page.keyboard.press("ArrowLeft")
    assert position(page) == 0 and tabs.get_by_role("tab", name="output").get_attribute("aria-selected") == "true"
    assert page.get_by_label("Output of the program").inner_text() == "nothing"
    page.get_by_role("slider", name="frame").fill("3")
    assert page.get_by_label("Output of the program").inner_text().strip() == "before"
    tabs.get_by_role("tab", name="gradients").click()
    table = page.get_by_role("region", name="Gradients")
    assert "None" in table.inner_text()
    table.get_by_role("button", name="next change of x").click()
    assert "[1.5, 3]" in table.inner_text()
    tabs.get_by_role("tab", name="why").click()
    why = page.get_by_role("region", name="Why")
    assert "unused (grad is None)" in why.inner_text() and "nothing that is remembered has used it" in why.inner_text()
    why.get_by_label("tensor").select_option("x")
    assert "[1.5, 3]" in why.inner_text()
    tabs.get_by_role("tab", name="engines").click()
    assert "no difference beyond rounding" in page.get_by_role("region", name="Engines").inner_text()


def test_jaxpr_is_linked_to_nodes(open_page):
    page = open_page("SMALL")
    page.get_by_role("tab", name="jaxpr").click()
    jaxpr = page.get_by_role("region", name="Jaxpr")
    jaxpr.get_by_role("button", name="sqrt").click()
    assert page.get_by_role("heading", name="backward: SqrtBackward0").is_visible()
    assert " = sqrt " in jaxpr.locator("li.here").inner_text()


def test_memory(open_page):
    page = open_page("TRAINING")
    page.get_by_role("tab", name="memory").click()
    memory = page.get_by_role("region", name="Memory")
    assert "0 B" in memory.inner_text()
    box = memory.locator("svg").bounding_box()
    page.mouse.click(box["x"] + box["width"] - 2, box["y"] + 20)
    assert position(page) > 50 and "optimizer" in memory.inner_text()
    page.get_by_label("what to stop at").fill("MeanBackward0")
    page.get_by_role("button", name="before").click()
    assert "Saved for the backward pass by" in memory.inner_text()


def test_error_of_the_program(open_page):
    page = open_page("FAILING")
    page.get_by_role("tab", name="output").click()
    assert "RuntimeError: grad can be implicitly created" in page.get_by_role("region", name="Output").inner_text()


@pytest.mark.parametrize("name", ["SMALL", "TRAINING"])
@pytest.mark.parametrize("how", [{}, {"color_scheme": "dark"}, {"viewport": {"width": 390, "height": 800}}],
                         ids=["light", "dark", "phone"])
def test_accessible(open_page, name, how):
    if not AXE.exists():
        pytest.skip("axe-core is not installed (npm ci in torchlike/show/web)")
    page = open_page(name, **how)
    page.add_script_tag(path=str(AXE))
    page.get_by_role("slider", name="frame").fill("14")
    for tab in TABS:
        page.get_by_role("tab", name=tab).click()
        found = page.evaluate("() => axe.run()")
        serious = [each for each in found["violations"] if each["impact"] in ("serious", "critical")]
        told = [(each["id"], [node["html"][:200] for node in each["nodes"][:3]]) for each in serious]
        assert serious == [], (tab, json.dumps(told))


def test_phone_has_no_sideways_scrolling(open_page):
    page = open_page("TRAINING", viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator(".step").is_visible()


def test_colours_by_hand(open_page):
    page = open_page("SMALL")
    colour = "getComputedStyle(document.body).backgroundColor"
    page.get_by_label("colours").select_option("dark")
    page.wait_for_function(f"{colour} !== 'rgb(255, 255, 255)'")
    page.get_by_label("colours").select_option("light")
    page.wait_for_function(f"{colour} === 'rgb(255, 255, 255)'")
    page.get_by_label("colours").select_option("")
    page.wait_for_function("!('theme' in document.documentElement.dataset)")
