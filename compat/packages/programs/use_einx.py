import einx
import torch
torch.manual_seed(0)
x = torch.randn(4, 6, 8, requires_grad=True)
w = torch.randn(8, 5)
y = einx.dot("a b c, c d -> a b d", x, w)
z = einx.mean("a [b] d", y) + einx.id("a -> a d", torch.arange(4.0), d=5)
s = einx.softmax("a b [c]", x)
print(z, s[0, 0], einx.id("a (b c) d -> (a b) (c d)", x, b=2).shape)
print(einx.add("a b c, b", x, torch.ones(6)).sum(), einx.get_at("[n] c, b -> b c", w, torch.tensor([1, 3, 7])))
loss = einx.sum("[...]", z ** 2) + (s ** 2).sum()
loss.backward()
print(loss, x.grad.norm())
