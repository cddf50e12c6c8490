"""Nested tensors: each expression gives the same under both libraries, ragged sizes by their number apart."""

import copy
import pickle
import re

import pytest
import torch

import torchlike

pytestmark = pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
LIBRARIES = (torch, torchlike)
JAGGED = [
    'repr(nt)',
    '(nt.shape,nt.size(),nt.size(0),nt.size(1),nt.size(2),nt.dim(),nt.ndim,nt.dtype,nt.device,nt.layout,nt.is_nested,nt.requires_grad,nt.is_contiguous(),nt.numel(),len(nt),nt.stride())',
    '(nt.size(1)==(nt*2).size(1), nt.shape==(nt*2).shape, type(nt.size(1)).__name__, nt.is_leaf)',
    'repr(nt2)',
    'nt+nt2',
    '(nt.values(),nt.offsets(),nt.unbind(),nt.lengths() if hasattr(nt,"lengths") else None)',
    'nt.to_padded_tensor(0.)',
    'F.gelu(nt).values().sum()',
    'F.silu(nt)',
    '(1-nt)/2',
    '(nt>1)',
    '(lin(nt).shape, lin(nt).values(), lin(nt).requires_grad)',
    'ln(nt).values()',
    'nt.sum()',
    'nt.sum(1)',
    'nt.sum(1,keepdim=True)',
    'nt.sum(2)',
    'nt.sum(0)',
    'nt.sum(-1).values()',
    'nt.sum((1,2))',
    'nt.sum((0,1,2))',
    'nt.sum((0,1))',
    'nt.mean()',
    'nt.mean(1)',
    'nt.mean(2).values()',
    'nt.mean(0)',
    'nt.max(1)',
    'nt.amax(1)',
    'nt.amin(1)',
    '(nt>1).any(1)',
    '(nt>1).all()',
    'nt.prod(1)',
    'nt.argmax(1)',
    'nt.softmax(2).values()',
    'nt.softmax(1).values()',
    'nt.softmax(0)',
    'F.log_softmax(nt,-1).values()',
    'nt.logsumexp(1)',
    '(nt.transpose(1,2).shape, nt.transpose(1,2), nt.transpose(1,2).stride(), nt.transpose(1,2).unbind()[1])',
    'nt.transpose(0,1)',
    'nt.permute(0,2,1).shape',
    'nt.unsqueeze(-1).shape',
    'nt.unsqueeze(1).shape',
    'nt.unsqueeze(0)',
    'nt.unsqueeze(-1).squeeze(-1).shape',
    '[c.shape for c in nt.chunk(2,-1)]',
    '[c.shape for c in nt.chunk(2,0)]',
    'nt.chunk(2,1)',
    '[c.values() for c in nt.split(1,-1)]',
    '[c.shape for c in nt.split([1,1],-1)]',
    'nt.unflatten(-1,(1,2)).shape',
    'nt.view(2,-1,1,2).shape',
    'nt.view(2,nt.size(1),1,2).shape',
    'nt.reshape(2,-1,1,2).shape',
    'nt.view(10)',
    'nt.unflatten(-1,(1,2)).flatten(-2).shape',
    'nt[0]',
    'nt.select(0,1)',
    'nt.select(2,0).values()',
    'nt[...,0].shape',
    'nt[:,:,:1].shape',
    'nt[:,0]',
    'F.dropout(nt,0.5,False).shape',
    'nt.clone().shape',
    'n3.detach().requires_grad',
    'nt.double().values().dtype',
    'nt.contiguous() is nt',
    'nt.clone().add_(1).values()',
    'nt.clone().mul_(2).values()',
    'nt.clone().copy_(nt)',
    'nt.clone().fill_(2.).values()',
    'nt.masked_fill(nt>1,0.).values()',
    'nt.tolist()',
    'nt.numpy()',
    'bool(nt)',
    'list(nt)',
    'ids',
    'nt.cumsum(1)',
    'nt.sort(1)',
]
STRIDED = [
    'repr(s)',
    's.size()',
    's.size(1)',
    's.size(2)',
    's.shape',
    's+s',
    '(s*2)',
    'lin(s)',
    's[0]',
    's.softmax(-1)',
    's.sum(-1)',
    's.clone()',
    's.detach()',
    's.transpose(1,2)',
    's.sin()',
    'F.gelu(s).is_nested, F.gelu(s).size(2)',
    'ln(s)',
    'F.dropout(s,0.)',
    's._nested_tensor_size()',
    's.chunk(2,-1)',
]


def names(lib) -> dict:
    functional, modules = lib.nn.functional, lib.nn
    parts = [lib.arange(4.).view(2, 2), lib.arange(6.).view(3, 2) + 10]
    lin, ln = modules.Linear(2, 3), modules.LayerNorm(2)
    with lib.no_grad():
        lin.weight.fill_(0.5)
        lin.bias.fill_(1.)
    a = [part.clone().requires_grad_() for part in parts]
    return {"torch": lib, "F": functional, "nn": modules, "comps": parts, "a": a, "lin": lin, "ln": ln,
            "nt": lib.nested.nested_tensor(parts, layout=lib.jagged),
            "nt2": lib.nested.nested_tensor(parts, layout=lib.jagged, requires_grad=True),
            "n3": lib.nested.as_nested_tensor(a, layout=lib.jagged),
            "ids": lib.nested.nested_tensor([lib.tensor([1, 2]), lib.tensor([3, 4, 5])], layout=lib.jagged),
            "s": lib.nested.nested_tensor(parts), "list": list, "type": type, "repr": repr, "len": len, "bool": bool}


def outcome(expression, lib) -> str:
    """The value as text, or the error."""
    try:
        text = repr(eval(expression, names(lib)))
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError) as error:
        text = f"{type(error).__name__}: {error}"
    text = re.sub(r"grad_fn=<(\w+)( object at 0x\w+)?>", "grad_fn", text)  # values() of a nested tensor is a view in PyTorch
    return re.sub(r"\bj\d+", "j", text)


@pytest.mark.parametrize("expression", [*JAGGED, *STRIDED])
def test_expression(expression):
    expected, found = (outcome(expression, lib) for lib in LIBRARIES)
    assert found == expected


@pytest.mark.parametrize("name", ["relu", "sin", "exp", "neg", "abs", "sigmoid", "tanh", "gelu", "silu", "softplus"])
@pytest.mark.parametrize("which", ["nt", "s"])
def test_pointwise(name, which):
    results = []
    for lib in LIBRARIES:
        known = names(lib)
        function = getattr(lib, name, None) or getattr(lib.nn.functional, name)
        try:
            results.append([part.tolist() for part in function(known[which]).unbind()])
        except (RuntimeError, NotImplementedError):
            results.append(None)
    if results[0] is not None:  # of the strided layout PyTorch has fewer
        for part, wanted in zip(results[1], results[0], strict=True):
            assert torch.tensor(part).allclose(torch.tensor(wanted))


def attention_block(lib, jagged):
    """Gradients of parts and weights through the layers of a transformer, of all parts at once or of one after the other."""
    functional = lib.nn.functional
    parts = [(lib.arange(8.).view(2, 4) / 8).requires_grad_(), (lib.arange(12.).view(3, 4) / 12 - 0.5).requires_grad_()]
    weight = (lib.arange(48.).view(12, 4) / 48 - 0.4).requires_grad_()

    def block(x):
        x = functional.layer_norm(x, (4,))
        q, k, v = functional.linear(x, weight).chunk(3, -1)
        q, k, v = (each.unflatten(-1, (2, 2)).transpose(1, 2) for each in (q, k, v))
        out = functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(-2)
        return (x + functional.gelu(functional.dropout(out, 0.1, False))).sum(1)

    made = block(lib.nested.as_nested_tensor(parts, layout=lib.jagged)) if jagged else \
        lib.cat([block(part[None]) for part in parts])
    made.square().sum().backward()
    return [each.grad.tolist() for each in (*parts, weight)]


def test_attention():
    """PyTorch has no kernel for this with gradients on the CPU."""
    for a, b in zip(attention_block(torch, False), attention_block(torchlike, True), strict=True):
        assert torch.allclose(torch.tensor(a), torch.tensor(b), atol=1e-4)


REDUCTIONS = {"max": (lambda x, dim: x.max(dim).values), "prod": lambda x, dim: x.prod(dim),
              "mean": lambda x, dim: x.mean(dim), "amin": lambda x, dim: x.amin(dim), "sum": lambda x, dim: x.sum(dim),
              "softmax": lambda x, dim: x.softmax(dim)}


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dim", [1, 2])
def test_gradients_of_reductions(name, dim):
    """Of the parts, against each part for itself: PyTorch has not all of them."""
    found = []
    for lib in LIBRARIES:
        parts = [(lib.arange(4.).view(2, 2) + 1).requires_grad_(), (lib.arange(6.).view(3, 2) / 2 + 1).requires_grad_()]
        if lib is torch:
            made = [REDUCTIONS[name](part, dim - 1) for part in parts]
        else:
            made = REDUCTIONS[name](lib.nested.as_nested_tensor(parts, layout=lib.jagged), dim).unbind()
        sum(each.square().sum() for each in made).backward()
        found.append([*(each.tolist() for each in made), *(part.grad.tolist() for part in parts)])
    for a, b in zip(*found, strict=True):
        assert torch.allclose(torch.tensor(a), torch.tensor(b), atol=1e-4)


def leaf(lib):
    x = lib.nested.nested_tensor([lib.ones(2, 4), lib.ones(3, 4) * 2], layout=lib.jagged, requires_grad=True)
    (x * x).sum().backward()
    return [x.grad.values().tolist(), x.grad.offsets().tolist(), x.is_leaf, x.grad_fn, (x * 2).grad_fn.name(),
            x.detach().requires_grad, x.grad.size(1) == x.size(1)]


def embedded(lib):
    weight = lib.arange(30.).view(10, 3).requires_grad_()
    ids = lib.nested.nested_tensor([lib.tensor([1, 2]), lib.tensor([3, 4, 5])], layout=lib.jagged)
    made = lib.nn.functional.embedding(ids, weight)
    (made * made).sum().backward()
    return [made.values().tolist(), made.size(1) == ids.size(1), weight.grad.tolist()]


def counts(lib):
    x = lib.nested.nested_tensor([lib.ones(2, 2), lib.ones(1, 2)], layout=lib.jagged)
    x.requires_grad = True
    s = lib.nested.nested_tensor([lib.ones(2, 2), lib.ones(1, 3)])
    return [lib.numel(x), x.nelement(), x.nbytes, x.requires_grad, len(lib.unbind(x)), s.numel(), lib.unbind(s)]


def copies(lib):
    x = lib.nested.nested_tensor([lib.ones(2, 2), lib.ones(1, 2)], layout=lib.jagged)
    twin = copy.deepcopy(x)
    twin.mul_(2)
    return [x.values().tolist(), twin.values().tolist(), pickle.loads(pickle.dumps(x)).values().tolist()]


def strided_gradients(lib):
    parts = [lib.ones(2, 2, requires_grad=True), lib.ones(1, 3, requires_grad=True)]
    x = lib.nested.as_nested_tensor(parts)
    x.to_padded_tensor(0.).square().sum().backward()
    return [[part.grad.tolist() for part in parts], x.is_nested, x.layout, x.dim(), x.size(0), len(x.unbind())]


@pytest.mark.parametrize("program", [leaf, embedded, copies, counts, strided_gradients],
                         ids=lambda program: program.__name__)
def test_program(program):
    expected, found = (repr(program(lib)) for lib in LIBRARIES)
    assert found == expected


def test_what_is_refused():
    x = torchlike.nested.nested_tensor([torchlike.ones(2, 2), torchlike.ones(1, 2)], layout=torchlike.jagged)
    for function in (lambda: x.cumsum(1), lambda: x.var(1), lambda: x.sort(1), lambda: torchlike.mm(x, x)):
        with pytest.raises(NotImplementedError):
            function()


def test_a_difference_is_seen():
    assert outcome("nt * 2", torch) == outcome("nt * 2", torchlike)
    assert outcome("(nt * 2).values()", torch) != outcome("(nt * 3).values()", torchlike)
