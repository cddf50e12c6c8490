"""Programs about the backward pass: each fills ``r`` and runs under torch and torchlike."""

from compat.compare.texts import programs

ERRORS = """
x = torch.ones(3, requires_grad=True)
y = (x * x).sum()
y.backward()
r = [x.grad]
y.backward()

x = torch.ones(3, requires_grad=True)
y = x.sum()
y.backward()
y.backward()
r = [x.grad]

x = torch.ones(3, requires_grad=True)
y = (x.exp() * 2).sum()
torch.autograd.grad(y, x)
torch.autograd.grad(y, x)

x = torch.ones(3, requires_grad=True)
(x * 2).backward()

torch.ones(3).sum().backward()

x = torch.ones(3, requires_grad=True)
torch.autograd.grad((x * 2).sum(), [torch.ones(3, requires_grad=True)])

x = torch.ones(3, requires_grad=True)
torch.autograd.grad((x * 2).sum(), [x, torch.ones(3)])

x = torch.ones(3, requires_grad=True)
(x * 2).backward(torch.ones(2))

x = torch.ones(3, requires_grad=True)
torch.autograd.grad([x * 2, x * 3], x, [torch.ones(1), torch.ones(3)])

x = torch.ones(3, requires_grad=True)
torch.autograd.backward([x.sum(), x.sum()], [torch.tensor(1.)])

x = torch.ones(3, requires_grad=True)
(x * 2).sum().backward(torch.tensor(1. + 1j))

x = torch.ones(3, dtype=torch.complex64, requires_grad=True)
(x * 2).sum().backward()

x = torch.ones(3, requires_grad=True)
(x * 2).sum().backward(inputs=[])

x = torch.ones(3, requires_grad=True)
(x * 2).sum().backward(inputs=[torch.ones(3)])

x = torch.ones(3, requires_grad=True)
x.grad = torch.ones(2)

x = torch.ones(3, requires_grad=True)
x.grad = torch.ones(3, dtype=torch.float64)

x = torch.ones(3, requires_grad=True)
x.grad = 1.

x = torch.ones(3, requires_grad=True)
x.grad = x

x = torch.ones(3, requires_grad=True)
y = x * 2
y.requires_grad = False

torch.tensor([1, 2]).requires_grad_()

x = torch.ones(3, requires_grad=True)
x.numpy()

x = torch.ones(3, requires_grad=True)
(x * 2).retain_grad()
torch.ones(3).retain_grad()

torch.ones(3).register_hook(lambda g: g)

x = torch.ones(3, requires_grad=True)
torch.autograd.grad(x.sum(), x, materialize_grads=True, allow_unused=False)

x = torch.ones(3, requires_grad=True)
y = x * x
x.data.add_(1.)
with torch.no_grad():
    x.add_(1.)
y.sum().backward()

x = torch.ones(2, 3, requires_grad=True)
y = x.sigmoid()
y.mul_(2.)
y.sum().backward()

x = torch.ones(2, 3, requires_grad=True)
w = torch.ones(3, 2)
y = x @ w
w.zero_()
y.sum().backward()

x = torch.ones(3, requires_grad=True)
y = torch.ones(3, requires_grad=True) * 2
z = x * y
y.add_(1.)
z.sum().backward()

x = torch.ones(3, requires_grad=True)
i = torch.tensor([0, 1])
y = x[i]
i.add_(1)
y.sum().backward()

x = torch.ones(3, requires_grad=True)
m = torch.tensor([True, False, True])
y = torch.where(m, x, 0.)
m.fill_(True)
y.sum().backward()

import copy
x = torch.ones(3, requires_grad=True)
r = [copy.deepcopy(x)]
copy.deepcopy(x * 2)

x = torch.ones(3, requires_grad=True)
float(x)
"""

GRAPH = """
x = torch.ones(3, requires_grad=True)
y = x * 2
a = y + 1
b = y * 3
(a.sum() + b.sum()).backward()
r = [x.grad, y.grad_fn.next_functions[0][0].name(), a.grad_fn.next_functions[0][1]]

x, w = torch.ones(2, 3, requires_grad=True), torch.ones(3, 2, requires_grad=True)
y = ((x @ w).relu().exp() - 1.).mean()
node = y.grad_fn
while node is not None:
    r.append((node.name(), len(node.next_functions), [n for _, n in node.next_functions]))
    node = node.next_functions[0][0] if node.next_functions else None

x = torch.ones(3, requires_grad=True)
y = x + x
r = [y.grad_fn.next_functions[0][0] is y.grad_fn.next_functions[1][0], y.grad_fn.next_functions[0][0].variable is x]

x = torch.ones(4, requires_grad=True)
a, b = (x * 2).split(2)
r = [a.grad_fn is b.grad_fn, a.output_nr, b.output_nr, x.output_nr, x.is_leaf, a.is_leaf]
v, i = torch.max(x.view(2, 2), 1)
r += [v.grad_fn.name(), v.output_nr, i.requires_grad, i.grad_fn]

x = torch.ones(3, requires_grad=True)
r = [x.grad_fn, x.is_leaf, torch.ones(3).is_leaf, (torch.ones(3) * 2).is_leaf, (x * 2).is_leaf]

x = torch.ones(3, requires_grad=True)
y = x.clone()
z = y.view(1, 3).expand(2, 3).permute(1, 0).unsqueeze(0)[:, 1:].sum(0, keepdim=True).squeeze()
node = z.grad_fn
while node is not None:
    r.append(node.name())
    node = node.next_functions[0][0] if node.next_functions else None

a, b = torch.ones(3, requires_grad=True), torch.ones(3)
r = [[e[0] is None for e in (a * b).grad_fn.next_functions], [e[0] is None for e in (b + a).grad_fn.next_functions]]
r += [len((a * 2).grad_fn.next_functions), len(torch.cat([b, a, b]).grad_fn.next_functions)]

a = torch.ones(3, requires_grad=True)
y = a * 2
r = [y.grad_fn.metadata, y.grad_fn is y.grad_fn]
y.grad_fn.metadata["k"] = 1
r += [y.grad_fn.metadata]
"""

ARGUMENTS = """
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = (x * x * x).sum()
y.backward(retain_graph=True)
y.backward(retain_graph=True)
y.backward()
r = [x.grad]

x = torch.tensor([1., 2.], requires_grad=True)
w = torch.tensor([3., 4.], requires_grad=True)
y = (x * w).sum()
y.backward(inputs=[x])
r = [x.grad, w.grad]

x = torch.tensor([1., 2.], requires_grad=True)
h = x * 2
y = (h * h).sum()
y.backward(inputs=[h])
r = [h.grad, x.grad]

x = torch.tensor([1., 2.], requires_grad=True)
h = x * 2
y = (h * h).sum()
y.backward(inputs=h, retain_graph=True)
y.backward(inputs=(x, h))
r = [h.grad, x.grad]

x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
r = [torch.autograd.grad(y, x, torch.tensor([1., 5.])), torch.autograd.grad(y, [x], grad_outputs=[torch.ones(2)])]

x, w = torch.tensor([1., 2.], requires_grad=True), torch.tensor([1., 2.], requires_grad=True)
r = [torch.autograd.grad(x.sum(), [x, w], allow_unused=True), torch.autograd.grad(x.sum(), [w], materialize_grads=True)]

x = torch.tensor([1., 2.], requires_grad=True)
h = x * 2
y = (h * h).sum()
r = [torch.autograd.grad(y, [h, x, h, x])]
r += [x.grad]

x = torch.tensor([1., 2.], requires_grad=True)
r = [torch.autograd.grad(x.sum(), x), torch.autograd.grad(x, x, torch.ones(2))]

x = torch.tensor([1., 2.], requires_grad=True)
a, b = x * 2, x * x
r = [torch.autograd.grad([a, b], [x], [torch.ones(2), torch.tensor([1., 10.])])]
torch.autograd.backward([(x * 2).sum(), (x * x).sum()])
r += [x.grad]
torch.autograd.backward([x * 2, x.sum()], [torch.ones(2), None])
r += [x.grad]

x = torch.tensor([1., 2.], requires_grad=True)
y = x * x
r = [torch.autograd.grad(y, x, torch.eye(2), is_grads_batched=True)]

x = torch.tensor([1., 2.], requires_grad=True)
y = (x * 2).double()
y.backward(torch.ones(2, dtype=torch.float32))
r = [x.grad]

x = torch.tensor([0.5, 2., 3.], requires_grad=True)
g, = torch.autograd.grad((x ** 4).sum(), x, create_graph=True)
h, = torch.autograd.grad(g.sum(), x, create_graph=True)
k, = torch.autograd.grad(h.sum(), x, create_graph=True)
m, = torch.autograd.grad(k.sum(), x)
r = [g, h, k, m]

x = torch.tensor([0.5, 2., 3.], requires_grad=True)
y = torch.tensor([0.3, 1., 2.], requires_grad=True)
f = (x.sin() * y.exp() * (x * y).tanh()).sum()
gx, gy = torch.autograd.grad(f, [x, y], create_graph=True)
s = (gx * gx).sum() + (gy * gx).sum()
hx, hy = torch.autograd.grad(s, [x, y], create_graph=True)
(hx.sum() + (hy * hy).sum()).backward()
r = [gx, gy, hx, hy, x.grad, y.grad]

x = torch.tensor([0.5, 2.], requires_grad=True)
(x * x).sum().backward(create_graph=True)
r = [x.grad.requires_grad, x.grad.grad_fn is not None]
g = x.grad
x.grad = None
(g * g).sum().backward()
r += [x.grad]

w = torch.tensor([1., 2.], requires_grad=True)
fast = w
for _ in range(3):
    loss = ((fast - 3.) ** 2).sum()
    g, = torch.autograd.grad(loss, fast, create_graph=True)
    fast = fast - 0.1 * g
((fast - 1.) ** 2).sum().backward()
r = [fast, w.grad]

x = torch.tensor([1., 2.], requires_grad=True)
with torch.no_grad():
    y = x * 2
    with torch.enable_grad():
        z = x * 3
r = [y.requires_grad, z.requires_grad, torch.is_grad_enabled()]
torch.set_grad_enabled(False)
r += [(x * 2).requires_grad]
torch.set_grad_enabled(True)
r += [(x * 2).requires_grad]

x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
z = y.detach() * x
z.sum().backward()
r = [x.grad]

x = torch.tensor([1., 2.], requires_grad=True)
y = (x * 2)
y.retain_grad()
y.sum().backward()
y2 = (x * 3)
y2.retain_grad()
(y2 * y2).sum().backward()
r = [y.grad, y2.grad, x.grad, y.retains_grad, x.retains_grad]
"""

ACCUMULATION = """
x = torch.ones(3, requires_grad=True)
for i in range(3):
    (x * (i + 1.)).sum().backward()
    r.append(x.grad.clone())
g = x.grad
(x * 2.).sum().backward()
r += [g, g is x.grad, g._version]

a, b = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
(a + b).sum().backward()
a.grad.add_(5.)
r = [a.grad, b.grad]

a, b = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
up = torch.tensor([1., 2., 3.])
(a + b).backward(up)
a.grad.mul_(2.)
up.zero_()
r = [a.grad, b.grad, up]

x = torch.ones(3, requires_grad=True)
up = torch.ones(3)
x.backward(up)
up.add_(1.)
r = [x.grad]
x.backward(up)
r += [x.grad, up]

x = torch.ones(3, requires_grad=True)
y = x * 1
y.retain_grad()
(y + 0.).sum().backward()
y.grad.add_(1.)
r = [x.grad, y.grad]

x = torch.ones(3, requires_grad=True)
seen = []
y = x + 0.
y.register_hook(lambda g: seen.append(g))
(y * 1).sum().backward()
seen[0].add_(10.)
r = [x.grad, seen[0]]

x = torch.ones(3, requires_grad=True)
x.sum().backward()
g = x.grad
x.grad = None
(x * 2).sum().backward()
r = [g, x.grad]
x.grad.zero_()
r += [g, x.grad]

x = torch.ones(2, 3, requires_grad=True)
x.t().sum().backward()
r = [x.grad.stride(), x.grad.is_contiguous()]
x.grad = None
x.expand(4, 2, 3).sum().backward()
r += [x.grad, x.grad.stride()]

x = torch.ones(3, requires_grad=True)
with torch.no_grad():
    for _ in range(3):
        with torch.enable_grad():
            loss = (x * x).sum()
        loss.backward()
        x -= 0.1 * x.grad
        x.grad.zero_()
r = [x, x.grad, x._version]

x = torch.ones(3, requires_grad=True)
x.grad = torch.zeros(3)
h = x.grad
(x * 2).sum().backward()
r = [h, x.grad is h]

x = torch.ones(3, requires_grad=True, dtype=torch.float64)
(x.float() * 2).sum().backward()
r = [x.grad]

x = torch.tensor(2., requires_grad=True)
y = x
for _ in range(20):
    y = y + y
y.backward()
r = [x.grad, y]

x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
for _ in range(5):
    y = y * x + y
    z = y + x
    y = z + y
y.sum().backward()
r = [x.grad]
"""

ALL = [p for text in (ERRORS, GRAPH, ARGUMENTS, ACCUMULATION) for p in programs(text)]
