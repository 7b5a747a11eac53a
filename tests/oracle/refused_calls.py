# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the calls that Lancet refuses in patterns, code and steps with those that PyTorch refuses.

    refused_calls.py --lancet BIN [--samples N]

CALLS are written by hand, right and wrong ones; Python says which are which: it traces and runs each. All three ways to write a
call must agree with it. Then every call that PyTorch's own samples of its operators make must be accepted (N of each). Exit 1:
a difference.
"""

import argparse
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch
import torch.nn.functional as F
from torch import fx, nn
from torch.testing._internal.common_methods_invocations import op_db

import op_samples

# Of x (2, 3, 4), y (2, 3, 4), i (3 integers).
CALLS = """
torch.relu(x)
torch.reluu(x)
torch.relu6(x)
F.relu6(x)
F.relu7(x)
torch.relu(x, True)
torch.relu(input=x)
torch.relu(inp=x)
F.relu(x, True)
F.relu(x, inplace=False)
F.relu(x, inplce=True)
F.relu(x, True, 1)
nn.ReLU(x)
nn.ReLu()(x)
torch.nn.functional.gelu(x, approximate="tanh")
F.gelu(x, "tanh")
F.gelu(x, aproximate="tanh")
torch.clamp(x, 0, 1)
torch.clamp(x, 1, 2, 3, 4)
torch.clamp(x, min=0)
torch.clamp(x, mn=0)
torch.clamp(x, None, 6.0)
torch.clamp(x, "a", 1)
torch.clamp(x, y)
torch.add(x, y)
torch.add(x, y, alpha=2)
torch.add(x, y, alpha="2")
torch.add(x, 1)
torch.add(1, x)
torch.mul(2, x)
torch.matmul(2, x)
torch.add(x, 2, y)
torch.add(x)
torch.add(x, y, 1, 2)
torch.sum(x)
torch.sum(x, 1)
torch.sum(x, 1.5)
torch.sum(x, (0, 1), True)
torch.sum(x, (0, 1), 1)
torch.sum(x, dim=[0], keepdim=True)
torch.sum(x, axis=1, keepdims=True)
torch.sum(x, dtype=torch.float64)
torch.sum(x, dtype="float64")
torch.mean(x, dim=-1, keepdim=True)
torch.mean(x, -1, True, 1)
torch.max(x, 1)
torch.max(x, 1, True)
torch.max(x, y)
torch.max(x, 1, True, True)
torch.cat([x, y], 1)
torch.cat((x, y), dim=0)
torch.cat([x, 1])
torch.cat(x, y, 1)
torch.cat([x, y], dim="a b")
torch.stack([x, y])
torch.stack([x, y], 0, 1)
torch.topk(x, 2)
torch.topk(x, 2.5)
torch.topk(x, 2, -1, True, True)
torch.topk(x, k=True)
torch.transpose(x, 0, 1)
torch.transpose(x, 0)
torch.transpose(x, 0, 1, 2)
torch.permute(x, (0, 2, 1))
torch.permute(x, 0, 2, 1)
torch.reshape(x, (2, -1))
torch.reshape(x, 2, -1)
torch.flatten(x, 1)
torch.flatten(x, start_dim=1, end_dim=2)
torch.flatten(x, 1, 2, 3)
torch.where(x > 0, x, y)
torch.where(x > 0, x, 0.0)
torch.where(x > 0, x)
torch.softmax(x, 1)
torch.softmax(x, dim=1)
torch.softmax(x)
F.softmax(x, dim=-1)
F.softmax(x, -1, 3, None, 1)
torch.einsum("abc,abc->a", x, y)
F.dropout(x, 0.5, False)
F.dropout(x, p=0.5, trainng=True)
F.interpolate(x, scale_factor=2.0)
F.interpolate(x, 8, None, "nearest")
F.pad(x, (1, 1))
F.pad(x)
F.layer_norm(x, (4,))
F.layer_norm(x, 4, None, None, 1e-5, 1)
F.linear(x, y[0])
F.linear(x)
F.conv1d(x, y)
F.conv1d(x, y, stride=2, padding="same")
F.conv1d(x, y, None, 1, 0, 1, 1, 1)
F.max_pool1d(x, 2)
F.max_pool1d(x, 2, strid=1)
torch.zeros_like(x)
torch.zeros_like(x, dtype=torch.int64, device="cpu")
torch.zeros_like(x, torch.int64)
torch.full_like(x, 3)
torch.full_like(x)
torch.linalg.norm(x)
torch.linalg.nrm(x)
torch.fft.fft(x, norm="ortho")
torch.special.expit(x)
torch.special.expitt(x)
torch.ops.aten.relu.default(x)
torch.ops.aten.reluu.default(x)
torch.ops.aten.relu.Tensor(x)
torch.ops.aten.add.Tensor(x, y, alpha=2)
torch.ops.aten.add.Tensor(x, 1)
torch.ops.aten.add.Tensor(x)
torch.ops.aten.add.Tensor(x, y, beta=2)
torch.ops.aten.sum.dim_IntList(x, [1], True)
torch.ops.aten.sum.dim_IntList(x, [1], True, 1)
torch.ops.aten.view.default(x, [2, -1])
torch.ops.aten.view.default(x, "ab")
torch.ops.aten.clamp(x, 0, 1)
torch.ops.aten.native_layer_norm(x, [4], None, None, 1e-5)
x.relu()
x.reluu()
x.relu(1)
x.clamp(0, 1)
x.clamp(0, 1, 2, 3)
x.clamp(min=0, mx=1)
x.view(2, -1)
x.view((2, -1))
x.view(-1)
x.sum_to_size(2, 3, 4)
x.view(torch.int32)
x.view(2, -1.5)
x.permute(0, 2, 1)
x.permute([0, 2, 1])
x.transpose(0, 1)
x.transpose(0)
x.sum(1)
x.sum(1, keepdim=True)
x.sum("a", "b", "c", "d")
x.size(1)
x.size(1, 2)
x.to(torch.float64)
x.to("cpu", torch.float64)
x.to(dtype=torch.float64)
x.expand(2, 3, 4)
x.repeat(1, 2, 1)
x.chunk(2, 1)
x.chunk(2, 1, 0)
x.split(1, dim=1)
x.split(1, 1, 1)
x.masked_fill(x > 0, 0.0)
x.masked_fill(x > 0)
x.float()
x.float(1)
x.mean((0, 1), True)
x.unsqueeze(0)
x.unsqueeze()
x.contiguous(memory_format=torch.contiguous_format)
x.type(torch.float16)
x.index_select(1, i)
x.gather(1, i, 2)
""".split("\n")
CALLS = [call for call in CALLS if call]

# What Lancet accepts although PyTorch does not: no table has the parameters of these methods.
LENIENT = {"x.size(1, 2)", "x.float(1)", "x.split(1, 1, 1)"}
REFUSALS = (TypeError, AttributeError, NameError, NotImplementedError)
INPUTS = torch.rand(2, 3, 4), torch.rand(2, 3, 4), torch.tensor([0, 1, 0])


def is_refusal(error):
    """Of the call itself, not of the tensors' values and sizes."""
    text = str(error)
    if isinstance(error, RuntimeError) and ("aten::" in text or "Schema" in text):
        return True  # a schema that the arguments do not fit
    return isinstance(error, REFUSALS)


def python_says(call):
    """What PyTorch raises for the call, or None."""
    names = {"torch": torch, "F": F, "nn": nn}
    exec(f"def f(x, y, i):\n    return {call}\n", names)
    try:
        graph = fx.symbolic_trace(names["f"])
    except Exception as error:  # noqa: BLE001
        return error if is_refusal(error) else None
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # torch.fx prints where it stopped
            graph(*INPUTS)
    except Exception as error:  # noqa: BLE001
        return error if is_refusal(error) else None
    return None


class Lancet:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, pathlib.Path(folder)

        def net(x, y, i):
            return torch.exp(x)
        self.model = self.folder / "net.pt"
        torch.save(fx.symbolic_trace(net), self.model)

    def run(self, *arguments):
        done = subprocess.run([self.binary, *map(str, arguments), "--json"], capture_output=True, text=True)
        if done.returncode not in (0, 1, 4):
            sys.exit(f"{arguments}: exit {done.returncode}\n{done.stderr}")
        return json.loads(done.stdout)["error"]["message"] if done.returncode == 4 else None

    def in_pattern(self, call):
        source = self.folder / "p.py"
        source.write_text(f"def pattern(x, y, i):\n    return {call}, x + y + i\n")
        return self.run("match", self.model, "--pattern", source)

    def in_code(self, call):
        code = f"def forward(self, x, y, i):\n    z = {call}\n    return z\n"
        return self.run("edit", self.model, "--step", json.dumps({"step": "set_code", "code": code}))

    def in_steps(self, steps):
        recipe = self.folder / "steps.json"
        recipe.write_text(json.dumps({"lancet_recipe": 1, "steps": steps}))
        return self.run("apply", self.model, recipe)


def as_json(value):
    if isinstance(value, fx.Node):
        return {"node": value.name}
    if isinstance(value, (list, tuple)):
        items = [as_json(item) for item in value]
        return items if isinstance(value, list) else {"tuple": items}
    if isinstance(value, dict):
        return {"dict": [[key, as_json(item)] for key, item in value.items()]}
    if isinstance(value, slice):
        return {"slice": [as_json(part) for part in (value.start, value.stop, value.step)]}
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return {"repr": repr(value)}


def step_of(node, after):
    target = node.target if isinstance(node.target, str) else torch.fx.node._get_qualified_name(node.target)
    return {"step": "insert_after", "node": after, "op": node.op, "target": target, "args": [as_json(arg) for arg in node.args],
            "kwargs": {key: as_json(value) for key, value in node.kwargs.items()}}


def insertion(call):
    """The call as a step, if torch.fx records it as one node of inputs."""
    names = {"torch": torch, "F": F, "nn": nn}
    exec(f"def f(x, y, i):\n    return {call}\n", names)
    try:
        nodes = list(fx.symbolic_trace(names["f"]).graph.nodes)
    except Exception:  # noqa: BLE001
        return None
    return step_of(nodes[3], "i") if len(nodes) == 5 else None


def compare(lancet, call):
    error = python_says(call)
    step = insertion(call)
    ways = {"pattern": lancet.in_pattern(call), "code": lancet.in_code(call)}
    if step:
        ways["step"] = lancet.in_steps([step])
    wrong = {way: said for way, said in ways.items() if (said is None) != (error is None)}
    if call in LENIENT and not any(ways.values()):
        wrong = {}
    for way, said in wrong.items():
        print(f"DIFFERENT {way}: {call}\n    PyTorch: {error!r}\n    Lancet:  {said}")
    return error is not None, not wrong


def sample_steps(count):
    """One step for each sample of an operator; those that a step cannot hold are left out."""
    for op in op_db:
        if torch.float32 not in op.dtypes:
            continue
        for form in ("function", "method", "inplace"):
            for _, made in op_samples.calls(op, form, count):
                if isinstance(made, Exception):
                    continue
                nodes = list(made[0].graph.nodes)
                call = nodes[-2]
                if sum(node.op == "placeholder" for node in nodes) <= 8:
                    yield f"{form} {op.name}", step_of(call, "x8")


def refused_samples(binary, folder, count):
    """Samples that Lancet refuses, with what it says: all in one run, again without the first that is refused."""
    lancet = Lancet(binary, folder)
    inputs = ", ".join(f"x{i}" for i in range(1, 9))
    names = {}
    exec(f"def net({inputs}):\n    return x1\n", names)
    torch.save(fx.symbolic_trace(names["net"]), lancet.model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples = list(sample_steps(count))
    for i, (_, step) in enumerate(samples):
        step["name"] = f"sample_{i}"
    total, refused = len(samples), []
    recipe = lancet.folder / "samples.json"
    while samples:
        recipe.write_text(json.dumps({"lancet_recipe": 1, "steps": [step for _, step in samples]}))
        done = subprocess.run([binary, "apply", str(lancet.model), str(recipe), "--json"], capture_output=True, text=True)
        if done.returncode == 0:
            break
        error = json.loads(done.stdout)["error"]
        at = [i for i, (_, step) in enumerate(samples) if step["name"] == error["node"]]
        if not at and error["code"] in ("steps.failed", "steps.named_failed"):  # a value that JSON does not hold stops at its step
            at = [error["arguments"]["number"] - 1]
        if not at:
            sys.exit(f"cannot tell which sample is refused: {error}")
        label, step = samples.pop(at[0])
        if error["code"].startswith("call."):
            refused.append((label, step, error["message"]))
    return total, refused


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--samples", type=int, default=6, help="of each operator")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lancet = Lancet(options.lancet, folder)
        results = [compare(lancet, call) for call in CALLS]
    with tempfile.TemporaryDirectory() as folder:
        total, wrong = refused_samples(options.lancet, folder, options.samples)
    for label, step, said in wrong:
        print(f"REFUSED {label}: {said}\n    {json.dumps(step)[:300]}")
    same = sum(agrees for _, agrees in results)
    print(f"{same} of {len(results)} calls as in PyTorch, which refuses {sum(refused for refused, _ in results)}; "
          f"{total - len(wrong)} of {total} samples accepted")
    return 0 if same == len(results) and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
