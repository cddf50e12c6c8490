import torch, normflows as nf
torch.manual_seed(0)
base = nf.distributions.base.DiagGaussian(2)
fl = []
for i in range(3):
    fl += [nf.flows.AffineCouplingBlock(nf.nets.MLP([1, 16, 2], init_zeros=True)), nf.flows.Permute(2, mode="swap")]
m = nf.NormalizingFlow(base, fl)
opt = torch.optim.Adam(m.parameters(), lr=1e-2)
x = torch.randn(64, 2) * 0.5 + 1
for i in range(4):
    loss = m.forward_kld(x); opt.zero_grad(); loss.backward(); opt.step(); print(i, loss)
print(m.log_prob(x)[:3])
