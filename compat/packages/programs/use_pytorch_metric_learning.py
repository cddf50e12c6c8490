import torch
from pytorch_metric_learning import losses, miners, distances
torch.manual_seed(0)
e = torch.randn(16, 8, requires_grad=True); y = torch.randint(0, 4, (16,))
for f in (losses.TripletMarginLoss(), losses.NTXentLoss(), losses.ContrastiveLoss(), losses.MultiSimilarityLoss(), losses.CircleLoss(), losses.ArcFaceLoss(4, 8), losses.ProxyAnchorLoss(4, 8), losses.SupConLoss()):
    l = f(e, y); print(type(f).__name__, l, torch.autograd.grad(l, e)[0].norm())
m = miners.MultiSimilarityMiner(); print([v.shape for v in m(e, y)])
