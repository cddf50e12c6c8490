"""Planners, and a storage of one's own, on several ranks; what each rank prints is compared with PyTorch's."""

import dataclasses
import io
import pickle
import sys
import warnings

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.default_planner import DefaultLoadPlanner, DefaultSavePlanner
from torch.distributed.checkpoint.planner import LoadItemType, WriteItemType
from torch.distributed.checkpoint.storage import StorageReader, StorageWriter, WriteResult
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor
from torch.futures import Future

warnings.simplefilter("ignore")
folder = sys.argv[1]
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()


def told(name, f):
    try:
        found = f()
    except dcp.CheckpointException as error:
        found = [(place, type(e[0]).__name__ if isinstance(e, tuple) else type(e).__name__,
                  str(e[0] if isinstance(e, tuple) else e)) for place, e in sorted(error.failures.items())]
    except Exception as error:  # noqa: BLE001 - what it raises is compared
        found = f"{type(error).__name__}: {error}"
    print(name, found, flush=True)


def described(items):
    return [(item.index.fqn, item.index.offset, item.type.name,
             None if item.tensor_data is None else (tuple(item.tensor_data.size), item.tensor_storage_size(),
                                                    str(item.tensor_data.properties.dtype)))
            for item in items]


class Logged:
    """Prints what is called."""

    def __getattribute__(self, name):
        if name in ("prepare_local_plan", "prepare_global_plan", "write_data", "finish", "reset", "read_data"):
            print("called", name, flush=True)
        return super().__getattribute__(name)


class Writer(Logged, StorageWriter):
    """Each rank has a file of pickles, and rank 0 one of the metadata."""

    def reset(self, checkpoint_id=None):
        self.place = checkpoint_id

    def set_up_storage_writer(self, is_coordinator, *args, **kwargs):
        print("set up", is_coordinator, args, sorted(kwargs.items()), flush=True)

    def prepare_local_plan(self, plan):
        return dataclasses.replace(plan, storage_data=f"from {rank}")

    def prepare_global_plan(self, plans):
        print("all plans", [(plan.storage_data, described(plan.items)) for plan in plans], flush=True)
        return plans

    def write_data(self, plan, planner):
        values, results = {}, []
        for item in plan.items:
            data = planner.resolve_data(item)
            if item.type is WriteItemType.BYTE_IO:
                data.seek(0)
                values[item.index.fqn] = torch.load(data, weights_only=False)
            else:
                values[item.index.fqn] = data.detach().tolist()
            results.append(WriteResult(item.index, 1, rank))
        with open(f"{self.place}.{rank}", "wb") as file:
            pickle.dump(values, file)
        done = Future()
        done.set_result(results)
        return done

    def finish(self, metadata, results):
        print("finish", sorted((name, type(entry).__name__) for name, entry in metadata.state_dict_metadata.items()),
              metadata.planner_data, [[(r.index.fqn, r.storage_data) for r in each] for each in results], flush=True)
        metadata.storage_data = {r.index.fqn: r.storage_data for each in results for r in each}
        with open(f"{self.place}.metadata", "wb") as file:
            pickle.dump(metadata, file)

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id):
        return True


class Reader(Logged, StorageReader):
    def reset(self, checkpoint_id=None):
        self.place = checkpoint_id

    def read_metadata(self):
        print("metadata", flush=True)
        with open(f"{self.place}.metadata", "rb") as file:
            return pickle.load(file)

    def set_up_storage_reader(self, metadata, is_coordinator):
        print("set up", is_coordinator, flush=True)
        self.where = metadata.storage_data

    def prepare_local_plan(self, plan):
        return plan

    def prepare_global_plan(self, plans):
        print("reads", [[(i.type.name, i.dest_index.fqn, tuple(i.dest_offsets), i.storage_index.offset,
                          tuple(i.storage_offsets), tuple(i.lengths)) for i in plan.items] for plan in plans], flush=True)
        return plans

    def read_data(self, plan, planner):
        for item in plan.items:
            name = item.storage_index.fqn
            with open(f"{self.place}.{self.where[name]}", "rb") as file:
                value = pickle.load(file)[name]
            if item.type is LoadItemType.TENSOR:
                target = planner.resolve_tensor(item).detach()
                target.copy_(torch.tensor(value))
                planner.commit_tensor(item, target)
            else:
                box = io.BytesIO()
                torch.save(value, box)
                box.seek(0)
                planner.load_bytes(item, box)
        done = Future()
        done.set_result(None)
        return done

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id):
        return True


class Renaming(DefaultSavePlanner):
    def set_up_planner(self, state_dict, storage_meta=None, is_coordinator=False):
        super().set_up_planner({f"new_{key}": value for key, value in state_dict.items()}, storage_meta, is_coordinator)


class Halving(DefaultSavePlanner):
    def create_local_plan(self):
        plan = super().create_local_plan()
        items = [item if item.tensor_data is None else dataclasses.replace(item, tensor_data=dataclasses.replace(
            item.tensor_data, properties=dataclasses.replace(item.tensor_data.properties, dtype=torch.float16)))
            for item in plan.items]
        self.plan = dataclasses.replace(plan, items=items)
        return self.plan

    def resolve_data(self, write_item):
        found = super().resolve_data(write_item)
        return found if write_item.type == WriteItemType.BYTE_IO else found.to(torch.float16)


class Extra(DefaultSavePlanner):
    def create_local_plan(self):
        return dataclasses.replace(super().create_local_plan(), planner_data={"rank": rank})

    def create_global_plan(self, all_plans):
        every = [plan.planner_data for plan in all_plans]
        plans, metadata = super().create_global_plan([dataclasses.replace(plan, planner_data={}) for plan in all_plans])
        return plans, dataclasses.replace(metadata, planner_data=every)


class Unprefixed(DefaultLoadPlanner):
    def set_up_planner(self, state_dict, metadata=None, is_coordinator=False):
        super().set_up_planner({f"new_{key}": value for key, value in state_dict.items()}, metadata, is_coordinator)
        self.outer = state_dict

    def load_bytes(self, read_item, value):
        self.outer[read_item.dest_index.fqn.removeprefix("new_")] = torch.load(value, weights_only=False)


class Doubling(DefaultLoadPlanner):
    def commit_tensor(self, read_item, tensor):
        tensor.mul_(2)


def state():
    torch.manual_seed(0)
    return {"big": torch.arange(24.0).reshape(4, 6), "small": torch.ones(2), "scalar": torch.tensor(3.0), "step": 7,
            "inner": {"list": [torch.zeros(2), 5], "text": "a"}, "half": torch.ones(3, dtype=torch.bfloat16),
            f"own{rank}": torch.full((2,), float(rank))}


def blank():
    return {"big": torch.zeros(4, 6), "small": torch.zeros(2), "scalar": torch.tensor(0.0), "step": 0,
            "inner": {"list": [torch.ones(2), 0], "text": ""}, "half": torch.zeros(3, dtype=torch.bfloat16)}


def plain(value):
    if isinstance(value, torch.Tensor):
        return str(value.dtype), value.tolist()
    if isinstance(value, dict):
        return {key: plain(x) for key, x in value.items()}
    return [plain(x) for x in value] if isinstance(value, list) else value


def loaded(into, **how):
    dcp.load(into, **how)
    return plain(into)


for name, planner in {"default": None, "lowest": DefaultSavePlanner(dedup_save_to_lowest_rank=True), "renaming": Renaming(),
                      "halving": Halving(), "extra": Extra(), "whole": DefaultSavePlanner(flatten_state_dict=False)}.items():
    place = f"{folder}/{name}"
    told(name, lambda place=place, planner=planner: sorted(
        dcp.save(state(), checkpoint_id=place, storage_writer=Writer(), planner=planner).state_dict_metadata))
    dist.barrier()
read = {"checkpoint_id": f"{folder}/default"}
told("loaded", lambda: loaded(blank(), storage_reader=Reader(), **read))
told("partly", lambda: loaded({**blank(), "more": torch.zeros(1), "word": 1}, storage_reader=Reader(),
                              planner=DefaultLoadPlanner(allow_partial_load=True), **read))
told("strict", lambda: loaded({**blank(), "more": torch.zeros(1)}, storage_reader=Reader(), **read))
told("other size", lambda: loaded({"big": torch.zeros(4, 5)}, storage_reader=Reader(), **read))
told("no tensor", lambda: loaded({"big": 1}, storage_reader=Reader(), **read))
told("no bytes", lambda: loaded({"step": torch.zeros(1)}, storage_reader=Reader(), **read))
told("doubled", lambda: loaded(blank(), storage_reader=Reader(), planner=Doubling(), **read))
told("meta", lambda: loaded({"big": torch.empty(4, 6, device="meta")}, storage_reader=Reader(), **read))
told("renamed", lambda: loaded({"small": torch.zeros(2), "step": 0}, storage_reader=Reader(), planner=Unprefixed(),
                               checkpoint_id=f"{folder}/renaming"))
told("halved", lambda: loaded(blank(), storage_reader=Reader(), checkpoint_id=f"{folder}/halving"))

# the directory
place = f"{folder}/files"
told("files", lambda: sorted(dcp.save(state(), storage_writer=dcp.FileSystemWriter(place),
                                      planner=Renaming()).state_dict_metadata))
told("files loaded", lambda: loaded({f"new_{key}": value for key, value in blank().items()}, checkpoint_id=place))
told("files renamed", lambda: loaded({"small": torch.zeros(2), "step": 0}, checkpoint_id=place, planner=Unprefixed()))
told("files partly", lambda: loaded({"new_small": torch.zeros(2), "no": 1}, storage_reader=dcp.FileSystemReader(place),
                                    planner=DefaultLoadPlanner(allow_partial_load=True)))
told("files halved", lambda: (dcp.save(state(), checkpoint_id=f"{folder}/half", planner=Halving()) and None,
                              loaded(blank(), checkpoint_id=f"{folder}/half"))[1])
metadata = dcp.FileSystemReader(place).read_metadata()
told("metadata", lambda: [(name, entry.properties.dtype, entry.size, entry.chunks) if hasattr(entry, "chunks") else
                          str(entry) for name, entry in sorted(metadata.state_dict_metadata.items())])
told("paths", lambda: dict(sorted(metadata.planner_data.items())))
told("later", lambda: (future := dcp.async_save(state(), checkpoint_id=f"{folder}/later", planner=DefaultSavePlanner()),
                       future.result() and None, loaded(blank(), checkpoint_id=f"{folder}/later"))[2])
told("again", lambda: loaded(blank(), storage_reader=dcp.FileSystemReader("nowhere"), checkpoint_id=f"{folder}/later"))


mesh = init_device_mesh("cpu", (size,))


def rows(shape, placement):
    return distribute_tensor(torch.arange(float(torch.Size(shape).numel())).reshape(shape) + 1, mesh, [placement])


parts = f"{folder}/parts"
told("parts", lambda: sorted(dcp.save({"a": rows((6, 4), Shard(0)), "b": rows((4,), Replicate())}, checkpoint_id=parts,
                                      planner=DefaultSavePlanner()).state_dict_metadata))
told("own parts", lambda: sorted(dcp.save({"a": rows((6, 4), Shard(0)), "b": rows((4,), Replicate())}, checkpoint_id=parts,
                                          storage_writer=Writer()).state_dict_metadata))
told("chunks", lambda: sorted(map(str, dcp.FileSystemReader(parts).read_metadata().state_dict_metadata["a"].chunks)))
for placement in (Shard(1), Shard(0), Replicate()):
    into = {"a": distribute_tensor(torch.zeros(6, 4), mesh, [placement])}
    told("parts loaded", lambda into=into: (dcp.load(into, checkpoint_id=parts, planner=DefaultLoadPlanner()),
                                            into["a"].to_local().tolist())[1])
told("whole of parts", lambda: loaded({"a": torch.zeros(6, 4), "b": torch.zeros(4)}, checkpoint_id=parts,
                                      planner=DefaultLoadPlanner()))


class Failing(DefaultSavePlanner):
    def resolve_data(self, write_item):
        if rank == 1:
            raise OSError("no data")
        return super().resolve_data(write_item)


told("failing", lambda: dcp.save(state(), checkpoint_id=place, planner=Failing(dedup_save_to_lowest_rank=False)))
if "torchlike" in torch.__version__:  # PyTorch's is not whole any more
    assert loaded({"new_small": torch.zeros(2)}, checkpoint_id=place) == {"new_small": ("torch.float32", [1.0, 1.0])}
dist.destroy_process_group()
