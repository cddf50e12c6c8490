"""`torch.utils._pytree`, `torch.jit` and `torch.distributed`: what packages use of them, against torch."""

import collections
import dataclasses
import importlib

import pytest
import torch

import torchlike

Named = collections.namedtuple("Named", "u v")
TREES = [
    5, None, [], (), {"b": [1, (2, None)], "a": collections.OrderedDict(z=3)}, Named(1, [2]), [Named({"k": 1}, ())],
    collections.deque([1, [2]], maxlen=3), collections.defaultdict(list, {"k": 1, "j": {}}), {2: {1: [{}]}}, {1, 2}, "ab",
]
PROGRAMS = [
    "p.tree_flatten(x)", "str(p.tree_structure(x))", "p.tree_unflatten(p.tree_leaves(x), p.tree_structure(x))",
    "p.tree_map(lambda a: (a, a), x)", "p.tree_map(lambda a, b: [a, b], x, x)", "p.tree_map_only(int, lambda a: a + 1, x)",
    "p.tree_all_only(int, lambda a: a > 1, x), p.tree_any(lambda a: a == 1, x)",
    "p.tree_structure(x) == p.tree_structure(x)",
    "[(p.keystr(k), v) for k, v in p.tree_flatten_with_path(x)[0]]",
    "list(p.tree_iter(x, is_leaf=lambda a: isinstance(a, dict)))",
    "p.tree_map_with_path(lambda k, a: p.keystr(k), x)", "p.tree_map(lambda a, b: a, [1, 2], x)",
    "p.tree_map(lambda a, b: a, {'a': 1}, x)",
    "p.tree_unflatten([1, 2, 3], p.tree_structure(x))", "p.tree_structure(x).num_nodes, p.tree_structure(x).num_children",
    "p.register_pytree_node(dict, None, None)", "p.treespec_dumps(p.tree_structure(x))",
    "p.treespec_pprint(p.tree_structure(x))",
    "p.treespec_loads(p.treespec_dumps(p.tree_structure(x))) == p.tree_structure(x)",
    "p._broadcast_to_and_flatten([1, 2], p.tree_structure([x, x]))",
    "p._broadcast_to_and_flatten([1, 2], p.tree_structure(x))",
    "p._get_node_type(x)", "p.is_structseq_instance(x)",
]


def told(library, program, x):
    p = importlib.import_module(f"{library}.utils._pytree")
    try:
        return str(eval(program, {"p": p, "x": x}))
    except (ValueError, NotImplementedError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("program", PROGRAMS)
def test_trees(program):
    for x in TREES:
        assert told("torchlike", program, x) == told("torch", program, x)


def test_classes_of_users():
    def program(p):
        class Pair:
            def __init__(self, a, b):
                self.a, self.b = a, b

        p.register_pytree_node(Pair, lambda x: ([x.a, x.b], "context"), lambda children, _: Pair(*children))
        leaves, spec = p.tree_flatten({"x": Pair(1, [2, 3])})
        back = p.tree_unflatten([4, 5, 6], spec)["x"]
        return leaves, str(spec), back.a, back.b

    assert program(importlib.import_module("torchlike.utils._pytree")) == program(torch.utils._pytree)


def test_jit_leaves_things_as_they_are():
    @torchlike.jit.script
    def double(x):
        return x * 2

    class Layer(torchlike.nn.Module):
        @torchlike.jit.ignore
        def first(self, x):
            return x + 1

        @torchlike.jit.unused()
        def second(self, x):
            return x + 2

        @torchlike.jit.export
        def forward(self, x):
            return self.first(double(self.second(x)))

    layer = torchlike.jit.script(Layer())
    assert layer(torchlike.ones(1)).item() == 7
    assert torchlike.jit.trace(layer, torchlike.ones(1))(torchlike.ones(1)).item() == 7
    assert torchlike.jit.wait(torchlike.jit.fork(double, torchlike.ones(1))).item() == 2
    assert not torchlike.jit.is_scripting()
    assert not torchlike.jit.is_tracing()
    with pytest.raises(RuntimeError, match=r"torch.jit.load is not supported"):
        torchlike.jit.load("file")


@pytest.mark.parametrize("program", ["get_rank()", "get_world_size()", "barrier()", "all_reduce(t.ones(2))",
                                     "is_initialized()", "broadcast(t.ones(2), 0)", "all_gather([t.ones(2)], t.ones(2))"])
def test_without_a_process_group(program):
    def run(t):
        try:
            return eval(f"t.distributed.{program}", {"t": t})
        except (ValueError, NotImplementedError) as error:
            return str(error)

    assert run(torchlike) == run(torch)


def test_names_that_packages_use():
    theirs, ours = (importlib.import_module(f"{name}.utils._pytree") for name in ("torch", "torchlike"))
    d = {"a": 1, "b": [2, 3]}
    for name, args in (("_dict_flatten", (d,)), ("_dict_unflatten", ([1, 2], ["a", "b"])), ("arg_tree_leaves", (d, [4]))):
        assert getattr(ours, name)(*args) == getattr(theirs, name)(*args)
    assert repr(ours._dict_flatten_with_keys(d)) == repr(theirs._dict_flatten_with_keys(d))
    for kind in (dict, list, tuple, int):
        assert (kind in ours.SUPPORTED_NODES) == (kind in theirs.SUPPORTED_NODES)
    assert ours.SUPPORTED_NODES[dict].flatten_fn(d) == theirs.SUPPORTED_NODES[dict].flatten_fn(d)


def test_collections_of_graphs_are_containers():
    for lib in (torch, torchlike):
        p, c = (importlib.import_module(f"{lib.__name__}.{name}") for name in ("utils._pytree", "fx.immutable_collections"))
        mapped = p.tree_map(lambda x: x + 1, c.immutable_list([1, c.immutable_dict(a=2)]))
        assert mapped == [2, {"a": 3}]
        assert (type(mapped), type(mapped[1])) == (c.immutable_list, c.immutable_dict)


def test_sizes_are_containers():
    for lib in (torch, torchlike):
        p = importlib.import_module(f"{lib.__name__}.utils._pytree")
        assert p.tree_leaves([lib.Size([2, 3])]) == [2, 3]
        spec = p.tree_structure(lib.Size([2, 3]))
        assert p.treespec_loads(p.treespec_dumps(spec)) == spec
        assert type(p.tree_map(lambda x: x, lib.Size([2, 3]))) is tuple


def test_named_results_are_containers_of_their_own():
    for lib in (torch, torchlike):
        p = importlib.import_module(f"{lib.__name__}.utils._pytree")
        result = lib.max(lib.tensor([[1.0, 2.0]]), 1)
        assert not p.is_namedtuple_instance(result)
        assert p.is_structseq_instance(result)
        mapped = p.tree_map(lambda x: x + 1, result)
        assert (type(mapped), mapped.indices.item()) == (type(result), 2)


def test_registered_classes():
    for lib in (torch, torchlike):
        p = importlib.import_module(f"{lib.__name__}.utils._pytree")
        point = dataclasses.make_dataclass("Point", ["x", ("y", object, None)])
        p.register_dataclass(point, serialized_type_name=f"{lib.__name__}.Point")
        assert p.tree_map(lambda x: x + 1, point(1)) == point(2)
        assert p.keystr(p.tree_flatten_with_path(point(1, [2]))[0][1][0]) == ".y[0]"
        spec = p.tree_structure(point(1))
        assert p.treespec_loads(p.treespec_dumps(spec)) == spec
        with pytest.raises(ValueError, match=r"Missing fields in `field_names`: \{'y'\}"):
            p.register_dataclass(dataclasses.make_dataclass("Other", ["x", "y"]), field_names=["x"])
        frozen = dataclasses.make_dataclass("Frozen", ["x"], frozen=True)
        p.register_constant(frozen)
        assert p.tree_flatten(frozen(1))[0] == []
        assert p.tree_map(lambda x: x + 1, [frozen(1), 2]) == [frozen(1), 3]
        with pytest.raises(TypeError, match="non-default `__eq__`"):
            p.register_constant(type("Plain", (), {}))
