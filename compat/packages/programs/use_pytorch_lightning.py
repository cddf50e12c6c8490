import logging
import tempfile
import warnings
import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import EarlyStopping, ModelCheckpoint, StochasticWeightAveraging
from pytorch_lightning.loggers import CSVLogger

warnings.filterwarnings("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
pl.seed_everything(0, verbose=False)


class Gan(pl.LightningModule):
    """Two optimizers, stepped by hand."""

    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.maker = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 8))
        self.judge = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.LeakyReLU(0.2), torch.nn.Linear(16, 1))

    def training_step(self, batch, i):
        x, loss = batch[0], torch.nn.functional.binary_cross_entropy_with_logits
        first, second = self.optimizers()
        self.toggle_optimizer(first)
        a = loss(self.judge(self.maker(torch.randn(len(x), 4))), torch.ones(len(x), 1))
        first.zero_grad(); self.manual_backward(a); first.step()
        self.untoggle_optimizer(first)
        b = (loss(self.judge(x), torch.ones(len(x), 1)) + loss(self.judge(self.maker(torch.randn(len(x), 4)).detach()), torch.zeros(len(x), 1))) / 2
        second.zero_grad(); self.manual_backward(b); second.step()
        print(i, a, b)

    def configure_optimizers(self):
        return torch.optim.Adam(self.maker.parameters(), lr=1e-2), torch.optim.Adam(self.judge.parameters(), lr=1e-2)


class Fit(pl.LightningModule):
    def __init__(self, lr=0.05):
        super().__init__()
        self.save_hyperparameters()
        self.layer = torch.nn.Linear(8, 1)

    def training_step(self, batch, i):
        loss = torch.nn.functional.mse_loss(self.layer(batch[0]), batch[1])
        self.log("loss", loss, on_epoch=True)
        return loss

    def validation_step(self, batch, i):
        self.log("valid", torch.nn.functional.mse_loss(self.layer(batch[0]), batch[1]))

    def predict_step(self, batch, i):
        return self.layer(batch[0])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr)


x = torch.randn(48, 8)
loader = lambda **options: torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True)), batch_size=16, **options)
with tempfile.TemporaryDirectory() as folder:
    quiet = dict(accelerator="cpu", enable_progress_bar=False, enable_model_summary=False, default_root_dir=folder)
    pl.Trainer(max_epochs=1, logger=False, enable_checkpointing=False, **quiet).fit(Gan(), loader(shuffle=True))
    best = ModelCheckpoint(folder, monitor="valid", save_last=True)
    trainer = pl.Trainer(max_epochs=4, logger=CSVLogger(folder), callbacks=[best, EarlyStopping("valid"), StochasticWeightAveraging(0.01, swa_epoch_start=2)], **quiet)
    model = Fit()
    trainer.fit(model, loader(shuffle=True), loader())
    print(trainer.callback_metrics, model.layer.weight)
    print(torch.cat(trainer.predict(model, loader())).std())
    again = pl.Trainer(max_epochs=6, logger=False, callbacks=[ModelCheckpoint(folder)], **quiet)
    again.fit(model, loader(shuffle=True), loader(), ckpt_path=best.last_model_path, weights_only=False)
    print(again.current_epoch, again.global_step, again.callback_metrics["valid"])
    print(Fit.load_from_checkpoint(best.best_model_path, weights_only=False).hparams)
