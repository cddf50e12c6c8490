import kornia as K
import torch

torch.manual_seed(0)
x = torch.rand(2, 3, 16, 16, requires_grad=True)
for name, f in {"gaussian": lambda x: K.filters.gaussian_blur2d(x, (3, 3), (1.5, 1.5)), "sobel": K.filters.sobel,
                "canny": lambda x: K.filters.canny(x)[0], "median": lambda x: K.filters.median_blur(x, (3, 3)),
                "laplacian": lambda x: K.filters.laplacian(x, 3), "gray": K.color.rgb_to_grayscale, "hsv": K.color.rgb_to_hsv,
                "lab": K.color.rgb_to_lab, "yuv": K.color.rgb_to_yuv, "gamma": lambda x: K.enhance.adjust_gamma(x, 0.7),
                "equalize": lambda x: K.enhance.equalize(x), "rotate": lambda x: K.geometry.rotate(x, torch.tensor([30.0, 10.0])),
                "resize": lambda x: K.geometry.resize(x, (8, 24)), "pyrdown": K.geometry.pyrdown,
                "erosion": lambda x: K.morphology.erosion(x, torch.ones(3, 3)),
                "harris": lambda x: K.feature.harris_response(K.color.rgb_to_grayscale(x))}.items():
    x.grad = None
    y = f(x)
    if y.requires_grad:
        y.square().mean().backward()
    print(name, tuple(y.shape), y.mean(), y.std(), None if x.grad is None else x.grad.norm())
src = torch.tensor([[[0.0, 0.0], [15.0, 0.0], [15.0, 15.0], [0.0, 15.0]]])
M = K.geometry.get_perspective_transform(src, src + torch.randn(1, 4, 2))
print(M, K.geometry.warp_perspective(x[:1], M, (16, 16)).mean())
q = K.geometry.quaternion.Quaternion.random(2)
print(K.geometry.conversions.axis_angle_to_rotation_matrix(torch.randn(2, 3)), q.matrix())
print(K.losses.ssim_loss(x, x.detach().flip(3), 5), K.losses.total_variation(x), K.losses.DiceLoss()(torch.randn(2, 4, 8, 8), torch.randint(4, (2, 8, 8))))
torch.manual_seed(1)
augment = K.augmentation.AugmentationSequential(K.augmentation.RandomHorizontalFlip(p=0.5), K.augmentation.ColorJitter(0.1, 0.1, 0.1, 0.1, p=1.0),
                                                K.augmentation.RandomAffine(20.0, p=1.0), data_keys=["input"])
print(augment(x.detach()).mean((1, 2, 3)))
