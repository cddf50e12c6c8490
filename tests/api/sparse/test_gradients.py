"""Sparse gradients, compared with torch."""

from tests.api.sparse.running import each_as_torch

PROGRAMS = [
    "w=torch.ones(5,2,requires_grad=True); F.embedding(tensor([1,2,1]),w,sparse=True).pow(2).sum().backward(); w.grad",
    ("w=torch.ones(5,2,requires_grad=True); F.embedding(tensor([[1,2],[1,4]]),w,sparse=True,"
     "padding_idx=2).pow(2).sum().backward(); w.grad"),
    ("w=torch.ones(5,2,requires_grad=True); F.embedding(tensor([1,2,1]),w,sparse=True,"
     "scale_grad_by_freq=True).pow(2).sum().backward(); w.grad"),
    ("w=torch.ones(5,2,requires_grad=True); F.embedding(tensor([1,2,1]),w,sparse=True).sum().backward(); "
     "F.embedding(tensor([3,1]),w,sparse=True).sum().backward(); w.grad"),
    ("w=torch.ones(5,2,requires_grad=True); F.embedding(tensor([1,2,1]),w,sparse=True).sum().backward(); "
     "F.embedding(tensor([3,1]),w).sum().backward(); w.grad"),
    ("w=torch.ones(5,2,requires_grad=True); F.embedding(tensor([1,2,1]),w).sum().backward(); F.embedding(tensor([3,"
     "1]),w,sparse=True).sum().backward(); w.grad"),
    ("w=torch.ones(5,2,requires_grad=True); (F.embedding(tensor([1,2,1]),w,sparse=True).sum()+F.embedding(tensor([3,"
     "1]),w,sparse=True).sum()).backward(); w.grad"),
    "w=torch.ones(5,2,requires_grad=True); (F.embedding(tensor([1,2,1]),w,sparse=True).sum()+w.sum()).backward(); w.grad",
    "w=torch.ones(5,2,requires_grad=True); F.embedding(tensor([1,2,1]),w,sparse=True).grad_fn.name()",
    "w=torch.ones(5,2,requires_grad=True); torch.autograd.grad(F.embedding(tensor([1,2,1]),w,sparse=True).sum(),w)",
    ("w=torch.ones(5,2,requires_grad=True); F.embedding_bag(tensor([1,2,1,3]),w,tensor([0,2]),sparse=True,"
     "mode='sum').pow(2).sum().backward(); w.grad"),
    ("w=torch.ones(5,2,requires_grad=True); F.embedding_bag(tensor([1,2,1,3]),w,tensor([0,3]),sparse=True,"
     "mode='mean').pow(2).sum().backward(); w.grad"),
    ("w=torch.ones(5,2,requires_grad=True); p=torch.arange(4.).requires_grad_(); F.embedding_bag(tensor([1,2,1,3]),"
     "w,tensor([0,3]),sparse=True,mode='sum',per_sample_weights=p).pow(2).sum().backward(); (w.grad,p.grad)"),
    ("w=torch.ones(5,2,requires_grad=True); F.embedding_bag(tensor([1,2,1,3]),w,tensor([0,3]),sparse=True,"
     "mode='sum',padding_idx=2).pow(2).sum().backward(); w.grad"),
    ("w=torch.ones(5,2,requires_grad=True); F.embedding_bag(tensor([[1,2],[1,3]]),w,sparse=True,mode='mean',"
     "padding_idx=2).pow(2).sum().backward(); w.grad"),
    ("w=torch.ones(3,2,requires_grad=True); torch.gather(w,0,tensor([[0,1],[2,2]]),"
     "sparse_grad=True).pow(2).sum().backward(); w.grad"),
    ("w=torch.ones(3,requires_grad=True); torch.gather(w,0,tensor([0,2,2]),"
     "sparse_grad=True).pow(2).sum().backward(); w.grad"),
    "w=torch.ones(3,2,requires_grad=True); torch.gather(w,1,tensor([[0,1],[1,1]]),sparse_grad=True).grad_fn.name()",
    "e1=torch.nn.Embedding(4,2,sparse=True); e1(tensor([1,2])).sum().backward(); e1.weight.grad",
    "e1=torch.nn.EmbeddingBag(4,2,sparse=True); e1(tensor([[1,2]])).sum().backward(); e1.weight.grad",
    ("w=torch.ones(5,2,requires_grad=True); y=F.embedding(tensor([1,2,1]),w,sparse=True); g,"
     "=torch.autograd.grad(y.pow(2).sum(),w,create_graph=True); g.to_dense().pow(2).sum().backward(); w.grad"),
]

test_programs = each_as_torch(PROGRAMS)
