import torch
from UMNN import MonotonicNN, UMNNMAFFlow
torch.manual_seed(0)
model = MonotonicNN(3, [16, 16], nb_steps=20, dev="cpu")
optimizer = torch.optim.Adam(model.parameters(), 1e-2)
x = torch.randn(32, 3); y = 0.1 * x[:, 0] ** 3 + x[:, 1]
for i in range(4):
    loss = ((model(x[:, [0]], x[:, 1:])[:, 0] - y) ** 2).mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    print(i, loss)
flow = UMNNMAFFlow(nb_flow=1, nb_in=2, hidden_derivative=[16], hidden_embedding=[16], embedding_s=4, nb_steps=10, device="cpu")
ll, z = flow.compute_ll(x[:, :2])
ll.mean().backward()
print(ll[:3], z[:2])
