import io
import torch, torchvision
from torch import nn
from torchvision import models, ops, tv_tensors
from torchvision.models.feature_extraction import create_feature_extractor
from torchvision.transforms import v2
import torchvision.transforms as v1
import torchvision.transforms.functional as F
torch.manual_seed(0)

def train(model, x, y, loss=nn.functional.cross_entropy):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for i in range(2):
        out = model(x)
        l = loss(out.logits if hasattr(out, "logits") else out, y)
        optimizer.zero_grad(); l.backward(); optimizer.step()
        print(type(model).__name__, i, l, torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None]).norm())
    return model

x, y = torch.randn(4, 3, 64, 64), torch.tensor([1, 3, 0, 2])
model = train(models.resnet18(num_classes=5), x, y)
file = io.BytesIO(); torch.save(model.state_dict(), file); file.seek(0)
other = models.resnet18(num_classes=5); other.load_state_dict(torch.load(file)); print((other.eval()(x) - model.eval()(x)).abs().max())
train(models.mobilenet_v3_small(num_classes=5, dropout=0.0), x, y)
train(models.VisionTransformer(64, 16, 2, 4, 32, 64, num_classes=5), x, y)
train(models.swin_transformer.SwinTransformer([2, 2], 16, [1, 1], [2, 2], [4, 4], stochastic_depth_prob=0.0, num_classes=5), x, y)
print(models.get_model_weights("resnet18").DEFAULT.name, len(models.list_models()))
features = create_feature_extractor(model, {"layer1": "a", "layer4.1.relu": "b"})
print({k: (tuple(v.shape), v.mean()) for k, v in features(x).items()})
# transforms
image = torch.randint(0, 256, (3, 40, 48), dtype=torch.uint8)
for t in (v1.Compose([v1.RandomResizedCrop(24, antialias=True), v1.RandomHorizontalFlip(), v1.ColorJitter(0.3, 0.3, 0.3, 0.1), v1.ConvertImageDtype(torch.float32), v1.Normalize([0.5] * 3, [0.2] * 3)]),
          v2.Compose([v2.RandomResizedCrop(24, antialias=True), v2.RandomHorizontalFlip(), v2.RandomRotation(20), v2.ToDtype(torch.float32, scale=True), v2.GaussianBlur(3), v2.Normalize([0.5] * 3, [0.2] * 3)]),
          v2.Compose([v2.RandAugment(), v2.ToDtype(torch.float32, scale=True)]), v2.Compose([v2.AutoAugment(), v2.ToDtype(torch.float32, scale=True)]), v2.RandomErasing(1.0)):
    torch.manual_seed(3); out = t(image); print(out.shape, out.dtype, out.float().mean(), out.float().std())
print(v2.functional.resize(image, [17, 23]).float().mean(), v2.functional.resize(image.float(), [17, 23], antialias=True).std(), F.rotate(image.float(), 30).mean(),
      F.affine(image.float(), 10, [2, 3], 1.2, [5, 2]).mean(), F.adjust_hue(image, 0.2).float().mean(), F.equalize(image).float().mean(), F.perspective(image.float(), [[0, 0], [40, 0], [40, 30], [0, 30]], [[2, 1], [38, 3], [40, 30], [0, 28]]).mean())
boxes = tv_tensors.BoundingBoxes([[2, 3, 20, 30], [10, 10, 40, 35]], format="XYXY", canvas_size=(40, 48))
torch.manual_seed(0)
i, b = v2.Compose([v2.RandomHorizontalFlip(1.0), v2.Resize((20, 24)), v2.SanitizeBoundingBoxes(labels_getter=None)])(tv_tensors.Image(image), boxes)
print(type(i).__name__, i.shape, type(b).__name__, b, b.canvas_size)
# operators
b = torch.rand(60, 4) * 50; b[:, 2:] += b[:, :2]; s = torch.rand(60)
print(ops.nms(b, s, 0.3), ops.batched_nms(b, s, torch.arange(60) % 3, 0.3).shape, ops.box_iou(b[:2], b[2:4]), ops.generalized_box_iou(b[:2], b[2:4]), ops.box_convert(b[:2], "xyxy", "cxcywh"))
f = torch.randn(2, 4, 20, 30, requires_grad=True)
o = ops.roi_align(f, [b[:3] / 3, b[3:5] / 3], (3, 4), 0.5, 2, True); (o ** 2).sum().backward(); print(o.sum(), f.grad.norm())
g = torch.randn(2, 24, 10, 12, requires_grad=True)
rois = torch.tensor([[0, 1.0, 2, 9, 8], [1, 0, 0, 5, 6], [1, -3, 4, 20, 9]])
for pooled in (ops.roi_pool(g, rois, (3, 2), 0.5), ops.ps_roi_align(g, rois, (3, 2), 0.5, 2), ops.PSRoIPool((3, 2), 0.5)(g, rois)):
    g.grad = None; (pooled ** 2).sum().backward(); print(tuple(pooled.shape), pooled.sum(), g.grad.norm())
deform = ops.DeformConv2d(24, 6, (3, 2), padding=1, groups=2)
offset, mask = torch.randn(2, 24, 10, 13, requires_grad=True), torch.rand(2, 12, 10, 13, requires_grad=True)
g.grad = None; o = deform(g, offset, mask); (o ** 2).sum().backward()
print(tuple(o.shape), o.sum(), *(p.grad.norm() for p in (g, offset, mask, deform.weight, deform.bias)), ops.deform_conv2d(g, offset, deform.weight, padding=1).norm())
print(ops.sigmoid_focal_loss(s, s.round(), reduction="mean"), ops.complete_box_iou_loss(b[:3], b[3:6]), ops.DropBlock2d(0.1, 3).eval()(f).mean())
print(ops.FeaturePyramidNetwork([4, 8], 4)({"a": f.detach(), "b": torch.randn(2, 8, 10, 15)})["b"].std())
torch.manual_seed(0)
detector = models.detection.FasterRCNN(models.detection.backbone_utils.mobilenet_backbone(backbone_name="mobilenet_v3_small", weights=None, fpn=True), num_classes=3, min_size=64, max_size=64, rpn_pre_nms_top_n_train=50, rpn_post_nms_top_n_train=20, rpn_pre_nms_top_n_test=50, rpn_post_nms_top_n_test=20, rpn_anchor_generator=models.detection.anchor_utils.AnchorGenerator(((8, 16, 32),) * 3, ((0.5, 1.0),) * 3))
target = [{"boxes": torch.tensor([[5.0, 5, 30, 30]]), "labels": torch.tensor([1])}]
losses = detector([torch.rand(3, 64, 64)], target); sum(losses.values()).backward()
print({k: v for k, v in losses.items()})
print(torchvision.utils.make_grid(torch.rand(4, 3, 8, 8)).shape)
