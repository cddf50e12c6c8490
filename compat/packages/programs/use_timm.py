import io
import timm
import torch
from timm.data import Mixup, create_transform
from timm.loss import LabelSmoothingCrossEntropy, SoftTargetCrossEntropy
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler
from timm.utils import ModelEmaV3, accuracy
torch.manual_seed(0)
x, y = torch.randn(4, 3, 64, 64), torch.tensor([1, 3, 0, 2])
for name, options in {"vit_tiny_patch16_224": dict(img_size=64, patch_size=8, depth=2), "resnet18": {}, "convnext_atto": dict(depths=(1, 1, 1, 1)), "regnetx_002": {},
                      "mobilenetv3_small_050": {}, "swin_tiny_patch4_window7_224": dict(img_size=64, window_size=4, depths=(1, 1), num_heads=(2, 2), embed_dim=16)}.items():
    torch.manual_seed(2)
    model = timm.create_model(name, num_classes=5, **options)
    optimizer = create_optimizer_v2(model, opt="sgd", lr=1e-2, weight_decay=0.05)
    for i in range(2):
        loss = LabelSmoothingCrossEntropy()(model(x), y)
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        print(name, i, loss, torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None]).norm())
    print(sum(p.numel() for p in model.parameters()), model.eval()(x)[0], accuracy(model(x), y, topk=(1, 3)))
file = io.BytesIO(); torch.save(model.state_dict(), file); file.seek(0)
again = timm.create_model(name, num_classes=5, **options); again.load_state_dict(torch.load(file)); print((again.eval()(x) - model(x)).abs().max())
backbone = timm.create_model("resnet18", features_only=True, out_indices=(1, 3)).eval()
print([(tuple(f.shape), f.mean()) for f in backbone(x)], backbone.feature_info.channels())
for opt in ("sgd", "lamb", "adopt", "lion", "madgradw", "nadamw", "adafactor", "adabelief", "laprop", "muon"):
    torch.manual_seed(0)
    layer = torch.nn.Linear(6, 4); o = create_optimizer_v2(layer, opt=opt, lr=1e-2)
    for _ in range(3):
        l = (layer(torch.ones(2, 6)) ** 2).mean(); o.zero_grad(); l.backward(); o.step()
    print(opt, l)
scheduler = CosineLRScheduler(o, t_initial=10, warmup_t=2, warmup_lr_init=1e-5); scheduler.step(3); print(o.param_groups[0]["lr"])
ema = ModelEmaV3(layer, decay=0.9); ema.update(layer); print(ema.module.weight.norm())
import numpy; numpy.random.seed(0)
a, b = Mixup(mixup_alpha=0.8, cutmix_alpha=1.0, num_classes=5)(x.clone(), y); print(a.mean(), b, SoftTargetCrossEntropy()(model(a), b))
print(timm.list_models("vit_tiny*")[:2], timm.layers.trunc_normal_(torch.empty(3, 3), std=0.02), timm.layers.DropPath(0.5).eval()(x).mean())
