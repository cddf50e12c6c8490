import torch
from fvcore.nn import parameter_count, parameter_count_table
from fvcore.nn.precise_bn import update_bn_stats
from ptflops import get_model_complexity_info
from thop import clever_format, profile
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.ZeroPad2d(1), nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AvgPool2d(2), nn.Conv2d(8, 8, 3, groups=4), nn.PReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5), nn.Softmax(-1))
print(profile(model, (torch.randn(1, 3, 16, 16),), verbose=False), clever_format([1.5e6, 2300.0], "%.2f"))
print(profile(nn.LSTM(4, 6), (torch.randn(5, 1, 4),), verbose=False), profile(nn.ConvTranspose2d(4, 6, 3), (torch.randn(1, 4, 5, 5),), verbose=False))
for backend in ("pytorch", "aten"):
    print(backend, get_model_complexity_info(model, (3, 16, 16), backend=backend, print_per_layer_stat=False, as_strings=False))
print(get_model_complexity_info(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), (5, 8), backend="pytorch", print_per_layer_stat=False, as_strings=True))
print(parameter_count(model)["1"], parameter_count_table(model))
update_bn_stats(model, [torch.randn(4, 3, 16, 16) for _ in range(3)], 3)
print(model[2].running_mean, model[2].running_var)
