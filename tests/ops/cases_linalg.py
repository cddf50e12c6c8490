"""Cases of linear algebra. Vectors with a free sign are compared by size."""

_SPD = "(lambda a: a @ a.mT + 4 * torch.eye(3, dtype=a.dtype))(x(3, 3))"
CASES = {
    "linalg_inv_ex": ["torch.linalg.inv(x(3, 3) + 4 * torch.eye(3))", "torch.inverse(x(2, 3, 3))", "torch.linalg.inv_ex(x(3, 3))[0]"],
    "linalg_det": ["torch.det(x(3, 3))", "torch.linalg.det(x(2, 3, 3))", "torch.slogdet(x(3, 3))[1]", f"torch.logdet({_SPD})"],
    "linalg_solve": ["torch.linalg.solve(x(3, 3), x(3, 2))", "torch.linalg.solve(x(3, 3), x(3))",
                     "torch.linalg.solve(x(2, 3, 3), x(2, 3))", "torch.linalg.solve(x(3, 3), x(2, 3), left=False)"],
    "linalg_solve_triangular": ["torch.linalg.solve_triangular(x(3, 3), x(3, 2), upper=True)",
                                "torch.linalg.solve_triangular(x(3, 3), x(2, 3), upper=False, left=False, unitriangular=True)"],
    "linalg_cholesky_ex": [f"torch.linalg.cholesky({_SPD})", f"torch.linalg.cholesky({_SPD}, upper=True)",
                           f"torch.linalg.cholesky_ex({_SPD})[0]"],
    "cholesky": [f"torch.cholesky({_SPD})", f"torch.cholesky({_SPD}, upper=True)"],
    "cholesky_solve": [f"torch.cholesky_solve(x(3, 2), torch.linalg.cholesky({_SPD}))"],
    "linalg_qr": ["torch.linalg.qr(x(4, 3))[0]", "torch.linalg.qr(x(3, 3))[1]", "torch.linalg.qr(x(3, 5))[1]", "torch.qr(x(2, 4, 3))[0]"],
    "linalg_svd": ["torch.linalg.svd(x(3, 4))[0].abs()", "torch.linalg.svd(x(4, 3), full_matrices=False)[2].abs()",
                   "torch.linalg.svdvals(x(3, 4))", "torch.svd(x(3, 4))[2].abs()"],
    "linalg_eigh": [f"torch.linalg.eigh({_SPD})[1].abs()", f"torch.linalg.eigvalsh({_SPD})"],
    "linalg_pinv": ["torch.linalg.pinv(x(3, 4))", "torch.linalg.pinv(x(4, 3))"],
    "linalg_matrix_exp": ["torch.linalg.matrix_exp(x(3, 3).double())", "torch.matrix_exp(x(2, 2, 2).double())"],
    "linalg_cross": ["torch.linalg.cross(x(2, 3), x(2, 3))", "torch.cross(x(3, 2), x(3, 2), dim=0)", "torch.linalg.cross(x(1, 3), x(2, 3))"],
    "matrix_power": ["torch.matrix_power(x(3, 3), 5)", "torch.matrix_power(x(3, 3), -2)", "torch.matrix_power(x(3, 3), 0)"],
    "multi_dot": ["torch.linalg.multi_dot([x(2, 3), x(3, 4), x(4, 5)])", "torch.linalg.multi_dot([x(3), x(3, 4), x(4)])"],
}
SPECIAL = {
    "linalg_det": ["torch.det(t([[1., 2., 3.], [2., 4., 6.5], [0., 1., 5.]]))", "torch.det(t([[0., 0.], [0., 0.]]))"],
    "cdist": ["torch.cdist(t([[0., 0.], [1., 2.]]), t([[0., 0.], [1., 1.]]))", "torch.cdist(t([[0., 0.], [1., 2.]]), t([[0., 0.]]), p=1.)",
              "torch.cdist(t([[0., 0.], [1., 2.]]), t([[0., 3.]]), p=3.)"],
}
ERRORS = {
    "linalg_inv_ex": ["torch.inverse(x(3, 4))", "torch.linalg.inv(i(3, 3, 3))"],
    "linalg_det": ["torch.det(x(3, 4))", "torch.det(i(3, 3, 3))", "torch.slogdet(x(3))"],
    "linalg_solve": ["torch.linalg.solve(x(3, 4), x(3))", "torch.linalg.solve(x(3, 3), x(4))",
                     "torch.linalg.solve(x(3, 3), x(3, 2).double())"],
    "linalg_cholesky_ex": ["torch.linalg.cholesky(x(3, 4))"],
    "linalg_qr": ["torch.linalg.qr(x(3))", "torch.linalg.qr(x(3, 2), mode='x')"],
    "linalg_svd": ["torch.linalg.svd(x(3))"],
    "linalg_eigh": ["torch.linalg.eigh(x(3, 2))", "torch.linalg.eigh(x(3, 3), UPLO='x')"],
    "linalg_cross": ["torch.linalg.cross(x(2, 4), x(2, 4))", "torch.cross(x(2, 4), x(2, 4))", "torch.cross(x(2, 3), x(4, 3), dim=1)"],
    "matrix_power": ["torch.matrix_power(x(3, 4), 2)", "torch.matrix_power(x(3), 2)"],
    "multi_dot": ["torch.linalg.multi_dot([x(2, 3)])", "torch.linalg.multi_dot([x(2, 3), x(4, 3)])"],
    "cdist": ["torch.cdist(x(2, 3), x(4, 5))", "torch.cdist(x(3), x(4, 5))"],
}
