"""What classes with ``__torch_function__``, subclasses and modes see and give, under one library, as JSON.

`python -m tests.overrides.programs torch` (or torchlike): in a process of its own, for the first such instance changes
what all public functions do.
"""

import contextlib
import copy
import importlib
import inspect
import io
import json
import pickle
import sys
import threading
import warnings

import numpy as np

# One call on `s`, an instance of a logging subclass, and `x`, a Tensor.
CALLS = """
s + 1; 1 + s; s + x; x + s; x - s; 2 - s; s.add(1); torch.add(s, 1); torch.add(x, s); s * s; s @ s; x @ s; s / 2; 2 / s
s // 2; s % 2; 2 % s; -s; +s; abs(s); s ** 2; 2 ** s; s == s; s != 1; s < 1; s >= 1; ~(s > 0); s[0]; s[0, 1]; s.shape
s.size(); s.dtype; s.device; s.grad; s.requires_grad; s.T; s.mT; s.data; len(s); s.dim(); s.ndim; float(s.sum()); s.sum()
torch.sum(s); s.mean(0); F.relu(s); torch.relu(s); F.linear(s, x); F.softmax(s, -1); F.dropout(s, 0.5); torch.cat([s, x])
torch.cat([x, s]); torch.stack((s, s)); s.view(4); s.reshape(4); s.clone(); s.detach(); s.requires_grad_()
torch.zeros_like(s)
s.new_zeros(2); s.to(torch.float64); s.double(); s.numpy(); s.tolist(); repr(s); str(s); hash(s); bool(s.sum() > 0)
s.add_(1); s.is_floating_point(); torch.is_floating_point(s); s.max(); s.max(0); torch.max(s, 0); torch.split(s, 1)
s.split(1); torch.einsum('ij,jk', s, s); torch.where(s > 0, s, x); torch.linalg.norm(s); torch.linalg.inv(s)
torch.fft.fft(s); torch.special.erf(s); F.conv1d(s[None], s[:, :, None]); F.mse_loss(s, x); F.layer_norm(s, (2,))
torch.nn.Linear(2, 2)(s); torch.nn.ReLU()(s); torch.nn.MSELoss()(s, x); torch.nn.init.zeros_(s); torch.nn.init.uniform_(s)
torch.tensor(s)
torch.as_tensor(s); s.is_leaf; s.grad_fn; s.layout; s.numel(); s.element_size(); s.stride(); s.data_ptr() > 0; s.contiguous()
s.sum().item(); 2. in s; s.unsqueeze(0); s.storage_offset(); s.type(); s.__array__(); np.asarray(s)
reversed(s); s.__rsub__(1); torch.rsub(s, 1); s.unflatten(0, (1, 2)); s.norm(); torch.norm(s); s.unique()
torch.broadcast_tensors(s, x); torch.atleast_2d(s); torch.tensordot(s, s); torch.cdist(s, s); F.pad(s, (1, 1))
F.interpolate(s[None], scale_factor=2.); s.index_put_((torch.tensor([0]),), x[0]); s.__setitem__(0, 1.)
s.masked_fill(s > 0, 1); torch.is_tensor(s); torch.numel(s); torch.equal(s, x); torch.allclose(s, x); torch.result_type(s, 1)
torch.typename(s); isinstance(s, torch.Tensor); torch.get_device(s); torch.rand_like(s)
torch.meshgrid(s[0], s[0], indexing='ij')
torch.autograd.grad((s.requires_grad_() * 2).sum(), s); torch.manual_seed(0); torch.vmap(torch.sum)(x)
"""
# The same of `f`, of a class that is no subclass of Tensor.
FOREIGN = """
torch.add(f, 1); torch.mean(f); x + f; torch.cat([x, f]); F.relu(f); F.linear(x, f); x @ f; F.mse_loss(f, x); x.add(f)
torch.stack((f, f)); f + x; torch.linalg.inv(f); torch.add(x, x, alpha=f); torch.add(other=f, input=x); torch.exp(f)
torch.sum(f, dim=0)
"""
WITHIN_MODE = """
torch.ones(2); x + 1; torch.add(x, x); torch.tensor([1.]); F.relu(x); torch.rand(2); x.sum().item(); torch.arange(3)
torch.eye(2); x.numpy(); torch.as_tensor(1.); x.add_(1); x[0]; x.shape; s + 1
"""
# Blocks of lines whose `out` is compared.
PROGRAMS = {
    "a TypeError of an operator is no answer": """
import operator
class Counted(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        seen.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})
class Plain(torch.Tensor): pass
class Raises(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        raise TypeError("mine")
x, seen, out = torch.ones(2, 2), [], []
a, b, c = (x.as_subclass(kind) for kind in (Counted, Plain, Raises))
for name in "add sub mul truediv floordiv mod pow matmul eq ne lt ge iadd itruediv".split():
    for left, right in ((a, b), (b, a), (c, 2), (2, c)):
        try:
            out.append(type(getattr(operator, name)(left, right)).__name__)
        except TypeError as error:
            out.append(str(error))
out.append(len(seen))
""",
    "__dict__ is none of the attributes": """
class Noted(torch.Tensor):
    seen = []
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.seen.append(func)
        return super().__torch_function__(func, types, args, kwargs or {})
x = torch.ones(2).as_subclass(Noted)
Noted.seen.clear()
x.note = 3
x.__dict__ = {**x.__dict__, "more": 4}
out = [len(Noted.seen), dict(vars(x)), x.more]
""",
    "a class before Tensor has a __dict__": """
import copy
class Mixin:
    def copy_from(self, other):
        self.__dict__ = dict(other.__dict__)
class Tagged(Mixin, torch.Tensor): pass
class More(Tagged): pass
x, y = torch.ones(2).as_subclass(Tagged), torch.zeros(2).as_subclass(More)
x.tag = "a"
y.copy_from(x)
out = [y.tag, dict(vars(y)), y.tolist(), x.tolist(), dict(vars(copy.copy(x))), copy.copy(y).tolist(), kind(y + 1)]
""",
    "functions that a program puts on Tensor": """
class S(torch.Tensor): pass
old = torch.Tensor.as_subclass
torch.Tensor._kept = old
torch.Tensor.noted = lambda self: type(self)
torch.Tensor.as_subclass = lambda self, kind: old(self, kind)
x = torch.ones(2).as_subclass(S)
out = [kind(x), kind(x.as_subclass(torch.Tensor)), kind(x._kept(torch.Tensor)), x.noted() is S]
torch.Tensor.as_subclass = old
del torch.Tensor._kept, torch.Tensor.noted
""",
    "a subclass without methods": """
class S(torch.Tensor): pass
a = torch.ones(2, requires_grad=True)
s = a.as_subclass(S)
r = s + 1
(r * r).sum().backward()
made = S([1., 2.])
out = [kind(s), s.requires_grad, s.is_leaf, type(s.grad_fn).__name__, s._is_view(), s._base is a, kind(r), a.grad.tolist(),
       kind(a.grad), kind(made), made.tolist(), kind(S(2, 3)), kind(S(made)), kind(made.view(2)._base), repr(made)]
""",
    "memory is shared": """
class S(torch.Tensor): pass
a = torch.zeros(3)
s = a.as_subclass(S)
s[0] = 1
s.view(3).add_(1)
m = torch.Tensor._make_subclass(S, a, True)
out = [a.tolist(), a._version, kind(s.add_(1)), m.requires_grad, m.is_leaf, m.grad_fn is None, m.data_ptr() == a.data_ptr()]
""",
    "what is no subclass": """
a = torch.ones(2)
out = [error(lambda: a.as_subclass(int)), error(lambda: a.as_subclass(3)),
       error(lambda: torch.Tensor._make_subclass(int, a)), error(lambda: torch.Tensor._make_subclass(torch.Tensor, 3))]
""",
    "attributes and constructors": """
class S(torch.Tensor):
    @staticmethod
    def __new__(cls, data, unit):
        return torch.as_tensor(data).as_subclass(cls)
    def __init__(self, data, unit):
        self.unit = unit
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        made = super().__torch_function__(func, types, args, kwargs or {})
        units = [x.unit for x in args if isinstance(x, S) and hasattr(x, "unit")]
        if isinstance(made, S) and units:
            made.unit = units[0]
        return made
s = S([1., 2.], "m")
out = [(s + 1).unit, s.sum().unit, torch.cat([s, s]).tolist(), kind(s[0]), s[0].unit, (2 * s).unit]
""",
    "functions by a table": """
handled = {}
def implements(*functions):
    def decorate(f):
        handled.update(dict.fromkeys(functions, f))
        return f
    return decorate
class Diagonal:
    def __init__(self, n, value):
        self.n, self.value = n, value
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func not in handled or not all(issubclass(t, (torch.Tensor, Diagonal)) for t in types):
            return NotImplemented
        return handled[func](*args, **(kwargs or {}))
@implements(torch.mean)
def mean(input): return input.value / input.n
@implements(torch.add, torch.Tensor.add)
def add(input, other):
    pick = lambda x: x.value if isinstance(x, Diagonal) else x
    return pick(input) + pick(other)
d = Diagonal(4, 2.)
out = [torch.mean(d), torch.add(d, 1), torch.add(torch.ones(2), d).tolist(), (torch.ones(2) + d).tolist(),
       error(lambda: torch.sub(d, 1)), error(lambda: torch.nn.functional.mse_loss(d, torch.ones(2)))[0]]
""",
    "order of classes": """
seen = []
def answer(name, result):
    def f(cls, func, types, args=(), kwargs=None):
        seen.append((name, sorted(t.__name__ for t in types if t is not torch.Tensor)))
        return result
    return classmethod(f)
class A: __torch_function__ = answer("A", NotImplemented)
class B(A): __torch_function__ = answer("B", NotImplemented)
class C: __torch_function__ = answer("C", 5)
out = [torch.stack((A(), C(), B())), torch.add(A(), B()) if False else None, error(lambda: torch.add(A(), B()))]
out.append(len(seen))
""",
    "switched off": """
class S(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return "taken over"
class D(torch.Tensor):
    __torch_function__ = torch._C._disabled_torch_function_impl
s, d = torch.ones(2).as_subclass(S), torch.ones(2).as_subclass(D)
out = [torch.add(s, 1), kind(d + 1), kind(torch.nn.Parameter(torch.ones(2)) + 1), torch._C._is_torch_function_enabled()]
with torch._C.DisableTorchFunctionSubclass():
    out += [kind(torch.add(s, 1)), torch.overrides.has_torch_function((s,)), torch._C._is_torch_function_enabled()]
out += [torch.overrides.has_torch_function((s,)), torch.overrides.has_torch_function((d, 1)),
        torch.overrides.has_torch_function_unary(s), torch.overrides.has_torch_function_variadic(1, s),
        torch.overrides.is_tensor_like(s), torch.overrides.is_tensor_like(1)]
""",
    "parameters": """
class S(torch.Tensor): pass
class P(torch.nn.Parameter): pass
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Parameter(torch.ones(2).as_subclass(S))
        self.b = P(torch.ones(2))
m = M()
optimizer = torch.optim.SGD(m.parameters(), 0.5)
((m.a * m.b).sum() + 0).backward()
optimizer.step()
out = [kind(m.a), isinstance(m.a, torch.nn.Parameter), kind(m.b), [n for n, _ in m.named_parameters()], m.a.tolist(),
       kind(m.a.grad), kind(m.a * 1), kind(m.b * 1), kind(copy.deepcopy(m.b)), m.a.requires_grad, m.a.is_leaf]
m.load_state_dict({"a": torch.zeros(2), "b": torch.zeros(2)})
out.append(m.a.tolist())
""",
    "files": """
s = torch.arange(3.).as_subclass(Kept)
s.word = "kept"
file = io.BytesIO()
torch.save(s, file)
file.seek(0)
again = torch.load(file, weights_only=False)
other = pickle.loads(pickle.dumps(s))
out = [kind(again), again.word, again.tolist(), kind(other), other.word, kind(copy.copy(s))]
""",
    "functions of users": """
class S(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        seen.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})
seen = []
def double(x, times=2):
    if torch.overrides.has_torch_function_unary(x):
        return torch.overrides.handle_torch_function(double, (x,), x, times=times)
    return x * times
@torch.overrides.wrap_torch_function(lambda a, b: (a, b))
def both(a, b):
    return a + b
s = torch.ones(2).as_subclass(S)
out = [kind(double(s, times=3)), double(torch.ones(2)).tolist(), kind(both(torch.ones(2), s)), seen]
class N:
    __torch_function__ = classmethod(lambda *a, **k: NotImplemented)
out.append(error(lambda: double(N()))[0])
""",
    "one level of dispatch": """
class S(torch.Tensor):
    depth = 0
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        seen.append((func.__name__, cls.depth))
        cls.depth += 1
        made = torch.overrides.redispatch_function(func, types, args, kwargs or {})
        cls.depth -= 1
        return made
def scaled(a, b):
    if torch.overrides.has_torch_function((a, b)):
        return torch.overrides.handle_torch_function(scaled, (a, b), a, b)
    return a * b + 1
seen = []
s = torch.ones(1).as_subclass(S)
r = scaled(s, s)
out = [seen, kind(r)]
""",
    "modes": """
class Count(torch.overrides.TorchFunctionMode):
    def __init__(self, name):
        super().__init__()
        self.name = name
    def __torch_function__(self, func, types, args=(), kwargs=None):
        seen.append((self.name, torch.overrides.resolve_name(func)))
        return func(*args, **(kwargs or {}))
seen = []
with Count("outer"):
    with Count("inner") as inner:
        made = torch.zeros(2)
        current = torch.overrides._get_current_function_mode() is inner
        with torch._C.DisableTorchFunction():
            torch.ones(2)
    made.add(1)
def other_thread():
    torch.ones(2)
with Count("mine"):
    thread = threading.Thread(target=other_thread)
    thread.start()
    thread.join()
class Ones(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.zeros:
            return torch.ones(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))
with Ones():
    changed = torch.zeros(2).tolist()
class Fails(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise ValueError("no")
with contextlib.suppress(ValueError), Fails():
    torch.ones(1)
out = [seen, current, changed, torch.zeros(1).tolist(), torch.overrides._get_current_function_mode() is None]
""",
    "functions stay themselves": """
class S(torch.Tensor): pass
before = torch.add, torch.Tensor.add, torch.nn.functional.linear, torch.Tensor.shape
torch.ones(2).as_subclass(S) + 1
after = torch.add, torch.Tensor.add, torch.nn.functional.linear, torch.Tensor.shape
names = list(inspect.signature(torch.nn.functional.softmax).parameters)
out = [all(a is b for a, b in zip(before, after)), torch.add is not torch.Tensor.add, torch.mean is not torch.Tensor.mean,
       torch.Tensor.shape.__get__ == torch.Tensor.shape.__get__, torch.nn.functional.softmax.__name__, names,
       error(lambda: torch.nn.functional.softmax(torch.ones(2), dim=0, nonsense=1))[0]]
""",
    "whose function it is": """
asked = (torch.Tensor.add, torch.add, torch.nn.init.uniform_, torch.Tensor.shape.__get__, torch.nn.functional.relu,
         torch.Tensor.__getitem__, torch.Tensor.softmax, torch.autograd.grad, torch.linalg.inv)
methods = torch.overrides.get_overridable_functions()[torch.Tensor]
out = [[torch.overrides.is_tensor_method_or_property(f) for f in asked],
       [f in methods for f in (torch.Tensor.add, torch.nn.init.uniform_, torch.autograd.grad)]]
""",
    "words of its own": """
class S(torch.Tensor):
    def __repr__(self, *, tensor_contents=None):
        return "mine"
class P(torch.nn.Parameter):
    def __repr__(self):
        return "my own"
s, p = torch.ones(2).as_subclass(S), P(torch.ones(2))
out = [repr(s), str(s), f"{s}", repr(p), str(p), f"{p}", str([s])]
""",
    "modules and data": """
class S(torch.Tensor): pass
s = torch.ones(4, 2).as_subclass(S)
net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.LayerNorm(4), torch.nn.ReLU(), torch.nn.Dropout(0.1))
module = torch.nn.Module()
module.register_buffer("b", torch.ones(2).as_subclass(S))
module.p = torch.nn.Parameter(torch.ones(2).as_subclass(S))
def kinds(x):
    return [kinds(y) for y in x] if isinstance(x, (tuple, list)) else kind(x)
def cast():
    with torch.autocast("cpu", torch.bfloat16):
        return kind(s @ s.T), str((s @ s.T).dtype)
out = [kind(net(s)), kinds(list(torch.utils.data.DataLoader([s[0], s[1], s[2]], batch_size=2))),
       kinds(torch.nn.MultiheadAttention(4, 2)(*[torch.ones(3, 1, 4).as_subclass(S)] * 3)), kind(module.double().p),
       kind(module.state_dict()["b"]), kinds(torch.func.grad(lambda x: (x * x).sum())(s)),
       kinds(torch.func.vmap(lambda x: x * 2)(s)),
       kinds(torch.utils.checkpoint.checkpoint(lambda x: x * 2, s, use_reentrant=False)), cast(), kinds(s.sort()),
       kinds(torch.linalg.svd(s)), kind(torch.add(s, 1, out=torch.ones(4, 2))),
       kinds([torch.ones(3)[torch.tensor([0]).as_subclass(S)]])]
p = torch.nn.Parameter(torch.ones(2).as_subclass(S))
optimizer = torch.optim.AdamW([p], 0.1)
for _ in range(3):
    optimizer.zero_grad()
    (p * p).sum().backward()
    torch.nn.utils.clip_grad_norm_([p], 1.0)
    optimizer.step()
out += [kind(p), [round(each, 5) for each in p.tolist()],
        torch.autograd.gradcheck(lambda x: x * x, s.double().requires_grad_())]
""",
    "gradients and hooks": """
class S(torch.Tensor): pass
s = torch.ones(2).as_subclass(S).requires_grad_()
seen = []
s.register_hook(lambda g: seen.append(kind(g)))
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        seen.append(kind(x))
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2
r = Double.apply(s)
r.sum().backward()
with torch.no_grad():
    s.mul_(2)
out = [seen, kind(r), s.grad.tolist(), s.tolist(), kind(s)]
""",
}


def statements(text: str) -> list:
    """The expressions of a table."""
    return [each.strip() for each in text.replace("\n", ";").split(";") if each.strip()]


def run(library) -> dict:
    """{what: its outcome}, plain objects."""
    scope = _scope(library)
    found = {}
    for expression in statements(CALLS):
        found["s: " + expression] = _logged(scope, expression)
    for expression in statements(FOREIGN):
        found["f: " + expression] = _foreign(scope, expression)
    for expression in statements(WITHIN_MODE):
        found["mode: " + expression] = _within_mode(scope, expression)
    for title, text in PROGRAMS.items():
        local = dict(scope)
        exec(text, local)
        found[title] = local["out"]
    return json.loads(json.dumps(found))


def _scope(library) -> dict:
    def error(call):
        try:
            call()
        except Exception as error:  # noqa: BLE001 - whatever is raised is the answer
            return type(error).__name__, str(error).replace("tests.overrides.programs.", "")
        return None

    class Kept(library.Tensor):
        """For pickle, which asks for it by name."""

    Kept.__qualname__ = "Kept"
    globals()["Kept"] = Kept
    return {"torch": library, "F": importlib.import_module(f"{library.__name__}.nn.functional"), "np": np, "copy": copy,
            "pickle": pickle, "io": io, "threading": threading, "contextlib": contextlib, "inspect": inspect,
            "kind": lambda x: type(x).__name__, "error": error, "Kept": Kept, "__name__": __name__}


def _name(library, function) -> str:
    name = library.overrides.resolve_name(function) or getattr(function, "__name__", "")
    for space in ("torch.autograd.", "torch.nn.init."):  # PyTorch has no names for these
        name = name.removeprefix(space)
    return name.replace("torch.functional.", "torch.")


def _logged(scope, expression) -> list:
    torch, log = scope["torch"], []

    class Logging(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            log.append([_name(torch, func), sorted({t.__name__ for t in types} - {"Tensor"})])
            return super().__torch_function__(func, types, args, kwargs or {})

    x = torch.tensor([[1., 2.], [3., 4.]])
    s = x.clone().as_subclass(Logging)
    torch.manual_seed(0)
    return [_shown(expression, {**scope, "x": x, "s": s}), log]


def _foreign(scope, expression) -> list:
    class Foreign:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return [_name(scope["torch"], func), sorted({t.__name__ for t in types} - {"Tensor"})]

        def __add__(self, other):
            return "own"

    return _evaluated(expression, {**scope, "x": scope["torch"].ones(2), "f": Foreign()})


def _within_mode(scope, expression) -> list:
    torch, log = scope["torch"], []

    class Sub(torch.Tensor):
        pass

    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            log.append([_name(torch, func), sorted({t.__name__ for t in types} - {"Tensor"})])
            return func(*args, **(kwargs or {}))

    names = {**scope, "x": torch.ones(2), "s": torch.ones(2).as_subclass(Sub)}
    with Mode():
        made = _evaluated(expression, names)
    return [type(made).__name__, log]


def _evaluated(expression, names):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(expression, names)


def _shown(expression, names):
    made = _evaluated(expression, names)
    inner = type(made[0]).__name__ if isinstance(made, list | tuple) and len(made) else ""
    return [type(made).__name__, inner, made if isinstance(made, str | bool | float) else None]


if __name__ == "__main__":
    print(json.dumps(run(importlib.import_module(sys.argv[1]))))
