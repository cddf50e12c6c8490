"""Optimizers with sparse gradients, compared with torch."""

from tests.api.sparse.running import each_as_torch

PROGRAMS = [
    "mod=run_opt(torch.optim.SGD,lr=.1); mod",
    "mod=run_opt(torch.optim.SGD,lr=.1,momentum=.9); mod",
    "mod=run_opt(torch.optim.SGD,lr=.1,weight_decay=.1); mod",
    "mod=run_opt(torch.optim.Adagrad,lr=.1); mod",
    "mod=run_opt(torch.optim.Adagrad,lr=.1,weight_decay=.1); mod",
    "mod=run_opt(torch.optim.SparseAdam,lr=.1); mod",
    "mod=run_opt(torch.optim.SparseAdam,lr=.1,maximize=True); mod",
    "run_opt(torch.optim.Adam,lr=.1)",
    "run_opt(torch.optim.AdamW,lr=.1)",
    "run_opt(torch.optim.NAdam,lr=.1)",
    "run_opt(torch.optim.RAdam,lr=.1)",
    "run_opt(torch.optim.Adamax,lr=.1)",
    "run_opt(torch.optim.Adadelta,lr=.1)",
    "run_opt(torch.optim.RMSprop,lr=.1)",
    "run_opt(torch.optim.Rprop,lr=.1)",
    "run_opt(torch.optim.ASGD,lr=.1)",
    "run_opt(torch.optim.Adafactor,lr=.1)",
    "torch.optim.SparseAdam([torch.ones(2,requires_grad=True)],lr=-1)",
    "torch.optim.SparseAdam([torch.ones(2,requires_grad=True)],betas=(1.,.9))",
    "torch.optim.SparseAdam([sg])",
    "p=torch.ones(2,requires_grad=True); o=torch.optim.SparseAdam([p]); p.sum().backward(); o.step()",
    "w=emb(); torch.nn.utils.clip_grad_norm_([w],1.)",
    "w=emb(); torch.nn.utils.clip_grad_norm_([w],1.); w.grad",
    "w=emb(); w.grad.zero_(); w.grad",
    "w=emb(); o=torch.optim.SGD([w],.1); o.zero_grad(set_to_none=False); w.grad",
    "w=emb(); w.grad.norm()",
    "w=emb(); w.grad*2",
    "w=emb(); w.grad.coalesce()",
    "w=emb(); w.grad.data",
    "w=emb(); w.grad.detach_()",
    "w=emb(); copy.deepcopy(w).grad",
    "w=emb(); o=torch.optim.SparseAdam([w]); o.step(); o.state_dict()",
]

test_programs = each_as_torch(PROGRAMS)
