"""What views refuse, their gradients, and conjugated views."""

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


# %% error: view of other size
show(attempt(lambda: t.view(5, 2)))


# %% error: view of transposed memory
show(attempt(lambda: t.t().view(12)))


# %% error: view with two -1
show(attempt(lambda: t.view(-1, -1)))


# %% error: view with -1 that does not divide
show(attempt(lambda: t.view(-1, 5)))


# %% error: view with a negative size
show(attempt(lambda: t.view(-2, 6)))


# %% error: view of another dtype, last dimension
show(attempt(lambda: torch.zeros(3, dtype=torch.float32).view(torch.float64)))


# %% error: expand of a real dimension
show(attempt(lambda: t.expand(3, 5)))


# %% error: expand to fewer dimensions
show(attempt(lambda: t.expand(4)))


# %% error: expand with -1 in front
show(attempt(lambda: t.expand(-1, 3, 4)))


# %% error: select
show(attempt(lambda: t.select(0, 3)), attempt(lambda: t.select(2, 0)))


# %% error: narrow
show(attempt(lambda: t.narrow(0, 1, 3)), attempt(lambda: t.narrow(0, 4, 1)))


# %% error: permute
show(attempt(lambda: t.permute(0, 0)), attempt(lambda: t.permute(0)))


# %% error: as_strided out of bounds
show(attempt(lambda: torch.zeros(4).as_strided((3, 3), (3, 1))))


# %% error: unfold too large
show(attempt(lambda: torch.zeros(3).unfold(0, 4, 1)))


# %% error: unflatten
show(attempt(lambda: torch.zeros(6).unflatten(0, (4, 2))))


# %% error: t of three dimensions
show(attempt(lambda: torch.zeros(1, 2, 3).t()))


# %% error: mT and H of one dimension
show(attempt(lambda: torch.zeros(3).mT), attempt(lambda: torch.zeros(3).H))


# %% error: T of three dimensions warns
show(torch.zeros(1, 2, 3).T.shape)


# %% error: movedim
show(attempt(lambda: t.movedim((0, 0), (0, 1))))


# %% error: imag of a real tensor
show(attempt(lambda: t.imag), t.real is t)


# %% error: view_as_complex
show(attempt(lambda: torch.view_as_complex(torch.zeros(3))), attempt(lambda: torch.view_as_real(t)))


# %% gradient: as_strided with overlaps
x = torch.arange(5., requires_grad=True)
x.as_strided((3, 3), (1, 1)).sum().backward()
show(x.grad)


# %% gradient: unfold
x = torch.arange(5., requires_grad=True)
(x.unfold(0, 3, 1) * torch.arange(9.).view(3, 3)).sum().backward()
show(x.grad)


# %% gradient: expand
x = torch.ones(3, 1, requires_grad=True)
(x.expand(2, 3, 4) * 2).sum().backward()
show(x.grad)


# %% gradient: real and imag
z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
(z.real * 2 + z.imag * 5).sum().backward()
show(z.grad)


# %% gradient: write to real of a complex tensor
z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
y = z * 2
y.real.mul_(3)
y.abs().sum().backward()
show(y, z.grad)


# %% gradient: conj
z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
y = z.conj()
show(y.is_conj(), y.grad_fn.name())
(y * (1 + 1j)).real.sum().backward()
show(z.grad)


# %% gradient: diagonal written
y = m[:, :2] * 1
y.diagonal().zero_()
y.sum().backward()
show(m.grad)


# %% gradient: narrow of a transpose
(m.t().narrow(0, 1, 2) * torch.tensor([[1., 2.], [3., 4.]])).sum().backward()
show(m.grad)


# %% conj: resolve_conj
z = torch.tensor([1 + 2j])
show(z.conj().resolve_conj().is_conj(), z.conj().resolve_conj(), z.conj().conj().is_conj(), z.resolve_conj() is z)


# %% conj: imag of conj is negative
z = torch.tensor([1 + 2j])
v = z.conj().imag
show(v.is_neg(), v.resolve_neg(), v + 0, (v + 0).is_neg())


# %% conj: physical
z = torch.tensor([1 + 2j])
show(z.conj_physical().is_conj(), z.conj_physical(), torch.zeros(2).conj().is_conj())


# %% H of a complex matrix
z = torch.tensor([[1 + 2j, 3j]])
show(z.H, z.H.is_conj(), z.mH.shape, z.adjoint())


# %% is_set_to
b = torch.zeros(4)
show(b.is_set_to(b.view(4)), b.is_set_to(b.clone()), b.is_set_to(b[:2]), b.detach().is_set_to(b))
