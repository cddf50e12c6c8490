"""Programs with classes that have `__torch_dispatch__`: the same under both libraries."""

import copy
import importlib
import io

import pytest
import torch

import torchlike
from tests.modes.dispatch_classes import classes_of

LIBRARIES = (torch, torchlike)
CLASSES = {lib: classes_of(lib) for lib in LIBRARIES}


def logging_forward_and_backward(lib, made):
    kind = made["LoggingTensor"]
    kind.names.clear()
    x, w = kind(lib.ones(2, 3), True), kind(lib.full((3, 4), 0.5), True)
    y = (x @ w).tanh().sum()
    y.backward()
    return [y.grad_fn.name(), y.shape, type(x.grad).__name__, [round(v, 4) for v in x.grad.elem.flatten().tolist()],
            w.grad.shape, *kind.names]


def logging_writes(lib, made):
    kind = made["LoggingTensor"]
    kind.names.clear()
    x = kind(lib.ones(2, 3), True)
    z = x.detach().clone()
    z.add_(1)
    version = z._version
    z.mul_(x)
    z.sum().backward()
    x.grad.zero_()
    return [z, version, z._version, z.grad_fn.name(), x.grad, *kind.names]


def logging_views(lib, made):
    kind = made["LoggingTensor"]
    x = kind(lib.arange(6.), True)
    v = x.view(2, 3)
    parts = v.unbind(1)
    (v[0] * parts[1].sum()).sum().backward()
    return [v, v._is_view(), v._base is x, v.grad_fn.name(), parts, x.grad]


def logging_values(lib, made):
    kind = made["LoggingTensor"]
    kind.names.clear()
    x = kind(lib.ones(1) * 3)
    return [x.item(), float(x), int(x), bool(x), *kind.names]


def logging_create_graph(lib, made):
    x = made["LoggingTensor"](lib.tensor([1., 2., 3.]), True)
    g, = lib.autograd.grad((x.sin() * x * x).sum(), x, create_graph=True)
    h, = lib.autograd.grad(g.sum(), x)
    return [type(g).__name__, g.requires_grad, *([round(v, 4) for v in each.elem.tolist()] for each in (g, h))]


def logging_errors(lib, made):
    x = made["LoggingTensor"](lib.ones(3), True)
    found = []
    make = lib.Tensor._make_wrapper_subclass
    for act in (lambda: x.add_(1), lambda: x @ made["LoggingTensor"](lib.ones(4)), lambda: make(3, (2,)),
                lambda: make(lib.Tensor, (2,))):
        try:
            act()
        except (RuntimeError, TypeError) as error:
            found.append(type(error).__name__)
    y = x * 1
    z = y.exp()
    z.add_(1)
    try:
        z.sum().backward()
    except RuntimeError as error:
        found.append("modified by an inplace operation" in str(error))
    return found


def two_tensor_module(lib, made):
    kind = made["TwoTensor"]
    model = lib.nn.Linear(3, 2)
    model.weight = lib.nn.Parameter(kind(lib.arange(6.).view(2, 3) / 10, lib.arange(6.).view(2, 3) / 5))
    model.bias = lib.nn.Parameter(lib.zeros(2))
    out = model(lib.ones(4, 3))
    out.relu().sum().backward()
    twin = copy.deepcopy(model)
    state = {name: type(value).__name__ for name, value in model.state_dict().items()}
    return [type(model.weight).__name__, isinstance(model.weight, lib.nn.Parameter), out, out.grad_fn.name(),
            model.weight.grad,
            type(model.bias.grad).__name__, state, type(twin.weight).__name__, twin.weight, twin.weight is model.weight,
            [type(p).__name__ for p in model.parameters()]]


def two_tensor_functions(lib, made):
    x = made["TwoTensor"](lib.arange(6.).view(2, 3), lib.arange(6.).view(2, 3) + 1)
    return [x.t(), x[0], x[:, 1:], x.to(lib.float64), x.double().dtype, x.reshape(-1), lib.cat([x, x]), x + lib.ones(3),
            x.chunk(2), lib.nn.functional.softmax(x, 1).a.shape, x.max(1).values, lib.zeros_like(x), x.new_full((2,), 3.),
            lib.ones_like(x), x.detach(), x.clone() is x, x.sum(), x.mean(0), x.permute(1, 0).contiguous(), x.half(),
            x.expand(2, 2, 3).shape]


def two_tensor_optimizers(lib, made):
    found = []
    for name, options in (("SGD", {}), ("SGD", {"momentum": 0.9, "weight_decay": 0.1}), ("Adam", {}),
                          ("AdamW", {"amsgrad": True}), ("RMSprop", {}), ("Adagrad", {})):
        p = lib.nn.Parameter(made["TwoTensor"](lib.tensor([1., 2.]), lib.tensor([3., 4.])))
        optimizer = getattr(lib.optim, name)([p], lr=0.1, **options)
        for _ in range(3):
            optimizer.zero_grad()
            (p * p).sum().backward()
            optimizer.step()
        found.append([[round(v, 4) for v in x.tolist()] for x in (p.a, p.b)])
    return found


def int8_linear(lib, made):
    kind = made["ScaledInt8"]
    weight = kind.quantized(lib.arange(6.).view(2, 3) - 2.5)
    x = lib.ones(4, 3, requires_grad=True)
    out = lib.nn.functional.linear(x, weight, lib.zeros(2))
    out.sum().backward()
    return [weight, type(out).__name__, [round(v, 3) for v in out[0].tolist()], [round(v, 3) for v in x.grad[0].tolist()],
            weight.t().shape, weight.detach(), type(weight + 1).__name__]


def masked(lib, made):
    kind = made["Masked"]
    x = kind(lib.arange(6.).view(2, 3), lib.tensor([[True, False, True], [False, True, True]]), True)
    y = (x * 2).exp() + 1
    total = (x * 3).sum()
    total.backward()
    found = [repr(y)[:30], total, type(x.grad).__name__]
    try:
        lib.bmm(kind(lib.ones(1, 2, 2), lib.ones(1, 2, 2)), lib.ones(1, 2, 2))
    except TypeError as error:
        found.append(str(error).replace("torchlike.", "")[:110])
    return found


def modes(lib, made):
    dispatch = importlib.import_module(f"{lib.__name__}.utils._python_dispatch")
    seen = []

    class Log(dispatch.TorchDispatchMode):
        def __init__(self, tag):
            super().__init__()
            self.tag = tag

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append((self.tag, str(func), [t.__name__ for t in types]))
            return func(*args, **(kwargs or {}))

    x = lib.ones(2, requires_grad=True)
    with Log("a") as a:
        with Log("b"):
            y = (x * 2).sum()
            stack = [m.tag for m in dispatch._get_current_dispatch_mode_stack()]
        y.backward()
        with dispatch._disable_current_modes():
            x + 1
        made["TwoTensor"](lib.ones(1), lib.ones(1)) * 2
    v = x.view(1, 2)
    with Log("c"):
        w = x.view(1, 2)
        z = x * 1
        z.mul_(x)
    z.sum().backward()
    return [seen, stack, x.grad, dispatch._get_current_dispatch_mode(), a.tag, w._is_view(), w._base is x, v.grad_fn.name(),
            w.grad_fn.name(), z.grad_fn.name()]


def zero_mode(lib, made):
    dispatch = importlib.import_module(f"{lib.__name__}.utils._python_dispatch")

    class Zero(dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return lib.zeros_like(func(*args, **(kwargs or {})))

    x = lib.ones(3, requires_grad=True)
    with Zero():
        y = x * 2
    return [y, y.grad_fn.name(), lib.autograd.grad(y.sum(), x)]


def with_memory(lib, made):
    names = []

    class Held(lib.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            names.append(str(func))
            return super().__torch_dispatch__(func, types, args, kwargs or {})

    x = lib.ones(3).as_subclass(Held)
    y = lib.Tensor._make_subclass(Held, lib.arange(3.), True)
    z = x + y
    return [names, z.tolist(), z.requires_grad, type(y.detach()).__name__]


PROGRAMS = (logging_forward_and_backward, logging_values, logging_writes, logging_views, logging_create_graph,
            logging_errors, two_tensor_module, two_tensor_functions, two_tensor_optimizers, int8_linear, masked, modes,
            zero_mode, with_memory)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_program(program):
    expected, found = (repr(program(lib, CLASSES[lib])) for lib in LIBRARIES)
    assert found == expected


def test_saving_what_a_class_is_made_of():
    parts = [CLASSES[lib]["TwoTensor"](lib.ones(2), lib.zeros(2)) for lib in LIBRARIES]
    for lib, x in zip(LIBRARIES, parts, strict=True):
        file = io.BytesIO()
        lib.save({name: getattr(x, name) for name in x.__tensor_flatten__()[0]}, file)
        file.seek(0)
        assert lib.load(file)["a"].tolist() == [1.0, 1.0]


def test_a_program_that_differs_is_seen():
    expected, found = (repr(logging_views(lib, CLASSES[lib])) for lib in LIBRARIES)
    assert found.replace("ViewBackward0", "AddBackward0") != expected
