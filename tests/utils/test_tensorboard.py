"""`torch.utils.tensorboard`: what a writer has written can be read, and tensors count as their values."""

import pytest

import torchlike

pytest.importorskip("tensorboardX")


@pytest.mark.filterwarnings("ignore")
def test_written_events(tmp_path):
    from torchlike.utils.tensorboard import SummaryWriter

    with SummaryWriter(log_dir=str(tmp_path), comment="x") as writer:
        writer.add_scalar("loss", torchlike.tensor(2.5, requires_grad=True), 1)
        writer.add_scalars("several", {"a": torchlike.tensor(1.0, dtype=torchlike.bfloat16)}, 2)
        writer.add_histogram("weights", torchlike.arange(10.0))
        writer.add_image("picture", torchlike.rand(3, 4, 4))
        writer.add_text("note", "words")
        assert writer.log_dir == writer.get_logdir() == str(tmp_path)
        with pytest.raises(torchlike.UnsupportedError, match="add_graph"):
            writer.add_graph(torchlike.nn.Linear(1, 1))
    written = b"".join(path.read_bytes() for path in tmp_path.glob("events*"))
    for name in (b"loss", b"weights", b"picture", b"note"):
        assert name in written
