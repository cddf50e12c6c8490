import torch
from pytorch_tcn import TCN, TemporalConv1d, TemporalConvTranspose1d
for options in (dict(causal=True), dict(causal=False, use_norm="layer_norm", activation="gelu"), dict(causal=True, use_skip_connections=True, use_norm="batch_norm"), dict(causal=True, use_gate=True, input_shape="NLC")):
    torch.manual_seed(0)
    x = torch.randn(2, 4, 20)
    model = TCN(4, [8, 8, 6], kernel_size=3, dropout=0.0, **options)
    given = x.transpose(1, 2) if options.get("input_shape") == "NLC" else x
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for i in range(3):
        loss = (model(given) - 1).pow(2).mean(); optimizer.zero_grad(); loss.backward(); optimizer.step(); print(i, loss)
    print(options, [(k, tuple(v.shape)) for k, v in model.state_dict().items()][:4])
torch.manual_seed(0)
model = TCN(4, [8, 6], kernel_size=3, causal=True, dropout=0.0).eval(); model.reset_buffers()
with torch.no_grad(): print(torch.cat([model(x[:1, :, i:i + 5], inference=True) for i in range(0, 20, 5)], -1).sum(), model(x[:1]).sum())
print(TemporalConvTranspose1d(4, 3, 4, stride=2)(x).shape, TemporalConv1d(4, 3, 3)(x).sum())
