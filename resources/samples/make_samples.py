#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the samples beside this script: python make_samples.py [FOLDER] (needs torch==2.13.0).

The seeds are fixed and nothing of the machine goes into the files, so that with the same PyTorch every run
writes the same bytes.
"""

import pathlib
import sys

import torch
import torch.fx

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import sample_models  # noqa: E402

TRACED = {
    "simple_net": sample_models.SimpleNet,
    "my_module": sample_models.MyModule,
    "resnet": sample_models.ResNet,
    "densenet": sample_models.DenseNet,
    "transformer": sample_models.Transformer,
}


def build(make):
    torch.manual_seed(0)
    return make().eval()


def without_machine_paths(program):
    """Stack traces name source files by absolute path; keep the part that is the same everywhere."""
    folders = [f"{HERE}/", f"{pathlib.Path(torch.__file__).parent.parent}/"]
    for node in program.graph.nodes:
        text = node.meta.get("stack_trace")
        if text:
            for folder in folders:
                text = text.replace(folder, "")
            node.meta["stack_trace"] = text
    return program


def export_transformer():
    model = build(sample_models.Transformer)
    batch, tokens = torch.export.Dim("batch", min=1, max=64), torch.export.Dim("tokens", min=2, max=32)
    dims = {0: batch, 1: tokens}
    inputs = (torch.randint(100, (3, 7)), torch.ones(3, 7))
    program = torch.export.export(model, inputs, dynamic_shapes=(dims, dims))
    return without_machine_paths(program)


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in TRACED.items():
        torch.save(torch.fx.symbolic_trace(build(make)), folder / f"{name}.pt")
    torch.export.save(export_transformer(), folder / "transformer.pt2")


if __name__ == "__main__":
    main()
