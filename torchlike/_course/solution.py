"""An autograd engine in one file, on numpy."""

import contextlib
import itertools
import types

import numpy as np

# [1-9] def unwritten(*arguments, **options):  # given
    # [1-9] """Stands where something is to be written."""
    # [1-9] raise NotImplementedError

def check(condition, message):  # given
    """RuntimeError with the message unless the condition holds."""
    if not condition:
        raise RuntimeError(message)

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
        self.grad_fn, self.accumulator = None, None  # [2]
        self.version = types.SimpleNamespace(count=0)  # [6]

    shape = property(lambda self: self.data.shape)  # the sizes as a tuple

    def item(self):
        """The one element as a number of Python; RuntimeError if there is not exactly one."""
        check(self.data.size == 1, "a Tensor with several elements is no number")
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
        out.requires_grad, out.grad_fn = True, Node(name, inputs, out, options)
    # [end]
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
        # [2-5] self.saved = [out, *inputs]
        self.saved = save(op, out, inputs) if inputs else []  # [6]
        self.number = next(NUMBERS)  # [3]
        self.hooks, self.retaining = {}, None  # [7]

class AccumulateGrad(Node):
    """The Node of a leaf, with no edges: its gradient is added to `variable.grad`."""

    def __init__(self, variable):
        super().__init__("accumulate")
        self.name, self.variable = "AccumulateGrad", variable

def edge(tensor):
    """Where the gradient of `tensor` goes: None, its `grad_fn`, or the AccumulateGrad of a leaf, which is made once."""
    if tensor.requires_grad and tensor.is_leaf and tensor.accumulator is None:
        tensor.accumulator = AccumulateGrad(tensor)
    return tensor.accumulator if tensor.is_leaf else tensor.grad_fn

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
    "add": (lambda g, out, a, b: g, lambda g, out, a, b: g),
    "sub": (lambda g, out, a, b: g, lambda g, out, a, b: -g),
    "mul": (lambda g, out, a, b: g * b, lambda g, out, a, b: g * a),
    "div": (lambda g, out, a, b: g / b, lambda g, out, a, b: -g * a / (b * b)),
    "neg": (lambda g, out, a: -g,),
    "pow": (lambda g, out, a, exponent: g * exponent * a ** (exponent - 1),),
}

NUMBERS = itertools.count()  # of the Nodes, as they are made

def topological(root):
    """The Nodes that lead from `root`, each after all those that have an edge to it: the latest first."""
    return sorted(reachable(root), key=lambda node: node.number, reverse=True)

def pull(node, gradient):
    """The gradients of the inputs of `node`, None where there is no edge; RuntimeError if the graph has been freed."""
    check(node.saved is not None, "backward through the graph a second time, without retain_graph=True the first time")
    # [3-5] out, *inputs = node.saved
    out, *inputs = (value.get() if isinstance(value, Saved) else value for value in node.saved)  # [6]
    gradients = [None if to is None else rule(gradient, out, *inputs, **node.options)
                 for to, rule in zip(node.edges, BACKWARD[node.op], strict=True)]
    # [3-3] return gradients
    # [4]
    return [g if g is None or g.shape == x.shape else apply("sum_to", g, shape=x.shape)
            for g, x in zip(gradients, inputs, strict=True)]
    # [end]

def accumulate(variable, gradient):
    """Adds to `variable.grad`; the first time a copy, which shares memory with no other gradient."""
    variable.grad = Tensor(gradient.data) if variable.grad is None else variable.grad + gradient

# [3-8] def propagate(root, gradient, retain_graph):
# [3-8]     """Walks the graph from `root` in topological order, and frees it; returns {AccumulateGrad: its gradient}."""
# [9]
def propagate(root, gradient, retain_graph, ends=()):
    """Walks the graph from `root` to the Nodes of leaves and to those among `ends`; returns {Node: gradient} of these."""
    # [end]
    totals, arrived = {root: gradient}, {}
    for node in topological(root):
        if node not in totals:
            continue
        # [3-6] total = totals.pop(node)
        total = call_hooks(node, totals.pop(node))  # [7]
        # [3-8] if isinstance(node, AccumulateGrad):
        if isinstance(node, AccumulateGrad) or node in ends:  # [9]
            arrived[node] = total
            continue
        for to, part in zip(node.edges, pull(node, total), strict=True):
            if part is not None:
                totals[to] = totals[to] + part if to in totals else part
        if not retain_graph:
            node.saved = None
    return arrived

def backward(self, gradient=None, retain_graph=False):
    """Fills `.grad` of the leaves. RuntimeError if this requires no grad, or has several elements and no `gradient`."""
    check(self.requires_grad, "the tensor does not require grad")
    check(gradient is not None or self.data.size == 1, "grad can be implicitly created only for scalar outputs")
    gradient = Tensor(np.ones(self.shape)) if gradient is None else gradient
    check(gradient.shape == self.shape, "the gradient has another shape than the tensor")  # [4]
    with no_grad():
        for leaf, total in propagate(edge(self), gradient, retain_graph).items():
            accumulate(leaf.variable, total)

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
        check(self.version.count == self.count, "a variable that backward needs has been modified by an inplace operation")
        # [6-7] return self.tensor
        return self.unpack(self.packed)  # [8]

def save(op, out, inputs):
    """`[out, *inputs]`, each as Saved if the gradient of an input that requires grad reads it, else its shape only."""
    read = {place for x, places in zip(inputs, SAVES.get(op, ()), strict=False) if x.requires_grad for place in places}
    return [Saved(x) if place in read else types.SimpleNamespace(shape=x.shape) for place, x in enumerate([out, *inputs])]

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
    check(not (STATE.grad and target.requires_grad and target.is_leaf), "a leaf that requires grad is written to in place")
    check(result.shape == target.shape, "the result of a write has another shape than the tensor")
    target.data[...] = result.data
    target.version.count += 1
    # [7]
    if result.requires_grad and target.grad_fn is not None and target.grad_fn.retaining is target:
        result.grad_fn.retaining, target.grad_fn.retaining = target, None
    # [end]
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
    check(self.requires_grad, "cannot register a hook on a tensor that doesn't require gradient")
    hooks, key = edge(self).hooks, object()
    hooks[key] = hook
    return types.SimpleNamespace(remove=lambda: hooks.pop(key, None))

def retain_grad(self):
    """Makes backward fill `.grad` of this Tensor, too. RuntimeError if it requires no grad."""
    check(self.requires_grad, "can't retain_grad on Tensor that has requires_grad=False")
    if not self.is_leaf:
        self.grad_fn.retaining = self

Tensor.register_hook, Tensor.retain_grad = register_hook, retain_grad
# [end]

# [8]
STATE.saving = KEPT = (lambda value: value, lambda value: value)  # pack and unpack that change nothing

def saved_hooks(pack, unpack):
    """A block in which `pack(tensor)` is kept for what is saved, and `unpack` of that is what a gradient reads."""
    return setting(saving=(pack, unpack))

def checkpoint(f, *inputs):
    """`f(*inputs)`, of which nothing is saved: f runs again when its first saved value is read."""
    places, values = itertools.count(), {}

    def unpack(place):
        if place not in values:
            found = []
            with setting(saving=(found.append, KEPT[1]), grad=True):
                f(*inputs)
            check(len(found) == total, "recomputed, the function saved another number of values")
            values.update(enumerate(found))
        return values.pop(place)

    with saved_hooks(lambda tensor: next(places), unpack):
        result = f(*inputs)
    total = next(places)
    return result
# [end]

# [9]
def vjp(f, *inputs):
    """The value of f, and a function from its gradient to a tuple with those of the inputs. No `.grad` is touched."""
    with setting(grad=True):
        fresh = [apply("alias", x) for x in inputs]
        for x in fresh:
            x.requires_grad = True
        out = f(*fresh)

    def pullback(gradient):
        with setting(grad=True):
            arrived = propagate(edge(out), gradient, True, [edge(x) for x in fresh]) if out.requires_grad else {}
        return tuple(arrived.get(edge(x), Tensor(np.zeros(x.shape))) for x in fresh)

    return out, pullback

def gradients(f, *inputs):
    """The gradients of f, whose value has one element, by each of the inputs, as a tuple."""
    out, pullback = vjp(f, *inputs)
    return pullback(Tensor(np.ones(out.shape)))

def grad(f):
    """The function that gives the gradient of f by its first argument."""
    return lambda *inputs: gradients(f, *inputs)[0]

def jvp(f, inputs, tangents):
    """The value of f and its derivative in the direction of `tangents`: the pullback is linear, and this its transpose."""
    out, pullback = vjp(f, *inputs)
    transpose = grad(lambda g: sum((x * t).sum() for x, t in zip(pullback(g), tangents, strict=True)))
    return out, transpose(Tensor(np.zeros(out.shape)))
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
        return self.slots.setdefault(tensor, len(self.slots))

    def add(self, out, op, inputs, options):
        """Records an operation; `apply` calls this."""
        operands = [self.slot(x) for x in inputs]
        self.instructions.append((len(self.slots), op, operands, options))
        self.slots[out] = len(self.slots)

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
    """The Program of f, recorded while it runs once on `examples`, without what no result depends on; f returns a Tensor or
    a tuple of them.
    """
    program = Program(examples)
    with setting(tracer=program):
        results = f(*examples)
    program.is_tuple = isinstance(results, tuple)
    program.results = [program.slot(x) for x in (results if program.is_tuple else (results,))]
    needed = set(program.results)
    for slot, _, operands, _ in reversed(program.instructions):
        needed.update(operands if slot in needed else ())
    program.instructions = [instruction for instruction in program.instructions if instruction[0] in needed]
    return program

def differentiate(program):
    """The Program, of the same inputs, that gives the gradients of the one value of `program`, as a tuple."""
    return trace(lambda *inputs: gradients(program, *inputs), *program.examples)
# [end]
