import io
import contextlib
import torch
import torchinfo
import torchsummary
from torch import nn
torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2))
        self.head = nn.Linear(8 * 16, 5)

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


print(torchinfo.summary(Net(), (2, 3, 8, 8), col_names=("input_size", "output_size", "num_params", "kernel_size", "mult_adds", "trainable"), verbose=0, row_settings=("var_names", "depth")))
print(torchinfo.summary(nn.LSTM(4, 6, 2, batch_first=True), (2, 5, 4), verbose=0))
print(torchinfo.summary(nn.TransformerEncoderLayer(8, 2, 16), input_data=torch.randn(3, 2, 8), verbose=0, depth=4))
torchsummary.summary(Net(), (3, 8, 8), device="cpu")
