"""`torchlike.graph.draw`: what is in the picture, and where it lies."""

import importlib
import itertools
import re
import sys
import time
from unittest import mock
from xml.etree import ElementTree

import hypothesis
import igraph
import pytest
from hypothesis import strategies

import torchlike
from torchlike import nn
from torchlike._draw.layout import laid_out
from torchlike._draw.view import Box, View

SVG = "{http://www.w3.org/2000/svg}"


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.wide = nn.Linear(size, 2 * size)
        self.back = nn.Linear(2 * size, size)

    def forward(self, x):
        return x + self.back(torchlike.relu(self.wide(self.norm(x))))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.blocks = nn.Sequential(*[Block(4) for _ in range(5)])
        self.last = nn.Linear(4, 1)

    def forward(self, x):
        return self.last(self.blocks(torchlike.tanh(self.first(x))))


def small():
    x = torchlike.ones(2, 3, requires_grad=True)
    y = x.exp() * x
    return y.sum(), x


def net_loss():
    net = Net()
    return net(torchlike.ones(2, 3)).sum(), net


def titles(drawing):
    return [(box.title, box.count) for box in drawing.view.each() if box.boxes is None]


def test_nodes_and_arrows():
    loss, x = small()
    drawing = torchlike.graph.draw(loss)
    assert [item.title for item in drawing.picture.items] == ["x", "Exp", "Mul", "Sum"]
    assert drawing.picture.arrows == [(0, 1), (1, 2), (0, 2), (2, 3)]
    exp, mul = drawing.picture.items[1:3]
    assert exp.form == "float32[2, 3]" and exp.source == "y = x.exp() * x" and exp.bytes == 24
    assert mul.bytes == 0  # what it keeps is that of Exp, and the leaf
    assert [form for form, _ in mul.saved] == ["float32[2, 3]"] * 2
    assert x.grad is None


def test_bytes_are_those_of_the_graph():
    loss, net = net_loss()
    assert sum(item.bytes for item in torchlike.graph.draw(loss).picture.items) == torchlike.graph.bytes(loss).total
    del net


def test_modules_and_repetitions():
    loss, net = net_loss()
    drawing = torchlike.graph.draw(loss, depth=1)
    assert ("blocks.0 to blocks.4", 5) in titles(drawing)
    closed = torchlike.graph.draw(loss, depth=0)
    assert [title for title, _ in titles(closed)] == ["first", "Tanh", "blocks", "last", "Sum"]
    opened = torchlike.graph.draw(loss, depth=9)
    assert len(titles(opened)) == len(opened.picture.items)
    relu = [item for item in opened.picture.items if item.title == "Relu"]
    assert [item.path for item in relu] == [("blocks", str(i)) for i in range(5)]
    adds = [item for item in opened.picture.items if item.title == "Add"]
    assert [item.path for item in adds] == [("blocks", str(i)) for i in range(5)]  # by the lines of forward
    assert net.last.weight.grad is None


def test_unequal_modules_are_not_folded():
    nets = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 3, bias=False), nn.Linear(3, 3)])
    x = torchlike.ones(1, 3)
    for net in nets:
        x = net(x)
    assert {count for _, count in titles(torchlike.graph.draw(x.sum(), depth=0))} == {1}


def test_loops_are_found():
    x = torchlike.ones(2, requires_grad=True)
    y = x
    for _ in range(10):
        y = torchlike.sin(y * 1.5)
        y = y + x
    drawing = torchlike.graph.draw(y.sum(), depth=1)
    folded, = [box for box in drawing.view.each() if box.count > 1]
    assert folded.count == 10 and len(folded.places) == 30 and folded.title.startswith("turn 0")
    outer = next(box for box in drawing.view.each() if box.boxes)
    assert outer.title.startswith("loop at line ")


def test_given_modules():
    loss, _ = small()
    node = loss.grad_fn
    drawing = torchlike.graph.draw(loss, modules={node: ("mine", "inner")}, depth=9)
    assert drawing.picture.items[-1].path == ("mine", "inner")


# -- the forms

def test_svg_is_whole_and_alone():
    loss, _ = net_loss()
    text = torchlike.graph.draw(loss).svg()
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg" and "http" not in text.replace("http://www.w3.org/2000/svg", "")
    boxes = [each for each in root.iter(f"{SVG}g") if (each.get("class") or "").startswith("box")]
    assert len(boxes) == len(titles(torchlike.graph.draw(loss)))
    assert torchlike.graph.draw(loss)._repr_svg_() == text


def test_gradients_beside_it_and_the_jaxpr():
    loss, x = small()
    steps = torchlike.step_backward(loss, retain_graph=True)
    drawing = torchlike.graph.draw(loss, steps=steps, backward=True, jaxpr=True)
    assert [item.norm for item in drawing.picture.items][-1] == 1
    assert drawing.picture.items[0].norm == pytest.approx(float(x.grad.norm()), rel=1e-6)
    root = ElementTree.fromstring(drawing.svg())
    ids = {each.get("id") for each in root.iter(f"{SVG}g") if each.get("id")}
    links = [each.get("href") for each in root.iter(f"{SVG}a")]
    assert links and {link.removeprefix("#") for link in links} <= ids
    lines = ["".join(each.itertext()) for each in root.iter(f"{SVG}a")]
    assert any(" = exp" in line for line in lines)
    exp = next(each.get("href") for each in root.iter(f"{SVG}a") if " = exp" in "".join(each.itertext()))
    title = next(each.find(f"{SVG}title").text for each in root.iter(f"{SVG}g") if f"#{each.get('id')}" == exp)
    assert title.startswith("ExpBackward0")
    assert len([each for each in root.iter(f"{SVG}path") if each.get("class") == "back"]) == len(drawing.view.arrows)
    colours = drawing._colours()
    assert len(set(colours.values())) > 1 and all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in colours.values())


def test_dot_and_mermaid():
    loss, _ = net_loss()
    drawing = torchlike.graph.draw(loss)
    dot, mermaid = drawing.dot(), drawing.mermaid()
    assert dot.count("{") == dot.count("}") and dot.count("->") == mermaid.count("-->") == len(drawing.view.arrows)
    named = set(re.findall(r"^ +(b\d+) \[", dot, re.MULTILINE))
    assert set(re.findall(r"\b(b\d+)\b", "\n".join(line for line in dot.splitlines() if "->" in line))) <= named
    assert mermaid.count("subgraph") == len(re.findall(r"^ *end$", mermaid, re.MULTILINE)) > 0


def test_names_are_escaped():
    x = {"<a> & \"b\"": torchlike.ones(1, requires_grad=True)}
    drawing = torchlike.graph.draw(x["<a> & \"b\""] * 2)
    assert ElementTree.fromstring(drawing.svg()) is not None
    assert "&lt;a&gt; &amp; &quot;b&quot;" in drawing.mermaid() and '<a> & \\"b\\"' in drawing.dot()


@pytest.mark.parametrize(("suffix", "start"), [(".svg", "<svg"), (".dot", "digraph"), (".gv", "digraph"),
                                               (".mmd", "flowchart"), (".md", "```mermaid")])
def test_save(tmp_path, suffix, start):
    loss, _ = small()
    torchlike.graph.draw(loss).save(tmp_path / f"graph{suffix}")
    assert (tmp_path / f"graph{suffix}").read_text().startswith(start)


def test_refusals(tmp_path, monkeypatch):
    loss, _ = small()
    with pytest.raises(TypeError, match="must be Tensor, not int"):
        torchlike.graph.draw(1)
    with pytest.raises(RuntimeError, match="does not require grad"):
        torchlike.graph.draw(torchlike.ones(1))
    with pytest.raises(ValueError, match=r"not to '\.png'"):
        torchlike.graph.draw(loss).save(tmp_path / "graph.png")
    monkeypatch.setitem(sys.modules, "igraph", None)
    assert "digraph" in torchlike.graph.draw(loss).dot()
    with pytest.raises(torchlike.UnsupportedError, match="pip install igraph"):
        torchlike.graph.draw(loss).svg()


# -- where boxes lie

def overlap(a, b):
    return a.x < b.x + b.width and b.x < a.x + a.width and a.y < b.y + b.height and b.y < a.y + a.height


def check(boxes, places, around=None):
    for a, b in itertools.combinations(boxes, 2):
        assert not overlap(places[a.key], places[b.key]), (a.key, b.key)
    for box in boxes:
        inner, outer = places[box.key], around and places[around.key]
        if outer:
            assert outer.x <= inner.x and inner.x + inner.width <= outer.x + outer.width + 1e-6
            assert outer.y <= inner.y and inner.y + inner.height <= outer.y + outer.height + 1e-6
        check(box.boxes or [], places, box)


@strategies.composite
def views(draw):
    """Boxes, some open, and arrows from earlier to later ones."""
    count = draw(strategies.integers(1, 24))
    leaves = [Box(f"n{i}", f"n{i}", [i], i) for i in range(count)]
    boxes, number = list(leaves), itertools.count()
    for _ in range(draw(strategies.integers(0, 4))):
        start = draw(strategies.integers(0, len(boxes) - 1))
        end = draw(strategies.integers(start + 1, len(boxes)))
        boxes[start:end] = [Box(f"m{next(number)}", "module", [], boxes=boxes[start:end])]
    pairs = draw(strategies.lists(strategies.tuples(strategies.integers(0, count - 1), strategies.integers(0, count - 1))))
    arrows = [(f"n{min(pair)}", f"n{max(pair)}", 1) for pair in dict.fromkeys(pairs) if pair[0] != pair[1]]
    rooms = {box.key: (draw(strategies.integers(1, 30)), draw(strategies.integers(1, 4))) for box in leaves}
    return View(boxes, arrows), rooms


@hypothesis.given(views())
@hypothesis.settings(deadline=None, max_examples=60)
def test_no_box_lies_on_another(case):
    view, rooms = case
    check(view.boxes, laid_out(view, rooms))


@hypothesis.given(views())
@hypothesis.settings(deadline=None, max_examples=60)
def test_igraph_lays_out_what_hangs_together(case):
    """igraph 1.0 reads past an array's end otherwise; the process ends where nothing is there."""
    lay_out = igraph.Graph.layout_sugiyama

    def checked(graph, **options):
        assert graph.is_connected(mode="weak")
        return lay_out(graph, **options)

    with mock.patch.object(igraph.Graph, "layout_sugiyama", checked):
        laid_out(*case)


@pytest.mark.slow
def test_five_thousand_nodes_are_readable_and_soon_there():
    x = torchlike.ones(4, requires_grad=True)
    y = x
    for _ in range(1667):
        y = torchlike.sin(y * 1.5)
        y = y + x
    loss = y.sum()
    begin = time.process_time()
    drawing = torchlike.graph.draw(loss)
    text = drawing.svg()
    assert time.process_time() - begin < 3
    assert len(drawing.picture.items) > 5000 and text.count('class="box') <= 60


def test_igraph_is_not_imported_before_it_is_needed():
    assert "igraph" not in vars(importlib.import_module("torchlike._draw.layout"))
