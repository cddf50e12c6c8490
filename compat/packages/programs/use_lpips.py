"""Measures of images: pytorch-msssim, lpips (with random weights), piq."""
import lpips
import piq
import pytorch_msssim
import torch
torch.manual_seed(0)
x = torch.rand(2, 3, 96, 96); y = (x + 0.1 * torch.randn_like(x)).clamp(0, 1).requires_grad_()
for measure in (pytorch_msssim.SSIM(data_range=1.0), pytorch_msssim.MS_SSIM(data_range=1.0, win_size=5)):
    value = 1 - measure(x, y); (g,) = torch.autograd.grad(value, y); print(type(measure).__name__, value, g.norm())
for name in ("ssim", "multi_scale_ssim", "psnr", "total_variation", "vif_p", "fsim", "gmsd", "multi_scale_gmsd", "vsi", "haarpsi", "mdsi", "srsim", "dss", "information_weighted_ssim"):
    options = dict(kernel_size=5) if "multi_scale_ssim" == name or "information" in name else {}
    value = getattr(piq, name)(y) if name == "total_variation" else getattr(piq, name)(x, y, data_range=1.0, **options)
    (g,) = torch.autograd.grad(value, y); print(name, value, g.norm())
a, b = torch.randn(40, 8), torch.randn(40, 8) + 0.3
print(piq.FID()(a.double(), b.double()), piq.KID()(a, b), piq.IS()(a, b))
torch.manual_seed(1)
for net in ("alex", "squeeze"):
    distance = lpips.LPIPS(net=net, pretrained=False, pnet_rand=True, verbose=False).eval()
    optimizer = torch.optim.Adam([y], lr=0.01)
    for i in range(2):
        loss = distance(x, y, normalize=True).mean(); optimizer.zero_grad(); loss.backward(); optimizer.step(); print(net, i, loss, y.grad.norm())
