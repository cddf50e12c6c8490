"""The data sheets of devices: the one table of what they can do.

FLOP/s are dense, without sparsity, of the tensor cores where there are some. Links are bytes a second in one direction
and a device; where a data sheet gives the sum of both directions, that is half of it. Float32 products run in float32
unless the program allows TensorFloat32.
"""

import dataclasses

T, G = 1e12, 1e9


@dataclasses.dataclass(frozen=True)
class Device:
    """One device, and its neighbours.

    Args:
        name: as the command has it.
        flops: {dtype, or "tf32": FLOP/s}.
        memory: bytes of its memory.
        bandwidth: bytes a second of its memory.
        link: bytes a second to the devices of the same host (TPUs: of the same pod).
        network: bytes a second to others.
        per_host: how many devices the faster link connects.
    """

    name: str
    flops: dict
    memory: float
    bandwidth: float
    link: float
    network: float
    per_host: int

    def peak(self, dtype: str, tf32: bool) -> float:
        """FLOP/s of products of a dtype; of a dtype that the device has no units for, those of float32.

        Args:
            dtype: its name, as "float32".
            tf32: whether products of float32 may round their operands.
        """
        if dtype == "float32" and tf32 and "tf32" in self.flops:
            return self.flops["tf32"]
        return self.flops.get(dtype, self.flops["float32"])


def _nvidia(half: float, tf32: float, single: float, double: float) -> dict:
    return {"bfloat16": half * T, "float16": half * T, "tf32": tf32 * T, "float32": single * T, "float64": double * T}


def _tpu(half: float) -> dict:
    # A product of float32 takes six passes of bfloat16 through the matrix unit.
    return {"bfloat16": half * T, "float32": half * T / 6, "float64": half * T / 60}


DEVICES = {device.name: device for device in (
    # NVIDIA H100 data sheet, SXM5; DGX H100: NVLink 900 GB/s both ways, one ConnectX-7 of 400 Gb/s a GPU.
    Device("h100", _nvidia(989.4, 494.7, 66.9, 66.9), 80 * G, 3350 * G, 450 * G, 50 * G, 8),
    # NVIDIA H200 data sheet, SXM; the host is that of the H100.
    Device("h200", _nvidia(989.4, 494.7, 66.9, 66.9), 141 * G, 4800 * G, 450 * G, 50 * G, 8),
    # NVIDIA A100 data sheet, SXM4; DGX A100: NVLink 600 GB/s both ways, one ConnectX-6 of 200 Gb/s a GPU.
    Device("a100-40", _nvidia(312, 156, 19.5, 19.5), 40 * G, 1555 * G, 300 * G, 25 * G, 8),
    Device("a100-80", _nvidia(312, 156, 19.5, 19.5), 80 * G, 2039 * G, 300 * G, 25 * G, 8),
    # NVIDIA HGX B200 data sheet, an eighth of it; DGX B200: NVLink 1.8 TB/s both ways, 400 Gb/s a GPU.
    Device("b200", _nvidia(2250, 1125, 75, 37), 180 * G, 7700 * G, 900 * G, 50 * G, 8),
    # NVIDIA V100 data sheet, SXM2 with 32 GB; DGX-1: NVLink 300 GB/s both ways, four cards of 100 Gb/s for eight GPUs.
    # It has neither bfloat16 nor TensorFloat32.
    Device("v100", {"float16": 125 * T, "float32": 15.7 * T, "float64": 7.8 * T}, 32 * G, 900 * G, 150 * G, 6.25 * G, 8),
    # NVIDIA L40S data sheet: PCIe 4.0 x16 of 64 GB/s both ways. The network is the reference configuration's, two cards
    # of 200 Gb/s for four GPUs.
    Device("l40s", _nvidia(362.05, 183, 91.6, 1.43), 48 * G, 864 * G, 32 * G, 12.5 * G, 4),
    # Google Cloud's pages "TPU v4", "TPU v5e", "TPU v5p": FLOP/s in bfloat16, memory, links of a chip (half of what both
    # directions have: 2400, 1600 and 4800 Gb/s), chips of a pod. The network between pods: 6.25 GB/s a chip, the figure that
    # the page of v5p gives; v4's has none, v5e's is half of it.
    Device("tpu-v4", _tpu(275), 32 * G, 1228 * G, 150 * G, 6.25 * G, 4096),
    Device("tpu-v5e", _tpu(197), 16 * G, 819 * G, 100 * G, 3.125 * G, 256),
    Device("tpu-v5p", _tpu(459), 95 * G, 2765 * G, 300 * G, 6.25 * G, 8960),
    # AMD EPYC 7763, a socket: 64 cores of 2.45 GHz with 32 operations in float32 a cycle, eight channels of DDR4-3200; 256
    # GB of memory, two sockets joined by three links of 18 GT/s, 100 Gb/s of Ethernet a socket.
    Device("cpu", {"float32": 5.02 * T, "float64": 2.51 * T}, 256 * G, 204.8 * G, 48 * G, 12.5 * G, 2),
)}
