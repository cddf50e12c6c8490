"""``Tensor.backward``."""

from torchlike.autograd import engine


def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """https://pytorch.org/docs/stable/generated/torch.Tensor.backward.html"""
    engine.backward(self, gradient, retain_graph, create_graph, inputs)


METHODS: dict = {"backward": backward}
