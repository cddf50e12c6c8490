"""Edges, partial backward calls, saved-tensor hooks and version counters against torch."""

import pytest

from tests.autograd.both import check

CASES = {
    "backward: no grad": "torch.autograd.backward(torch.ones(3))",
    "backward: no grad, gradient": "torch.autograd.backward(torch.ones(3), torch.ones(3))",
    "backward: no scalar": "torch.autograd.backward(x * 2)",
    "backward: gradient's shape": "torch.autograd.backward(torch.ones(3), torch.ones(2))",
    "backward: counts": "torch.autograd.backward([(x * 2).sum(), x.sum()], [None])",
    "backward: no inputs": "(x * 2).sum().backward(inputs=[])",
    "backward: input without grad": "(x * 2).sum().backward(inputs=torch.ones(3))",
    "backward: inner input": "y = x * 2\n(y * 3).sum().backward(inputs=[y])\n"
                             "show(x.grad, y.grad, y.retains_grad)",
    "backward: hooks of inner input": "y, log = x * 2, []\ny.grad_fn.register_hook(lambda *a: "
                                      "log.append('post'))\n"
                                      "y.grad_fn.register_prehook(lambda *a: log.append('pre'))\n"
                                      "(y * 3).sum().backward(inputs=[y])\nshow(log, y.grad)",
    "grad: no grad": "torch.autograd.grad((x * 2).sum(), torch.ones(3))",
    "grad: unused": "torch.autograd.grad((x * 2).sum(), [x, z])",
    "grad: unused allowed": "show(torch.autograd.grad((x * 2).sum(), [x, z], allow_unused=True))",
    "grad: twice the same": "show(torch.autograd.grad((x * 2).sum(), [x, x]))",
    "edge": "y = x * 2\nw = y * 3\ne, le = graph.get_gradient_edge(y), graph.get_gradient_edge(x)\n"
            "show(e.node is y.grad_fn, e.output_nr, le.node.name())\n"
            "show(torch.autograd.grad(w.sum(), [e, le], retain_graph=True))\n"
            "show(torch.autograd.grad(graph.get_gradient_edge(w.sum()), [y], retain_graph=True))\n"
            "torch.autograd.backward(graph.get_gradient_edge(w), torch.ones(3))\nshow(x.grad)",
    "edge: no grad": "graph.get_gradient_edge(torch.ones(3))",
    "edge of a Function": "class F(Function):\n"
                          "    @staticmethod\n    def forward(c, a): return a * 2\n"
                          "    @staticmethod\n    def backward(c, g): return g * 2\n"
                          "y = F.apply(x)\nshow(torch.autograd.grad((y * 3).sum(), "
                          "graph.get_gradient_edge(y)))",
    "saved: attributes": "show((x * z).grad_fn._saved_self, x.exp().grad_fn._saved_result, "
                         "x.sum(0).grad_fn._saved_dim)",
    "saved: no attribute": "(x * z).grad_fn._saved_nothing",
    "hooks: order": "log = []\n"
                    "def pack(t): log.append((list(t.shape), t.requires_grad, t.grad_fn, "
                    "torch.is_grad_enabled()))\nwith graph.saved_tensors_hooks(lambda t: (pack(t), "
                    "t.detach())[1], lambda t: (log.append('unpack'), t)[1]):\n    y = (x * z).exp() * x\n"
                    "show(log)\ny.sum().backward()\nshow(log, x.grad, z.grad)",
    "hooks: written": "with graph.saved_tensors_hooks(lambda t: t.add_(1), lambda t: t): (x * 1).exp() * x",
    "hooks: no tensor": "with graph.saved_tensors_hooks(lambda t: t, lambda t: 3): y = x * z\n"
                        "y.sum().backward()",
    "hooks: second order": "with graph.saved_tensors_hooks(lambda t: t.detach() * 2, lambda t: t): w = (x * "
                           "z).exp()\n"
                           "g = torch.autograd.grad(w.sum(), [x, z], create_graph=True)\n"
                           "show([v.detach() for v in g], torch.autograd.grad(g[0].sum(), [x, z]))",
    "hooks: other dtype": "with graph.saved_tensors_hooks(lambda t: t.double(), lambda t: t): y = x * z\n"
                          "y.sum().backward()\nshow(x.grad, z.grad)",
    "hooks: other shape": "with graph.saved_tensors_hooks(lambda t: t[:2], lambda t: t): y = x * z\n"
                          "y.sum().backward()",
    "hooks: innermost": "log = []\n"
                        "with graph.saved_tensors_hooks(lambda t: (log.append(1), t)[1], lambda t: t):\n"
                        "    with graph.saved_tensors_hooks(lambda t: (log.append(2), t)[1], lambda t: t): x "
                        "* z\n    x.exp()\nshow(log)",
    "hooks: raise": "def pack(t): raise ValueError('pack')\n"
                    "with graph.saved_tensors_hooks(pack, lambda t: t): x * z",
    "on cpu": "with graph.save_on_cpu(): y = (x * z).exp()\ny.sum().backward()\nshow(x.grad, z.grad)",
    "disabled": "with graph.disable_saved_tensors_hooks('no hooks here'):\n    show((x * z).sum())\n"
                "    with graph.saved_tensors_hooks(lambda t: t, lambda t: t): pass",
    "disabled inside": "with graph.saved_tensors_hooks(lambda t: t, lambda t: t):\n"
                       "    with graph.disable_saved_tensors_hooks('no hooks here'): pass",
    "disabled, then not": "with graph.disable_saved_tensors_hooks('a'): pass\n"
                          "with graph.save_on_cpu(): show(x * z)",
    "versions": "y = x * 1\nw = y * y\ngraph.increment_version(y)\nshow(y._version)\n"
                "graph.increment_version([y, w])\n"
                "show(y._version, w._version)\nw.sum().backward()",
}


@pytest.mark.parametrize("source", CASES.values(), ids=CASES)
def test_same_as_torch(source):
    check(source)
