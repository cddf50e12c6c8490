"""Copies of tensors: deepcopy, copy and pickle."""

import copy
import pickle

t = torch.arange(12.).view(3, 4)
m = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.2, -0.7]], requires_grad=True)

def alias(base, view):
    """Writes to the view and then to the base: what each sees of the other."""
    view.add_(100)
    show(base, view._is_view(), view._base is base, list(view.stride()), view.storage_offset(), view.is_contiguous())
    base.mul_(2)
    show(view)


# %% deepcopy: leaf
c = copy.deepcopy(m)
show(c, c.is_leaf, c is m, c.data_ptr() == m.data_ptr())


# %% deepcopy: leaf with .grad
(m * 2).sum().backward()
c = copy.deepcopy(m)
show(c.grad, c.grad is m.grad)


# %% deepcopy: non-leaf
show(attempt(lambda: copy.deepcopy(m * 2)))


# %% deepcopy: parameter
p = nn.Parameter(torch.ones(2), requires_grad=False)
c = copy.deepcopy(p)
show(type(c) is nn.Parameter, c.requires_grad, c)


# %% deepcopy: views share memory in the copy
b = torch.zeros(4)
b2, v2 = copy.deepcopy([b, b[1:3]])
v2.fill_(5)
show(b, b2)


# %% deepcopy: attributes
p = nn.Parameter(torch.ones(2))
p.tag = "hello"
show(copy.deepcopy(p).tag)


# %% deepcopy: parameter's .grad
p = nn.Parameter(torch.ones(2))
(p * 2).sum().backward()
show(copy.deepcopy(p).grad, p.grad)


# %% deepcopy: tensor's attributes
t.tag = "hello"
show(copy.deepcopy(t).tag)


# %% deepcopy: the same tensor twice stays one
a, b = copy.deepcopy([t, t])
show(a is b, a is t)


# %% deepcopy: a copied view may be written
v = copy.deepcopy(t.t()[1:])
v[0, 0] = 50
show(v, t, v._is_view())


# %% deepcopy: strides
show(copy.deepcopy(t.t()).stride(), copy.deepcopy(t[:, ::2]).stride())


# %% deepcopy: module
net = nn.Linear(2, 1)
c = copy.deepcopy(net)
with torch.no_grad():
    c.weight.zero_()
show(net.weight, c.weight, c.weight.requires_grad)


# %% copy: shallow copy shares memory
c = copy.copy(t)
c[0, 0] = 99
show(t[0, 0], c is t)


# %% pickle: leaf
c = pickle.loads(pickle.dumps(m))
show(c, c.is_leaf, c.requires_grad)


# %% pickle: parameter
p = pickle.loads(pickle.dumps(nn.Parameter(torch.ones(2))))
show(type(p) is nn.Parameter, p)


# %% copy: of a result is a leaf on its memory
y = m * 2
c = copy.copy(y)
show(c, c.is_leaf, c.data_ptr() == y.data_ptr())


# %% pickle: attributes
t.tag = "hello"
show(pickle.loads(pickle.dumps(t)).tag)


# %% pickle: of an expanded tensor
c = pickle.loads(pickle.dumps(torch.arange(3.).expand(2, 3)))
show(c, c.stride())


# %% pickle: .grad is left out
(m * 2).sum().backward()
show(pickle.loads(pickle.dumps(m)).grad)


# %% pickle: non-leaf
c = attempt(lambda: pickle.loads(pickle.dumps(m * 2)))
show(c)


# %% pickle: keeps strides and offset
c = pickle.loads(pickle.dumps(t.t()[1:]))
show(c, c.stride(), c.storage_offset())


# %% copy.copy of subclasses is a view, and in inference mode an inference tensor
class Plain(torch.Tensor):
    pass


w = torch.tensor([0.5, -1.5, 0.75], requires_grad=True)
for x in (w, w.tanh(), w[1:], w.detach(), w.as_subclass(Plain), w.as_subclass(Plain)[1:], w.as_subclass(Plain).tanh(),
          w.detach().as_subclass(Plain)[1:]):
    y = copy.copy(x)
    show(type(y).__name__, y.requires_grad, y.is_leaf, y.grad_fn and y.grad_fn.name(), y._version, y._base is None)
    with torch.inference_mode():
        y = copy.copy(x.detach())
        show(type(y).__name__, y.requires_grad, y.is_inference(), y._base is None, y[1:].is_inference(), x.is_inference())
    attempt(lambda: y.add_(1))
    with torch.inference_mode():
        z = w.tanh()
    z = copy.copy(z)
    show(z.is_inference(), (z * w).requires_grad)


# %% a subclass called with a tensor is a view of it
class Plain(torch.Tensor):
    pass


w = torch.ones(3, requires_grad=True)
for make in (lambda: w, lambda: w * 2, lambda: w.detach(), lambda: t[0], lambda: [1.0, 2.0]):
    y = Plain(make())
    show(y._is_view(), y.requires_grad, y.grad_fn and y.grad_fn.name(), y.is_leaf, y._version, y._base is None)
    show(attempt(lambda: y.mul_(2)), y.grad_fn and y.grad_fn.name(), y._version)


# %% .data and detach() of inference tensors
for make in (lambda: t * 2, lambda: (t * 2)[1:], lambda: t[1:]):
    with torch.inference_mode():
        y = make()
    show(y.data.is_inference(), y.detach().is_inference(), y.data.mul_(2), y.detach().mul_(2), y.data._version)
    show(attempt(lambda: y.mul_(2)), attempt(lambda: y._version), y.data[1:].mul_(2))
