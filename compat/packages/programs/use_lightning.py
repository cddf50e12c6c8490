import logging
import tempfile
import warnings
import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping, LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from torchmetrics.classification import MulticlassAccuracy

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(0, verbose=False)


class Model(L.LightningModule):
    def __init__(self, width=16, lr=1e-2):
        super().__init__()
        self.save_hyperparameters()
        self.net = torch.nn.Sequential(torch.nn.Linear(8, width, bias=False), torch.nn.BatchNorm1d(width), torch.nn.ReLU(), torch.nn.Dropout(0.1),
                                       torch.nn.Linear(width, 3))
        self.accuracy = MulticlassAccuracy(3)

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, i):
        loss = torch.nn.functional.cross_entropy(self(batch[0]), batch[1])
        self.log("train_loss", loss)
        print(self.current_epoch, i, loss)
        return loss

    def validation_step(self, batch, i):
        out = self(batch[0])
        self.accuracy(out, batch[1])
        self.log("valid_loss", torch.nn.functional.cross_entropy(out, batch[1]), prog_bar=True)
        self.log("accuracy", self.accuracy)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)}


class Data(L.LightningDataModule):
    def setup(self, stage):
        generator = torch.Generator().manual_seed(1)
        x = torch.randn(64, 8, generator=generator)
        self.data = torch.utils.data.TensorDataset(x, x[:, :3].argmax(1))

    def train_dataloader(self):
        return torch.utils.data.DataLoader(self.data, batch_size=16, shuffle=True)

    def val_dataloader(self):
        return torch.utils.data.DataLoader(self.data, batch_size=32)


with tempfile.TemporaryDirectory() as folder:
    best = ModelCheckpoint(folder, monitor="valid_loss")
    trainer = L.Trainer(max_epochs=3, accelerator="cpu", callbacks=[best, EarlyStopping("valid_loss"), LearningRateMonitor()],
                        logger=CSVLogger(folder), log_every_n_steps=1, enable_progress_bar=False,
                        gradient_clip_val=1.0, accumulate_grad_batches=2)
    model, data = Model(), Data()
    trainer.fit(model, data)
    print(trainer.callback_metrics)
    print(trainer.validate(model, data, verbose=False))
    loaded = Model.load_from_checkpoint(best.best_model_path, weights_only=False)
    print(loaded.hparams, loaded.eval()(torch.ones(1, 8)))
    fabric = L.Fabric(accelerator="cpu")
    net, optimizer = fabric.setup(loaded.net, torch.optim.SGD(loaded.net.parameters(), lr=0.1))
    for x, y in fabric.setup_dataloaders(data.val_dataloader()):
        loss = torch.nn.functional.cross_entropy(net(x), y)
        fabric.backward(loss)
        optimizer.step()
        print(loss)
