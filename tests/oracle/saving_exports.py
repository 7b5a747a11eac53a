# SPDX-License-Identifier: GPL-3.0-or-later
"""Saves exported programs with lancet and loads them with PyTorch: the same graph, signature, tensors and results?

check() writes a .pt2 as it is, check_edited() after an edit that is made in PyTorch too; check_inputs() after edits of its inputs;
check_as_graph_module() writes a .pt.
"""

import copy
import importlib
import json

import torch
from torch.export._tree_utils import reorder_kwargs

from surgery import run


def register_containers(topic, name):
    """Loading needs the container types of inputs and outputs to be registered."""
    getattr(importlib.import_module(f"corpus.{topic}"), "register_containers", lambda names: None)([name])


def load(path):
    return torch.export.load(path)


def bits(tensor):
    if tensor.is_meta or tensor.layout != torch.strided:
        return str(tensor.layout)
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if tensor.numel() else b""


def same_tensor(a, b):
    if not isinstance(a, torch.Tensor):
        return type(a) is type(b)
    return (type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape and a.stride() == b.stride()
            and a.storage_offset() == b.storage_offset() and a.requires_grad == b.requires_grad and bits(a) == bits(b))


def shared(tensors):
    groups = {}
    for name, tensor in tensors.items():
        if isinstance(tensor, torch.Tensor) and not tensor.is_meta and tensor.numel():
            groups.setdefault(tensor.untyped_storage().data_ptr(), []).append(name)
    return sorted(groups.values())


def difference(a, b):
    """Of two programs, in words; None when PyTorch cannot tell them apart."""
    if str(a.graph) != str(b.graph):
        return f"graph\n{a.graph}\n{b.graph}"
    if a.graph_module.code != b.graph_module.code:
        return "code"
    for what in ("graph_signature", "range_constraints", "module_call_graph", "guards_code", "example_inputs"):
        if repr(getattr(a, what, None)) != repr(getattr(b, what, None)):
            return what
    for kind in ("state_dict", "constants"):
        one, other = getattr(a, kind), getattr(b, kind)
        if list(one) != list(other):
            return f"{kind}: {list(one)} became {list(other)}"
        for name, tensor in one.items():
            if not same_tensor(tensor, other[name]):
                return f"{kind}: {name}"
        if shared(one) != shared(other):
            return f"{kind}: tensors share memory otherwise"
    for one, other in zip(a.graph.nodes, b.graph.nodes):
        for key in ("stack_trace", "nn_module_stack", "torch_fn", "val"):
            if repr(one.meta.get(key)) != repr(other.meta.get(key)):
                return f"meta {key} of {one}: {one.meta.get(key)} became {other.meta.get(key)}"
    return None


def results(module, inputs):
    """Flat results; a module may change its inputs and the random state."""
    torch.manual_seed(0)
    torch.use_deterministic_algorithms(True, warn_only=True)  # also fills memory that is left uninitialised
    args, kwargs = copy.deepcopy(inputs)
    return torch.utils._pytree.tree_leaves(module(*args, **kwargs))


def run_difference(a, b, inputs):
    """Runs both twice, so that what they keep in buffers counts; None when PyTorch itself cannot run the first."""
    for _ in range(2):
        try:
            wanted = results(a, inputs)
        except Exception:
            return None
        got = results(b, inputs)
        same = len(wanted) == len(got) and all(same_result(x, y) for x, y in zip(wanted, got))
        if not same:
            return f"results: {wanted} became {got}"[:1500]
    return None


def same_result(a, b):
    if not isinstance(a, torch.Tensor):
        return type(a) is type(b) and (a == b or a != a)
    return a.dtype == b.dtype and a.shape == b.shape and bits(a.resolve_conj()) == bits(b.resolve_conj())


def written(lancet, verb, path, target, *words):
    done = run(lancet, verb, path, *words, "-o", target)
    return f"exit {done.returncode}: {done.stderr}" if done.returncode else None


def check(lancet, path, folder):
    register_containers(path.parent.name, path.stem)
    try:
        before = load(path)
    except Exception:
        return None  # what PyTorch cannot load is compared elsewhere
    target = folder / "saved.pt2"
    wrong = written(lancet, "convert", path, target)
    if wrong:
        return wrong
    after = load(target)
    return difference(before, after) or run_difference(before.module(), after.module(), before.example_inputs)


def is_told(warnings):
    """Whether lancet said that PyTorch does not read the file as it is meant."""
    return any(text in warnings for text in ("cannot load this file", "PyTorch loses", "it stays flat", "once, while it loads the file"))


def check_as_graph_module(lancet, path, folder):
    """As .pt it is the module that its user called: the same arguments, the same results, the same changes of buffers; also by way of .json."""
    register_containers(path.parent.name, path.stem)
    try:
        program = load(path)
        before = program.module(check_guards=False)
    except Exception:
        return None
    if any("_add_batch_dim" in str(node.target) for node in program.graph.nodes):
        return None  # torch.load runs vmap on proxies, fails, and leaves functorch unusable
    target = folder / "module.pt"
    done = run(lancet, "convert", path, "-o", target)
    if done.returncode:
        return None if done.returncode == 4 and ("only an exported program" in done.stderr or is_told(done.stderr)) else f"exit {done.returncode}: {done.stderr}"
    if is_told(done.stderr):
        return None  # PyTorch has no such file
    after = torch.load(target, weights_only=False)
    wrong = run_difference(before, after, program.example_inputs)
    described = folder / "module.json"
    wrong = wrong or written(lancet, "convert", path, described) or written(lancet, "convert", described, target)
    return wrong or run_difference(load(path).module(check_guards=False), torch.load(target, weights_only=False), program.example_inputs)


def check_inputs(lancet, path, folder):
    """An input more: plain positional arguments and no sample inputs. Another name: nothing else is another."""
    register_containers(path.parent.name, path.stem)
    try:
        before = load(path)
        last, kinds = before.graph_signature.user_inputs[-1], {spec.kind.name for spec in before.graph_signature.input_specs}
        flat = torch.utils._pytree.tree_leaves((before.example_inputs[0], reorder_kwargs(before.example_inputs[1], before.call_spec.in_spec)))
    except Exception:
        return None
    if not isinstance(last, str) or len(flat) != len(before.graph_signature.user_inputs):
        return None  # a constant among them
    renamed, target = folder / "renamed.pt2", folder / "inputs.pt2"
    insert = {"step": "insert_after", "node": last, "op": "placeholder", "target": "inserted_by_test"}
    rename = {"step": "rename", "node": last, "name": "renamed_by_test"}
    wrong = written(lancet, "edit", path, renamed, "--step", json.dumps(rename)) or written(lancet, "edit", path, target, "--step", json.dumps(insert))
    if wrong:
        return f"inputs: {wrong}"
    after = load(renamed)
    wrong = run_difference(before.module(), after.module(), before.example_inputs)
    if wrong or after.graph_signature.user_inputs[-1] != "renamed_by_test":
        return f"renamed input: {wrong or after.graph_signature}"
    after, more = load(target), (tuple(flat) + (torch.tensor(0.5),), {})  # of the shape that is written where none is known
    torch._export.verifier.load_verifier(after.dialect)().check(after)
    if after.example_inputs is not None:
        return "inputs: there are sample inputs"
    wrong = run_difference(with_flat_inputs(load(path)), after.module(), more)  # a run changes the state of a program
    if wrong or kinds & {"TOKEN", "CUSTOM_OBJ"} or any("_add_batch_dim" in str(node.target) for node in before.graph.nodes):
        return wrong and f"inputs: {wrong}"
    module = folder / "inputs.pt"
    done = run(lancet, "convert", target, "-o", module)
    if done.returncode:
        return None if done.returncode == 4 and is_told(done.stderr) else f"inputs: exit {done.returncode}: {done.stderr}"
    if is_told(done.stderr):
        return None
    return run_difference(with_flat_inputs(load(path)), torch.load(module, weights_only=False), more)


def with_flat_inputs(program):
    """The program as a function of its leaves and one argument more."""
    module = program.module(check_guards=False)

    def call(*leaves):
        return module(*torch.utils._pytree.tree_unflatten(leaves[:-1], program.call_spec.in_spec)[0], **torch.utils._pytree.tree_unflatten(leaves[:-1], program.call_spec.in_spec)[1])
    return call


def place_to_edit(program):
    """A float tensor in the middle of the graph, and what uses it."""
    for node in program.graph.nodes:
        value = node.meta.get("val")
        middle = node.op == "call_function" and isinstance(value, torch.Tensor) and value.dtype == torch.float32
        if middle and node.users and not isinstance(node.args[0] if node.args else None, tuple) and not value.is_sparse:
            return node
    return None


def check_edited(lancet, path, folder):
    register_containers(path.parent.name, path.stem)
    try:
        before = load(path)
        node = place_to_edit(before)
        name = node.name
        with before.graph.inserting_after(node):
            new = before.graph.call_function(torch.ops.aten.sin.default, (node,))
        node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
        new.meta["val"] = node.meta["val"]
        for spec in before.graph_signature.output_specs:
            if spec.arg.name == name:
                spec.arg.name = new.name
        before.graph_module.recompile()
    except Exception:
        return None
    target = folder / "edited.pt2"
    steps = [{"step": "insert_after", "node": name, "op": "call_function", "target": "torch.ops.aten.sin.default",
              "args": [{"node": name}], "rewire_users": True, "name": new.name},
             {"step": "rename", "node": name, "name": "renamed_by_test"}]
    wrong = written(lancet, "edit", path, target, *(word for step in steps for word in ("--step", json.dumps(step))))
    if wrong:
        return f"edited: {wrong}"
    after = load(target)
    torch._export.verifier.load_verifier(after.dialect)().check(after)
    texts = str(before.graph).replace(f"%{name} ", "%renamed_by_test "), str(after.graph)
    if len(before.graph.nodes) != len(after.graph.nodes):
        return f"edited: graph\n{texts[0]}\n{texts[1]}"
    return run_difference(before.module(), after.module(), before.example_inputs)
