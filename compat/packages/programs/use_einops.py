import torch
from einops import rearrange, reduce, repeat, einsum, pack, unpack
from einops.layers.torch import Rearrange, Reduce, EinMix
torch.manual_seed(0)
x = torch.randn(2, 6, 8, requires_grad=True)
y = rearrange(x, "b (h d) n -> b h n d", h=2)
z = reduce(y, "b h n d -> b n", "mean") + repeat(torch.arange(8.0), "n -> b n", b=2)
print(y.shape, z)
w = einsum(y, y, "b h i d, b h j d -> b h i j").softmax(-1)
print(w.sum(), w[0, 0, 0])
model = torch.nn.Sequential(Rearrange("b c n -> b n c"), torch.nn.Linear(6, 5), Reduce("b n c -> b c", "max"),
                            EinMix("b c -> b o", weight_shape="o c", bias_shape="o", c=5, o=3))
loss = (model(x) ** 2).sum() + w.pow(2).sum()
loss.backward()
print(loss, x.grad.norm(), [p.grad.norm() for p in model.parameters()])
p, ps = pack([x.detach(), x.detach()[:, 0]], "b * n")
print(p.shape, [u.shape for u in unpack(p, ps, "b * n")], model)
