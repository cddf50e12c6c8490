"""Products with sparse matrices, compared with torch."""

from tests.api.sparse.running import each_as_torch

PROGRAMS = [
    "torch.sparse.mm(s,d.detach().t())",
    "torch.sparse.mm(s,sc.t())",
    "torch.sparse.mm(d.detach(),s.t())",
    "torch.mm(d.detach(),s.t())",
    "d.detach()@s.t()",
    "s@torch.ones(3)",
    "s.mv(torch.ones(3))",
    "torch.mv(s,torch.ones(4))",
    "torch.mm(s,torch.ones(4,2))",
    "torch.sparse.mm(s,torch.ones(4,2))",
    "torch.mm(s,s.t())",
    "torch.matmul(s,torch.ones(2,3,4))",
    "torch.addmm(torch.ones(2,2),s,d.detach().t(),beta=.5,alpha=2)",
    "torch.sparse.addmm(torch.ones(2,2),s,d.detach().t(),beta=.5,alpha=2)",
    "torch.addmm(torch.ones(2),s,d.detach().t())",
    "torch.bmm(torch.stack([s,s]),torch.ones(2,3,2))",
    "torch.smm(s,d.detach().t())",
    "torch.hspmm(s,d.detach().t())",
    "torch.dsmm(s,d.detach().t())",
    "torch.spmm(s,d.detach().t())",
    "torch.sspaddmm(T((2,2)),s,d.detach().t())",
    "sd@d.t()",
    "e@d.t()",
    "s.int()@d.int().t()",
    "torch.matmul(torch.ones(3,2),s)",
    "torch.ones(2)@s",
    "torch.baddbmm(torch.ones(2,2,2),torch.stack([s,s]),torch.ones(2,3,2))",
    "F.linear(torch.ones(4,3),s)",
    "torch.sparse.mm(s,torch.arange(6.).view(3,2)-3,'sum')",
]

test_programs = each_as_torch(PROGRAMS)
