"""`torch.utils.tensorboard.summary`: the records of which logs are made."""

import importlib

hparams = importlib.import_module("tensorboardX.summary").hparams  # what loggers of packages use of it
