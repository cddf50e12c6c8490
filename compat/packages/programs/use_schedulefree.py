"""Optimizers from packages of their own: schedulefree, prodigyopt, loralib's layers under them."""
import loralib
import prodigyopt
import schedulefree
import torch
for make in (lambda p: schedulefree.AdamWScheduleFree(p, lr=0.01, warmup_steps=2), lambda p: schedulefree.SGDScheduleFree(p, lr=0.1), lambda p: schedulefree.RAdamScheduleFree(p, lr=0.01),
             lambda p: schedulefree.AdamWScheduleFreeClosure(p, lr=0.01), lambda p: schedulefree.ScheduleFreeWrapper(torch.optim.SGD(p, lr=0.1), momentum=0.9), lambda p: prodigyopt.Prodigy(p), lambda p: prodigyopt.Prodigy(p, safeguard_warmup=True, decouple=False, weight_decay=0.1)):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), loralib.Linear(8, 8, r=2, lora_alpha=4), loralib.MergedLinear(8, 12, r=2, enable_lora=[True, False, True]))
    loralib.mark_only_lora_as_trainable(model, bias="lora_only")
    model[0].requires_grad_(True)
    optimizer = make([p for p in model.parameters() if p.requires_grad]); name = type(optimizer).__name__
    x = torch.randn(16, 6)
    if hasattr(optimizer, "train"): optimizer.train()
    for i in range(4):
        def closure():
            optimizer.zero_grad(); loss = (model(x) - x.repeat(1, 2)).pow(2).mean(); loss.backward(); return loss
        if "Closure" in name: loss = optimizer.step(closure)
        else: loss = closure(); optimizer.step()
        print(name, i, loss)
    if hasattr(optimizer, "eval"): optimizer.eval()
    print(model.eval()(x).norm(), sorted(loralib.lora_state_dict(model)), len(optimizer.state_dict()["state"]))
