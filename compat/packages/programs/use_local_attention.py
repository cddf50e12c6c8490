import torch
from local_attention import LocalAttention, LocalTransformer
torch.manual_seed(0)
q, k, v = (torch.randn(2, 4, 64, 8, requires_grad=True) for _ in range(3))
mask = torch.ones(2, 64).bool(); mask[1, 50:] = False
for options in ({"causal": True, "look_backward": 1, "look_forward": 0}, {"causal": False, "look_backward": 1, "look_forward": 1, "autopad": True}):
    attend = LocalAttention(dim=8, window_size=16, exact_windowsize=False, **options)
    out = attend(q, k, v, mask=mask)
    print(out.norm(), [g.norm() for g in torch.autograd.grad(out.pow(2).sum(), (q, k, v))])
model = LocalTransformer(num_tokens=40, dim=32, depth=2, heads=4, dim_head=8, max_seq_len=64, causal=True, local_attn_window_size=16)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x = torch.randint(0, 40, (2, 64))
for i in range(3):
    loss = model(x, return_loss=True)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    print(i, loss)
