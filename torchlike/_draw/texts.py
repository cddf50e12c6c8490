"""A view as DOT, for Graphviz, and as mermaid, for Markdown."""

from torchlike._draw.view import View

_INDENT = "  "


def dot(view: View, lines: dict, colours: dict) -> str:
    """The graph in Graphviz's language; open modules are clusters.

    Args:
        view: the View.
        lines: {key: list of texts} of what is written in each closed box.
        colours: {key: colour} of some of them.
    """
    names = {box.key: f"b{i}" for i, box in enumerate(view.each())}
    found = ["digraph {", '  node [shape=box, style="rounded,filled", fillcolor=white, fontname="sans-serif", fontsize=11];']

    def write(boxes, indent):
        for box in boxes:
            if box.boxes is None:
                text = "\\n".join(_quoted(line) for line in lines[box.key])
                colour = f', fillcolor="{colours[box.key]}"' if box.key in colours else ""
                found.append(f'{indent}{names[box.key]} [label="{text}"{colour}];')
                continue
            found.append(f"{indent}subgraph cluster_{names[box.key]} {{")
            found.append(f'{indent}{_INDENT}label="{_quoted(box.title)}"; style=rounded;')
            write(box.boxes, indent + _INDENT)
            found.append(f"{indent}}}")

    write(view.boxes, _INDENT)
    found += [f"  {names[a]} -> {names[b]};" for a, b, _ in view.arrows]
    return "\n".join([*found, "}"]) + "\n"


def mermaid(view: View, lines: dict, colours: dict) -> str:
    """The graph as a mermaid flowchart; open modules are subgraphs. Arguments as for `dot`."""
    names = {box.key: f"b{i}" for i, box in enumerate(view.each())}
    found = ["flowchart TD"]

    def write(boxes, indent):
        for box in boxes:
            if box.boxes is None:
                text = "<br/>".join(_escaped(line) for line in lines[box.key])
                found.append(f'{indent}{names[box.key]}["{text}"]')
                continue
            found.append(f'{indent}subgraph {names[box.key]}["{_escaped(box.title)}"]')
            write(box.boxes, indent + _INDENT)
            found.append(f"{indent}end")

    write(view.boxes, _INDENT)
    found += [f"  {names[a]} --> {names[b]}" for a, b, _ in view.arrows]
    found += [f"  style {names[key]} fill:{colour},color:#111" for key, colour in colours.items()]
    return "\n".join(found) + "\n"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _escaped(text: str) -> str:
    for sign, name in (("&", "amp"), ('"', "quot"), ("<", "lt"), (">", "gt")):
        text = text.replace(sign, f"&{name};")
    return text
