#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tests/data/weights: files of torch.save in which people keep weights, all for the Net of net.py."""

import copy
import importlib
import pathlib
import sys

import torch
import torch.serialization

FOLDER = pathlib.Path(__file__).parent / "weights"
sys.path.insert(0, str(FOLDER))
Net = importlib.import_module("net").Net


def net(first):
    """A Net with the weights first, first + 1, ..."""
    made = Net()
    made(torch.ones(2, 2))
    with torch.no_grad():
        made.fc.weight.copy_(torch.tensor([[first, first + 1.0]]))
        made.fc.bias.copy_(torch.tensor([first + 2.0]))
    return made


def put(name, value, **how):
    torch.save(value, FOLDER / name, **how)


# The old form keeps the source of classes with the path of their file, which differs from machine to machine.
torch.serialization.get_source_lines_and_file = lambda cls: ([f"class {cls.__name__}: ...\n"], 1, "net.py")
old = {"_use_new_zipfile_serialization": False}
model, ema = net(1), net(11)
optimizer = torch.optim.Adam(model.parameters())
model(torch.ones(2, 2)).sum().backward()
optimizer.step()
model.load_state_dict(net(1).state_dict())
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3)
weights = model.state_dict()
put("whole.pth", model)
put("whole_old.pth", model, **old)
put("state_dict_old.pth", weights, **old)
put("graph_module_old.pt", torch.fx.symbolic_trace(model), **old)
put("modules.pth", {"epoch": 3, "net_g": model, "optimizer": optimizer, "scheduler": scheduler,
                    "random": torch.get_rng_state()[:8].clone(), "best": torch.tensor(0.5)})
put("list.pth", [optimizer, {"history": [1, 2]}, model])
put("nested.pth", {"trainer": {"net": {"module." + name: value for name, value in weights.items()}},
                   "optimizer": optimizer.state_dict(), "random": torch.get_rng_state()[:8].clone()})
put("ema.pth", {"model": weights, "ema": ema.state_dict()})
put("same.pth", {"model": model, "state_dict": weights})
put("others.pth", {"discriminator": torch.nn.Sequential(torch.nn.Linear(2, 1)).state_dict(), "generator": weights})
put("no_counter.pth", {name: value for name, value in weights.items() if "num_batches" not in name})
put("bn.pth", {name: value for name, value in weights.items() if name.startswith("bn.")})
put("fc.pth", {name: value for name, value in weights.items() if name.startswith("fc.")} | {"extra": torch.ones(2)})
put("meta.pth", copy.deepcopy(model).to("meta").state_dict())
tag, torch.serialization.location_tag = torch.serialization.location_tag, lambda storage: "cuda:0"
put("cuda.pth", weights)
put("cuda_old.pth", model, **old)
torch.serialization.location_tag = tag
