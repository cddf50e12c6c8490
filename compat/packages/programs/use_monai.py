import torch
from monai.data import DataLoader, Dataset, decollate_batch
from monai.inferers import SlidingWindowInferer
from monai.losses import DiceCELoss, DiceLoss, FocalLoss, GeneralizedDiceLoss, TverskyLoss, SSIMLoss
from monai.metrics import DiceMetric, HausdorffDistanceMetric, MeanIoU, ROCAUCMetric, compute_roc_auc
from monai.networks.nets import UNet, SegResNet, DenseNet121, BasicUNet, ViT, AutoEncoder, SwinUNETR
from monai.transforms import Compose, EnsureChannelFirstd, RandFlipd, RandGaussianNoised, RandRotate90d, ScaleIntensityd, AsDiscrete, Resize, Rotate, GaussianSmooth, RandAffined, EnsureTyped, CenterSpatialCropd
from monai.utils import set_determinism
set_determinism(0)
x, y = torch.rand(2, 1, 32, 32), torch.randint(0, 2, (2, 1, 32, 32)).float()

def train(model, loss, x, y, steps=2):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for i in range(steps):
        out = model(x); out = out[0] if isinstance(out, tuple) else out
        l = loss(out, y); optimizer.zero_grad(); l.backward(); optimizer.step(); print(type(model).__name__, i, l)
    return model

model = train(UNet(2, 1, 1, (4, 8, 16), (2, 2), num_res_units=1), DiceLoss(sigmoid=True), x, y)
train(SegResNet(2, init_filters=8, in_channels=1, out_channels=1, blocks_down=(1, 1), blocks_up=(1,)), DiceCELoss(sigmoid=True), x, y)
train(BasicUNet(2, 1, 1, (4, 4, 8, 8, 8, 4)), FocalLoss(), x, y)
train(ViT(1, (32, 32), (8, 8), 16, 32, 1, 2, classification=True, num_classes=1, spatial_dims=2), lambda a, b: a.pow(2).mean(), x, y)
train(AutoEncoder(2, 1, 1, (4, 8), (2, 2)), SSIMLoss(2), x, y)
train(UNet(3, 1, 2, (4, 8), (2,)), GeneralizedDiceLoss(to_onehot_y=True, softmax=True), torch.rand(1, 1, 16, 16, 16), torch.randint(0, 2, (1, 1, 16, 16, 16)))
print(TverskyLoss()(torch.sigmoid(x), y), SlidingWindowInferer((16, 16), 2, 0.25, mode="gaussian")(torch.rand(1, 1, 40, 40), model.eval()).mean())
a = AsDiscrete(threshold=0.5)(torch.rand(2, 1, 16, 16)); b = (torch.rand(2, 1, 16, 16) > 0.5).float()
for metric in (DiceMetric(), MeanIoU(), HausdorffDistanceMetric(percentile=95)):
    metric(a, b); print(type(metric).__name__, metric.aggregate())
print(compute_roc_auc(torch.rand(20), torch.randint(0, 2, (20,))))
transform = Compose([EnsureChannelFirstd(["image", "label"], channel_dim="no_channel"), ScaleIntensityd("image"), RandFlipd(["image", "label"], 0.5, 0), RandRotate90d(["image", "label"], 0.5), RandAffined(["image", "label"], prob=1.0, rotate_range=0.3, scale_range=0.1, mode=("bilinear", "nearest")), RandGaussianNoised("image", 1.0), CenterSpatialCropd(["image", "label"], 12), EnsureTyped(["image", "label"])])
transform.set_random_state(0)
data = Dataset([{"image": torch.rand(16, 16), "label": (torch.rand(16, 16) > 0.5).float()} for _ in range(4)], transform)
for batch in DataLoader(data, batch_size=2):
    print(type(batch["image"]).__name__, batch["image"].shape, batch["image"].mean(), batch["label"].sum(), len(decollate_batch(batch)))
image = torch.rand(1, 20, 20)
print(Resize((10, 14))(image).mean(), Rotate(0.4)(image).std(), GaussianSmooth(1.0)(image).std(), Resize((10, 14))(image).affine)
