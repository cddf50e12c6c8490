"""`torchlike.graph.draw`: the graph behind a tensor as a picture.

`picture.py` has what is drawn, the Nodes with what is known of them; `groups.py` puts them into modules and loops, `view.py`
says which of these are open and which stand for several equal ones; `svg.py`, with the layout of `layout.py`, and `texts.py`
(DOT and mermaid) write that; `functional.py` is the jaxpr, its lines known by their Nodes. `drawing.py` has the public
function.
"""
