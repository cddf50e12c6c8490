"""The errors of products: matmul and its relatives, linear."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
m = torch.arange(6.).view(2, 3)
i = torch.tensor([0, 1, 2])


# %% matmul: inner sizes
show(attempt(lambda: m @ m))


# %% matmul: matrix and vector
show(attempt(lambda: m @ torch.ones(2)))


# %% matmul: vector and matrix
show(attempt(lambda: torch.ones(3) @ m))


# %% matmul: two vectors
show(attempt(lambda: torch.ones(3) @ torch.ones(2)))


# %% matmul: batches
show(attempt(lambda: torch.ones(2, 3, 4) @ torch.ones(3, 4, 5)))


# %% matmul: batched inner sizes
show(attempt(lambda: torch.ones(2, 3, 4) @ torch.ones(2, 3, 4)))


# %% matmul: a number
show(attempt(lambda: torch.tensor(2.0) @ m))


# %% matmul: float and double
show(attempt(lambda: m @ m.t().double()))


# %% matmul: float and integer
show(attempt(lambda: m @ torch.ones(3, 2, dtype=torch.int64)))


# %% mm: dimensions
show(attempt(lambda: torch.mm(m, torch.ones(3))), attempt(lambda: torch.mm(torch.ones(3), m)))


# %% bmm: dimensions
show(attempt(lambda: torch.bmm(m, m)))


# %% bmm: sizes
show(attempt(lambda: torch.bmm(torch.ones(2, 3, 4), torch.ones(2, 3, 4))))


# %% mv and dot
show(attempt(lambda: torch.mv(m, torch.ones(2))), attempt(lambda: torch.dot(torch.ones(2), torch.ones(3))))


# %% dot: dimensions and dtypes
show(attempt(lambda: torch.dot(m, m)), attempt(lambda: torch.dot(torch.ones(2), torch.ones(2).double())))


# %% addmm: sizes
show(attempt(lambda: torch.addmm(torch.ones(2, 2), m, m)))


# %% linalg: inverse of a singular matrix
show(attempt(lambda: torch.linalg.inv(torch.zeros(2, 2))))


# %% linalg: not square
show(attempt(lambda: torch.linalg.inv(m)), attempt(lambda: torch.linalg.det(m)))


# %% linalg: cholesky of no positive matrix
show(attempt(lambda: torch.linalg.cholesky(-torch.eye(2))))


# %% linalg: integers
show(attempt(lambda: torch.linalg.inv(torch.eye(2, dtype=torch.int64))))
