"""`torch.distributed`: many processes, or machines, that compute together. https://pytorch.org/docs/stable/distributed.html

`_c10d/` has process groups and collectives, which `distributed_c10d.py` has under PyTorch's names; `stores/` and
`rendezvous.py` how processes find one another; `device_mesh.py` arrays of ranks, with a group along each dimension; `nn/`
and `_functional_collectives.py` collectives that autograd follows; `checkpoint/` writes large checkpoints with orbax.
`optim/` has optimizers of several ranks, `tensor/` tensors whose parts lie on them, `fsdp/` models of such, `pipelining/`
models in stages. RPC and its like are names of `_base/absent_modules.py`. Only programs import this package. Start with
`_c10d/`.
"""

from torchlike._c10d.debug import DebugLevel as DebugLevel
from torchlike._c10d.debug import get_debug_level as get_debug_level
from torchlike._c10d.debug import set_debug_level as set_debug_level
from torchlike._c10d.debug import set_debug_level_from_env as set_debug_level_from_env
from torchlike._c10d.errors import DistBackendError as DistBackendError
from torchlike._c10d.errors import DistError as DistError
from torchlike._c10d.errors import DistNetworkError as DistNetworkError
from torchlike._c10d.errors import DistStoreError as DistStoreError
from torchlike._c10d.errors import QueueEmptyError as QueueEmptyError
from torchlike._c10d.stores import FileStore as FileStore
from torchlike._c10d.stores import HashStore as HashStore
from torchlike._c10d.stores import PrefixStore as PrefixStore
from torchlike._c10d.stores import Store as Store
from torchlike._c10d.stores import TCPStore as TCPStore
from torchlike.distributed import _functional_collectives as _functional_collectives
from torchlike.distributed import algorithms as algorithms
from torchlike.distributed import constants as constants
from torchlike.distributed import distributed_c10d as distributed_c10d
from torchlike.distributed import launch as launch
from torchlike.distributed import nn as nn
from torchlike.distributed import run as run
from torchlike.distributed.device_mesh import DeviceMesh as DeviceMesh
from torchlike.distributed.device_mesh import init_device_mesh as init_device_mesh
from torchlike.distributed.distributed_c10d import Backend as Backend
from torchlike.distributed.distributed_c10d import BackendConfig as BackendConfig
from torchlike.distributed.distributed_c10d import GroupMember as GroupMember
from torchlike.distributed.distributed_c10d import P2POp as P2POp
from torchlike.distributed.distributed_c10d import ProcessGroup as ProcessGroup
from torchlike.distributed.distributed_c10d import ProcessGroupGloo as ProcessGroupGloo
from torchlike.distributed.distributed_c10d import ReduceOp as ReduceOp
from torchlike.distributed.distributed_c10d import Work as Work
from torchlike.distributed.distributed_c10d import all_gather as all_gather
from torchlike.distributed.distributed_c10d import all_gather_coalesced as all_gather_coalesced
from torchlike.distributed.distributed_c10d import all_gather_into_tensor as all_gather_into_tensor
from torchlike.distributed.distributed_c10d import all_gather_object as all_gather_object
from torchlike.distributed.distributed_c10d import all_gather_single as all_gather_single
from torchlike.distributed.distributed_c10d import all_reduce as all_reduce
from torchlike.distributed.distributed_c10d import all_reduce_coalesced as all_reduce_coalesced
from torchlike.distributed.distributed_c10d import all_to_all as all_to_all
from torchlike.distributed.distributed_c10d import all_to_all_single as all_to_all_single
from torchlike.distributed.distributed_c10d import barrier as barrier
from torchlike.distributed.distributed_c10d import batch_isend_irecv as batch_isend_irecv
from torchlike.distributed.distributed_c10d import broadcast as broadcast
from torchlike.distributed.distributed_c10d import broadcast_object_list as broadcast_object_list
from torchlike.distributed.distributed_c10d import default_pg_timeout as default_pg_timeout
from torchlike.distributed.distributed_c10d import destroy_process_group as destroy_process_group
from torchlike.distributed.distributed_c10d import gather as gather
from torchlike.distributed.distributed_c10d import gather_into_tensor as gather_into_tensor
from torchlike.distributed.distributed_c10d import gather_object as gather_object
from torchlike.distributed.distributed_c10d import gather_single as gather_single
from torchlike.distributed.distributed_c10d import get_backend as get_backend
from torchlike.distributed.distributed_c10d import get_backend_config as get_backend_config
from torchlike.distributed.distributed_c10d import get_backend_impl as get_backend_impl
from torchlike.distributed.distributed_c10d import get_default_backend_for_device as get_default_backend_for_device
from torchlike.distributed.distributed_c10d import get_global_rank as get_global_rank
from torchlike.distributed.distributed_c10d import get_group_rank as get_group_rank
from torchlike.distributed.distributed_c10d import get_node_local_rank as get_node_local_rank
from torchlike.distributed.distributed_c10d import get_pg_count as get_pg_count
from torchlike.distributed.distributed_c10d import get_process_group_ranks as get_process_group_ranks
from torchlike.distributed.distributed_c10d import get_rank as get_rank
from torchlike.distributed.distributed_c10d import get_world_size as get_world_size
from torchlike.distributed.distributed_c10d import group as group
from torchlike.distributed.distributed_c10d import init_process_group as init_process_group
from torchlike.distributed.distributed_c10d import irecv as irecv
from torchlike.distributed.distributed_c10d import is_available as is_available
from torchlike.distributed.distributed_c10d import is_backend_available as is_backend_available
from torchlike.distributed.distributed_c10d import is_gloo_available as is_gloo_available
from torchlike.distributed.distributed_c10d import is_initialized as is_initialized
from torchlike.distributed.distributed_c10d import is_mpi_available as is_mpi_available
from torchlike.distributed.distributed_c10d import is_nccl_available as is_nccl_available
from torchlike.distributed.distributed_c10d import is_torchelastic_launched as is_torchelastic_launched
from torchlike.distributed.distributed_c10d import is_ucc_available as is_ucc_available
from torchlike.distributed.distributed_c10d import is_xccl_available as is_xccl_available
from torchlike.distributed.distributed_c10d import isend as isend
from torchlike.distributed.distributed_c10d import monitored_barrier as monitored_barrier
from torchlike.distributed.distributed_c10d import new_group as new_group
from torchlike.distributed.distributed_c10d import new_subgroups as new_subgroups
from torchlike.distributed.distributed_c10d import new_subgroups_by_enumeration as new_subgroups_by_enumeration
from torchlike.distributed.distributed_c10d import recv as recv
from torchlike.distributed.distributed_c10d import recv_object_list as recv_object_list
from torchlike.distributed.distributed_c10d import reduce as reduce
from torchlike.distributed.distributed_c10d import reduce_op as reduce_op
from torchlike.distributed.distributed_c10d import reduce_scatter as reduce_scatter
from torchlike.distributed.distributed_c10d import reduce_scatter_single as reduce_scatter_single
from torchlike.distributed.distributed_c10d import reduce_scatter_tensor as reduce_scatter_tensor
from torchlike.distributed.distributed_c10d import scatter as scatter
from torchlike.distributed.distributed_c10d import scatter_object_list as scatter_object_list
from torchlike.distributed.distributed_c10d import send as send
from torchlike.distributed.distributed_c10d import send_object_list as send_object_list
from torchlike.distributed.distributed_c10d import set_timeout as set_timeout
from torchlike.distributed.distributed_c10d import split_group as split_group
from torchlike.distributed.rendezvous import register_rendezvous_handler as register_rendezvous_handler
from torchlike.distributed.rendezvous import rendezvous as rendezvous
from torchlike.nn.parallel.buckets import GradBucket as GradBucket
