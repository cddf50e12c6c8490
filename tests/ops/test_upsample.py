"""Images of bytes, resized: every pixel is PyTorch's."""

import pytest
import torch

import torchlike

FORMS = [{"size": (17, 23)}, {"size": (64, 80)}, {"size": (40, 20)}, {"size": (5, 5)}, {"size": (2, 90)},
         {"scale_factor": (0.3, 2.2)}, {"scale_factor": 1.7, "recompute_scale_factor": True}]


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_bytes(mode, form):
    torch.manual_seed(0)
    for shape in ((1, 3, 40, 48), (2, 5, 33, 57)):
        image = torch.randint(0, 256, shape, dtype=torch.uint8)
        for how in ({"antialias": True}, {}, {"align_corners": True}):
            want = torch.nn.functional.interpolate(image, mode=mode, **form, **how)
            got = torchlike.nn.functional.interpolate(torchlike.tensor(image.numpy()), mode=mode, **form, **how)
            assert (got.numpy() == want.numpy()).all()
