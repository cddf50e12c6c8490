import torch
from linformer import Linformer, LinformerLM, LinformerSelfAttention
torch.manual_seed(0)
model = LinformerLM(num_tokens=40, dim=32, seq_len=32, depth=2, heads=4, dim_head=8, k=8, one_kv_head=True, share_kv=False, reversible=True)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x = torch.randint(0, 40, (2, 32))
for i in range(3):
    loss = torch.nn.functional.cross_entropy(model(x).transpose(1, 2), x)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    print(i, loss)
y = torch.randn(1, 32, 32, requires_grad=True)
print(Linformer(dim=32, seq_len=32, depth=1, heads=4, k=8)(y).sum(), LinformerSelfAttention(dim=32, seq_len=32, heads=4, k=8)(y, context=y[:, :20]).norm())
