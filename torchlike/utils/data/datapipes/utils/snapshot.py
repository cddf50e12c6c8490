"""Bringing a pipe to where another one was, by reading so many samples again."""

from torchlike.utils.data.datapipes._hook_iterator import _SnapshotState
from torchlike.utils.data.datapipes.datapipe import IterDataPipe
from torchlike.utils.data.graph_settings import apply_random_seed


def _simple_graph_snapshot_restoration(datapipe: IterDataPipe, n_iterations: int, rng=None) -> None:
    """Read the first samples of a pipe, so that its next iterator goes on behind them.

    Args:
        datapipe: the pipe.
        n_iterations: how many samples; a pipe counts them in `_number_of_samples_yielded`.
        rng: a `torch.Generator` in the state that it had for the first pass; None draws seeds from the default one.

    Raises:
        RuntimeError: it has been done and no iterator was made since, or there are not so many samples.
    """
    if datapipe._snapshot_state == _SnapshotState.Restored:
        raise RuntimeError("Snapshot restoration cannot be applied. You can only restore simple snapshot to the graph if "
                           "your graph has not been restored.")
    datapipe.reset()
    apply_random_seed(datapipe, rng)
    iterator = iter(datapipe)
    for _ in range(n_iterations):
        try:
            next(iterator)
        except StopIteration as end:
            raise RuntimeError(f"Fast-forward {datapipe} by {n_iterations} iterations exceeds the number of samples "
                               "available.") from end
    datapipe._fast_forward_iterator = iterator
    datapipe._snapshot_state = _SnapshotState.Restored
