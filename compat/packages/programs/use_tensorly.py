import numpy as np
import tensorly as tl
import torch
from tensorly.decomposition import non_negative_parafac, parafac, partial_tucker, tensor_train, tucker, robust_pca
from tensorly.regression import CPRegressor
tl.set_backend("pytorch")
torch.manual_seed(0)
x = torch.randn(4, 5, 6, dtype=torch.float64)
print(tl.unfold(x, 1).shape, tl.fold(tl.unfold(x, 1), 1, x.shape).equal(x), tl.tenalg.mode_dot(x, torch.ones(2, 5, dtype=torch.float64), 1).sum(), tl.norm(x), tl.partial_unfold(x, 0, skip_begin=1).shape)
for name, rebuilt in (("parafac", tl.cp_to_tensor(parafac(x, 3, n_iter_max=20, init="svd", random_state=0))), ("tucker", tl.tucker_to_tensor(tucker(x, (2, 3, 3), n_iter_max=20, init="svd"))), ("tt", tl.tt_to_tensor(tensor_train(x, (1, 3, 3, 1)))),
                      ("nonnegative", tl.cp_to_tensor(non_negative_parafac(x.abs(), 3, n_iter_max=20, init="svd", random_state=0)))):
    print(name, tl.norm(rebuilt - (x.abs() if name == "nonnegative" else x)) / tl.norm(x))
low, sparse = robust_pca(x, n_iter_max=10, verbose=False); print(tl.norm(low), sparse.abs().mean())
print(tl.tenalg.khatri_rao([x[0], x[1]]).shape, tl.tenalg.inner(x, x), tl.kron(x[0], x[1]).norm() if hasattr(tl, "kron") else None)
factors = [torch.randn(n, 2, dtype=torch.float64, requires_grad=True) for n in x.shape]
optimizer = torch.optim.Adam(factors, lr=0.05)
for i in range(4):
    loss = tl.norm(tl.cp_to_tensor((None, factors)) - x) ** 2; optimizer.zero_grad(); loss.backward(); optimizer.step(); print(i, loss)
