import snntorch as snn
import torch
from snntorch import spikegen, surrogate
from snntorch import functional as SF

torch.manual_seed(0)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = torch.nn.Linear(10, 16), torch.nn.Linear(16, 3)
        self.lif1 = snn.Leaky(beta=0.9, spike_grad=surrogate.fast_sigmoid(slope=25), learn_beta=True)
        self.lif2 = snn.Synaptic(alpha=0.8, beta=0.9, spike_grad=surrogate.atan())

    def forward(self, x):
        mem1 = self.lif1.init_leaky()
        syn2, mem2 = self.lif2.init_synaptic()
        spikes, potentials = [], []
        for step in range(x.size(0)):
            spike, mem1 = self.lif1(self.fc1(x[step]), mem1)
            spike, syn2, mem2 = self.lif2(self.fc2(spike), syn2, mem2)
            spikes.append(spike)
            potentials.append(mem2)
        return torch.stack(spikes), torch.stack(potentials)


net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
x, y = torch.rand(8, 10), torch.randint(3, (8,))
for i in range(4):
    spikes, potentials = net(spikegen.rate(x, num_steps=8))
    loss = SF.ce_rate_loss()(spikes, y) + SF.ce_temporal_loss()(spikes, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(i, loss, spikes.sum(), potentials.mean(), SF.accuracy_rate(spikes, y))
print(spikegen.latency(x[0], num_steps=5, normalize=True, linear=True).sum(0))
