"""How Graphs are written as text: classes of one's own, functions that change the lines, structures as arguments."""

import collections
import copy
import typing

import pytest
import torch as theirs
import torch.fx

import torchlike as ours
import torchlike.fx
from tests.fx.test_graph import outcome
from tests.fx.test_symbolic_trace import same

Pair = collections.namedtuple("Pair", "left right")


def simple(m):
    return m.fx.symbolic_trace(lambda x, y: m.relu(x) + y * 2)


def listed(m):
    """A program that takes and gives a list."""
    class OfLists(m.fx.CodeGen):
        def gen_fn_def(self, free_vars, maybe_return_annotation):
            head = f"def forward(self, args_list: List[torch.Tensor]){maybe_return_annotation}:"
            return f"{head}\n    {', '.join(free_vars)} = args_list"

        def generate_output(self, output_args):
            return f"return [{output_args!r}]"

        def additional_globals(self):
            return [("List", list)]

        def process_inputs(self, *inputs):
            return inputs[0]

        def process_outputs(self, outputs):
            return [outputs]

    module = simple(m)
    module.graph.set_codegen(OfLists())
    module.recompile()
    return module


def own_generator(m):
    module, args = listed(m), [m.ones(2), m.ones(2)]
    graph = module.graph
    return (module.code, module(args), m.fx.Interpreter(module).run(args), graph.process_inputs(args),
            graph.process_outputs(3), copy.deepcopy(module).code, m.fx.Transformer(module).transform().code)


def base(m):
    made = m.fx.CodeGen()
    node = next(iter(simple(m).graph.nodes))
    names, described = ["a: int", "b  # two"], (node, 1)
    return (made.gen_fn_def(["a", "b"], " -> int"), made.gen_fn_def(names, "", expanded_def=True), names,
            made.gen_fn_def(["self"], ""), made.generate_output(described), made.generate_output(node, descs=["x"]),
            made.generate_output(described, descs=["one", "two"], repr_fn=str), made.process_inputs(1, 2),
            made.generate_output([1], descs=["one"]), made.process_outputs(3), made.additional_globals())


def lines(m):
    module, seen = simple(m), []

    def changed(body):
        seen.append(list(body))
        return ["print('begin')\n", *body]

    with module.graph.on_generate_code(lambda before: seen.append(before) or changed):
        with module.graph.on_generate_code(lambda before: lambda body: ["x = x\n", *before(body)]):
            module.recompile()
            first = module.code
        module.recompile()
        second = module.code
    module.recompile()
    return first, second, module.code, seen


def for_good(m):
    module = simple(m)
    module.graph.on_generate_code(lambda _: lambda body: [*body[:-1], "  # the end\n"])
    return m.fx.GraphModule(module, copy.deepcopy(module.graph)).code


def structures(m):
    class Model(m.nn.Module):
        def forward(self, x, both, options, n):
            return {"sum": x + both[0] * options["scale"], "rest": (both[1], options["scale"] + n)}

    ph = m.fx.PH
    given = {"both": (ph, ph), "options": {"scale": ph}}
    made = m.fx.symbolic_trace(Model(), given)
    args = (m.ones(2), (m.ones(2), m.zeros(2)), {"scale": m.full((2,), 2.0)}, 4)
    return (made.code, str(made.graph), made(*args), m.fx.Interpreter(made).run(*args),
            made.graph.process_inputs(*args), made._in_spec.num_leaves)


def named_structures(m):
    def function(pair: Pair, others: typing.Any):
        return [pair.left + others[0], pair.right]

    made = m.fx.symbolic_trace(function, {"pair": Pair(m.fx.PH, m.fx.PH), "others": [m.fx.PH]})
    return made.code, made(Pair(m.ones(2), m.ones(2)), [m.ones(2)])


def structures_with_constants(m):
    made = m.fx.symbolic_trace(lambda x, more: x + more[1], {"more": (m.fx.PH, 2)})
    return made.code, made(m.ones(2), (1, 2))


def wrong_structure(m):
    return m.fx.symbolic_trace(lambda x: x["a"], {"x": {"a": m.fx.PH}})({"b": 1})


def leaves_of_forms(m):
    spec = m.utils._pytree.tree_structure({"a": (1, [2, 3]), "b": Pair(4, 5)})
    found = m.fx._pytree.tree_flatten_spec({"b": Pair(4, 5), "a": (1, [2, 3, 7]), "c": 1}, spec)
    other = m.utils._pytree.tree_structure(collections.OrderedDict(a=1))
    return found, m.fx._pytree.tree_flatten_spec(collections.OrderedDict(a=2), other)


PROGRAMS = [own_generator, base, lines, for_good, structures, named_structures, structures_with_constants, wrong_structure,
            leaves_of_forms, lambda m: simple(m).graph.process_inputs(1, 2), lambda m: simple(m).graph.process_outputs([1])]


@pytest.mark.parametrize("program", PROGRAMS, ids=[f"{i}_{p.__name__}" for i, p in enumerate(PROGRAMS)])
def test_programs(program):
    found, expected = outcome(program, ours), outcome(program, theirs)
    assert not expected.startswith(("AttributeError", "NameError"))
    same(found, expected)
