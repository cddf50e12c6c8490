import torch
from neuralop import H1Loss, LpLoss
from neuralop.models import FNO, TFNO
torch.manual_seed(0)
x, y = torch.randn(2, 1, 16, 16), torch.randn(2, 1, 16, 16)
for make in (lambda: FNO(n_modes=(6, 6), in_channels=1, out_channels=1, hidden_channels=8, n_layers=2), lambda: TFNO(n_modes=(6, 6), in_channels=1, out_channels=1, hidden_channels=8, n_layers=2, factorization="Tucker", rank=0.5)):
    model = make(); optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for loss_of in (LpLoss(d=2, p=2), H1Loss(d=2)):
        loss = loss_of(model(x), y); optimizer.zero_grad(); loss.backward(); optimizer.step(); print(type(model).__name__, loss, sum(p.numel() for p in model.parameters()))
