# SPDX-License-Identifier: GPL-3.0-or-later
"""Matching and replacing in exported models of the package transformers, beside torch.fx. Needs that package, which is no part of the others' requirements.

    hf_surgery.py --lancet BIN [--only NAME]

Small random models of many architectures are exported; operators' patterns (attention, activations after linear layers, norms, residual
adds) are matched by `lancet match` and by torch.fx's SubgraphMatcher; one replacement each is written as .pt2, loaded by PyTorch and run:
the numbers are those of the same replacement made by torch.fx. Exit 1: a difference.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch
sys.modules["torchvision"] = None  # not needed, and other builds of it break the import
import transformers  # noqa: E402
from torch import fx
from torch.fx.passes.utils.matcher_utils import SubgraphMatcher
from torch.fx.subgraph_rewriter import replace_pattern_with_filters

warnings.simplefilter("ignore")
SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "vocab_size": 100, "max_position_embeddings": 64}
GPT = {"n_embd": 32, "n_layer": 2, "n_head": 4, "vocab_size": 100, "n_positions": 64}
IMAGE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "image_size": 32, "patch_size": 8}
T5 = {"d_model": 32, "d_ff": 64, "d_kv": 8, "num_layers": 2, "num_heads": 4, "vocab_size": 100}
MODELS = {
    "Bert": ("text", SMALL), "Roberta": ("text", SMALL), "DistilBert": ("text", {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64, "vocab_size": 100}),
    "Electra": ("text", {**SMALL, "embedding_size": 16}), "Albert": ("text", {**SMALL, "embedding_size": 16}), "MPNet": ("text", SMALL), "Camembert": ("text", SMALL),
    "GPT2": ("text", GPT), "GPTNeoX": ("text", SMALL), "OPT": ("text", {**SMALL, "ffn_dim": 64, "word_embed_proj_dim": 32}),
    "Llama": ("text", {**SMALL, "num_key_value_heads": 2}), "Mistral": ("text", {**SMALL, "num_key_value_heads": 2}), "Qwen2": ("text", {**SMALL, "num_key_value_heads": 2}),
    "Gemma": ("text", {**SMALL, "num_key_value_heads": 2, "head_dim": 8}), "Phi": ("text", SMALL), "T5Encoder": ("text", T5),
    "ViT": ("image", IMAGE), "DeiT": ("image", IMAGE), "Dinov2": ("image", IMAGE), "Beit": ("image", IMAGE),
}
aten = torch.ops.aten
HEAD = "import torch\naten = torch.ops.aten\n"
# Name: pattern, replacement (None: only matched).
PATTERNS = {
    "attention": ("def pattern(q, k, v, m):\n    return aten.scaled_dot_product_attention.default(q, k, v, m)\n", None),
    "linear gelu": ("def pattern(x, w, b):\n    return aten.gelu.default(aten.linear.default(x, w, b))\n",
                    "def replacement(x, w, b):\n    y = aten.linear.default(x, w, b)\n    return aten.mul.Tensor(aten.mul.Tensor(y, 0.5), aten.add.Tensor(aten.erf.default(aten.mul.Tensor(y, 0.7071067811865476)), 1))\n"),
    "linear without bias": ("def pattern(x, w):\n    return aten.linear.default(x, w)\n", "def replacement(x, w):\n    return aten.matmul.default(x, aten.t.default(w))\n"),
    "swiglu": ("def pattern(x, a, b):\n    return aten.mul.Tensor(aten.silu.default(aten.linear.default(x, a)), aten.linear.default(x, b))\n", None),
    "layer norm": ("def pattern(x, w, b):\n    return aten.layer_norm.default(x, [32], w, b)\n", None),
    "residual": ("def pattern(x, y, w, b):\n    return aten.add.Tensor(aten.linear.default(x, w, b), y)\n", "def replacement(x, y, w, b):\n    return aten.add.Tensor(y, aten.linear.default(x, w, b))\n"),
    "rms norm": ("def pattern(x):\n    return aten.mul.Tensor(x, aten.rsqrt.default(aten.add.Tensor(aten.mean.dim(aten.pow.Tensor_Scalar(x, 2), [-1], True), 1e-6)))\n", None),
    "dropout": ("def pattern(x):\n    return aten.dropout.default(x, 0.1, False)\n", "def replacement(x):\n    return x\n"),
    "heads": ("def pattern(x, s):\n    return aten.transpose.int(aten.view.default(x, s), 1, 2)\n", None),
}


def exported(name):
    kind, settings = MODELS[name]
    torch.manual_seed(0)
    config = getattr(transformers, name.removesuffix("Encoder") + "Config")(**settings, use_cache=False) if kind == "text" else getattr(transformers, name + "Config")(**settings)
    model = getattr(transformers, name + "Model")(config).eval()
    args = (torch.randint(1, 99, (2, 7)),) if kind == "text" else (torch.randn(2, 3, 32, 32),)
    return torch.export.export(model, args, strict=False), args


def run(lancet, *words):
    return subprocess.run([lancet, *map(str, words)], capture_output=True, text=True)


def tensors(result):
    return [t for t in torch.utils._pytree.tree_leaves(result) if isinstance(t, torch.Tensor)]


def compare(lancet, folder, ep, args, title):
    source, replacement = PATTERNS[title]
    file, model, out = folder / "p.py", folder / "m.pt2", folder / "o.pt2"
    file.write_text(HEAD + source + (replacement or ""))
    scope = {}
    exec(file.read_text(), scope)  # noqa: S102
    pattern = fx.symbolic_trace(scope["pattern"])
    theirs = SubgraphMatcher(pattern.graph, ignore_literals=False).match(ep.graph)
    done = run(lancet, "match", model, "--pattern", f"{file}:pattern", "--json")
    if done.returncode > 1:
        return f"match: exit {done.returncode} {done.stderr}", 0
    ours = [m["nodes"] for m in json.loads(done.stdout)["matches"]]
    wanted = [{p.name: n.name for p, n in m.nodes_map.items() if p.op not in ("placeholder", "output")} for m in theirs]
    if ours != wanted:
        return f"{len(ours)} matches for {len(wanted)}", 0
    if not replacement or not wanted:
        return None, len(wanted)
    done = run(lancet, "replace", model, "--pattern", f"{file}:pattern", "--replacement", f"{file}:replacement", "-o", out)
    if done.returncode:
        return f"replace: exit {done.returncode} {done.stderr}", 0
    gm = ep.graph_module
    replace_pattern_with_filters(gm, scope["pattern"], scope["replacement"])
    loaded = torch.export.load(out)
    if str(loaded.graph_module.code) != str(gm.code):
        return "the code of the replaced model", 0
    for a, b in zip(tensors(loaded.module()(*args)), tensors(ep.module()(*args)), strict=True):
        if not torch.equal(a, b):
            return f"numbers: {(a - b).abs().max()}", 0
    return None, len(wanted)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--only")
    options = parser.parse_args()
    lancet, failures, total = str(pathlib.Path(options.lancet).resolve()), 0, 0
    for name in [options.only] if options.only else MODELS:
        with tempfile.TemporaryDirectory() as where:
            folder = pathlib.Path(where)
            try:
                ep, args = exported(name)
            except Exception as error:  # an architecture that this version cannot export
                print(f"{name}: not exported: {str(error)[:100]}", flush=True)
                continue
            torch.export.save(ep, folder / "m.pt2")
            counts = {}
            for title in PATTERNS:
                found, counts[title] = compare(lancet, folder, torch.export.load(folder / "m.pt2"), args, title)
                if found:
                    failures += 1
                    print(f"FAIL {name}, {title}: {found}", flush=True)
            total += len(PATTERNS)
            print(name, len(ep.graph.nodes), "nodes", counts, flush=True)
    print(f"{total} patterns compared, {failures} differ")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
