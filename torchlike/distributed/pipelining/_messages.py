"""Messages between the stages of a pipeline: each has a tag of its own, so their order does not matter.

Sends go on in the threads of the lines between ranks (`_c10d/lines.py`). The tags are far from those that programs use,
whose messages in the same group are not mistaken for these.
"""

from typing import Any

import numpy as np

from torchlike._api.creation import empty
from torchlike._base.device import CPU
from torchlike._c10d import objects, tensors
from torchlike._c10d.point_to_point import irecv, isend
from torchlike._record import trace
from torchlike._record.tensor import Tensor

_FIRST_TAG = 1 << 32
ACTIVATIONS, GRADIENTS, METADATA = range(3)
_KINDS = 3


class Mail:
    """The messages of one rank in one step.

    Args:
        group: the process group.
        device: that of what is received.
        stages, microbatches: how many the pipeline has.
    """

    def __init__(self, group, device, stages: int, microbatches: int):
        self._group, self._device, self._stages, self._microbatches = group, device, stages, microbatches
        self._sent: list[Any] = []
        self._expected: dict[int, list] = {}

    def _tag(self, kind: int, stage: int, microbatch: int) -> int:
        return _FIRST_TAG + (microbatch * self._stages + stage) * _KINDS + kind

    def send(self, kind: int, stage: int, microbatch: int, values, peer: int) -> None:
        """Send tensors; nobody waits.

        Args:
            kind: ACTIVATIONS or GRADIENTS.
            stage, microbatch: for which stage, and of which microbatch.
            values: the tensors.
            peer: the stage's rank in the group.
        """
        tag = self._tag(kind, stage, microbatch)
        self._sent += [isend(x.detach(), group=self._group, group_dst=peer, tag=tag) for x in values]

    def expect(self, kind: int, stage: int, microbatch: int, metas, peer: int) -> None:
        """Begin to receive, unless that has been done.

        Args:
            kind, stage, microbatch: as for `send`.
            metas: the tensors' metadata.
            peer: the sender's rank in the group.
        """
        tag = self._tag(kind, stage, microbatch)
        if tag not in self._expected:
            made = [empty(meta.shape, dtype=meta.dtype, device=self._device) for meta in metas]
            self._expected[tag] = [(x, irecv(x, group=self._group, group_src=peer, tag=tag)) for x in made]

    def take(self, kind: int, stage: int, microbatch: int) -> list[Tensor]:
        """What `expect` has begun to receive, when it is there.

        Args:
            kind, stage, microbatch: as for `send`.

        Returns:
            the tensors.
        """
        expected = self._expected.pop(self._tag(kind, stage, microbatch))
        if not all(work.is_completed() for _, work in expected):
            trace.run(trace.state.trace)  # what has been recorded is computed meanwhile
        for _, work in expected:
            work.wait()
        return [x for x, _ in expected]

    def send_metadata(self, stage: int, metas: tuple, peer: int) -> None:
        """Tell the next stage what its inputs are like.

        Args:
            stage: that stage.
            metas: the metadata of its inputs.
            peer: its rank in the group.
        """
        data = objects.packed(metas)
        for array in (np.array([data.size], np.int64), data):
            self.send(METADATA, stage, 0, [tensors.made(array, CPU)], peer)

    def take_metadata(self, stage: int, peer: int) -> tuple:
        """What `send_metadata` sends; waits for it.

        Args:
            stage: the stage that it is for.
            peer: the sender's rank in the group.

        Returns:
            the metadata.
        """
        tag = self._tag(METADATA, stage, 0)
        size = self._received(tensors.made(np.zeros(1, np.int64), CPU), tag, peer)
        data = self._received(tensors.made(np.zeros(int(size[0]), np.uint8), CPU), tag, peer)
        return objects.unpacked(data)

    def _received(self, x: Tensor, tag: int, peer: int) -> np.ndarray:
        work = irecv(x, group=self._group, group_src=peer, tag=tag)
        assert work is not None
        work.wait()
        return tensors.taken(x)

    def finish(self) -> None:
        """Wait until all that was sent has arrived; what has been recorded is computed before."""
        trace.run(trace.state.trace)
        for work in self._sent:
            work.wait()
        self._sent = []
