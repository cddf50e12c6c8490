import tempfile
import torch
from accelerate import Accelerator, infer_auto_device_map, init_empty_weights, load_checkpoint_and_dispatch
from accelerate.utils import find_executable_batch_size, set_seed
from torch import nn
set_seed(0)
accelerator = Accelerator(gradient_accumulation_steps=2, cpu=True)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
data = torch.utils.data.TensorDataset(torch.randn(24, 8), torch.randint(0, 3, (24,)))
loader = torch.utils.data.DataLoader(data, batch_size=4, shuffle=True)
model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
for epoch in range(2):
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                print(epoch, accelerator.clip_grad_norm_(model.parameters(), 1.0), optimizer.param_groups[0]["lr"])
            optimizer.step(); scheduler.step(); optimizer.zero_grad()
    print(epoch, loss, accelerator.gather_for_metrics(y))
with tempfile.TemporaryDirectory() as folder:
    accelerator.save_state(folder)
    before = accelerator.unwrap_model(model)[0].weight.detach().clone()
    with torch.no_grad():
        model[0].weight.zero_()
    accelerator.load_state(folder); print((model[0].weight - before).abs().max())
    accelerator.save_model(model, folder + "/model")
    with init_empty_weights():
        empty = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    print(empty[0].weight.device, infer_auto_device_map(empty))
    full = load_checkpoint_and_dispatch(empty, folder + "/model", device_map={"": "cpu"})
    print(full(torch.ones(1, 8)), model(torch.ones(1, 8)))
from accelerate.state import AcceleratorState; AcceleratorState._reset_state(True); half = Accelerator(mixed_precision="bf16", cpu=True)
model = half.prepare(nn.Linear(8, 3)); loss = model(torch.ones(2, 8)).sum(); half.backward(loss); print(loss.dtype, accelerator.device, accelerator.num_processes, accelerator.is_main_process)

@find_executable_batch_size(starting_batch_size=8)
def run(batch_size):
    return batch_size
print(run())
