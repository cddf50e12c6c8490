"""Gradients that are conventions: complex numbers, ties, kinks, broadcasting."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
z = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
c = torch.tensor([1 + 2j, -3 + 0.5j], requires_grad=True)

class Note: pass

def grad(y, v=x, **options):
    return torch.autograd.grad(y, v, **options)[0]


# %% complex: gradient of a real loss
(c * c.conj()).real.sum().backward()
show(c.grad)


# %% complex: abs
c.abs().sum().backward()
show(c.grad)


# %% complex: abs at zero
w = torch.zeros(2, dtype=torch.complex64, requires_grad=True)
w.abs().sum().backward()
show(w.grad)


# %% complex: angle
c.angle().sum().backward()
show(c.grad)


# %% complex: real
c.real.sum().backward()
show(c.grad)


# %% complex: imag
c.imag.sum().backward()
show(c.grad)


# %% complex: holomorphic function with a given gradient
c.exp().backward(torch.tensor([1 + 0j, 1j]))
show(c.grad)


# %% complex: product
d = torch.tensor([2 - 1j, 1j], requires_grad=True)
(c * d).real.sum().backward()
show(c.grad, d.grad)


# %% complex: division and power
show(grad((1 / c).imag.sum(), c), grad((c ** 2).imag.sum(), c), grad((c ** 2.5).abs().sum(), c))


# %% complex: real leaf in a complex computation
(x[:2] * c).abs().sum().backward()
show(x.grad, c.grad)


# %% complex: torch.complex and polar
a, b = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([0.5, -1.0], requires_grad=True)
(torch.complex(a, b) ** 2).real.sum().backward()
show(a.grad, b.grad, torch.autograd.grad(torch.polar(a, b).imag.sum(), [a, b]))


# %% complex: implicit gradient
show(attempt(lambda: (c * 2).sum().backward()))


# %% complex: real gradient for a complex output
show(attempt(lambda: (c * 2).backward(torch.ones(2))))


# %% complex: second order
g = grad((c.abs() ** 2).sum(), c, create_graph=True)
show(g.detach(), grad(g.real.sum(), c))


# %% complex: matmul
w = torch.tensor([[1 + 1j, 2.0], [0, 1 - 1j]], requires_grad=True)
(w @ c).abs().sum().backward()
show(w.grad, c.grad)


# %% complex: sgn
c.sgn().imag.sum().backward()
show(c.grad)


# %% complex: view_as_real
(torch.view_as_real(c) * torch.tensor([2.0, 3.0])).sum().backward()
show(c.grad)


# %% integer: operands of a float result
i = torch.tensor([1, 2, 3])
(x * i).sum().backward()
show(x.grad)


# %% gradient: broadcast operand is summed
w = torch.ones(2, 1, requires_grad=True)
(x * w).sum().backward()
show(w.grad, x.grad)


# %% gradient: ties of max and maximum
t = torch.tensor([1.0, 3.0, 3.0], requires_grad=True)
show(grad(t.max(), t), grad(t.max(0).values, t), grad(t.amax(), t), grad(torch.maximum(t, t.detach()).sum(), t))


# %% gradient: at the kinks
t = torch.zeros(3, requires_grad=True)
show(grad(t.relu().sum(), t), grad(t.abs().sum(), t), grad(t.clamp(0, 1).sum(), t), grad(t.sqrt().sum(), t),
     grad(t.norm(), t))


# %% gradient: masked nan
t = torch.tensor([0.0, 4.0], requires_grad=True)
show(grad(torch.where(t > 0, t.sqrt(), 0.0).sum(), t))
