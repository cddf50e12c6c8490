"""An autograd engine in one file, on numpy."""

import collections
import contextlib
import itertools  # [8]
import types

import numpy as np


def unwritten(*arguments, **options):  # given
    """Stands where something is to be written."""
    raise NotImplementedError

def operator(name, swapped=False):  # given
    """The method that applies operator `name`; with its two operands `swapped`, the one that Python calls for 2 - x."""
    return (lambda self, other: apply(name, other, self)) if swapped else (lambda self, *others: apply(name, self, *others))

class Tensor:
    """An array of float64; later also its gradient, and how it was computed."""

    def __init__(self, data, requires_grad=False):
        """Copies `data`, a number, nested lists or an array, into `self.data`; `self.grad` is None at first."""
        self.data = np.array(data, dtype=np.float64)
        self.requires_grad = requires_grad
        self.grad = None
        self.grad_fn = None  # [2]
        self.accumulator = None  # [2]
        self.version = types.SimpleNamespace(count=0)  # [6]
        self.tangents = {}  # [9]

    @property
    def shape(self):
        """The sizes as a tuple."""
        return self.data.shape

    def item(self):
        """The one element as a number of Python; RuntimeError if there is not exactly one."""
        if self.data.size != 1:
            raise RuntimeError(f"a Tensor with {self.data.size} elements is no number")
        return self.data.item()

    def __repr__(self):  # given
        """`Tensor(...)`, with the elements as nested lists."""
        return f"Tensor({self.data.tolist()})"

    __add__, __radd__ = operator("add"), operator("add", swapped=True)
    __sub__, __rsub__ = operator("sub"), operator("sub", swapped=True)
    __mul__, __rmul__ = operator("mul"), operator("mul", swapped=True)
    __truediv__, __rtruediv__ = operator("div"), operator("div", swapped=True)
    __neg__ = operator("neg")

    def __pow__(self, exponent):
        return apply("pow", self, exponent=exponent)

# What each operator computes, on arrays: FORWARD[name](*arrays, **options).
FORWARD = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative,
    "pow": lambda a, exponent: a ** exponent,
}

def apply(name, *inputs, **options):
    """The result of operator `name` as a new Tensor. Numbers become Tensors; every operation goes through here."""
    inputs = [x if isinstance(x, Tensor) else Tensor(x) for x in inputs]
    # [1-3] out = Tensor(FORWARD[name](*(x.data for x in inputs), **options))
    # [4]
    try:
        out = Tensor(FORWARD[name](*(x.data for x in inputs), **options))
    except ValueError as error:
        raise RuntimeError(f"{name}: {error}") from None
    # [end]
    # [2]
    if STATE.grad and any(x.requires_grad for x in inputs):
        out.requires_grad = True
        out.grad_fn = Node(name, inputs, out, options)
    # [end]
    push_tangents(out, name, inputs, options)  # [9]
    # [10]
    if STATE.tracer is not None:
        STATE.tracer.add(out, name, inputs, options)
    # [end]
    return out

# [2]
# What holds just now. Later steps add to it.
STATE = types.SimpleNamespace(grad=True)

@contextlib.contextmanager
def setting(**changes):  # given
    """A block in which attributes of STATE have other values."""
    before = {name: getattr(STATE, name) for name in changes}
    vars(STATE).update(changes)
    try:
        yield
    finally:
        vars(STATE).update(before)

def no_grad():
    """A block in which nothing is recorded."""
    return setting(grad=False)

class Node:
    """One operation in the graph: its operator and options, an edge for each input, and what its gradient will read."""

    def __init__(self, op, inputs=(), out=None, options=None):
        self.op, self.name, self.options = op, f"{op.capitalize()}Backward0", options or {}
        self.edges = [edge(x) for x in inputs]
        self.shapes = [x.shape for x in inputs]
        # [2-5] self.saved = [out, *inputs]
        self.saved = save(op, out, inputs)  # [6]
        self.hooks = {}  # [7]
        self.retaining = None  # [7]

class AccumulateGrad(Node):
    """The Node of a leaf, with no edges: its gradient is added to `variable.grad`."""

    def __init__(self, variable):
        super().__init__("accumulate")
        self.name, self.variable = "AccumulateGrad", variable

def edge(tensor):
    """Where the gradient of `tensor` goes: None, its `grad_fn`, or the AccumulateGrad of a leaf, which is made once."""
    if not tensor.requires_grad or tensor.grad_fn is not None:
        return tensor.grad_fn
    if tensor.accumulator is None:
        tensor.accumulator = AccumulateGrad(tensor)
    return tensor.accumulator

def reachable(root):
    """The Nodes that lead from `root`, itself included, each once. Without recursion: graphs are deep."""
    found, waiting = {root: None}, [root]
    while waiting:
        new = [node for node in waiting.pop().edges if node is not None and node not in found]
        found.update(dict.fromkeys(new))
        waiting.extend(dict.fromkeys(new))
    return list(found)

Tensor.is_leaf = property(lambda self: self.grad_fn is None)  # whether no Node made it
# [end]

# [3]
# The gradient of each input: BACKWARD[name][i](g, out, *inputs, **options), all of them Tensors.
BACKWARD = {
    "accumulate": (),
    "add": (lambda g, out, a, b: g, lambda g, out, a, b: g),
    "sub": (lambda g, out, a, b: g, lambda g, out, a, b: -g),
    "mul": (lambda g, out, a, b: g * b, lambda g, out, a, b: g * a),
    "div": (lambda g, out, a, b: g / b, lambda g, out, a, b: -g * a / (b * b)),
    "neg": (lambda g, out, a: -g,),
    "pow": (lambda g, out, a, exponent: g * exponent * a ** (exponent - 1),),
}

def topological(root):
    """The Nodes that lead from `root`, each after all those that have an edge to it."""
    uses = collections.Counter(node for user in reachable(root) for node in user.edges)
    order, ready = [], [root]
    while ready:
        order.append(ready.pop())
        for node in order[-1].edges:
            uses[node] -= 1
            if node is not None and uses[node] == 0:
                ready.append(node)
    return order

def pull(node, gradient):
    """The gradients of the inputs of `node`, None where there is no edge; RuntimeError if the graph has been freed."""
    if node.saved is None:
        raise RuntimeError("backward through the graph a second time, without retain_graph=True the first time")
    # [3-5] operands = node.saved
    operands = [value.get() if isinstance(value, Saved) else value for value in node.saved]  # [6]
    gradients = [None if to is None else rule(gradient, *operands, **node.options)
                 for to, rule in zip(node.edges, BACKWARD[node.op], strict=True)]
    # [4]
    gradients = [g if g is None or g.shape == shape else apply("sum_to", g, shape=shape)
                 for g, shape in zip(gradients, node.shapes, strict=True)]
    # [end]
    return gradients

def accumulate(variable, gradient):
    """Adds to `variable.grad`; the first time a copy, which shares memory with no other gradient."""
    variable.grad = Tensor(gradient.data) if variable.grad is None else variable.grad + gradient

# [3-8] def propagate(root, gradient, retain_graph):
# [3-8]     """Walks the graph from `root` in topological order, and frees it as it goes; leaves get their `.grad`."""
# [9]
def propagate(root, gradient, retain_graph, wanted=None):
    """Walks the graph from `root`; leaves get their `.grad`, or the Nodes that are keys of `wanted` their gradient there."""
    # [end]
    totals = {root: gradient}
    for node in topological(root):
        total = totals.pop(node, None)
        if total is None:
            continue
        total = call_hooks(node, total)  # [7]
        # [9]
        if wanted is not None and node in wanted:
            wanted[node] = total
            continue
        # [end]
        # [3-8] if isinstance(node, AccumulateGrad):
        if isinstance(node, AccumulateGrad) and wanted is None:  # [9]
            accumulate(node.variable, total)
        for to, part in zip(node.edges, pull(node, total), strict=True):
            if part is not None:
                totals[to] = totals[to] + part if to in totals else part
        if node.edges and not retain_graph:
            node.saved = None

def backward(self, gradient=None, retain_graph=False):
    """Fills `.grad` of the leaves. RuntimeError if this requires no grad, or has several elements and no `gradient`."""
    if not self.requires_grad:
        raise RuntimeError("the tensor does not require grad")
    if gradient is None and self.data.size != 1:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    # [4]
    if gradient is not None and gradient.shape != self.shape:
        raise RuntimeError(f"a gradient of shape {gradient.shape} for a tensor of shape {self.shape}")
    # [end]
    with no_grad():
        propagate(edge(self), Tensor(np.ones(self.shape)) if gradient is None else gradient, retain_graph)

Tensor.backward = backward
# [end]

# [4]
def sum_to(array, shape):
    """`array` summed over the dimensions that broadcasting from `shape` has added or stretched."""
    added = array.ndim - len(shape)
    stretched = tuple(i + added for i, size in enumerate(shape) if size == 1)
    return array.sum(axis=(*range(added), *stretched)).reshape(shape)

FORWARD.update({"sum_to": sum_to, "expand": lambda a, shape: np.broadcast_to(a, shape)})
BACKWARD.update({
    "sum_to": (lambda g, out, a, shape: g.expand(*a.shape),),
    "expand": (lambda g, out, a, shape: g,),  # `pull` sums it
})
Tensor.expand = lambda self, *shape: apply("expand", self, shape=shape)
# [end]

# [5]
def scatter(a, index, shape):
    """Zeros of `shape` with `a` added at `index`, as often as a place is in it: the gradient of indexing."""
    result = np.zeros(shape)
    np.add.at(result, index, a)
    return result

def spread(g, shape, dim):
    """The gradient of a sum over `dim`: `g` with the dimensions that were summed as size 1, expanded to `shape`."""
    kept = np.sum(np.empty(shape), axis=dim, keepdims=True).shape
    return g.reshape(*kept).expand(*shape)

FORWARD.update({
    "matmul": np.matmul, "mT": lambda a: np.swapaxes(a, -1, -2),
    "exp": np.exp, "log": np.log, "tanh": np.tanh,
    "relu": lambda a: np.maximum(a, 0), "positive": lambda a: a > 0,
    "sum": lambda a, dim, keepdim: np.sum(a, axis=dim, keepdims=keepdim), "reshape": lambda a, shape: np.reshape(a, shape),
    "index": lambda a, index: a[index], "scatter": scatter,
})
BACKWARD.update({
    "matmul": (lambda g, out, a, b: g @ b.mT, lambda g, out, a, b: a.mT @ g), "mT": (lambda g, out, a: g.mT,),
    "exp": (lambda g, out, a: g * out,), "log": (lambda g, out, a: g / a,), "tanh": (lambda g, out, a: g * (1 - out * out),),
    "relu": (lambda g, out, a: g * apply("positive", out),), "positive": (lambda g, out, a: g * 0,),
    "sum": (lambda g, out, a, dim, keepdim: spread(g, a.shape, dim),),
    "reshape": (lambda g, out, a, shape: g.reshape(*a.shape),),
    "index": (lambda g, out, a, index: apply("scatter", g, index=index, shape=a.shape),),
    "scatter": (lambda g, out, a, index, shape: g[index],),
})

Tensor.exp, Tensor.log, Tensor.tanh, Tensor.relu = map(operator, ("exp", "log", "tanh", "relu"))
Tensor.__matmul__ = operator("matmul")
Tensor.mT = property(operator("mT"))  # the last two dimensions exchanged
Tensor.__getitem__ = lambda self, index: apply("index", self, index=index)
Tensor.reshape = lambda self, *shape: apply("reshape", self, shape=shape)
Tensor.sum = lambda self, dim=None, keepdim=False: apply("sum", self, dim=dim, keepdim=keepdim)

def mean(self, dim=None, keepdim=False):
    """The mean of all elements, or over a dimension or a tuple of them."""
    total = self.sum(dim, keepdim)
    return total / (self.data.size / total.data.size)

Tensor.mean = mean
# [end]

# [6]
# What the gradient of each input reads: 0 is the result, 1 the first operand, 2 the second. Others read shapes only.
SAVES = {"mul": ((2,), (1,)), "div": ((2,), (1, 2)), "pow": ((1,),), "matmul": ((2,), (1,)),
         "exp": ((0,),), "log": ((1,),), "tanh": ((0,),), "relu": ((0,),)}

# In place of a Tensor of which a gradient needs the shape only.
Unsaved = collections.namedtuple("Unsaved", "shape")

class Saved:
    """A Tensor that a gradient will read, and the version that it has now."""

    def __init__(self, tensor):
        self.version, self.count = tensor.version, tensor.version.count
        # [6-7] self.tensor = tensor
        # [8]
        pack, self.unpack = STATE.saving
        with setting(saving=KEPT, grad=False):
            self.packed = pack(tensor)
        # [end]

    def get(self):
        """The Tensor; RuntimeError if it was written to since."""
        if self.version.count != self.count:
            raise RuntimeError("a variable needed for gradient computation has been modified by an inplace operation")
        # [6-7] return self.tensor
        return self.unpack(self.packed)  # [8]

def save(op, out, inputs):
    """`[out, *inputs]`, each as Saved if the gradient of an input that requires grad reads it, else as Unsaved."""
    read = {place for x, places in zip(inputs, SAVES.get(op, ()), strict=False) if x.requires_grad for place in places}
    return [Saved(x) if place in read else Unsaved(x.shape) for place, x in enumerate([out, *inputs]) if x is not None]

def put(a, value, index):
    """A copy of `a` with `value` at `index`."""
    result = a.copy()
    result[index] = value
    return result

FORWARD.update({"alias": np.copy, "put": put})
BACKWARD.update({
    "alias": (lambda g, out, a: g,),
    "put": (lambda g, out, a, value, index: apply("put", g, 0, index=index), lambda g, out, a, value, index: g[index]),
})

def write(target, result):
    """`target`, with the elements and the history of `result` from now on; RuntimeError where that must not be."""
    if STATE.grad and target.requires_grad and target.is_leaf:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation")
    if result.shape != target.shape:
        raise RuntimeError(f"a result of shape {result.shape} does not fit into {target.shape}")
    target.data[...] = result.data
    target.version.count += 1
    # [7]
    if result.requires_grad and target.grad_fn is not None and target.grad_fn.retaining is target:
        result.grad_fn.retaining, target.grad_fn.retaining = target, None
    # [end]
    target.tangents = result.tangents  # [9]
    # [10]
    if STATE.tracer is not None:
        STATE.tracer.slots[target] = STATE.tracer.slot(result)
    # [end]
    if result.requires_grad:
        target.requires_grad, target.grad_fn = True, result.grad_fn
    return target

def detach(self):
    """A Tensor without history of the same memory and the same counter."""
    other = Tensor(0)
    other.data, other.version = self.data, self.version
    return other

Tensor.detach = detach
Tensor._version = property(lambda self: self.version.count)  # how often its memory was written to
Tensor.add_ = lambda self, other: write(self, apply("add", self, other))
Tensor.mul_ = lambda self, other: write(self, apply("mul", apply("alias", self), other))  # a copy is saved
Tensor.__setitem__ = lambda self, index, value: write(self, apply("put", self, value, index=index))
# [end]

# [7]
def call_hooks(node, gradient):
    """The gradient after the hooks of `node`, in order: what one returns, unless None, replaces it. `retaining` is last."""
    for hook in list(node.hooks.values()):
        returned = hook(gradient)
        gradient = gradient if returned is None else returned
    if node.retaining is not None:
        accumulate(node.retaining, gradient)
    return gradient

def register_hook(self, hook):
    """Calls `hook` with the gradient of this Tensor in each backward; returns what has a `remove()`."""
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    hooks, key = edge(self).hooks, object()
    hooks[key] = hook
    return types.SimpleNamespace(remove=lambda: hooks.pop(key, None))

def retain_grad(self):
    """Makes backward fill `.grad` of this Tensor, too. RuntimeError if it requires no grad."""
    if not self.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if not self.is_leaf:
        self.grad_fn.retaining = self

Tensor.register_hook, Tensor.retain_grad = register_hook, retain_grad
# [end]

# [8]
KEPT = (lambda value: value, lambda value: value)  # pack and unpack that change nothing
STATE.saving = KEPT

def saved_hooks(pack, unpack):
    """A block in which `pack(tensor)` is kept for what is saved, and `unpack` of that is what a gradient reads."""
    return setting(saving=(pack, unpack))

def checkpoint(f, *inputs):
    """`f(*inputs)`, of which nothing is saved: f runs again when its first saved value is read."""
    places, values = itertools.count(), {}

    def unpack(place):
        if place not in values:
            found = []
            fresh = [x.detach() for x in inputs]
            for x, given in zip(fresh, inputs, strict=True):
                x.requires_grad = given.requires_grad
            with setting(saving=(found.append, KEPT[1]), grad=True):
                f(*fresh)
            if len(found) != total:
                raise RuntimeError(f"recomputed, the function saved {len(found)} values instead of {total}")
            values.update(enumerate(found))
        return values.pop(place)

    with saved_hooks(lambda tensor: next(places), unpack):
        result = f(*inputs)
    total = next(places)
    return result
# [end]

# [9]
STATE.levels = ()  # one for each jvp that is running, the outermost first
MULTILINEAR = {"alias", "neg", "sum", "reshape", "index", "scatter", "expand", "sum_to", "mT", "matmul"}

def tangent_of(op, i, t, out, inputs, options):
    """What the tangent `t` of input i adds to that of the result."""
    if op in MULTILINEAR or op == "put":
        others = [x * 0 for x in inputs] if op == "put" else list(inputs)
        return apply(op, *others[:i], t, *others[i + 1:], **options)
    part = BACKWARD[op][i](t, out, *inputs, **options)
    return part if part.shape == out.shape else part.expand(*out.shape)

def push_tangents(out, op, inputs, options):
    """Gives `out` its tangent at each level at which an input has one; what computes it sees the levels outside only."""
    for depth, level in enumerate(STATE.levels):
        with setting(levels=STATE.levels[:depth]):
            for i, x in enumerate(inputs):
                if level in x.tangents:
                    part = tangent_of(op, i, x.tangents[level], out, inputs, options)
                    out.tangents[level] = out.tangents[level] + part if level in out.tangents else part

def jvp(f, inputs, tangents):
    """The value of f and its derivative in the direction of `tangents`, both in one run forward."""
    level, duals = object(), [apply("alias", x) for x in inputs]
    for dual, t in zip(duals, tangents, strict=True):
        dual.tangents[level] = t
    with setting(levels=(*STATE.levels, level)):
        out = f(*duals)
    return out, out.tangents.get(level, Tensor(np.zeros(out.shape)))

def vjp(f, *inputs):
    """The value of f, and a function from its gradient to a tuple with those of the inputs. No `.grad` is touched."""
    with setting(grad=True):
        fresh = [apply("alias", x) for x in inputs]
        for x in fresh:
            x.requires_grad = True
        out = f(*fresh)

    def pullback(gradient):
        wanted = dict.fromkeys(map(edge, fresh))
        if out.requires_grad:
            with setting(grad=True):
                propagate(edge(out), gradient, True, wanted)
        return tuple(Tensor(np.zeros(x.shape)) if wanted[edge(x)] is None else wanted[edge(x)] for x in fresh)

    return out, pullback

def grad(f):
    """The function that gives the gradient of f, whose value has one element, by its first argument."""
    def gradient(*inputs):
        out, pullback = vjp(f, *inputs)
        return pullback(Tensor(np.ones(out.shape)))[0]
    return gradient
# [end]

# [10]
STATE.tracer = None

class Program:
    """What a function did: `instructions`, a list of (slot of the result, operator, slots of the inputs, options)."""

    def __init__(self, examples):
        self.examples, self.instructions, self.constants, self.results = examples, [], {}, []
        self.slots = {x: number for number, x in enumerate(examples)}

    def slot(self, tensor):
        """The number of a Tensor; one that is not known yet is a constant of the program."""
        if tensor not in self.slots:
            self.constants[len(self.slots)] = tensor
            self.slots[tensor] = len(self.slots)
        return self.slots[tensor]

    def add(self, out, op, inputs, options):
        """Records an operation; `apply` calls this."""
        operands = [self.slot(x) for x in inputs]
        self.instructions.append((len(self.slots), op, operands, options))
        self.slots[out] = len(self.slots)

    def prune(self):
        """Drops the instructions that no result depends on."""
        needed, kept = set(self.results), []
        for instruction in reversed(self.instructions):
            if instruction[0] in needed:
                needed.update(instruction[2])
                kept.append(instruction)
        self.instructions = kept[::-1]

    def __call__(self, *inputs):
        """Runs the instructions on other inputs, through `apply`; a tuple if the function gave one."""
        values = {**self.constants, **dict(enumerate(inputs))}
        for out, op, operands, options in self.instructions:
            values[out] = apply(op, *(values[k] for k in operands), **options)
        found = tuple(values[k] for k in self.results)
        return found if self.is_tuple else found[0]

    def __str__(self):
        """One line an instruction, `%4 = mul %0 %3`, and `return %4`."""
        lines = [" ".join([f"%{out} =", op, *(f"%{k}" for k in operands), *(f"{k}={v}" for k, v in options.items())])
                 for out, op, operands, options in self.instructions]
        return "\n".join([*lines, " ".join(["return", *(f"%{k}" for k in self.results)])])

def trace(f, *examples):
    """The Program of f, recorded while it runs once on `examples`; f returns a Tensor or a tuple of them."""
    program = Program(examples)
    with setting(tracer=program):
        results = f(*examples)
    program.is_tuple = isinstance(results, tuple)
    program.results = [program.slot(x) for x in (results if program.is_tuple else (results,))]
    program.prune()
    return program

def differentiate(program):
    """The Program, of the same inputs, that gives the gradients of the one value of `program`, as a tuple."""
    def gradients(*inputs):
        out, pullback = vjp(program, *inputs)
        return pullback(Tensor(np.ones(out.shape)))
    return trace(gradients, *program.examples)
# [end]
