"""Cases of indefinite factorisations. torch has no gradients of these, and reads beyond its operands where batches broadcast."""

_A = "torch.tensor([[1., 2., 3.], [2., 1., 4.], [3., 4., .1]], dtype=dtype)"
CASES = {
    "linalg_ldl_factor_ex": ["torch.linalg.ldl_factor_ex(x(5, 5).detach())", "torch.linalg.ldl_factor(x(2, 3, 6, 6).detach())",
                             "torch.linalg.ldl_factor_ex(x(2, 7, 7).detach(), hermitian=True)", "torch.linalg.ldl_factor_ex(torch.complex(x(4, 4), x(4, 4)).detach(), hermitian=True)",
                             "torch.linalg.ldl_factor_ex(torch.complex(x(4, 4), x(4, 4)).detach())", "torch.linalg.ldl_factor_ex(x(2, 0, 0).detach())",
                             "torch.linalg.ldl_factor_ex(torch.zeros(3, 2, 2, dtype=dtype))", "torch.linalg.ldl_factor_ex(torch.tensor([[0., 1.], [1., 0.]], dtype=dtype))"],
    "linalg_ldl_solve": [f"torch.linalg.ldl_solve(*torch.linalg.ldl_factor({_A}), x(3, 2).detach())",
                         "torch.linalg.ldl_solve(*torch.linalg.ldl_factor(torch.complex(x(5, 5), x(5, 5)).detach(), hermitian=True), torch.complex(x(5, 2), x(5, 2)).detach(), hermitian=True)",
                         "torch.linalg.ldl_solve(*torch.linalg.ldl_factor(x(2, 3, 4, 4).detach()), x(2, 3, 4, 2).detach())", f"torch.linalg.ldl_solve(*torch.linalg.ldl_factor({_A}), x(3, 0).detach())"],
}
SPECIAL: dict = {}
ERRORS = {
    "linalg_ldl_factor_ex": ["torch.linalg.ldl_factor(x(3))", "torch.linalg.ldl_factor(x(2, 3))", "torch.linalg.ldl_factor(i(3, 2, 2))", "torch.linalg.ldl_factor(x(2, 2).half())",
                             "torch.linalg.ldl_factor_ex(x(2, 2))[0].sum().backward()"],
    "linalg_ldl_solve": [f"torch.linalg.ldl_solve({_A}[0], i(3, 3), {_A})", f"torch.linalg.ldl_solve({_A}, i(3, 3), {_A}[0])", f"torch.linalg.ldl_solve({_A}, i(3, 3), {_A}[:2])",
                         f"torch.linalg.ldl_solve({_A}, x(3), {_A})", f"torch.linalg.ldl_solve({_A}, i(3, 2), {_A})", f"torch.linalg.ldl_solve({_A}, i(3, 3), {_A}.double())",
                         f"torch.linalg.ldl_solve({_A}.half(), i(3, 3), {_A}.half())", f"torch.linalg.ldl_solve({_A}.long(), i(3, 3), {_A}.long())"],
}
