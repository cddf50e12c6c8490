import torch
from entmax import sparsemax, entmax15, entmax_bisect, sparsemax_loss, entmax15_loss
torch.manual_seed(0)
x = torch.randn(4, 7, requires_grad=True); y = torch.tensor([0, 3, 2, 6])
for f in (sparsemax, entmax15, lambda v, dim: entmax_bisect(v, 1.3, dim)):
    p = f(x, dim=-1); g, = torch.autograd.grad((p ** 2).sum(), x); print(p[0], g.norm())
for f in (sparsemax_loss, entmax15_loss):
    l = f(x, y).sum(); print(l, torch.autograd.grad(l, x)[0].norm())
