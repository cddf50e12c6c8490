import torch
from performer_pytorch import FastAttention, Performer, PerformerLM
torch.manual_seed(0)
model = PerformerLM(num_tokens=40, max_seq_len=32, dim=32, depth=2, heads=4, dim_head=8, causal=False, nb_features=16, feature_redraw_interval=1000,
                    generalized_attention=False, use_scalenorm=False, use_rezero=False, emb_dropout=0.0, rotary_position_emb=True)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x = torch.randint(0, 40, (2, 32)); mask = torch.ones_like(x).bool()
for i in range(3):
    loss = torch.nn.functional.cross_entropy(model(x, mask=mask).transpose(1, 2), x)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    print(i, loss)
reversible = Performer(dim=32, depth=2, heads=4, dim_head=8, reversible=True, nb_features=16, generalized_attention=True)
y = torch.randn(1, 16, 32, requires_grad=True)
reversible(y).pow(2).mean().backward()
print(y.grad.norm(), FastAttention(dim_heads=8, nb_features=16)(*torch.randn(3, 1, 2, 12, 8)).norm())
