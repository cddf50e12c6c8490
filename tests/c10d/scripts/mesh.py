"""Meshes of ranks, their slices and groups; what each rank prints is compared with PyTorch's."""

import copy
import datetime
import pickle
import warnings

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

warnings.simplefilter("ignore")
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
rank, size = dist.get_rank(), dist.get_world_size()


def told(name, f):
    try:
        found = f()
    except Exception as error:  # noqa: BLE001 - what it raises is compared
        found = f"{type(error).__name__}: {error}"
    print(name, found, flush=True)


def total(group):
    x = torch.tensor([10.0 ** rank])
    dist.all_reduce(x, group=group)
    return x.item()


def members(group):
    return dist.get_process_group_ranks(group)


def about(name, mesh):
    told(f"{name} repr", lambda: (repr(mesh), str(mesh), mesh.device_type))
    told(f"{name} shape", lambda: (mesh.shape, mesh.ndim, mesh.size(), [mesh.size(i) for i in range(mesh.ndim)],
                                   mesh.mesh_dim_names, type(mesh.shape).__name__))
    told(f"{name} mesh", lambda: (mesh.mesh.tolist(), mesh.mesh.dtype, mesh.mesh.device.type))
    told(f"{name} where", lambda: (mesh.get_rank(), mesh.get_coordinate()))
    told(f"{name} local", lambda: mesh.get_local_rank())
    told(f"{name} locals", lambda: [mesh.get_local_rank(i) for i in range(mesh.ndim)])
    told(f"{name} group", lambda: members(mesh.get_group()))
    told(f"{name} groups", lambda: [(members(g), total(g)) for g in mesh.get_all_groups()])


line = init_device_mesh("cpu", (size,))
about("line", line)
told("line name", lambda: line["x"])
told("line local 0", lambda: line.get_local_rank(0))
told("line group 1", lambda: line.get_group(1))
told("line group x", lambda: line.get_group("x"))
named = init_device_mesh("cpu", (size,), mesh_dim_names=("dp",))
about("named", named)
told("itself", lambda: (named["dp"] is named, named["dp"] == named, named == line, hash(named["dp"]) == hash(named)))
told("wrong name", lambda: named["tp"])
told("wrong group", lambda: named.get_group("tp"))
told("wrong local", lambda: named.get_local_rank("tp"))
told("no str", lambda: named[0])

plane = init_device_mesh("cpu", (2, size // 2), mesh_dim_names=("dp", "tp"))
about("plane", plane)
for part in ("dp", "tp"):
    about(part, plane[part])
    told(f"{part} by name", lambda part=part: (members(plane.get_group(part)), plane.get_local_rank(part),
                                               plane[part].get_group() is plane.get_group(part),
                                               plane[part].get_local_rank(part)))
told("cached", lambda: (plane["dp"] is plane["dp"], plane["dp"] == plane["dp"], hash(plane["dp"]) == hash(plane["dp"])))
told("both", lambda: (plane["dp", "tp"] is plane, plane["dp", "tp"] == plane))
told("one in a tuple", lambda: (plane[("dp",)], plane[("dp",)] == plane["dp"]))
told("other order", lambda: plane["tp", "dp"])
told("twice", lambda: plane["dp", "dp"])
told("unknown", lambda: plane["dp", "pp"])
told("slice of slice", lambda: plane["dp"]["dp"])
told("not in slice", lambda: plane["dp"]["tp"])
told("equal", lambda: (plane == init_device_mesh("cpu", (2, size // 2), mesh_dim_names=("dp", "tp")), plane == named,
                       plane == init_device_mesh("cpu", (2, size // 2)), plane == 3, plane["dp"] == plane["tp"]))
told("as a key", lambda: {plane: 1, plane["dp"]: 2}[plane["dp"]])
flat = plane._flatten()
about("flat", flat)
told("flat again", lambda: plane._flatten() is flat)
told("flat by name", lambda: plane["dp_tp"] == flat)
told("flat taken", lambda: plane._flatten("dp"))
told("flat of flat", lambda: flat._flatten())
told("flat of named", lambda: (named._flatten("dp"), named._flatten("dp") is named))
other = plane._flatten("all")
told("flat other", lambda: (other, other == flat))
told("flat of line", lambda: line._flatten())
told("with", lambda: plane.__enter__() is plane)
told("without", lambda: plane.__exit__(None, None, None))


def inside():
    with plane as current:
        return current is plane


told("inside", inside)
given = DeviceMesh("cpu", [list(range(size))[::-1]], mesh_dim_names=("a", "b"))
about("given", given)
about("given b", given["b"])
tensor = DeviceMesh("cpu", torch.arange(size).view(2, -1).t())
about("tensor", tensor)
part = DeviceMesh("cpu", [0, 1])
about("part", part)
single = DeviceMesh("cpu", [size - 1])
about("single", single)
from_group = DeviceMesh.from_group(dist.group.WORLD, "cpu")
about("from group", from_group)
from_named = DeviceMesh.from_group(plane.get_group("tp"), "cpu", mesh_dim_names=("tp",))
told("from tp", lambda: (from_named, from_named.mesh.tolist(), from_named.get_group() is plane.get_group("tp")))
several = DeviceMesh.from_group(plane.get_all_groups(), "cpu", mesh=plane.mesh, mesh_dim_names=("x", "y"))
about("several", several)
told("from with mesh", lambda: DeviceMesh.from_group(dist.group.WORLD, "cpu", mesh=torch.arange(size)))
told("from wrong mesh", lambda: DeviceMesh.from_group(dist.group.WORLD, "cpu", mesh=[0]))
told("from none", lambda: DeviceMesh.from_group([], "cpu"))
told("from no mesh", lambda: DeviceMesh.from_group([dist.group.WORLD, dist.group.WORLD], "cpu"))
told("from no names", lambda: DeviceMesh.from_group([dist.group.WORLD] * 2, "cpu", mesh=plane.mesh))
told("from ndim", lambda: DeviceMesh.from_group([dist.group.WORLD] * 2, "cpu", mesh=torch.arange(size),
                                                mesh_dim_names=("a", "b")))
told("from list", lambda: DeviceMesh.from_group([dist.group.WORLD], "cpu", mesh=torch.arange(size), mesh_dim_names=("a",)))
told("names twice", lambda: init_device_mesh("cpu", (1, size), mesh_dim_names=("a", "a")))
told("names short", lambda: init_device_mesh("cpu", (1, size), mesh_dim_names=("a",)))
told("index", lambda: init_device_mesh("cpu:0", (size,)))
told("too big", lambda: init_device_mesh("cpu", (size + 1,)))
told("no mesh", lambda: DeviceMesh("cpu"))
told("copied", lambda: copy.copy(plane) == plane)
again = pickle.loads(pickle.dumps(plane["tp"]))
told("pickled", lambda: (again == plane["tp"], again.get_group() is plane.get_group("tp"), again.get_local_rank()))
told("unflatten", lambda: (line._unflatten(0, (2, size // 2), ("u", "v")),
                           line._unflatten(0, (2, size // 2), ("u", "v")).mesh.tolist()))
told("unflatten short", lambda: line._unflatten(0, (2,), ("u", "v")))
told("unflatten size", lambda: line._unflatten(0, (2, size), ("u", "v")))
told("unflatten dim", lambda: line._unflatten(1, (2, size // 2), ("u", "v")))
told("unflatten name", lambda: named._unflatten("q", (2, size // 2), ("u", "v")))
told("override", lambda: init_device_mesh("cpu", (size,), mesh_dim_names=("d",), backend_override={"d": "gloo"}))
told("override unknown", lambda: init_device_mesh("cpu", (size,), backend_override={3: "gloo"}))
told("override twice", lambda: init_device_mesh("cpu", (size,), mesh_dim_names=("d",),
                                                backend_override={"d": "gloo", 0: "gloo"}))
told("concatenate", lambda: (DeviceMesh._concatenate([plane["dp"], plane["tp"]]),
                             DeviceMesh._concatenate([plane["dp"], plane["tp"]]) == plane))
told("concatenate twice", lambda: DeviceMesh._concatenate([plane["dp"], plane["dp"]]))
told("concatenate others", lambda: DeviceMesh._concatenate([plane["dp"], given["b"]]))
if size == 4:
    told("overlapping", lambda: DeviceMesh("cpu", torch.zeros(1, dtype=torch.int).expand(2)))
    cube = init_device_mesh("cpu", (2, 1, 2), mesh_dim_names=("pp", "dp", "tp"))
    about("cube", cube)
    for names in (("pp", "dp"), ("dp", "tp"), ("pp", "tp"), ("pp",)):
        about(f"cube {names}", cube[names])
    about("cube flat", cube["pp", "tp"]._flatten("both"))
    told("cube by flat", lambda: cube["both"])
    told("cube overlapping", lambda: cube["both", "tp"])
    told("cube flat and dp", lambda: cube["dp", "both"])
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1), device_mesh=named)
model(torch.full((1, 2), float(rank))).sum().backward()
told("ddp", lambda: model.module.weight.grad.tolist())
told("groups", lambda: len(set(map(id, [*plane.get_all_groups(), *line.get_all_groups()]))))
dist.destroy_process_group()
