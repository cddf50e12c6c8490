"""A full training step of ResNet-18 on small images, batch 8 of 3x64x64, with SGD and momentum."""

from benchmarks.programs.training import classifier_step

TITLE = "ResNet-18, 8x3x64x64, SGD with momentum"
WIDTHS, BATCH, IMAGE, CLASSES = (64, 128, 256, 512), 8, 64, 1000


def _block_class(torch):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, before, after, stride):
            super().__init__()
            self.body = nn.Sequential(
                nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU(),
                nn.Conv2d(after, after, 3, 1, 1, bias=False), nn.BatchNorm2d(after))
            self.shortcut = nn.Identity()
            if stride != 1:
                self.shortcut = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

        def forward(self, x):
            return torch.relu(self.body(x) + self.shortcut(x))

    return Block


def _model(torch):
    nn = torch.nn
    block = _block_class(torch)
    before = WIDTHS[0]
    layers = [nn.Conv2d(3, before, 7, 2, 3, bias=False), nn.BatchNorm2d(before), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    for after in WIDTHS:
        layers += [block(before, after, 1 if after == before else 2), block(after, after, 1)]
        before = after
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(before, CLASSES))


def make_step(torch, wrap):
    """One step of the program in PyTorch's API; `wrap` compiles what a user would compile. Its result is the loss."""
    torch.manual_seed(0)
    model = wrap(_model(torch))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images, targets = torch.randn(BATCH, 3, IMAGE, IMAGE), torch.randint(0, CLASSES, (BATCH,))
    return classifier_step(torch, model, optimizer, images, targets)
