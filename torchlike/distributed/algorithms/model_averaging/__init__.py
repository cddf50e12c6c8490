"""`torch.distributed.algorithms.model_averaging`: parameters are averaged now and then, gradients not at all.
https://pytorch.org/docs/stable/distributed.optim.html

Ranks take steps of their own between two averages, as in federated averaging. `averagers.py` has the one who does it.

Start with `averagers.py`.
"""
