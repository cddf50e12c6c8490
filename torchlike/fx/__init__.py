"""`torch.fx`: programs as Graphs, recorded, changed and made to Python again. https://pytorch.org/docs/stable/fx.html

`_symbolic_trace.py` calls a function or Module with Proxies (`proxy.py`), which record what is done with them: PyTorch's
functions by ``__torch_function__``, Modules by what `_patches.py` puts into their place. The result is a Graph (`graph.py`)
of Nodes (`node.py`). `_code_generators.py` writes it as Python, with
lines from `_codegen.py` and names from `_names.py`, and `graph_module.py` makes a Module of
that. `interpreter.py` runs a Graph Node by Node, `subgraph_rewriter.py` replaces parts of it.

A Graph has nothing to do with the traces that torchlike records and compiles.
"""

from torchlike._api.homes import name_below as _name_below
from torchlike.fx import _compatibility as _compatibility
from torchlike.fx import _pytree as _pytree
from torchlike.fx import _symbolic_trace as _symbolic_trace
from torchlike.fx import experimental as experimental
from torchlike.fx import graph as graph
from torchlike.fx import graph_module as graph_module
from torchlike.fx import immutable_collections as immutable_collections
from torchlike.fx import interpreter as interpreter
from torchlike.fx import node as node
from torchlike.fx import passes as passes
from torchlike.fx import proxy as proxy
from torchlike.fx import subgraph_rewriter as subgraph_rewriter
from torchlike.fx import traceback as traceback
from torchlike.fx._symbolic_trace import PH as PH
from torchlike.fx._symbolic_trace import Tracer as Tracer
from torchlike.fx._symbolic_trace import symbolic_trace as symbolic_trace
from torchlike.fx._symbolic_trace import wrap as wrap
from torchlike.fx.graph import CodeGen as CodeGen
from torchlike.fx.graph import Graph as Graph
from torchlike.fx.graph_module import GraphModule as GraphModule
from torchlike.fx.interpreter import Interpreter as Interpreter
from torchlike.fx.interpreter import Transformer as Transformer
from torchlike.fx.node import Node as Node
from torchlike.fx.node import has_side_effect as has_side_effect
from torchlike.fx.node import map_arg as map_arg
from torchlike.fx.proxy import Proxy as Proxy
from torchlike.fx.subgraph_rewriter import replace_pattern as replace_pattern

_name_below(".fx")
