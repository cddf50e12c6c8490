"""Views: shared memory, bases, strides and histories."""

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


# %% alias: view
b = torch.arange(6.)
alias(b, b.view(2, 3))


# %% alias: view with -1
b = torch.arange(6.)
alias(b, b.view(-1, 2))


# %% alias: reshape of contiguous memory
b = torch.arange(6.)
alias(b, b.reshape(3, 2))


# %% alias: reshape that must copy
b = torch.arange(6.).view(2, 3)
b0 = b.clone()
r = b0.t().reshape(6)
r.add_(1)
show(b0, r._is_view(), r.is_contiguous())


# %% alias: select by int
b = torch.arange(6.).clone().view(2, 3).clone()
alias(b, b[1])


# %% alias: slice with a step
b = torch.arange(6.)
alias(b, b[1::2])


# %% alias: slice of both dimensions
b = torch.zeros(3, 4)
alias(b, b[1:, ::2])


# %% alias: transpose
b = torch.zeros(2, 3)
alias(b, b.transpose(0, 1))


# %% alias: permute
b = torch.zeros(2, 3, 4)
alias(b, b.permute(2, 0, 1))


# %% alias: narrow
b = torch.zeros(2, 5)
alias(b, b.narrow(1, 1, 3))


# %% alias: diagonal
b = torch.zeros(3, 4)
alias(b, b.diagonal(1))


# %% alias: squeeze and unsqueeze
b = torch.zeros(1, 3)
alias(b, b.squeeze(0).unsqueeze(1))


# %% alias: flatten
b = torch.zeros(2, 3)
alias(b, b.flatten())


# %% alias: unflatten
b = torch.zeros(6)
alias(b, b.unflatten(0, (2, -1)))


# %% alias: movedim
b = torch.zeros(2, 3, 4)
alias(b, b.movedim(0, -1))


# %% alias: swapaxes
b = torch.zeros(2, 3)
alias(b, b.swapaxes(0, 1))


# %% alias: unfold
b = torch.zeros(6)
alias(b, b.unfold(0, 2, 2))


# %% alias: as_strided
b = torch.zeros(6)
alias(b, b.as_strided((2, 2), (3, 1), 1))


# %% alias: view_as and expand_as of the same shape
b = torch.zeros(2, 2)
alias(b, b.view_as(torch.zeros(4)[:4].view(2, 2)))


# %% alias: T
b = torch.zeros(2, 3)
alias(b, b.T)


# %% alias: mT
b = torch.zeros(2, 2, 3)
alias(b, b.mT)


# %% alias: H of a real matrix
b = torch.zeros(2, 3)
alias(b, b.H)


# %% alias: real
b = torch.zeros(2, dtype=torch.complex64)
v = b.real
v.add_(3)
show(b, v._is_view(), v.stride())


# %% alias: imag
b = torch.zeros(2, dtype=torch.complex64)
v = b.imag
v.add_(3)
show(b, v._is_view(), v.stride(), v.storage_offset())


# %% alias: view_as_real
b = torch.zeros(2, dtype=torch.complex64)
v = torch.view_as_real(b)
v[:, 1] = 2
show(b, v._is_view(), v.shape)


# %% alias: view_as_complex
b = torch.zeros(2, 2)
v = torch.view_as_complex(b)
v.add_(1 + 2j)
show(b, v._is_view())


# %% alias: conj
b = torch.tensor([1 + 2j, 3 - 1j])
v = b.conj()
show(v.is_conj(), v._is_view(), v._base is b)
v.add_(1j)
show(b)


# %% alias: split
b = torch.arange(6.)
first, second = b.split(3)
second.zero_()
show(b, first._is_view(), second.storage_offset())


# %% alias: chunk
b = torch.arange(5.)
parts = b.chunk(2)
parts[1].fill_(9)
show(b, [len(p) for p in parts])


# %% alias: unbind
b = torch.zeros(2, 3)
rows = b.unbind(0)
rows[1].add_(1)
show(b, rows[1]._base is b)


# %% alias: tensor_split
b = torch.arange(6.)
parts = b.tensor_split([1, 4])
parts[1].zero_()
show(b, [p.storage_offset() for p in parts])


# %% alias: hsplit
b = torch.zeros(2, 4)
torch.hsplit(b, 2)[1].fill_(1)
show(b)


# %% alias: detach
b = torch.zeros(3)
d = b.detach()
d.add_(1)
show(b, d._is_view(), d.data_ptr() == b.data_ptr())


# %% alias: contiguous of contiguous is the same tensor
show(t.contiguous() is t, t.t().contiguous() is t, t.t().contiguous().is_contiguous())


# %% alias: to without change is the same tensor
show(t.to(torch.float32) is t, t.float() is t, t.cpu() is t, t.to(torch.float32, copy=True) is t)


# %% alias: index tensors copy
b = torch.zeros(3)
v = b[torch.tensor([0, 1])]
v.add_(1)
show(b, v._is_view())


# %% alias: mask copies
b = torch.zeros(3)
v = b[b == 0]
v.add_(1)
show(b)


# %% alias: expand
b = torch.zeros(3, 1)
e = b.expand(3, 2)
b.add_(1)
show(e, e.stride(), e._is_view(), e.is_contiguous())


# %% alias: broadcast_to and broadcast_tensors
b = torch.zeros(3)
e = torch.broadcast_to(b, (2, 3))
first, second = torch.broadcast_tensors(b, torch.ones(2, 1))
b.add_(1)
show(e, first, second.stride())


# %% alias: numpy
a = np.zeros(3, dtype=np.float32)
b = torch.from_numpy(a)
a[0] = 5
show(b)


# %% alias: view of another dtype
b = torch.tensor([1.0, -2.0])
show(b.view(torch.int32), b.view(torch.int32)._is_view(), b.view(torch.uint8).shape)


# %% base: view of a view has the first base
b = torch.zeros(2, 3)
v = b.t()[1]
show(v._base is b, b._base, v._is_view(), b._is_view())


# %% base: of a no-grad view
b = torch.zeros(2, 3)
with torch.no_grad():
    v = b[0]
show(v._is_view(), v._base is b)


# %% base: of a leaf's view
show(m[0]._base is m, m.t()._is_view())


# %% base: results of operations are no views
y = m + 1
show(y._is_view(), y._base, m.clone()._is_view())


# %% base: detach starts a new one
y = m * 2
d = y[0].detach()
show(d._is_view(), d._base is y, d.requires_grad)


# %% base: its grad_fn through the view
y = m * 2
show(y[0]._base is y, y[0]._base.grad_fn)


# %% strides: after transpose and slicing
v = t.t()[1:, ::2]
show(v.stride(), v.storage_offset(), v.is_contiguous(), v)


# %% strides: of an expanded dimension
show(torch.ones(3).expand(2, 3).stride(), torch.ones(2, 1).expand(2, 3).stride())


# %% strides: of one dimension
show(t.stride(0), t.stride(-1), t.t().stride())


# %% strides: contiguous copies
v = t.t()
show(v.is_contiguous(), v.contiguous().stride(), v.contiguous().data_ptr() == v.data_ptr())


# %% strides: clone keeps them
show(t.t().clone().stride(), t.t().clone(memory_format=torch.contiguous_format).stride())


# %% strides: elementwise results keep them
show((t.t() + 1).stride(), (t.t() * t.t()).stride(), t.t().exp().stride(), torch.zeros_like(t.t()).stride())


# %% strides: storage_offset of rows
show([row.storage_offset() for row in t], t[1:, 2:].storage_offset())


# %% strides: size-one dimensions are contiguous
show(torch.zeros(3, 1).t().is_contiguous(), torch.zeros(3, 1).t().stride())


# %% strides: data_ptr of a slice
show(t[1].data_ptr() - t.data_ptr(), t[1].storage_offset() * t.element_size())


# %% strides: channels last
c = torch.zeros(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
show(c.stride(), c.is_contiguous(), c.is_contiguous(memory_format=torch.channels_last))


# %% grad_fn: of every view
y = m * 1
show([v.grad_fn.name() for v in (y.view(6), y.t(), y[0], y[:, 1:], y.permute(1, 0), y.unsqueeze(0), y.squeeze(),
                                 y.expand(2, 2, 3), y.diagonal(), y.flatten(), y.reshape(3, 2), y.narrow(0, 0, 1))])


# %% grad_fn: of multi-output views
y = m * 1
show([v.grad_fn.name() for v in (y.unbind(0)[0], y.split(1)[0], y.chunk(2)[1], y.tensor_split(2)[0])],
     y.unbind(0)[1].output_nr)


# %% grad_fn: of more views
y = m * 1
show([v.grad_fn.name() for v in (y.unfold(1, 2, 1), y.movedim(0, 1), y.T, y.mT, y.as_strided((2,), (1,)),
                                 y.unflatten(1, (3, 1)), y.swapaxes(0, 1), y.view_as(y), y.select(0, 1))])


# %% grad_fn: regenerated after the base was written
y = m * 2
v = y.t()
show(v.grad_fn.name())
y.mul_(3)
show(v.grad_fn.name(), v.grad_fn.next_functions[0][0].name(), v)


# %% grad_fn: of a slice after the base was written
y = m * 2
v = y[:, 1]
y.exp_()
show(v.grad_fn.name())
v.sum().backward()
show(m.grad)


# %% grad_fn: sibling written through another view
y = m * 2
a, b = y.view(6), y[1]
b.mul_(10)
show(a.grad_fn.name(), a)
(a * a).sum().backward()
show(m.grad)


# %% grad_fn: full slice of a leaf is still a view with history
v = m[:]
show(v.grad_fn.name(), v.is_leaf, v._base is m)


# %% grad_fn: view of a constant after it got a history
b = torch.zeros(2, 3)
v = b[0]
show(v.requires_grad, v.grad_fn)
b.add_(m)
show(v.requires_grad, v.grad_fn.name())
v.sum().backward()
show(m.grad)


# %% no_grad: view has no history
with torch.no_grad():
    v = m.t()
show(v.requires_grad, v.grad_fn, v._is_view(), v._base is m)


# %% no_grad: view stays without after the base was written
y = m * 2
with torch.no_grad():
    v = y[0]
y.mul_(2)
show(v, attempt(lambda: v.grad_fn))


# %% detach: of a view
y = m * 2
d = y[0].detach()
d.zero_()
show(y, d.is_leaf, y._version)


# %% detach: requires grad on its own
d = m[0].detach().requires_grad_()
(d * 3).sum().backward()
show(d.grad, m.grad)
