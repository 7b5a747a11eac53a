# SPDX-License-Identifier: GPL-3.0-or-later
"""The hand-written models exported; some in decomposed and training forms, with dynamic shapes, and in other types."""

import torch

from corpus import nets_text, nets_vision

DECOMPOSED = ["resnet18", "bert", "gpt2_fused", "unet", "tagger", "mobilenet_v3_small", "conformer", "t5"]
INFERENCE = ["vit", "llama", "detector"]
TRAINING = ["resnet18", "densenet121", "bert", "mobilenet_v2"]
DYNAMIC = ["resnet18", "text_cnn", "lstm_by_hand", "vit", "bert", "unet", "llama", "experts", "recommender"]


def export(make, inputs, dynamic=False, training=False):
    model, args = make().train(training), inputs()
    shapes = tuple({0: torch.export.Dim.AUTO} for _ in args) if dynamic else None
    return torch.export.export(model, args, dynamic_shapes=shapes)


def items():
    nets = {**nets_vision.NETS, **nets_text.NETS}
    made = {name: lambda net=net: export(*net) for name, net in nets.items()}
    for name in DECOMPOSED:
        made[f"{name}_decomposed"] = lambda net=nets[name]: export(*net).run_decompositions()
    for name in INFERENCE:
        made[f"{name}_no_decompositions"] = lambda net=nets[name]: export(*net).run_decompositions({})
    for name in TRAINING:
        made[f"{name}_training"] = lambda net=nets[name]: export(*net, training=True)
        made[f"{name}_training_decomposed"] = lambda net=nets[name]: export(*net, training=True).run_decompositions()
    for name in DYNAMIC:
        made[f"{name}_dynamic"] = lambda net=nets[name]: export(*net, dynamic=True)
    return made
