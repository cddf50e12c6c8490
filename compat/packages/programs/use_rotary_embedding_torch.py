import torch
from rotary_embedding_torch import RotaryEmbedding, apply_rotary_emb
torch.manual_seed(0)
rot = RotaryEmbedding(dim=8, use_xpos=False)
q, k = torch.randn(1, 2, 6, 16, requires_grad=True), torch.randn(1, 2, 6, 16)
a, b = rot.rotate_queries_or_keys(q), rot.rotate_queries_or_keys(k)
(a @ b.mT).softmax(-1).pow(2).sum().backward()
print(a.sum(), b.std(), q.grad.norm())
p = RotaryEmbedding(dim=8, freqs_for="pixel", max_freq=10)
print(apply_rotary_emb(p.get_axial_freqs(4, 5), torch.randn(1, 4, 5, 32)).sum())
