import tempfile
import torch
from ignite.engine import Engine, Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import Checkpoint, DiskSaver, EarlyStopping, LRScheduler, ModelCheckpoint, TerminateOnNan, create_lr_scheduler_with_warmup
from ignite.metrics import Accuracy, ConfusionMatrix, Fbeta, IoU, Loss, MeanSquaredError, Precision, Recall, RunningAverage, SSIM, TopKCategoricalAccuracy
torch.manual_seed(0)
x = torch.randn(64, 8)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x[:, :3].argmax(1)), batch_size=16, shuffle=True)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
loss = torch.nn.CrossEntropyLoss()
trainer = create_supervised_trainer(model, optimizer, loss)
RunningAverage(output_transform=lambda output: output).attach(trainer, "average")
precision, recall = Precision(average=False), Recall(average=False)
evaluator = create_supervised_evaluator(model, metrics={"accuracy": Accuracy(), "loss": Loss(loss), "precision": precision, "f": Fbeta(1.0, average=False, precision=precision, recall=recall),
                                                        "matrix": ConfusionMatrix(3), "iou": IoU(ConfusionMatrix(3)), "top": TopKCategoricalAccuracy(2)})
trainer.add_event_handler(Events.ITERATION_STARTED, create_lr_scheduler_with_warmup(torch.optim.lr_scheduler.StepLR(optimizer, 4, 0.5), 0.001, 3))
trainer.add_event_handler(Events.ITERATION_COMPLETED, TerminateOnNan())
evaluator.add_event_handler(Events.COMPLETED, EarlyStopping(3, lambda engine: -engine.state.metrics["loss"], trainer))

@trainer.on(Events.EPOCH_COMPLETED)
def evaluate(engine):
    evaluator.run(loader)
    print(engine.state.epoch, engine.state.metrics, optimizer.param_groups[0]["lr"], evaluator.state.metrics)

@trainer.on(Events.ITERATION_COMPLETED(every=5))
def tell(engine):
    print(engine.state.iteration, engine.state.output)

with tempfile.TemporaryDirectory() as folder:
    checkpoint = Checkpoint({"model": model, "optimizer": optimizer, "trainer": trainer}, DiskSaver(folder, create_dir=True), n_saved=1)
    trainer.add_event_handler(Events.EPOCH_COMPLETED, checkpoint)
    trainer.run(loader, max_epochs=3)
    before = model[0].weight.detach().clone()
    with torch.no_grad():
        model[0].weight.zero_()
    Checkpoint.load_objects({"model": model, "optimizer": optimizer}, torch.load(checkpoint.last_checkpoint, weights_only=False))
    print((model[0].weight - before).abs().max())
metric = SSIM(data_range=1.0); a = torch.rand(2, 3, 24, 24); metric.update((a, a * 0.9)); print(metric.compute())
