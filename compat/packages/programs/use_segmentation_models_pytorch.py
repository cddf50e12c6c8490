import segmentation_models_pytorch as smp
import torch

torch.set_default_dtype(torch.float64)  # in float32 a rounding grows to a hundredth in two steps
torch.manual_seed(0)
x, y = torch.randn(4, 3, 64, 64), torch.randint(2, (4, 1, 64, 64)).float()
for kind, options in ((smp.Unet, {}), (smp.FPN, {}), (smp.Linknet, {})):
    model = kind("resnet18", encoder_weights=None, classes=1, **options)
    loss_function = smp.losses.DiceLoss("binary")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for i in range(2):
        loss = loss_function(model(x), y) + smp.losses.FocalLoss("binary")(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(kind.__name__, i, loss)
    print(model.eval()(x).mean())
tp, fp, fn, tn = smp.metrics.get_stats(torch.rand(2, 1, 8, 8), torch.randint(2, (2, 1, 8, 8)), mode="binary", threshold=0.5)
print(smp.metrics.iou_score(tp, fp, fn, tn, reduction="micro"), smp.metrics.f1_score(tp, fp, fn, tn, reduction="macro"))
