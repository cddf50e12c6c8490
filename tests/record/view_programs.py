"""Programs of views and in-place writes: each fills ``r`` and runs under torch and torchlike."""

from compat.compare.texts import programs
from tests.record.later_programs import LATER
from tests.record.write_programs import COMPLEX, OUT, SET, SHAPES

HISTORY = """
x = torch.ones(2, 3, requires_grad=True)
for layout in (lambda t: t * 1, lambda t: (t * 1).t().contiguous().t(), lambda t: (t * 1).t()):
    for write in (lambda v: v.flatten()[0].mul_(2), lambda v: v.reshape(-1)[1:].mul_(2),
                  lambda v: v.unfold(1, 2, 1)[0, 0].mul_(2)):
        for use in (lambda v: v.sum(0), lambda v: v.mean(1), lambda v: v.expand(2, *v.shape)):
            v = layout(x)
            write(v)
            (use(v) ** 2).sum().backward()
            r += [v, x.grad, x.grad.stride()]

x = torch.ones(2, 3, requires_grad=True)
y = x.data.detach().requires_grad_()
a, b = y.split(1)
x.sum().backward()
torch.optim.SGD([x], lr=0.5).step()
r = [a, a.is_leaf, a.grad_fn.name(), a._version, y]

a = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)
b = a * 1
b[0].mul_(10.)
r = [b, b.grad_fn.name(), b._version]
b.sum().backward()
r += [a.grad]

a = torch.tensor([1., 2.], requires_grad=True)
a.mul_(2.)

a = torch.tensor([1., 2.], requires_grad=True)
a[0].mul_(2.)

a = torch.tensor([1., 2.], requires_grad=True)
a[0] = 2.

a = torch.tensor([1., 2.], requires_grad=True)
b = a.exp()
b.add_(1.)
b.sum().backward()

a = torch.tensor([1., 2.], requires_grad=True)
b = a * a
a.data.add_(1.)
b.sum().backward()
r = [a.grad, a._version]

a = torch.tensor([1., 2.], requires_grad=True)
b = a * 2
c = b * b
b.add_(1.)
c.sum().backward()

x = torch.ones(3)
v = x[1:]
x.add_(1.)
r = [v, v._version, x._version, v._is_view(), v._base is x]
v.mul_(5.)
r += [x, v._version, x._version]

x = torch.ones(2, 3, requires_grad=True)
y = x * 2
t = y.t()
t.mul_(3.)
r = [y, t, y.grad_fn.name(), t.grad_fn.name()]
(y * y).sum().backward()
r += [x.grad]

x = torch.ones(2, 3, requires_grad=True)
y = x * 2
v = y.view(6)
y.add_(1.)
r = [v.grad_fn.name(), v]
v.sum().backward()
r += [x.grad]

x = torch.ones(3, requires_grad=True)
y = x * 2
z = y.detach()
z.add_(1.)
r = [y, y._version, z._version, z.requires_grad, z._is_view()]

x = torch.ones(3, requires_grad=True)
y = x * 2
s = y * y
z = y.detach()
z.add_(1.)
s.sum().backward()

x = torch.ones(3, requires_grad=True)
y = x.clone()
y[1] = 5.
(y * y).sum().backward()
r = [y, x.grad, y.grad_fn.name(), y.grad_fn.next_functions[0][0].name()]

x = torch.ones(3, requires_grad=True)
w = torch.ones(1, requires_grad=True)
y = x.clone()
y[1:2] = w * 3
(y * y).sum().backward()
r = [y, x.grad, w.grad]

x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x * 1
y.mul_(y)
y.sum().backward()
r = [x.grad]

x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x * 1
y *= y
y *= y
y.sum().backward()
r = [x.grad, y._version]

x = torch.tensor([.1, .2, .3], requires_grad=True)
y = x * 3
y.tanh_()
y.sum().backward()
r = [x.grad]

x = torch.ones(2, 2, requires_grad=True)
y = x * 1
y.diagonal().mul_(3.)
(y * y).sum().backward()
r = [y, x.grad]

x = torch.ones(4, 3, requires_grad=True)
y = x * 2
v = y[1:3]
u = v[0]
u.mul_(5.)
r = [y, v, u, v.grad_fn.name(), u.grad_fn.name(), v._base is y, u._base is y]
(v * v).sum().backward()
r += [x.grad]

x = torch.ones(4, requires_grad=True)
y = x * 2
v = y[:2]
w = y[2:]
v.mul_(w)
w.mul_(v)
r = [y, v, w]
y.sum().backward()
r += [x.grad]

x = torch.ones(4, requires_grad=True)
b = torch.zeros(4)
v = b[1:3]
v.add_(x[:2])
r = [b, b.requires_grad, v.requires_grad, b.grad_fn.name(), v.grad_fn.name()]
(b * b).sum().backward()
r += [x.grad]

x = torch.ones(4, requires_grad=True)
b = torch.zeros(2, 4)
for i in range(2):
    b[i] = x * (i + 1)
    b[i, i] += 1.
(b * b).sum().backward()
r = [b, x.grad, b._version]

x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x * x
y[0].add_(1.)
y[1].mul_(2.)
y[2].exp_()
y.prod().backward()
r = [y, x.grad]

x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x.exp()
y[0].mul_(2.)
y.sum().backward()

x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x * 2
v = y[0:2]
w = v * v
y.add_(1.)
w.sum().backward()

x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x * 2
v = y[0:2]
z = v.exp()
v.zero_()
z.sum().backward()
r = [x.grad, y]

x = torch.ones(2, 3, requires_grad=True)
y = x * 2
t = y.t()
f = t.grad_fn
y.add_(1.)
r = [f is t.grad_fn, t.grad_fn is t.grad_fn, t.grad_fn.name()]

x = torch.ones(3, requires_grad=True)
y = x * 2
y.retain_grad()
y.mul_(3.)
y.sum().backward()
r = [y.grad, x.grad]

x = torch.ones(3, requires_grad=True)
y = x * 2
z = y.view(3)
y.requires_grad_()
z.detach_()

x = torch.ones(3, requires_grad=True)
y = x * 2
y.detach_()
r = [y.requires_grad, y.is_leaf, y.grad_fn]
y.add_(1.)
r += [y]
"""

MULTI = """
x = torch.ones(4, requires_grad=True)
y = x * 2
a, b = y.split(2)
a.mul_(2.)

x = torch.ones(4)
a, b = x.split(2)
a.mul_(2.)
r = [x, a, b, a._version, b._version, a._base is x]

x = torch.ones(4, requires_grad=True)
y = x * 2
a, b = y.split(2)
y.mul_(3.)
r = [a, b, a.grad_fn.name()]
(a * b).sum().backward()
r += [x.grad]

x = torch.ones(4, requires_grad=True)
y = x * 2
a, b = y.chunk(2)
a[0] = 1.

x = torch.ones(2, 3)
for row in x:
    row.add_(1.)
r = [x, x._version]

x = torch.ones(2, 3, requires_grad=True)
y = x * 1
for row in y:
    row.add_(1.)

x = torch.ones(2, 3, requires_grad=True)
y = x * 1
for row in y.unbind():
    r.append(row.grad_fn.name())
    r.append(row.output_nr)
    r.append(row._is_view())

x = torch.ones(4)
a, b = x.split(2)
w = torch.ones(2, requires_grad=True)
a.mul_(w)

x = torch.ones(4)
a, b = x.tensor_split(2)
w = torch.ones(2, requires_grad=True)
a.mul_(w)
x.sum().backward()
r = [x, w.grad]

x = torch.ones(4, requires_grad=True)
with torch.no_grad():
    a, b = x.split(2)
    a.add_(1.)
r = [x, x._version, a.requires_grad]
"""

MODES = """
import copy
with torch.inference_mode():
    x = torch.ones(2, 3)
    v = x[0]
for y in (copy.copy(x), copy.copy(x).detach(), copy.copy(x)[0], copy.copy(v), copy.copy(x.detach())):
    r += [y.is_inference(), y.requires_grad_().requires_grad]
with torch.inference_mode():
    i = torch.ones(2, 3, requires_grad=True)
w = torch.ones(2, 3, requires_grad=True)
for _ in range(2):
    for y in (i.sum(), torch.cat([i, i]), i.sin(), i + i, i * i, -i, i ** 2, i.clamp(0), i.softmax(0), i * 2, 1 - i, i / 2,
              i + w, torch.cat([i, w]), i.clone(), i.half(), i.sort().values, i[0], i.t()):
        r += [y.requires_grad, y.is_leaf, y.is_inference()]
    (i + w).sum().backward()
    i.clone().sum().backward()
    r += [i.grad, w.grad]
p = torch.nn.Parameter(x, False)
r += [p.is_inference(), p.add_(1.), x]
x.requires_grad_()

x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    y = x * 2
    x.add_(1.)
r = [y.requires_grad, x, x._version, x.is_leaf]

x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    v = x.view(1, 2)
r = [v.requires_grad, v._is_view(), v._base is x]
v.mul_(2.)

x = torch.ones(2, requires_grad=True)
y = x * 2
with torch.no_grad():
    v = y.view(1, 2)
v.mul_(2.)

x = torch.ones(2)
with torch.no_grad():
    v = x.view(1, 2)
v.mul_(2.)
r = [x, v]

x = torch.ones(2)
with torch.no_grad():
    v = x.view(1, 2)
v.mul_(torch.ones(2, requires_grad=True))

x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    v = x[0:1]
    v.mul_(2.)
r = [x, v, v.requires_grad, x._version]

x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    x[0] = 5.
    x[1:] = torch.tensor([3.])
    x.zero_().add_(1.)
r = [x, x._version]

x = torch.ones(2, requires_grad=True)
y = (x * x).sum()
with torch.no_grad():
    x.add_(1.)
y.backward()

x = torch.ones(2, requires_grad=True)
y = (x * x).sum()
x.data = torch.zeros(2)
y.backward()
r = [x.grad, x]

with torch.inference_mode():
    x = torch.ones(3)
    y = x * 2
r = [y.is_inference(), x.requires_grad]
y.add_(1.)

with torch.inference_mode():
    x = torch.ones(3)
    x.add_(1.)
    v = x[1:]
    v.mul_(2.)
    r = [x, v, v.is_inference(), v._is_view()]

with torch.inference_mode():
    x = torch.ones(3)
x._version

with torch.inference_mode():
    x = torch.ones(3)
w = torch.ones(3, requires_grad=True)
y = w * x

with torch.inference_mode():
    x = torch.ones(3)
w = torch.ones(3, requires_grad=True)
y = w + x
y.sum().backward()
r = [y, w.grad]

with torch.inference_mode():
    x = torch.ones(3)
x.requires_grad_()

x = torch.ones(3, requires_grad=True)
y = x * 2
with torch.inference_mode():
    v = y[:2]
r = [v.is_inference(), v.requires_grad]
v.mul_(2.)

x = torch.ones(3)
with torch.inference_mode():
    x.add_(1.)
    y = x.view(3)
r = [x, x._version, x.is_inference(), y.is_inference()]

with torch.inference_mode():
    x = torch.ones(3)
y = x.clone()
y.add_(1.)
r = [y, y.is_inference()]
"""

DATA = """
x = torch.ones(3, requires_grad=True)
d = x.data
d.add_(1.)
r = [x, x._version, d._version, d.requires_grad, d._is_view()]

x = torch.ones(3)
d = x.data
x.add_(1.)
r = [d, d._version, x._version]
d[0] = 9.
r += [x]

x = torch.ones(2, 2)
d = x.data.t()
d[0].mul_(4.)
r = [x, d, d._version, x._version]

x = torch.ones(3)
x.data = torch.zeros(2, 2)
r = [x, x.shape, x._version]

x = torch.ones(3)
v = x[1:]
x.data = torch.zeros(3)
x.add_(1.)
r = [x, v]

x = torch.ones(3)
y = x.detach()
x.add_(1.)
r = [y, y._version]
y.detach().mul_(2.)
r += [x, x._version]

x = torch.ones(3, requires_grad=True)
y = x.detach().requires_grad_()
(y * 2).sum().backward()
r = [x.grad, y.grad]
with torch.no_grad():
    y.mul_(5.)
r += [x]

p = torch.ones(2, requires_grad=True)
q = p.view(2)
p.data.mul_(3.)
r = [q]

x = torch.ones(3, requires_grad=True)
x.grad = torch.ones(3)
g = x.grad
(x * 2).sum().backward()
r = [g, x.grad is g, g._version]
x.grad.zero_()
r += [g]

x = torch.ones(3)
y = x
y += 1.
y = y + 1.
r = [x, y]
"""

ALL = [p for text in (HISTORY, MULTI, MODES, DATA, SET, SHAPES, OUT, COMPLEX, LATER) for p in programs(text)]
