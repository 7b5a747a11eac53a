# SPDX-License-Identifier: GPL-3.0-or-later
"""Matching and replacing in models of the packages transformers and timm, beside torch.fx.

    hf_surgery.py --lancet BIN [--only NAME]...

Run it with a Python that has them beside torch (pip install transformers timm); they are no part of the others' requirements, so that
it is not among what ./dev runs. Exit 77: skipped, they are not there. It takes some minutes.

Small random models of many architectures are exported (.pt2), and vision models and blocks are traced without leaf modules (.pt). Patterns
that people search such models for (linear-gelu-linear, attention with its views, q-k-v, norms after adds, gates, rotations) are matched by
`lancet match` and by torch.fx's SubgraphMatcher; a replacement of each is written, loaded by PyTorch and run: code and numbers are
those of the same replacement made by torch.fx. Each pattern has to occur in some model. Exit 1: a difference.
"""

import argparse
import collections
import importlib.abc
import importlib.machinery
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import warnings

import torch


class Anything(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return name


class NoVision(types.ModuleType):
    """Stands for torchvision: timm names it, these models do not use it, and builds of it for another torch break the import."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything(name, (), {})


class FindsNoVision(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] == "torchvision" else None

    def create_module(self, spec):
        return NoVision(spec.name)

    def exec_module(self, module):
        pass


sys.meta_path.insert(0, FindsNoVision())
try:
    import timm
    import transformers
except ImportError as missing:
    print(f"skipped: {missing} (pip install transformers timm)")
    sys.exit(77)
from torch import fx  # noqa: E402
from torch.fx.passes.utils.matcher_utils import SubgraphMatcher  # noqa: E402
from torch.fx.subgraph_rewriter import replace_pattern_with_filters  # noqa: E402

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
VISION = {  # of timm: traced whole
    "vit_tiny_patch16_224": {"img_size": 32, "patch_size": 8, "depth": 2, "embed_dim": 32, "num_heads": 4}, "mixer_s32_224": {"img_size": 64},
    "deit_tiny_patch16_224": {"img_size": 32, "patch_size": 8, "depth": 2, "embed_dim": 32, "num_heads": 4},
    "resnet18": {}, "convnext_atto": {}, "efficientnet_b0": {}, "mobilenetv3_small_050": {},
}
BLOCKS = {  # of transformers: what its models repeat, module and class
    "LlamaMLP": ("llama", "Llama", SMALL), "Qwen2MLP": ("qwen2", "Qwen2", SMALL), "MistralMLP": ("mistral", "Mistral", SMALL),
    "GPTNeoXMLP": ("gpt_neox", "GPTNeoX", SMALL), "PhiMLP": ("phi", "Phi", SMALL), "CLIPMLP": ("clip", "CLIPText", SMALL), "LlamaRMSNorm": ("llama", None, 32),
}
aten = torch.ops.aten
HEAD = "import torch\nimport torch.nn.functional as F\naten = torch.ops.aten\n"
# Name: pattern, replacement, each the body of a function of these inputs. An input also stands for a number or a list.
EXPORTED = {
    "attention": ("q, k, v, m, c", "return aten.scaled_dot_product_attention.default(q, k, v, m, scale=c)",
                  "return aten.scaled_dot_product_attention.default(aten.mul.Tensor(q, c), k, v, m, scale=1.0)"),
    "attention with its views": ("q, k, v, m, c, s, r, t", """
    a = aten.transpose.int(aten.view.default(q, s), 1, 2)
    b = aten.transpose.int(aten.view.default(k, s), 1, 2)
    d = aten.transpose.int(aten.view.default(v, s), 1, 2)
    y = aten.reshape.default(aten.scaled_dot_product_attention.default(a, b, d, m, scale=c), r)
    return aten.reshape.default(aten.transpose.int(y, 1, 2), t)""", """
    a = aten.mul.Tensor(aten.transpose.int(aten.view.default(q, s), 1, 2), c)
    b = aten.transpose.int(aten.view.default(k, s), 1, 2)
    d = aten.transpose.int(aten.view.default(v, s), 1, 2)
    y = aten.reshape.default(aten.scaled_dot_product_attention.default(a, b, d, m, scale=1.0), r)
    return aten.reshape.default(aten.transpose.int(y, 1, 2), t)"""),
    "q k v": ("x, a, b, c, d, e, f", "return aten.linear.default(x, a, b), aten.linear.default(x, c, d), aten.linear.default(x, e, f)", """
    y = aten.neg.default(aten.neg.default(x))
    return aten.linear.default(y, a, b), aten.linear.default(y, c, d), aten.linear.default(y, e, f)"""),
    "q k v without bias": ("x, a, b, c", "return aten.linear.default(x, a), aten.linear.default(x, b), aten.linear.default(x, c)", """
    y = aten.neg.default(aten.neg.default(x))
    return aten.linear.default(y, a), aten.linear.default(y, b), aten.linear.default(y, c)"""),
    "linear gelu": ("x, w, b", "return aten.gelu.default(aten.linear.default(x, w, b))", """
    y = aten.linear.default(x, w, b)
    return aten.mul.Tensor(aten.mul.Tensor(y, 0.5), aten.add.Tensor(aten.erf.default(aten.mul.Tensor(y, 0.7071067811865476)), 1))"""),
    "linear gelu linear": ("x, a, b, c, d", "return aten.linear.default(aten.gelu.default(aten.linear.default(x, a, b)), c, d)",
                           "return aten.linear.default(aten.relu.default(aten.linear.default(x, a, b)), c, d)"),
    "gelu by tanh": ("x", """
    y = aten.add.Tensor(x, aten.mul.Tensor(aten.pow.Tensor_Scalar(x, 3.0), 0.044715))
    return aten.mul.Tensor(aten.mul.Tensor(x, 0.5), aten.add.Tensor(aten.tanh.default(aten.mul.Tensor(y, 0.7978845608028654)), 1.0))""",
                     "return aten.gelu.default(x, approximate='tanh')"),
    "linear without bias": ("x, w", "return aten.linear.default(x, w)", "return aten.matmul.default(x, aten.t.default(w))"),
    "gate": ("x, a, b", "return aten.mul.Tensor(aten.silu.default(aten.linear.default(x, a)), aten.linear.default(x, b))",
             "return aten.mul.Tensor(aten.linear.default(x, b), aten.silu.default(aten.linear.default(x, a)))"),
    "add layer norm": ("x, y, n, w, b, e", "return aten.layer_norm.default(aten.add.Tensor(x, y), n, w, b, e, False)",
                       "return aten.add.Tensor(aten.mul.Tensor(aten.layer_norm.default(aten.add.Tensor(y, x), n, None, None, e, False), w), b)"),
    "layer norm": ("x, n, w, b, e", "return aten.layer_norm.default(x, n, w, b, e, False)",
                   "return aten.add.Tensor(aten.mul.Tensor(aten.layer_norm.default(x, n, None, None, e, False), w), b)"),
    "layer norm as one writes it": ("x, w, b", "return aten.layer_norm.default(x, [32], w, b)", None),  # the others pass eps: nowhere
    "rms norm": ("x, e", "return aten.mul.Tensor(x, aten.rsqrt.default(aten.add.Tensor(aten.mean.dim(aten.pow.Tensor_Scalar(x, 2), [-1], True), e)))",
                 "return aten.div.Tensor(x, aten.sqrt.default(aten.add.Tensor(aten.mean.dim(aten.mul.Tensor(x, x), [-1], True), e)))"),
    "rotate half": ("x, i, j, k, n", "return aten.cat.default([aten.neg.default(aten.slice.Tensor(x, i, j, n)), aten.slice.Tensor(x, i, k, j)], -1)",
                    "return aten.neg.default(aten.cat.default([aten.slice.Tensor(x, i, j, n), aten.neg.default(aten.slice.Tensor(x, i, k, j))], -1))"),
    "residual": ("x, y, w, b", "return aten.add.Tensor(aten.linear.default(x, w, b), y)", "return aten.add.Tensor(y, aten.linear.default(x, w, b))"),
    "dropout": ("x", "return aten.dropout.default(x, 0.1, False)", "return x"),
    "heads": ("x, s", "return aten.transpose.int(aten.view.default(x, s), 1, 2)", "return aten.permute.default(aten.view.default(x, s), [0, 2, 1, 3])"),
}
TRACED = {
    "linear": ("x, w, b", "return F.linear(x, w, b)", "return torch.neg(F.linear(torch.neg(torch.neg(torch.neg(x))), w, b))"),
    "linear gelu linear": ("x, a, b, c, d", "return F.linear(F.dropout(F.gelu(F.linear(x, a, b), approximate='none'), p=0.0, training=False, inplace=False), c, d)",
                           "return F.linear(F.relu(F.linear(x, a, b)), c, d)"),
    "layer norm": ("x, n, w, b, e", "return F.layer_norm(x, n, weight=w, bias=b, eps=e)", "return F.layer_norm(x, n, eps=e) * w + b"),
    "attention": ("q, k, v, m, c", "return F.scaled_dot_product_attention(q, k, v, attn_mask=m, dropout_p=0.0, is_causal=c)",
                  "return F.scaled_dot_product_attention(torch.neg(q), torch.neg(k), v, attn_mask=m, dropout_p=0.0, is_causal=c)"),
    "gate": ("x, a, b", "return F.silu(F.linear(x, a, None), inplace=False) * F.linear(x, b, None)", "return F.linear(x, b, None) * F.silu(F.linear(x, a, None))"),
    "sum and activation": ("x, y", "return F.relu(x + y, inplace=True)", "return torch.relu(torch.add(x, y))"),
    "convolution": ("x, w, b, s, p, d, g", "return torch.conv2d(x, w, b, s, p, d, g)", "return torch.conv2d(torch.neg(x), torch.neg(w), b, s, p, d, g)"),
    "pooled": ("x, d", "return x.mean(d, keepdim=True)", "return torch.sum(x, d, keepdim=True) / 2"),
    "mean of squares": ("x, e", "return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + e)", "return x / torch.sqrt((x * x).mean(-1, keepdim=True) + e)"),
    "sum": ("x, y", "return x + y", "return torch.add(y, x)"),
}
NOWHERE = {"layer norm as one writes it"}


def functions(patterns, title):
    inputs, pattern, replacement = patterns[title]
    source = HEAD + f"def pattern({inputs}):\n    {pattern.strip()}\n"
    return source + (f"def replacement({inputs}):\n    {replacement.strip()}\n" if replacement else "")


class NoLeaves(fx.Tracer):
    """Modules of torch.nn are gone into: their functions are what patterns are made of. Batch norms ask what they are given, which stops tracing."""

    def is_leaf_module(self, module, name):
        return isinstance(module, torch.nn.modules.batchnorm._BatchNorm)


def traced(name):
    torch.manual_seed(0)
    if name in VISION:
        model = timm.create_model(name, pretrained=False, num_classes=10, **VISION[name])
        args = (torch.randn(2, 3, *2 * (VISION[name].get("img_size", 64),)),)
    else:
        module, config, settings = BLOCKS[name]
        kind = getattr(__import__(f"transformers.models.{module}.modeling_{module}", fromlist=[name]), name)
        model, args = kind(settings if config is None else getattr(transformers, config + "Config")(**settings)), (torch.randn(2, 7, 32),)
    model.eval()
    tracer = NoLeaves()
    return fx.GraphModule(model, tracer.trace(model)), args


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


def wanted(match):
    return {p.name: n.name for p, n in match.nodes_map.items() if p.op not in ("placeholder", "output")}


class Model:
    """A saved model: read again for each pattern, since torch.fx changes what it replaces in."""

    def __init__(self, name, folder):
        self.name, self.traced = name, name not in MODELS
        model, self.args = (traced if self.traced else exported)(name)
        self.path, self.out = folder / f"m.{self.kind}", folder / f"o.{self.kind}"
        (torch.save if self.traced else torch.export.save)(model, self.path)
        self.patterns = TRACED if self.traced else EXPORTED

    @property
    def kind(self):
        return "pt" if self.traced else "pt2"

    def load(self, path):
        return torch.load(path, weights_only=False) if self.traced else torch.export.load(path)

    def graph_module(self, loaded):
        return loaded if self.traced else loaded.graph_module

    def run(self, loaded):
        with torch.no_grad():
            return tensors((loaded if self.traced else loaded.module())(*self.args))


def compare(lancet, model, folder, title):
    """What differs, or None; and the number of matches."""
    file = folder / "p.py"
    file.write_text(functions(model.patterns, title))
    scope = {}
    exec(file.read_text(), scope)  # noqa: S102
    loaded = model.load(model.path)
    gm = model.graph_module(loaded)
    theirs = [wanted(m) for m in SubgraphMatcher(fx.symbolic_trace(scope["pattern"]).graph).match(gm.graph)]
    done = run(lancet, "match", model.path, "--pattern", f"{file}:pattern", "--json")
    if done.returncode > 1:
        return f"match: exit {done.returncode} {done.stderr}", 0
    ours = [m["nodes"] for m in json.loads(done.stdout)["matches"]]
    if ours != theirs:
        return f"{len(ours)} matches for {len(theirs)}: {next(((a, b) for a, b in zip(ours, theirs) if a != b), '')}", 0
    if "replacement" not in scope or not theirs:
        return None, len(theirs)
    done = run(lancet, "replace", model.path, "--pattern", f"{file}:pattern", "--replacement", f"{file}:replacement", "-o", model.out)
    if done.returncode:
        return f"replace: exit {done.returncode} {done.stderr}", 0
    replace_pattern_with_filters(gm, scope["pattern"], scope["replacement"])
    again = model.load(model.out)
    mine = model.graph_module(again)
    if str(mine.code) != str(retraced(gm).code if model.traced else gm.code):
        return "the code of the replaced model", 0
    for a, b in zip(model.run(again), model.run(loaded), strict=True):
        if not torch.equal(a, b):
            return f"numbers: {(a - b).abs().max()}", 0
    return None, len(theirs)


def retraced(gm):
    """What torch.save and torch.load make of it: Python traces the code again."""
    with tempfile.NamedTemporaryFile(suffix=".pt") as file:
        torch.save(gm, file.name)
        return torch.load(file.name, weights_only=False)


def compare_model(lancet, name, matched):
    """How many patterns differ; None: the packages that are installed cannot make this model."""
    with tempfile.TemporaryDirectory() as where:
        folder = pathlib.Path(where)
        try:
            model = Model(name, folder)
        except Exception as error:  # an architecture that this version cannot export or trace
            print(f"{name}: not made: {str(error)[:200]}", flush=True)
            return None
        counts, failures = {}, 0
        for title in model.patterns:
            found, count = compare(lancet, model, folder, title)
            if found:
                failures += 1
                print(f"FAIL {name}, {title}: {found}", flush=True)
            if count:
                counts[title] = count
                matched[(model.kind, title)] += count
        print(f"{name} ({model.kind}), {len(model.graph_module(model.load(model.path)).graph.nodes)} nodes: {counts}", flush=True)
        return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--only", action="append")
    options = parser.parse_args()
    lancet, matched = str(pathlib.Path(options.lancet).resolve()), collections.Counter()
    results = [compare_model(lancet, name, matched) for name in options.only or [*MODELS, *VISION, *BLOCKS]]
    failures, made = sum(r or 0 for r in results), sum(r is not None for r in results)
    if not options.only:
        for title in [("pt2", t) for t in EXPORTED] + [("pt", t) for t in TRACED]:
            if not matched[title] and title[1] not in NOWHERE:
                failures += 1
                print("FAIL matched nowhere:", *title)
    print(f"{made} models, {sum(matched.values())} matches compared, {failures} differences")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
