# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes compiled_net.log, the log of TORCH_TRACE of this network, without records that Lancet does not read.

    python compiled_net.py            in this folder, with PyTorch 2.13
"""

import glob
import os
import re
import sys
import tempfile

folder = tempfile.mkdtemp()
os.environ.update(TORCH_TRACE=folder, TORCHINDUCTOR_FORCE_DISABLE_CACHES="1", INDUCTOR_PROVENANCE="1")

import torch  # noqa: E402

KEPT = re.compile(r"[^{]*\] \{\"(?:str|dynamo_|aot_|inductor_output_code|create_symbol|guard_added|artifact\": \{\"name\": \"(?:torch_version|"
                  r"recompile|dynamo_graph_break|before_|after_|inductor_post|inductor_provenance_tracking_node|fx_graph_runnable))")



class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        x = torch.relu(self.linear(x))
        if x.sum() > 0:
            x = x * 2
        return torch.softmax(x, -1)


def main():
    torch.manual_seed(0)
    net = torch.compile(Net())
    with torch.no_grad():
        net(torch.rand(2, 4))
        net(torch.rand(3, 4))
    keep, out = False, []
    with open(glob.glob(folder + "/*.log")[0]) as log:
        for line in log:
            if not line.startswith("\t"):
                keep = bool(KEPT.match(line))
            if keep:
                out.append(line)
    text = "".join(out).replace(os.path.dirname(os.path.dirname(torch.__file__)) + "/", "").replace(os.getcwd() + "/", "")
    text = re.sub(r"/(?:tmp|root)/[\w/.~-]*", "/tmp", text)
    with open("compiled_net.log", "w") as file:
        file.write(text)


if __name__ == "__main__":
    sys.exit(main())
