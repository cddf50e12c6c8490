"""Graphs that are built, changed, checked, copied, run and replaced in parts, by both."""

import contextlib
import copy
import io
import operator
import pickle
import threading

import pytest
import torch as theirs
import torch.fx
import torch.fx.passes.shape_prop

import torchlike as ours
import torchlike.fx
from tests.fx.test_symbolic_trace import same
from torchlike.fx.passes.infra import pass_base


def outcome(program, m) -> str:
    """What a program returns, as text, or its error."""
    try:
        return str(program(m))
    except Exception as error:  # noqa: BLE001 - whatever it raises is compared
        return f"{type(error).__name__}: {error}"


def traced(m):
    class Model(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.lin, self.seq = m.nn.Linear(4, 4), m.nn.Sequential(m.nn.Linear(4, 4), m.nn.ReLU())

        def forward(self, x):
            return m.relu(self.seq(self.lin(x)) + 1).sum()

    m.manual_seed(0)
    return m.fx.symbolic_trace(Model())


def replace_op(m):
    g = traced(m)
    for node in g.graph.nodes:
        if node.target is operator.add:
            with g.graph.inserting_after(node):
                new = g.graph.call_function(operator.mul, node.args)
                node.replace_all_uses_with(new)
            g.graph.erase_node(node)
    g.graph.lint()
    g.recompile()
    return str(g.graph), g.code, g(m.ones(2, 4)).item() > 0


def insert_and_move(m):
    g = traced(m)
    nodes = list(g.graph.nodes)
    with g.graph.inserting_before(nodes[1]):
        new = g.graph.call_method("neg", (nodes[0],))
    nodes[1].args = (new,)
    nodes[1].update_kwarg("extra", 3)
    nodes[1].prepend(new)
    nodes[1].kwargs = {}
    nodes[1].insert_arg(0, nodes[0])
    nodes[1].update_arg(0, new)
    nodes[1].args = nodes[1].args[:1]
    return str(g.graph), [n.prev for n in nodes], [n.users for n in nodes], nodes[1].all_input_nodes


def erase_used(m):
    g = traced(m)
    g.graph.erase_node(list(g.graph.nodes)[1])


def foreign(m):
    graph = m.fx.Graph()
    node = graph.call_function(m.relu, (graph.placeholder("x"),))
    node.args = (m.fx.Graph().placeholder("z"),)
    graph.output(node)
    graph.lint()


def disordered(m):
    graph = m.fx.Graph()
    node = graph.call_function(m.relu, (graph.placeholder("x"),))
    graph.output(node)
    with graph.inserting_before(node):
        graph.call_function(m.neg, (node,))
    graph.lint()


def missing_module(m):
    graph = m.fx.Graph()
    graph.output(graph.call_module("foo", (graph.placeholder("x"),)))
    graph.owning_module = traced(m)
    graph.lint()


def missing_attribute(m):
    graph = m.fx.Graph()
    graph.output(graph.get_attr("foo.bar"))
    m.fx.GraphModule({}, graph)


def without_module(m):
    graph = m.fx.Graph()
    graph.output(graph.call_module("foo", (graph.placeholder("x"),)))
    m.fx.GraphModule(m.nn.Module(), graph)


def built(m):
    graph = m.fx.Graph()
    x, y = graph.placeholder("x", type_expr=int), graph.placeholder("y", default_value=3)
    z = graph.call_function(operator.iadd, (graph.call_function(m.add, (x, y)), 2))
    graph.call_function(operator.setitem, (z, 0, 3))
    graph.call_function(getattr, (z, "weird name"))
    graph.call_function(print, (z,))
    graph.output((z, [z, {"k": x}]))
    text = str(graph), graph.python_code("self").src
    return text, graph.eliminate_dead_code(), str(graph), len(graph.nodes), list(reversed(graph.nodes))


def copied(m):
    g = traced(m)
    graph, values = m.fx.Graph(), {}
    graph.output(graph.graph_copy(g.graph, values))
    again = copy.deepcopy(g)
    return str(graph), len(values), again.graph is g.graph, again.code == g.code, again(m.ones(2, 4)) == g(m.ones(2, 4))


def pickled(m):
    g = m.fx.symbolic_trace(m.nn.Sequential(m.nn.Linear(4, 4), m.nn.ReLU()))
    file = io.BytesIO()
    pickle.dump(g, file)
    file.seek(0)
    again = pickle.load(file)
    return again.code == g.code, m.equal(again(m.ones(2, 4)), g(m.ones(2, 4)))


def transformed(m):
    class Sigmoid(m.fx.Transformer):
        def call_function(self, target, args, kwargs):
            return super().call_function(m.sigmoid if target is m.relu else target, args, kwargs)

    made = Sigmoid(traced(m)).transform()
    return str(made.graph), made.code


def interpreted(m):
    seen = []

    class Watching(m.fx.Interpreter):
        def run_node(self, n):
            seen.append(n.name)
            return super().run_node(n)

    g = traced(m)
    found = Watching(g).run(m.ones(2, 4))
    return seen, m.equal(found, g(m.ones(2, 4)))


def interpreted_without_arguments(m):
    m.fx.Interpreter(traced(m)).run()


def patterns(m):
    g = m.fx.symbolic_trace(lambda a, b, c: m.relu(a + b) + m.relu(m.relu(b + c) + 3))
    found = m.fx.replace_pattern(g, lambda x, y: m.relu(x + y), lambda x, y: m.sigmoid(x) * y)
    return str(g.graph), g.code, found, g(m.ones(2), m.ones(2), m.ones(2)).tolist()[0] > 0


def filtered_patterns(m):
    def keeps(match, graph, pattern):
        seen.append((match.anchors, match.nodes_map, match.placeholder_nodes, match.returning_nodes, match.name_node_map,
                     len(graph.nodes), len(pattern.nodes), copy.copy(match) == match))
        return match.returning_nodes[0].name != "relu_1"

    seen: list = []
    g = m.fx.symbolic_trace(lambda a, b, c: m.relu(a + b) + m.relu(m.relu(b + c) + 3))
    found = m.fx.subgraph_rewriter.replace_pattern_with_filters(
        g, lambda x, y: m.relu(x + y), lambda x, y: m.sigmoid(x) * y, [keeps])
    return str(g.graph), found, seen


def patterns_by_callback(m):
    def chosen(match, graph, pattern):
        name = match.returning_nodes[0].name
        return m.fx.symbolic_trace((lambda x: x.neg()) if name == "relu" else lambda x: x + x).graph

    g = m.fx.symbolic_trace(lambda a, b: m.relu(a) + m.relu(m.relu(b) * 2))
    found = m.fx.subgraph_rewriter.replace_pattern_with_filters(g, lambda x: m.relu(x), replacement_callback=chosen)
    return g.code, [(each.anchor, each.nodes_map, each.replacements) for each in found]


def no_replacement(m):
    return m.fx.subgraph_rewriter.replace_pattern_with_filters(m.fx.symbolic_trace(lambda a: a + 1), lambda x: x + 1)


def told_that_it_records(m):
    seen = []

    def function(x):
        seen.append((m.fx._symbolic_trace.is_fx_tracing(), m.fx._symbolic_trace.is_fx_symbolic_tracing()))
        return x

    with contextlib.suppress(m.fx.proxy.TraceError):
        m.fx.symbolic_trace(lambda x: bool(function(x)))
    return seen, m.fx._symbolic_trace.is_fx_tracing(), m.fx._symbolic_trace.is_fx_symbolic_tracing()


def scopes(m):
    scope = m.fx.proxy.Scope("", None)
    with m.fx.proxy.ScopeContextManager(scope, m.fx.proxy.Scope("a.b", int)) as inside:
        found = inside is scope, scope.module_path, scope.module_type
    return found, scope.module_path, scope.module_type


def no_pattern(m):
    g = m.fx.symbolic_trace(lambda a: m.relu(a) + m.relu(a).neg())
    return m.fx.replace_pattern(g, lambda x: m.relu(x).exp(), lambda x: x), g.code


def shapes(m):
    g = traced(m)
    m.fx.passes.shape_prop.ShapeProp(g).propagate(m.ones(2, 4))
    return [(n.name, n.meta["tensor_meta"].shape, n.meta["tensor_meta"].dtype, n.meta["tensor_meta"].stride,
             n.meta["tensor_meta"].memory_format) for n in g.graph.nodes]


def submodules(m):
    g = traced(m)
    return (g.add_submodule("a.b", m.nn.ReLU()), g.delete_submodule("a.b"), g.delete_submodule("zz"),
            g.delete_all_unused_submodules(), g)


def aggregates(m):
    node = next(iter(traced(m).graph.nodes))
    return (m.fx.node.map_arg((1, [node], {"a": slice(node, None)}), lambda n: n.name),
            m.fx.node.map_aggregate([1, (2, {"a": 3})], lambda v: v * 2))


PROGRAMS = [
    replace_op, insert_and_move, erase_used, foreign, disordered, missing_module, missing_attribute, without_module, built,
    copied, pickled, transformed, interpreted, interpreted_without_arguments, patterns, no_pattern,
    filtered_patterns, patterns_by_callback, no_replacement, scopes,
    told_that_it_records, shapes, submodules,
    aggregates, lambda m: m.fx.Graph().create_node("call_foo", "x"),
    lambda m: m.fx.Graph().create_node("call_function", "x"),
    lambda m: m.fx.Graph().output_node(), lambda m: m.fx.Graph().python_code("self").src, lambda m: traced(m)(),
    lambda m: next(iter(traced(m).graph.nodes)).kwargs.update({}), lambda m: m.fx.GraphModule(3, m.fx.Graph()),
    lambda m: m.fx.Proxy(next(iter(traced(m).graph.nodes))) + 1, lambda m: m.fx.symbolic_trace(3),
    lambda m: traced(m).graph.find_nodes(op="call_module", target="lin"), lambda m: traced(m).print_readable(False),
    lambda m: m.fx.immutable_collections.immutable_list([1]).append(2),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=[f"{i}_{p.__name__}" for i, p in enumerate(PROGRAMS)])
def test_programs(program):
    same(outcome(program, ours), outcome(program, theirs))


def test_other_threads_are_left_alone():
    layer, found = ours.nn.Linear(2, 2), []

    def function(x):
        thread = threading.Thread(target=lambda: found.append(layer(ours.ones(2))))
        thread.start()
        thread.join()
        return x

    ours.fx.symbolic_trace(function)
    assert isinstance(found[0], ours.Tensor)


def test_folders_are_refused():
    with pytest.raises(ours.UnsupportedError, match=r"use torch\.save"):
        ours.fx.symbolic_trace(ours.nn.Linear(2, 2)).to_folder("x")


@pytest.mark.parametrize("options", [{"ignore_literals": True}, {"node_name_match": "relu"}], ids=str)
def test_loose_patterns_are_refused(options):
    with pytest.raises(ours.UnsupportedError, match="replace_pattern"):
        ours.fx.subgraph_rewriter.replace_pattern_with_filters(traced(ours), ours.relu, ours.relu, **options)


def test_a_pass():
    class Renames(pass_base.PassBase):
        def call(self, graph_module):
            seen.append("call")
            return pass_base.PassResult(graph_module, True)

        def requires(self, graph_module):
            seen.append("requires")

    seen: list = []
    made = torchlike.fx.symbolic_trace(torchlike.nn.ReLU())
    assert Renames()(made) == (made, True) and seen == ["requires", "call"]
    with pytest.raises(TypeError, match="abstract"):
        pass_base.PassBase()
