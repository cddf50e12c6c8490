"""The version counter, saved tensors that were modified, in-place operators, resize_."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
m = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.2, -0.7]], requires_grad=True)

def names(node):
    """The Nodes on the way along first edges."""
    found = []
    while node is not None:
        found.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    return found


# %% version: starts at zero, each write adds one
t = torch.zeros(3)
seen = [t._version]
t.add_(1)
seen.append(t._version)
t[0] = 2
seen.append(t._version)
t += 1
seen.append(t._version)
show(seen)


# %% version: shared with views
t = torch.zeros(2, 3)
v = t.view(6)
v.add_(1)
t[0].zero_()
show(t._version, v._version)


# %% version: out=, copy_, fill_, masks
t = torch.zeros(3)
torch.add(t, 1, out=t)
t.copy_(torch.ones(3))
t.fill_(2)
t[t > 1] = 0
show(t._version)


# %% version: a clone starts anew
t = torch.zeros(3).add_(1)
show(t._version, t.clone()._version, t.detach()._version)


# %% version: random writes
t = torch.zeros(3)
t.normal_()
t.uniform_()
show(t._version)


# %% version: an optimizer step
w = torch.ones(3, requires_grad=True)
(w * 2).sum().backward()
torch.optim.SGD([w], lr=0.1).step()
show(w, w._version)


# %% version: requires_grad_ is no write
t = torch.zeros(3).requires_grad_()
show(t._version)


# %% saved: operand of mul
y = x * 2
z = y * y
y.add_(1)
show(attempt(lambda: z.sum().backward()))


# %% saved: result of exp
z = x.exp()
z.mul_(2)
show(attempt(lambda: z.sum().backward()))


# %% saved: leaf written under no_grad
z = x * x
with torch.no_grad():
    x.add_(1)
show(attempt(lambda: z.sum().backward()))


# %% saved: through a view
y = m * 2
z = y.sigmoid()
z[0].zero_()
show(attempt(lambda: z.sum().backward()))


# %% saved: version that was expected
y = x * 2
y.add_(1)
z = y.pow(2)
y.add_(1).add_(1)
show(attempt(lambda: z.sum().backward()))


# %% saved: integer index written
i = torch.tensor([0, 2])
z = x[i]
i.zero_()
show(attempt(lambda: z.sum().backward()))


# %% saved: not needed by add
y = x * 2
z = y + 1
y.mul_(5)
z.sum().backward()
show(x.grad)


# %% saved: matmul, shape and type in the text
a = torch.ones(2, 2, requires_grad=True)
b = torch.ones(2, 2)
z = a @ b
b.zero_()
show(attempt(lambda: z.sum().backward()))


# %% saved: in-place operation saves its own operand
y = x * 2
y.mul_(y)
y.sum().backward()
show(x.grad)


# %% saved: weight of linear
w = torch.ones(1, 3, requires_grad=True)
z = F.linear(x * 2, w)
with torch.no_grad():
    w.add_(1)
show(attempt(lambda: z.sum().backward()))


# %% operators: augmented operators write in place
t = torch.ones(3)
u = t
t += 1
t *= 4
t -= 2
t /= 3
show(u, u is t, u._version)


# %% operators: result shape may not grow
show(attempt(lambda: torch.ones(3).add_(torch.ones(2, 3))))


# %% operators: result type may not grow
show(attempt(lambda: torch.ones(3, dtype=torch.int64).add_(1.5)))


# %% operators: true division of integers
show(attempt(lambda: torch.ones(3, dtype=torch.int64).div_(2)))


# %% operators: float64 operand into float32
t = torch.zeros(3)
t.add_(torch.ones(3, dtype=torch.float64))
show(t)


# %% resize_: on a tensor that requires grad
show(attempt(lambda: x.resize_(2)))


# %% resize_: the first elements stay
t = torch.arange(6.).view(2, 3).clone()
show(t.resize_(2, 2), t.resize_(3).shape, t.resize_(0).shape, t._version)


# %% resize_: grows
t = torch.zeros(2)
t.resize_(2, 2)
show(t[0], t.shape, t.stride(), t.is_contiguous())


# %% resize_: emptied for out=
t = torch.zeros(3)
torch.mul(torch.ones(2), 5, out=t.resize_(0))
show(t)


# %% resize_as_
show(torch.zeros(6).resize_as_(torch.zeros(2, 2)))
