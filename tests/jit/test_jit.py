"""`torch.jit`'s classes: what is one of them, and what can be derived from them."""

import torchlike


def test_script_modules():
    class Own(torchlike.jit.ScriptModule):
        def forward(self, x):
            return x + 1

    assert Own()(torchlike.ones(1)).item() == 2
    assert isinstance(Own(), torchlike.nn.Module)
    assert not isinstance(torchlike.jit.script(torchlike.nn.ReLU()), torchlike.jit.ScriptModule)
