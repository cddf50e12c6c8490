"""MaskedTensor against torch: construction, text, all its operators, gradients, layouts, errors."""

import pytest

import torchlike
from tests.masked.maskedtensor.running import checked
from tests.speed import sampled
from torchlike.masked._names import BINARY_NAMES, INPLACE_BINARY_NAMES, INPLACE_UNARY_NAMES, UNARY_NAMES
from torchlike.masked.maskedtensor.reductions import REDUCE_NAMES

UNARY_NAMES_UNSUPPORTED = str.split(
    "atan2 arctan2 bitwise_left_shift bitwise_right_shift copysign float_power fmod frexp gradient imag ldexp lerp "
    "logical_not hypot igamma igammac mvlgamma nextafter polygamma real remainder true_divide xlogy")
ARGUMENTS = {"pow": "2", "pow_": "2", "clamp": "-1, 1", "clamp_": "-1, 1", "clip": "-1, 1", "clip_": "-1, 1"}
INTEGERS = "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift bitwise_not"
MADE = {
    "text": "(mt, repr(mt), str(mt))",
    "text of numbers": "[repr(masked(t.tensor(x), t.tensor(b))) for x in (1.5, 3, True, float('nan')) for b in (True, False)]",
    "text of integers": "(ints, repr(masked(integers * 1000000, mask)), bools)",
    "text of three dimensions": "repr(masked(t.arange(8.).reshape(2, 2, 2), t.arange(8).reshape(2, 2, 2) % 3 == 0))",
    "text of large numbers": "repr(masked(t.tensor([1e9, 1e-9, float('inf')]), t.tensor([True, True, False])))",
    "text of nothing": "repr(masked(t.ones(0), t.ones(0).bool()))",
    "text of sparse": "(repr(coo), repr(csr))",
    "values": "(mt.get_data(), mt.get_mask(), mt.to_tensor(9), mt.shape, mt.size(0), mt.dim(), mt.ndim, mt.numel(), len(mt), mt.dtype)",
    "facts": "(mt.layout == t.strided, mt.is_sparse, mt.is_sparse_coo(), mt.is_sparse_csr(), mt.requires_grad, mt.is_leaf, mt.is_contiguous())",
    "facts of sparse": "(coo.is_sparse, coo.is_sparse_coo(), csr.is_sparse, csr.is_sparse_csr(), coo.layout == t.sparse_coo)",
    "questions": "(M.is_masked_tensor(mt), M.is_masked_tensor(data), M.is_masked_tensor(3))",
    "with history": "(x := data.clone().requires_grad_(), masked(x, mask))[1]",
    "keeping history": "(x := data.clone().requires_grad_(), y := M.as_masked_tensor(x * 2, mask), y, y.sum().backward(), x.grad)[2::2]",
    "class": "M.MaskedTensor(data, mask, True)",
    "does not share": "(d := data.clone(), m := masked(d, mask), d.zero_(), m)[3]",
    "no tensor": "masked([1], mask)",
    "no mask": "masked(data, [1])",
    "of one": "masked(plain, mask)",
    "mask is one": "masked(data, bools)",
    "mask of floats": "masked(data, data)",
    "mask of another shape": "masked(data, mask[0])",
    "mask of other sizes": "masked(data, mask.t())",
    "mask of another layout": "masked(data, mask.to_sparse())",
    "complex": "masked(data.to(t.complex64), mask)",
    "bfloat16": "masked(data.bfloat16(), mask)",
    "bytes": "masked(integers.byte(), mask)",
    "dtypes": "[masked(integers.to(d), mask) for d in (t.float16, t.float64, t.int8, t.int16, t.int32, t.bool)]",
    "columns": "masked(data.to_sparse_csc(), mask.to_sparse_csc())",
    "pattern of coo": "masked(t.sparse_coo_tensor([[0, 1], [0, 1]], [1., 2.], (2, 3)), mask.to_sparse())",
    "pattern of csr": "masked(t.eye(3).to_sparse_csr(), t.ones(3, 3).bool().to_sparse_csr())",
    "coo": "masked(data.to_sparse(), (data != 0).to_sparse())",
    "other indices": "masked(t.sparse_coo_tensor([[0, 1], [0, 1]], [1., 2.], (2, 3)), t.sparse_coo_tensor([[0, 1], [1, 2]], [True, True], (2, 3)))",
    "set": "(plain._set_data_mask(data * 2, ~mask), plain)[1]",
    "unary": "M.MaskedTensor.unary(t.exp, data, mask)",
    "where": "[M._where(m, d, t.tensor(0.)) for m, d in ((mask, data), (mask.to_sparse(), data.to_sparse()), (mask.to_sparse_csr(), data.to_sparse_csr()))]",
    "matches": "[M.maskedtensor.core._tensors_match(a, b) for a in (data, data.double(), data.to_sparse(), data.to_sparse_csr(), data[0])"
               " for b in (data, data + 1) if a.layout == b.layout]",
    "matches of layouts": "M.maskedtensor.core._tensors_match(data, data.to_sparse())",
    "matches of masked": "M.maskedtensor.core._tensors_match(mt, data)",
    "unary and binary": "[(n.MaskedTensor is M.MaskedTensor) for n in (M.maskedtensor, M.maskedtensor.core)]",
}
OTHERS = {
    "neg": "-mt", "abs": "abs(mt)", "pos": "+mt", "add": "mt + other", "radd": "1 + mt", "rsub": "1 - mt", "rdiv": "1 / mt",
    "pow": "mt ** 2", "floordiv": "mt // 0.25", "mod": "mt % 0.5", "invert": "~bools", "and": "bools & bools",
    "lt": "mt < 0.6", "lt of two": "mt < other", "lt of a tensor": "mt < data", "eq": "mt == mt", "ge": "mt >= 0.5", "ne": "mt != data",
    "add a tensor": "mt + data", "add to a tensor": "data + mt", "add a row": "mt + data[0]", "add to larger": "mt + t.ones(2, 2, 3)",
    "add alpha": "t.add(mt, other, alpha=2)", "mul masks": "mt * unlike", "sub masks": "t.sub(mt, unlike)",
    "iadd": "(plain.add_(1), plain)", "iadd masks": "plain.add_(unlike)", "iadd operator": "(x := plain.clone(), x := x.__iadd__(other), x)[2]",
    "imul shared": "(x := plain, d := x.get_data(), x.mul_(2), d)[3]",
    "clamp bounds": "[mt.clamp(0), mt.clamp(max=0), mt.clamp(min=0, max=1)]", "clamp tensors": "mt.clamp(data)",
    "round": "mt.round(decimals=1)", "logit": "mt.logit(0.1)", "nan_to_num": "mt.nan_to_num(1.0)", "div mode": "mt.div(0.3, rounding_mode='floor')",
    "pow of two": "mt.pow(other)", "relu": "mt.relu()", "gelu": "t.nn.functional.gelu(mt)", "sigmoid": "t.sigmoid(mt)",
    "select": "mt[0]", "slice": "mt[:, 1:]", "element": "mt[0, 2]", "index": "mt[t.tensor([1, 0])]", "by a mask": "mt[mask]", "none": "mt[None]",
    "ellipsis": "mt[..., 0]", "setitem": "plain.__setitem__(0, 1)", "transpose": "mt.transpose(0, 1)", "t": "mt.t()", "T": "mt.T",
    "view": "mt.view(6)", "view -1": "mt.view(-1, 2)", "reshape": "mt.reshape(3, 2)", "reshape t": "mt.t().reshape(-1)", "flatten": "mt.flatten()",
    "unsqueeze": "mt.unsqueeze(1)", "squeeze": "mt[None].squeeze(0)", "expand": "mt[0].expand(2, 3)", "split": "mt.split(2, 1)", "chunk": "mt.chunk(2)",
    "unbind": "mt.unbind(0)", "iterate": "list(mt)", "cat": "t.cat([mt, other])", "cat with a tensor": "t.cat([mt, data])", "stack": "t.stack([mt, other], 1)",
    "permute": "mt.permute(1, 0)", "narrow": "mt.narrow(1, 0, 2)", "unfold": "mt.unfold(1, 2, 1)", "contiguous": "mt.t().contiguous()",
    "im2col": "t.nn.functional.unfold(masked(t.arange(16.).reshape(1, 1, 4, 4), t.arange(16).reshape(1, 1, 4, 4) % 2 == 0), 2)",
    "where": "t.where(mask, mt, other)", "where data": "t.where(mask, mt, data)", "where method": "mt.where(mask, other)", "where alone": "t.where(mt)",
    "softmax": "mt.softmax(1)", "softmax 0": "t.softmax(mt, 0)", "softmax F": "t.nn.functional.softmax(mt, dim=-1)", "softmax nothing": "nothing.softmax(0)",
    "log_softmax": "mt.log_softmax(0)", "ones_like": "t.ones_like(mt)", "zeros_like": "t.zeros_like(mt)", "clone": "mt.clone()", "detach": "mt.detach()",
    "double": "mt.double()", "to": "mt.to(t.int64)", "to itself": "(mt.to(t.float32) is mt)", "half": "mt.half()", "bool": "mt.bool()", "long": "plain.long()",
    "item": "mt[0, 0].item()", "item masked": "mt[0, 1].item()", "float": "float(plain[0, 0])", "tolist": "mt.tolist()", "numpy": "plain.numpy()",
    "copy": "(plain.copy_(other), plain)[1]", "copy a tensor": "plain.copy_(data)", "fill": "plain.fill_(1)", "zero": "plain.zero_()",
    "to_dense": "mt.to_dense()", "to_sparse": "mt.to_sparse()", "to_sparse_csr": "mt.to_sparse_csr()", "to_sparse_csr of one": "mt[0].to_sparse_csr()",
    "to_sparse_coo": "mt.to_sparse_coo()", "back": "(coo.to_dense(), csr.to_dense())", "again": "raised(lambda: coo.to_sparse())[0]",
    "csr of coo": "coo.to_sparse_csr()",
    "matmul": "t.matmul(sq, sq)", "mm": "t.mm(sq, square)", "bmm": "sq[None].bmm(sq[None])", "linear": "t.nn.functional.linear(sq, square)", "dot": "mt[0].dot(mt[0])",
    "sort": "mt.sort()", "cumsum": "mt.cumsum(0)", "any": "bools.any()", "isnan": "mt.isnan()", "isfinite": "mt.isfinite()", "max": "mt.max()",
    "argsort": "mt.argsort()", "index_select": "mt.index_select(0, t.tensor([0]))", "gather": "mt.gather(0, t.zeros(1, 3).long())",
    "masked_fill": "mt.masked_fill(mask, 0)", "std_mean": "t.std_mean(mt)", "lerp": "mt.lerp(other, 0.5)", "allclose": "t.allclose(mt, mt)", "equal": "t.equal(mt, mt)",
    "is_same_size": "mt.is_same_size(mt)", "hash": "hash(mt) == hash(mt)", "F.pad": "t.nn.functional.pad(mt, (1, 1))", "dropout": "t.nn.functional.dropout(mt, 0.0)",
    "layer_norm": "t.nn.functional.layer_norm(mt, (3,))", "kwargs": "t.exp(mt, out=data)", "flip": "mt.flip(0)", "roll": "mt.roll(1)", "repeat": "mt.repeat(2, 1)",
    "new_zeros": "mt.new_zeros(2)", "empty_like": "t.empty_like(mt).shape", "rand_like": "t.rand_like(mt)", "requires_grad_": "plain.requires_grad_().requires_grad",
}
REDUCTIONS = ["()", "(0)", "(1)", "(dim=0)", "(1, keepdim=True)", "(dim=(0, 1))", "(-1)", "(dim=0, dtype=t.float64)"]
OF = {"plain": "mt", "nothing": "nothing", "ints": "ints", "bools": "bools", "coo": "coo", "csr": "csr", "one": "mt[0]"}
GRADIENTS = {
    **{name: f"mt.{name}({ARGUMENTS.get(name, '')})" for name in UNARY_NAMES
       if name not in str.split("bitwise_not i0 isnan signbit sinc")},
    **{f"{name} of two": f"t.{name}(mt, other)" for name in
       ["add", "sub", "mul", "div", "atan2", "maximum", "minimum", "fmax", "fmin", "logaddexp", "pow", "true_divide", "subtract", "multiply", "divide"]},
    "add a tensor": "mt + data", "mul a tensor": "mt * data", "mul a number": "mt * 3", "div a number": "mt / 3", "rsub": "1 - mt", "rdiv": "1 / mt",
    "sum 0": "mt.sum(0)", "sum": "mt.sum()", "mean": "mt.mean()", "mean 1": "mt.mean(1)", "prod": "mt.prod()", "prod 0": "mt.prod(0)", "amax": "mt.amax(0)",
    "amin": "mt.amin()", "var": "mt.var()", "std": "mt.std(1)", "masked norm": "M.norm(mt, 2.0, 0)",
    "softmax": "mt.softmax(1) * other", "select": "mt[0]", "slice": "mt[:, 1:]", "t": "mt.t()", "view": "mt.view(6)", "reshape": "mt.reshape(3, 2)",
    "unsqueeze": "mt.unsqueeze(0)", "cat": "t.cat([mt, other])", "stack": "t.stack([mt, other])", "split": "mt.split(2, 1)[0]", "expand": "mt[0].expand(2, 3)",
    "transpose": "mt.transpose(0, 1)", "where": "t.where(mask, mt, other)", "to_tensor": "mt.to_tensor(1.)", "get_data": "mt.get_data()", "to_sparse": "mt.to_sparse()",
    "to_sparse and back": "mt.to_sparse().to_dense()", "csr and back": "mt.to_sparse_csr().to_dense()", "contiguous": "mt.t().contiguous()", "clone": "mt.clone()",
    "double": "mt.double()", "chain": "(mt.exp() * other).log().sum(0)", "index": "mt[t.tensor([1, 0])]", "unfold": "mt.unfold(1, 2, 1)",
}


def of(name):
    return "(ints.double() if False else ints)" if name.rstrip("_") in INTEGERS.split() else "plain"


@pytest.mark.parametrize("name", MADE)
def test_construction(name):
    checked(MADE[name])


@pytest.mark.parametrize("name", sampled([*UNARY_NAMES, *INPLACE_UNARY_NAMES, *[n for n in UNARY_NAMES_UNSUPPORTED if n != "gradient"]], fast=4))
def test_unary(name):
    arguments = ARGUMENTS.get(name, "")
    checked(f"[raised(lambda: t.{name}(x, {arguments})) or t.{name}(x, {arguments}) for x in"
            f" ({of(name)}.clone(), coo.clone(), csr.clone())]")


@pytest.mark.parametrize("name", sampled([*BINARY_NAMES, *INPLACE_BINARY_NAMES], fast=4))
def test_binary(name):
    x = of(name)
    call = f"{x}.clone().{name}" if name.endswith("_") else f"(lambda y: t.{name}({x}, y))"
    checked(f"[raised({call}, y) or {call}(y) for y in ({x}, 2, {x}._masked_data, {x}._masked_data[0], unlike)]")


@pytest.mark.parametrize("name", sampled(BINARY_NAMES, fast=4))
def test_binary_sparse(name):
    if of(name) == "plain":
        checked(f"[raised(t.{name}, x, y) or t.{name}(x, y) for x in (coo, csr) for y in (x, 2, coo, masked(data * 0.5, mask).to_sparse())]")


@pytest.mark.parametrize(("name", "arguments"), sampled(REDUCE_NAMES, REDUCTIONS, fast=7))
def test_reductions(name, arguments):
    checked(f"[raised(lambda: x.{name}{arguments}) or x.{name}{arguments} for x in (mt, nothing, ints, bools, mt[0])]")


@pytest.mark.parametrize(("name", "arguments"), sampled([n for n in REDUCE_NAMES if n != "all"], REDUCTIONS, fast=7))
def test_reductions_of_sparse(name, arguments):
    checked(f"[raised(lambda: x.{name}{arguments}) or x.{name}{arguments} for x in (coo, csr)]")


@pytest.mark.parametrize("name", OTHERS)
def test_others(name):
    checked(OTHERS[name])


@pytest.mark.parametrize("name", sampled(GRADIENTS, fast=4))
def test_gradients(name):
    checked(f"(y := {GRADIENTS[name]}, (y.to_dense() if y.layout != t.strided else y).sum().backward(), mt.grad, other.grad, sq.grad)")


def test_it_is_listed():
    assert torchlike.masked.MaskedTensor.__module__ == "torchlike.masked.maskedtensor.core"
