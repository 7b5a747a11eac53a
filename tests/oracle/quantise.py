# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares `lancet quantize` with torch.ao's FX mode: graphs, names, observers and their sharing, submodules.

    quantise.py --lancet BIN [--only TEXT] [--every N] [--mapping NAME...] [--form NAME...] [--corpus DIR] [--verbose]
                [--libraries DIR] [--library-models N] [--rotate N] [--record]

The models are the nets of quantise_nets.py, as files (`prepare_fx(torch.load(FILE), ...)`) and as sources (`prepare_fx(module, ...)`), the
GraphModules of the oracle's corpus, and the models of torchvision, timm and transformers that quantise_models.txt lists, as sources: each of these
with N of the mappings (--rotate), others for each model. `--record` writes that list anew: what library_traces.py finds, torch.ao can prepare and
has a layer with weights. What torch.ao refuses, lancet must refuse. Exit 1: a difference.
"""

import argparse
import collections
import copy
import difflib
import gc
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import torch
import torch.ao.quantization as quantization
from torch.ao.quantization import QConfigMapping, qconfig, quantize_fx
from torch.ao.quantization.fx.custom_config import PrepareCustomConfig

import quantise_nets
from known import reasons

HERE = pathlib.Path(__file__).parent
MODELS = HERE / "quantise_models.txt"
sys.path.insert(0, str(HERE / "corpus"))
import library_traces  # noqa: E402
import store  # noqa: E402

warnings.filterwarnings("ignore")
ENDED = 4  # exit code of what is refused


def embeddings(mapping, config):
    return mapping.set_object_type(torch.nn.Embedding, config).set_object_type(torch.nn.EmbeddingBag, config)


def default(backend):
    return lambda: quantization.get_default_qconfig_mapping(backend)


def qat(backend):
    return lambda: quantization.get_default_qat_qconfig_mapping(backend).set_object_type(
        torch.nn.Embedding, qconfig.default_embedding_qat_qconfig).set_object_type(torch.nn.EmbeddingBag, qconfig.default_embedding_qat_qconfig)


def rules():
    return (QConfigMapping().set_global(qconfig.default_qconfig)
            .set_object_type(torch.nn.Linear, qconfig.default_per_channel_qconfig).set_object_type(torch.nn.ReLU, qconfig.default_per_channel_qconfig)
            .set_object_type(torch.nn.functional.linear, None).set_object_type("view", quantization.default_reuse_input_qconfig)
            .set_module_name_regex(".*conv1.*", qconfig.default_per_channel_qconfig).set_module_name_regex("layer.*", qconfig.default_qconfig)
            .set_module_name("layer1.0", None).set_module_name("a", qconfig.default_per_channel_qconfig)
            .set_module_name_object_type_order("", torch.nn.Conv2d, 0, None)
            .set_module_name_object_type_order("b.0", torch.nn.functional.linear, 0, qconfig.default_qconfig))


RULES_JSON = json.dumps({
    "base": "none", "": "default_qconfig",
    "object_type": [["torch.nn.Linear", "default_per_channel_qconfig"], ["torch.nn.ReLU", "default_per_channel_qconfig"],
                    ["torch.nn.functional.linear", None], ["view", "default_reuse_input_qconfig"]],
    "module_name_regex": [[".*conv1.*", "default_per_channel_qconfig"], ["layer.*", "default_qconfig"]],
    "module_name": [["layer1.0", None], ["a", "default_per_channel_qconfig"]],
    "module_name_object_type_order": [["", "torch.nn.Conv2d", 0, None], ["b.0", "torch.nn.functional.linear", 0, "default_qconfig"]],
})


def json_of(name):
    return json.dumps({"base": "none", "": name})


# Modules of sources that are one node: quantised on their own, or not at all.
SEPARATE = ("sub", "inner", "body", "blocks", "layer1", "stem")


def standalone(quantised):
    """PrepareCustomConfig, and the options of lancet: with inputs and outputs in floating point, or `quantised` outside."""
    config = PrepareCustomConfig().set_non_traceable_module_classes([quantise_nets.Inner, quantise_nets.Deeper])
    inner = PrepareCustomConfig().set_input_quantized_indexes([0]).set_output_quantized_indexes([0])
    for name in SEPARATE:
        config.set_standalone_module_name(name, None, (), inner if quantised else None, None)
    entry = [None, None, {"input_quantized_idxs": [0], "output_quantized_idxs": [0]}] if quantised else []
    members = {"standalone_module_name": [[name, *entry] for name in SEPARATE], "non_traceable_module_class": ["Inner", "Deeper"]}
    return config, ["--qconfig", json.dumps({"prepare_custom_config": members})]


def untraced():
    config = PrepareCustomConfig().set_non_traceable_module_names(list(SEPARATE)).set_standalone_module_class(
        quantise_nets.Mixed, QConfigMapping().set_global(qconfig.default_qconfig), (), None, None)
    members = {"non_traceable_module_name": SEPARATE, "standalone_module_class": [["Mixed", {"": "default_qconfig"}]]}
    return config, ["--qconfig", json.dumps({"prepare_custom_config": members})]


def dynamic():
    return embeddings(QConfigMapping().set_global(qconfig.default_dynamic_qconfig), qconfig.float_qparams_weight_only_qconfig)


def engine_of(arguments):
    """The backend of lancet is torch.ao's engine, too."""
    return arguments[arguments.index("--backend") + 1] if "--backend" in arguments else "x86"


# name -> options of lancet, the mapping, whether it is QAT, the configuration of the backend
MAPPINGS = {
    **{backend: (["--backend", backend], default(backend), False, None) for backend in ("x86", "onednn", "fbgemm", "qnnpack")},
    "dynamic": (["--mode", "dynamic"], dynamic, False, None),
    **{f"dynamic_{backend}": (["--mode", "dynamic", "--backend", backend], dynamic, False, None) for backend in ("onednn", "fbgemm", "qnnpack")},
    "per_channel_dynamic": (["--mode", "dynamic", "--qconfig", json_of("per_channel_dynamic_qconfig")], lambda: QConfigMapping().set_global(qconfig.per_channel_dynamic_qconfig), False, None),
    "float16_dynamic": (["--mode", "dynamic", "--qconfig", json_of("float16_dynamic_qconfig")], lambda: QConfigMapping().set_global(qconfig.float16_dynamic_qconfig), False, None),
    "float16_static": (["--qconfig", json_of("float16_static_qconfig")], lambda: QConfigMapping().set_global(qconfig.float16_static_qconfig), False, None),
    "weight_only": (["--mode", "weight-only"], lambda: embeddings(QConfigMapping(), qconfig.float_qparams_weight_only_qconfig), False, None),
    "weight_only_4bit": (["--mode", "weight-only", "--qconfig", json.dumps({"object_type": [[f"torch.nn.{name}", "float_qparams_weight_only_qconfig_4bit"] for name in ("Embedding", "EmbeddingBag")]})],
                         lambda: embeddings(QConfigMapping(), qconfig.float_qparams_weight_only_qconfig_4bit), False, None),
    "rules": (["--qconfig", RULES_JSON], rules, False, None),
    "symmetric_qnnpack": (["--qconfig", json_of("default_symmetric_qnnpack_qconfig")], lambda: QConfigMapping().set_global(qconfig.default_symmetric_qnnpack_qconfig), False, None),
    "onednn_config": (["--backend", "onednn", "--backend-config", "onednn"], default("onednn"), False, "onednn"),
    "x86_config": (["--backend", "x86", "--backend-config", "x86"], default("x86"), False, "x86"),
    "qnnpack_config": (["--backend", "qnnpack", "--backend-config", "qnnpack"], default("qnnpack"), False, "qnnpack"),
    **{f"qat_{backend}": (["--mode", "qat", "--backend", backend], qat(backend), True, None) for backend in ("x86", "onednn", "fbgemm", "qnnpack")},
}
CUSTOM = {"standalone": standalone(False), "standalone_quantised": standalone(True), "untraced": untraced()}
MAPPINGS |= {name: (arguments, default("x86"), False, None) for name, (_, arguments) in CUSTOM.items()}
FORMS = ("prepared", "converted", "reference")


def backend_config(name):
    from torch.ao.quantization import backend_config as configs
    from torch.ao.quantization.backend_config.x86 import get_x86_backend_config
    makers = {"onednn": configs.get_onednn_backend_config, "x86": get_x86_backend_config, "qnnpack": configs.get_qnnpack_backend_config}
    return makers[name]() if name else None


def module_types(gm):
    """Classes by path; packed weights of functions too, which lancet keeps as modules."""
    def of(module):  # each GraphModule has a class of its own
        return torch.fx.GraphModule if isinstance(module, torch.fx.GraphModule) else type(module)
    types = {path: f"{of(module).__module__}.{of(module).__qualname__}" for path, module in gm.named_modules(remove_duplicate=False) if path}
    graphs = [(path + "." * bool(path), module) for path, module in gm.named_modules() if isinstance(module, torch.fx.GraphModule)]
    return types | {prefix + name: str(value._type()) for prefix, module in graphs for name, value in vars(module).items()
                    if isinstance(value, torch.ScriptObject)}


def observers_of(prepared):
    """The observers as `--json` tells them: name -> class, and which names are one instance."""
    names, owners = {}, {}
    for node in prepared.graph.nodes:
        if node.op == "call_module" and node.target.startswith("activation_post_process_"):
            module = getattr(prepared, node.target)
            names[node.target] = f"{type(module).__module__}.{type(module).__qualname__}"
            owners.setdefault(id(module), []).append(node.target)
    return names, sorted(sorted(group) for group in owners.values())


def theirs(model, make, is_qat, config, forms, custom=None, engine="x86"):
    """form -> (graph, modules), from one module; an exception's text where torch.ao refuses."""
    torch.backends.quantized.engine = engine
    found = {}
    try:
        model = model.train() if is_qat else model.eval()
        prepare = quantize_fx.prepare_qat_fx if is_qat else quantize_fx.prepare_fx
        prepared = prepare(model, make(), (), prepare_custom_config=custom, backend_config=config)
        found["prepared"] = (str(prepared.graph), observers_of(prepared), module_types(prepared))
    except Exception as error:
        return {form: f"{type(error).__name__}: {error}".splitlines()[0] for form in forms}
    for form, convert in (("converted", quantize_fx.convert_fx), ("reference", quantize_fx.convert_to_reference_fx)):
        if form not in forms:
            continue
        try:
            done = convert(copy.deepcopy(prepared), backend_config=config)
            found[form] = (str(done.graph), None, module_types(done))
        except Exception as error:
            found[form] = f"{type(error).__name__}: {error}".splitlines()[0]
    return found


KNOWN = reasons(HERE / "known_quantise.txt")  # why the graphs of models differ


def has_own_leaves(model):
    """torch.ao traces into a leaf of a user's class, whose source a file does not have."""
    if not isinstance(model, torch.fx.GraphModule):
        return False
    called = (model.get_submodule(node.target) for node in model.graph.nodes if node.op == "call_module")
    return any(not type(each).__module__.startswith("torch.") for each in called)


class GraphUnknown(Exception):
    """A standalone module has a graph of its own, which PyTorch traces from its class; a file has only that of the model."""


class Comparison:
    def __init__(self, options):
        self.options, self.equal, self.total, self.refused = options, collections.Counter(), collections.Counter(), 0
        self.failed, self.known, self.unknown, self.left_out, self.reasons = [], 0, 0, set(), collections.Counter()

    def lancet(self, model, arguments, form):
        path = ["--path", self.options.libraries] if self.options.libraries else []
        command = [self.options.lancet, "quantize", model, *path, *arguments, *({"prepared": ["--prepared"], "reference": ["--reference"]}.get(form, []))]
        told = subprocess.run([*command, "--json", "--show", "graph"], capture_output=True, text=True, timeout=120)
        if told.returncode:
            return told.returncode, told.stderr.strip()
        return 0, json.loads(told.stdout)

    def difference(self, model, arguments, form, wanted):
        code, ours = self.lancet(model, arguments, form)
        if isinstance(wanted, str):
            if code == ENDED:
                self.refused += 1
                return None
            return f"torch.ao refuses: {wanted}; lancet: exit {code}"
        if code == ENDED and "the graph of this module is not known" in ours:
            raise GraphUnknown
        if code:
            return f"lancet: exit {code}: {ours.splitlines()[0] if ours else ''}"
        graph, observers, types = wanted
        if ours["graph"] != graph:
            lines = list(difflib.unified_diff(graph.splitlines(), ours["graph"].splitlines(), "torch.ao", "lancet", lineterm="", n=0))
            return "graph: " + "\n".join(lines[:12 if not self.options.verbose else 400])
        if observers:
            outer = [each for each in ours["observers"] if "." not in each["name"]]  # the others are in standalone modules
            named = {each["name"]: each["type"] for each in outer}
            if named != observers[0]:
                return f"observers: {sorted(set(named.items()) ^ set(observers[0].items()))[:6]}"
            groups = collections.defaultdict(list)
            for each in outer:
                groups[each["shared_with"] or each["name"]].append(each["name"])
            if sorted(sorted(group) for group in groups.values()) != observers[1]:
                return f"sharing: {observers[1]} but {sorted(groups.values())}"
        ours_types = {each["path"]: each["type"] for each in ours["modules"]}
        if ours_types != types:
            return f"modules: {sorted(set(ours_types.items()) ^ set(types.items()))[:8]}"
        return None

    def one(self, name, path, load, mapping):
        arguments, make, is_qat, config = MAPPINGS[mapping]
        torch.manual_seed(0)
        try:
            model = load()
        except Exception:  # files that PyTorch cannot read stand in the corpus for what lancet says of them
            self.left_out.add(name)
            return
        if has_own_leaves(model):
            self.left_out.add(name)
            return
        wanted = theirs(model, make, is_qat, backend_config(config), self.options.form, CUSTOM.get(mapping, (None,))[0], engine_of(arguments))
        for form in self.options.form:
            try:
                found = self.difference(path, arguments, form, wanted[form])
            except GraphUnknown:
                self.unknown += 1
                continue
            except Exception as error:
                found = f"{type(error).__name__}: {error}"
            self.total[form] += 1
            self.equal[form] += found is None
            if found is not None and name in KNOWN:
                self.known += 1
            elif found is not None:
                self.failed.append(f"{name} {mapping} {form}")
                self.reasons[found.splitlines()[0][:60]] += 1
                print(f"FAIL {name} {mapping} {form}: {found}", flush=True)


def cases(options, folder):
    """(name, what lancet opens, how PyTorch makes it)"""
    for name, cls in quantise_nets.NETS.items():
        torch.manual_seed(0)
        path = folder / f"{name}.pt"
        torch.save(torch.fx.symbolic_trace(cls().eval()), path)
        yield f"net/{name}", path, lambda path=path: torch.load(path, weights_only=False)
        yield f"source/{name}", f"{HERE / 'quantise_nets.py'}:{name}", cls
    if options.corpus:
        for path in sorted(options.corpus.glob("**/gm_*/*.pt")):
            yield f"{path.parent.name}/{path.stem}", path, lambda path=path: torch.load(path, weights_only=False)


class Library:
    """The models of installed libraries; weights are constants, since only names are compared."""

    def __init__(self, folder):
        if folder:
            sys.path.append(folder)
        os.environ["TRANSFORMERS_VERBOSITY"] = "error"
        library_traces.import_installed("torchvision")  # before those that import it as if its operators were there
        for name in [each for each in vars(torch.nn.init) if each.endswith("_") and not each.startswith("_")]:
            setattr(torch.nn.init, name, lambda tensor, *args, **kwargs: tensor.data.fill_(0.01) if tensor.is_floating_point() else tensor)

    def cases(self, most):
        """(name, what lancet opens, how PyTorch makes it) of at most so many of the listed models, spread over the list."""
        listed = MODELS.read_text().split()
        for line in listed[:: max(1, -(-len(listed) // most))]:
            module, expression = line.split(":", 1)
            library_traces.import_installed(module.split(".")[0])
            try:
                case = library_traces.Case(module.split(".")[0], module, expression)
                importlib.import_module(module)
            except ImportError as error:
                print(f"{line} is left out: {error}", flush=True)
                continue
            yield f"library/{line}", f"{case.file}:{expression}", case.make

    def record(self):
        """Lists the models that torch.ao prepares in a minute: of libraries' classes only one in 12, which are alike."""
        found = []
        for library, find in library_traces.LIBRARIES.items():
            package = library_traces.import_installed(library)
            models, layers = [], []
            for case in find(package) if package else ():
                (models if case.expression[0].islower() else layers).append(case)
            for case in models + layers[::12]:
                if is_small(case) and library_traces.in_time(lambda case=case: can_be_prepared(case)):
                    found.append(str(case).replace(" ", ""))
                    print(found[-1], flush=True)
        MODELS.write_text("\n".join(found) + "\n")


def is_small(case, most=60_000_000):
    """Larger ones have the same layers, only more of them."""
    try:
        with torch.device("meta"):
            return sum(each.numel() for each in case.make().parameters()) <= most
    except Exception:
        return False


def can_be_prepared(case):
    try:
        prepared = quantize_fx.prepare_fx(case.make().eval(), default("x86")(), ())
    except Exception:
        return False
    return any(isinstance(each, (torch.nn.Linear, torch.nn.modules.conv._ConvNd)) for each in prepared.modules())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lancet", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--mapping", nargs="+", choices=MAPPINGS, default=list(MAPPINGS))
    parser.add_argument("--form", nargs="+", choices=FORMS, default=list(FORMS))
    parser.add_argument("--corpus", type=pathlib.Path, help="a folder of the corpus; default: the one that run_oracle.py makes")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--libraries", help="a folder that has libraries beside Python's own")
    parser.add_argument("--library-models", type=int, default=0, help="at most so many models of libraries")
    parser.add_argument("--rotate", type=int, default=1, help="mappings for each model of a library")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    library = Library(options.libraries) if options.record or options.library_models else None
    if options.record:
        return library.record()
    options.corpus = options.corpus or store.default_folder() / store.fingerprint()
    torch.set_num_threads(1)
    started, comparison = time.time(), Comparison(options)
    with tempfile.TemporaryDirectory() as folder:
        chosen = [case for case in cases(options, pathlib.Path(folder)) if options.only in case[0]][::options.every]
        for name, path, load in chosen:
            for mapping in options.mapping:
                comparison.one(name, path, load, mapping)
    models = [case for case in library.cases(options.library_models) if options.only in case[0]] if library else []
    for number, (name, path, load) in enumerate(models):
        gc.collect()  # graphs refer to their modules and back
        for turn in range(options.rotate):
            comparison.one(name, path, load, options.mapping[(number * options.rotate + turn) % len(options.mapping)])
    for reason, count in comparison.reasons.most_common(12):
        print(f"{count:5} {reason}")
    told = ", ".join(f"{form} {comparison.equal[form]}/{comparison.total[form]}" for form in options.form)
    print(f"quantise: {len(chosen)} models x {len(options.mapping)} mappings, {len(models)} of libraries x {options.rotate}; equal: {told} ({comparison.refused} refused by both, {comparison.known} known, {comparison.unknown} whose standalone graph is unknown, "
          f"{len(comparison.left_out)} models left out), in {time.time() - started:.0f} s")
    return 1 if comparison.failed or not chosen + models else 0


if __name__ == "__main__":
    sys.exit(main())
