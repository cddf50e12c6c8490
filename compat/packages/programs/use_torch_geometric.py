import torch
import torch.nn.functional as F
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GATConv, GCNConv, GINConv, MessagePassing, SAGEConv, global_mean_pool
from torch_geometric.utils import add_self_loops, degree, scatter, softmax, to_undirected

torch.manual_seed(0)
edges = to_undirected(torch.randint(20, (2, 40)))
data = Data(x=torch.randn(20, 8), edge_index=edges, y=torch.randint(3, (20,)))
print(data, data.num_edges, data.has_isolated_nodes(), data.is_undirected())


class Net(torch.nn.Module):
    def __init__(self, first, second):
        super().__init__()
        self.first, self.second = first, second

    def forward(self, data):
        x = F.dropout(F.relu(self.first(data.x, data.edge_index)), training=self.training)
        return F.log_softmax(self.second(x, data.edge_index), dim=1)


def mlp():
    return torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 16))


for name, model in {"GCN": Net(GCNConv(8, 16), GCNConv(16, 3)), "GAT": Net(GATConv(8, 8, heads=2), GATConv(16, 3)),
                    "SAGE": Net(SAGEConv(8, 16), SAGEConv(16, 3)), "GIN": Net(GINConv(mlp()), GCNConv(16, 3))}.items():
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    for i in range(4):
        optimizer.zero_grad()
        loss = F.nll_loss(model(data), data.y)
        loss.backward()
        optimizer.step()
        print(name, i, loss)


class Convolution(MessagePassing):
    def __init__(self):
        super().__init__(aggr="add")
        self.lin = torch.nn.Linear(8, 4)

    def forward(self, x, edge_index):
        edge_index, _ = add_self_loops(edge_index, num_nodes=x.size(0))
        row, col = edge_index
        norm = degree(col, x.size(0), dtype=x.dtype).pow(-0.5)
        return self.propagate(edge_index, x=self.lin(x), norm=norm[row] * norm[col])

    def message(self, x_j, norm):
        return norm.view(-1, 1) * x_j


out = Convolution()(data.x, edges)
out.sum().backward()
print(out[0], scatter(torch.arange(6.), torch.tensor([0, 1, 0, 2, 2, 1]), reduce="max"))
print(softmax(torch.randn(6), torch.tensor([0, 0, 1, 1, 2, 2])))
graphs = [Data(x=torch.randn(n, 8), edge_index=torch.randint(n, (2, 3 * n)), y=torch.tensor([n % 2])) for n in range(4, 12)]
conv, head = GCNConv(8, 16), torch.nn.Linear(16, 2)
for batch in DataLoader(graphs, batch_size=4, shuffle=True):
    print(batch.num_graphs, batch.batch, F.cross_entropy(head(global_mean_pool(conv(batch.x, batch.edge_index), batch.batch)), batch.y))
