"""Sums, norms and softmax of sparse tensors, compared with torch."""

from tests.api.sparse.running import each_as_torch

PROGRAMS = [
    "h.sum()",
    "torch.sparse.sum(h,0)",
    "torch.sparse.sum(h,2)",
    "torch.sparse.sum(h,(0,2))",
    "torch.sparse.sum(h,(0,1))",
    "torch.sparse.sum(s,(0,1))",
    "torch.sparse.sum(s,-1)",
    ("s.clone().is_coalesced(), sc.clone().is_coalesced(), (s*2).is_coalesced(), (sc*2).is_coalesced(), "
     "(s+s).is_coalesced(),(sc+sc).is_coalesced(),(s*s).is_coalesced(),(sc*d.detach()).is_coalesced(),"
     "(s*d.detach()).is_coalesced(),s.sum(0).is_coalesced(),s.t().is_coalesced(),sc.t().is_coalesced(),"
     "s.neg().is_coalesced(),s.abs().is_coalesced()"),
    "torch.sparse.softmax(s,1)",
    "torch.sparse.log_softmax(s,1)",
    "torch.sparse.softmax(h,2)",
    "h.norm()",
    "s.norm(2,0)",
    "sd.sum()",
    "sd.sum(0)",
    "sd.norm()",
    "torch.sparse.softmax(sd,0)",
    "e.sum()",
    "e.sum(0)",
    "e.norm()",
    "torch.sparse.softmax(e,0)",
    "s.any()",
    "h.sum(2)",
    "h.sum(0)",
    "h.sum((0,2))",
    "h.sum((0,1))",
    "h.sum(0,keepdim=True)",
    "h.sum(2,keepdim=True)",
    "s.sum((0,1),keepdim=True)",
    "torch.sparse.softmax(h,0)",
    "torch.sparse.softmax(h,1)",
]

test_programs = each_as_torch(PROGRAMS)
