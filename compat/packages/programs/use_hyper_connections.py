import torch
from hyper_connections import get_init_and_expand_reduce_stream_functions
torch.manual_seed(0)
init, expand, reduce = get_init_and_expand_reduce_stream_functions(4)
branches = torch.nn.ModuleList([init(dim=16, branch=torch.nn.Sequential(torch.nn.LayerNorm(16), torch.nn.Linear(16, 16), torch.nn.GELU())) for _ in range(2)])
optimizer = torch.optim.Adam(branches.parameters(), lr=1e-2)
x = torch.randn(2, 8, 16)
for i in range(4):
    y = expand(x)
    for branch in branches:
        y = branch(y)
    loss = (reduce(y) - x.roll(1, 1)).pow(2).mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    print(i, loss)
