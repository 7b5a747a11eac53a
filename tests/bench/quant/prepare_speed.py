# SPDX-License-Identifier: GPL-3.0-or-later
"""prepare_fx and convert_fx of torch.ao on the graphs of bench_quant.cpp, then lancet-bench-quant, in one run.

    prepare_speed.py --bench BIN [--blocks N]

torch.ao's figure has the arithmetic of weights in it, which is small here (4 × 4 × 1 × 1). One JSON line per figure.
"""

import argparse
import json
import subprocess
import time
import warnings

import torch
from torch import nn
from torch.ao.quantization import get_default_qconfig_mapping
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx

warnings.filterwarnings("ignore")


class Net(nn.Module):
    def __init__(self, blocks):
        super().__init__()
        self.blocks = blocks
        for i in range(2 * blocks):
            self.add_module(f"conv{i}", nn.Conv2d(4, 4, 1))
            self.add_module(f"norm{i}", nn.BatchNorm2d(4))

    def layer(self, i, x):
        return getattr(self, f"norm{i}")(getattr(self, f"conv{i}")(x))

    def forward(self, x):
        for i in range(self.blocks):
            x = torch.relu(self.layer(2 * i + 1, torch.relu(self.layer(2 * i, x))) + x)
        return x


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--blocks", type=int, default=714)
    options = parser.parse_args()
    torch.set_num_threads(1)
    net, mapping = Net(options.blocks).eval(), get_default_qconfig_mapping("x86")
    start = time.process_time()
    prepared = prepare_fx(net, mapping, ())
    middle = time.process_time()
    convert_fx(prepared)
    end = time.process_time()
    figures = {"torch.ao prepare": middle - start, "torch.ao prepare and convert": end - start}
    for what, seconds in figures.items():
        print(json.dumps({"bench": "quant", "what": what, "nodes": 7 * options.blocks + 2, "millis": round(1000 * seconds, 1)}), flush=True)
    subprocess.run([options.bench], check=True)


if __name__ == "__main__":
    main()
