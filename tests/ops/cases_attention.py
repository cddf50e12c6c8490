"""Cases of scaled dot-product attention. The fused kernel has no second derivative in PyTorch."""

_THREE = "x(2, 3, 5, 4), x(2, 3, 5, 4), x(2, 3, 5, 4)"
CASES = {
    "scaled_dot_product_attention": [
        "F.scaled_dot_product_attention(x(3, 5, 4), x(3, 5, 4), x(3, 5, 4))", "F.scaled_dot_product_attention(x(5, 4), x(6, 4), x(6, 3), scale=0.3)",
        "F.scaled_dot_product_attention(x(3, 5, 4), x(3, 5, 4), x(3, 5, 4), is_causal=True)",
        "F.scaled_dot_product_attention(x(3, 5, 4), x(3, 5, 4), x(3, 5, 4), b(5, 5))",
        "F.scaled_dot_product_attention(x(4, 5, 4), x(2, 5, 4), x(2, 5, 4), enable_gqa=True)",
        f"F.scaled_dot_product_attention({_THREE}, x(5, 5))"],
}
# Through t(): first order only.
_T = "t([[[[1., 2.], [3., 1.], [0., 1.]]]])"
SPECIAL = {
    "scaled_dot_product_attention": [
        f"F.scaled_dot_product_attention({_T}, {_T}, {_T})", f"F.scaled_dot_product_attention({_T}, {_T}, {_T}, is_causal=True)",
        f"F.scaled_dot_product_attention({_T}, {_T}, {_T}, torch.tensor([[True, False, True], [False, False, False], [True, True, True]]))",
        f"F.scaled_dot_product_attention({_T}, {_T}, {_T}, scale=0.3)"],
}
ERRORS = {
    "scaled_dot_product_attention": [
        "F.scaled_dot_product_attention(x(4), x(4), x(4))", "F.scaled_dot_product_attention(x(2, 4, 5), x(2, 4, 5), x(2, 4, 5).double())",
        "F.scaled_dot_product_attention(x(2, 4, 5), x(2, 4, 5), x(2, 4, 5), b(4, 4), is_causal=True)",
        "F.scaled_dot_product_attention(x(2, 4, 5), x(2, 4, 6), x(2, 4, 5))",
        "F.scaled_dot_product_attention(x(2, 4, 5), x(2, 4, 5), x(2, 4, 5), i(3, 4, 4))",
        "F.scaled_dot_product_attention(x(1, 2, 4, 5), x(1, 3, 4, 5), x(1, 3, 4, 5))",
        "F.scaled_dot_product_attention(x(1, 2, 4, 5), x(1, 3, 4, 5), x(1, 3, 4, 5), enable_gqa=True)"],
}
