"""Reductions of consecutive rows, compared with torch."""

from tests.api.sparse.running import each_as_torch

PROGRAMS = [
    "torch._segment_reduce(torch.arange(6.).view(6,1),'max',offsets=tensor([0,2,2,6]),axis=0)",
    "torch._segment_reduce(torch.arange(6.),'mean',offsets=tensor([0,2,2,6]),axis=0,initial=0)",
    "torch._segment_reduce(torch.arange(6.),'mean',offsets=tensor([0,2,2,6]),axis=0)",
    "torch.segment_reduce(torch.arange(6.).view(3,2),'sum',lengths=tensor([1,2]))",
    "torch.segment_reduce(torch.arange(6.).view(3,2),'prod',lengths=tensor([1,2]),initial=2)",
    "torch.segment_reduce(torch.arange(6.).view(3,2),'min',lengths=tensor([1,0,2]),initial=1)",
    "torch.segment_reduce(torch.arange(6.).view(3,2),'amin',lengths=tensor([1,0,2]),initial=1)",
    ("x=torch.arange(6.).requires_grad_(); torch._segment_reduce(x,'max',offsets=tensor([0,2,6]),"
     "axis=0).sum().backward(); x.grad"),
    ("x=torch.arange(6.).requires_grad_(); torch._segment_reduce(x,'sum',offsets=tensor([0,2,6]),"
     "axis=0).pow(2).sum().backward(); x.grad"),
    "torch.segment_reduce(torch.arange(6.).view(3,2),'sum',lengths=tensor([1,3]))",
    "torch.segment_reduce(torch.arange(6.).view(3,2),'sum')",
]

test_programs = each_as_torch(PROGRAMS)
