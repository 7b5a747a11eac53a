# SPDX-License-Identifier: GPL-3.0-or-later
"""FLOPs of nodes beside torch.utils.flop_counter, which counts products of matrices and convolutions.

    flops.py --lancet BIN

Exit 1: a sum differs.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import torch
from torch import fx, nn
from torch.utils.flop_counter import FlopCounterMode

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Parts of the names of what torch.utils.flop_counter has formulas for.
COUNTED = ("Conv", "conv", "Linear", "linear", "matmul", "bmm", "addmm", "mm")


class Net(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)


class Products(nn.Module):
    def forward(self, x):
        y = torch.bmm(x, x.transpose(1, 2))
        z = torch.baddbmm(y, x, x.transpose(1, 2))
        return torch.addmm(z[0], x[0], x[1].t()) + torch.matmul(x, x[0].t()) + x[0] @ x[1].t()


class Exported(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.fc = nn.Conv2d(4, 8, 3, stride=2), nn.Linear(8, 5)

    def forward(self, x):
        return self.fc(self.conv(x).relu().mean((2, 3)))


CASES = {
    "conv1d": (nn.Conv1d(4, 8, 3, padding=1), (2, 4, 17)),
    "conv2d": (nn.Sequential(nn.Conv2d(4, 8, 3, stride=2), nn.ReLU(), nn.Conv2d(8, 8, 5, padding=2, groups=4)), (2, 4, 15, 16)),
    "dilated": (nn.Conv2d(4, 8, 3, dilation=3, padding=3), (1, 4, 20, 20)),
    "conv3d": (nn.Conv3d(2, 4, 3), (1, 2, 6, 7, 8)),
    "transposed": (nn.ConvTranspose2d(4, 6, 3, stride=2), (2, 4, 9, 9)),
    "grouped transposed": (nn.ConvTranspose2d(4, 6, 3, stride=2, groups=2), (2, 4, 9, 9)),
    "linear": (nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 4, bias=False)), (2, 5, 16)),
    "products": (Products(), (3, 7, 7)),
}


def told(lancet, path, shape):
    done = subprocess.run([lancet, "bench", path, "--input", "x=" + "x".join(map(str, shape)), "--per-node", "--json", "--seconds", "0.1", "--threads", "1"],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{path.name}: {done.stderr}")
    nodes = json.loads(done.stdout)["nodes"]
    return sum(node["flops"] or 0 for node in nodes if any(part in node["target"] for part in COUNTED))


def counted(model, shape):
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        model(torch.randn(shape))
    return counter.get_total_flops()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lancet", type=pathlib.Path, required=True)
    lancet = parser.parse_args().lancet.resolve()
    differ = 0
    with tempfile.TemporaryDirectory() as name:
        models = []
        for case, (model, shape) in CASES.items():
            path = pathlib.Path(name) / f"{case.replace(' ', '_')}.pt"
            torch.save(fx.symbolic_trace(Net(model).eval()), path)
            models.append((case, path, model, shape))
        path, model = pathlib.Path(name) / "exported.pt2", Exported().eval()
        torch.export.save(torch.export.export(model, (torch.randn(2, 4, 9, 9),)), path)
        models.append(("exported", path, model, (2, 4, 9, 9)))
        for sample, shape in (("resnet", (2, 3, 64, 64)), ("densenet", (1, 3, 64, 64))):
            path = ROOT / f"resources/samples/{sample}.pt"
            models.append((sample, path, torch.load(path, weights_only=False).eval(), shape))
        for case, path, model, shape in models:
            ours, theirs = told(lancet, path, shape), counted(model, shape)
            if ours != theirs:
                differ += 1
                print(f"FAIL {case}: {ours:.0f}, torch {theirs}")
    print(f"FLOPs of {len(models)} models compared, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
