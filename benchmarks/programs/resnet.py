"""A full training step of a ResNet of bottleneck blocks, with SGD and momentum: ResNet-50 by default."""

import dataclasses
import itertools

from benchmarks.programs.training import classifier_step

TITLE = "ResNet-50, 64x3x224x224, SGD with momentum"
EXPANSION = 4


@dataclasses.dataclass(frozen=True)
class Block:
    """One bottleneck: 1x1 to `narrow` channels, 3x3 with a stride, 1x1 to `wide` channels."""

    channels: int
    narrow: int
    stride: int

    @property
    def wide(self) -> int:
        """Channels that come out."""
        return EXPANSION * self.narrow

    @property
    def projects(self) -> bool:
        """Whether what is added is a convolution of the input, not the input."""
        return self.stride != 1 or self.channels != self.wide


@dataclasses.dataclass(frozen=True)
class Size:
    """Shapes of the model and of its batch."""

    depths: tuple = (3, 4, 6, 3)
    width: int = 64
    image: int = 224
    batch: int = 64
    classes: int = 1000

    @property
    def items(self) -> int:
        """Images of a step."""
        return self.batch

    @property
    def blocks(self) -> tuple:
        """All Blocks, in their order."""
        found, channels = [], self.width
        for stage, depth in enumerate(self.depths):
            for place in range(depth):
                found.append(Block(channels, self.width * 2 ** stage, 2 if stage and not place else 1))
                channels = found[-1].wide
        return tuple(found)

    @property
    def flops(self) -> int:
        """Of the convolutions and of the last layer in a step: two for each product, forward and both gradients."""
        side = self.image // 2
        products = side ** 2 * 3 * 49 * self.width
        side //= 2
        for block in self.blocks:
            products += side ** 2 * block.channels * block.narrow
            side //= block.stride
            products += side ** 2 * (9 * block.narrow ** 2 + block.narrow * block.wide)
            if block.projects:
                products += side ** 2 * block.channels * block.wide
        return 6 * self.batch * (products + self.blocks[-1].wide * self.classes)


DEFAULT = Size()


def _block_class(torch):
    nn = torch.nn

    class Bottleneck(nn.Module):
        def __init__(self, block):
            super().__init__()
            widths = (block.channels, block.narrow, block.narrow, block.wide)
            kernels, strides = (1, 3, 1), (1, block.stride, 1)
            layers = []
            for (before, after), kernel, stride in zip(itertools.pairwise(widths), kernels, strides, strict=True):
                convolution = nn.Conv2d(before, after, kernel, stride, kernel // 2, bias=False)
                layers += [convolution, nn.BatchNorm2d(after), nn.ReLU()]
            self.body = nn.Sequential(*layers[:-1])
            self.shortcut = nn.Identity()
            if block.projects:
                self.shortcut = nn.Sequential(nn.Conv2d(block.channels, block.wide, 1, block.stride, bias=False),
                                              nn.BatchNorm2d(block.wide))

        def forward(self, x):
            return torch.relu(self.body(x) + self.shortcut(x))

    return Bottleneck


def _model(torch, size):
    nn = torch.nn
    block = _block_class(torch)
    return nn.Sequential(
        nn.Conv2d(3, size.width, 7, 2, 3, bias=False), nn.BatchNorm2d(size.width), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
        *(block(each) for each in size.blocks),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(size.blocks[-1].wide, size.classes))


def make_step(torch, wrap, size=DEFAULT):
    """One step of the program in PyTorch's API; `wrap` compiles what a user would compile. Its result is the loss."""
    torch.manual_seed(0)
    model = wrap(_model(torch, size))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images = torch.randn(size.batch, 3, size.image, size.image)
    targets = torch.randint(0, size.classes, (size.batch,))
    return classifier_step(torch, model, optimizer, images, targets)
