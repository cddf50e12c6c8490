import numpy as np
import torch
import torchattacks
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(2), torch.nn.Flatten(), torch.nn.Linear(32, 4)).eval()
x, y = torch.rand(3, 3, 12, 12), torch.tensor([0, 2, 1])
jsma = [torchattacks.JSMA(model, gamma=0.01)] if hasattr(torchattacks, "JSMA") else []  # from 3.5 on, which asks for a requests of 2020
for attack in (torchattacks.FGSM(model, 0.03), torchattacks.PGD(model, steps=4), torchattacks.CW(model, steps=4), torchattacks.MIFGSM(model, steps=3), torchattacks.BIM(model, steps=3), torchattacks.DeepFool(model, steps=4), torchattacks.TIFGSM(model, steps=2), torchattacks.DIFGSM(model, steps=2),
               torchattacks.RFGSM(model, steps=2), torchattacks.PGDL2(model, steps=3), torchattacks.NIFGSM(model, steps=2), torchattacks.VMIFGSM(model, steps=2, N=2), torchattacks.UPGD(model, steps=2), *jsma, torchattacks.Pixle(model, restarts=2, max_iterations=2), torchattacks.GN(model)):
    torch.manual_seed(1); np.random.seed(1); out = attack(x, y); print(type(attack).__name__, (out - x).abs().mean(), (out - x).norm(), model(out).argmax(1))
