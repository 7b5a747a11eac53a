// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/save_pipeline.h"

#include "core/files/replaced_file.h"
#include "core/files/replaced_folder.h"
#include "core/json/json_writer.h"
#include "core/model_files/save_graphmodule.h"
#include "core/model_files/unlift.h"
#include "core/module/exported_signature.h"
#include "core/partition/pipeline.h"

#include <algorithm>
#include <filesystem>

namespace fx {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLauncher = R"py(#!/usr/bin/env python3
"""Runs the stages of this folder as a pipeline, one process each, with torch.distributed.pipelining.

On one machine, with N the number of stages:

    torchrun --nproc-per-node N run_pipeline.py --inputs inputs.pt --output outputs.pt

On two machines with N/2 stages each, the same on both but for --node-rank:

    torchrun --nnodes 2 --node-rank 0 --nproc-per-node N/2 --master-addr HOST --master-port 29500 run_pipeline.py ...

inputs.pt is what torch.save wrote: a tensor, a tuple or list of the model's inputs, or a dict by their )py"
                                       R"py(names. Only the process of the
first stage reads it, only that of the last one writes the outputs. Each process reads its own stage_K.pt alone.
"""
import argparse
import json
import os
import pathlib
import types

import torch
import torch.distributed as dist
import torch.fx
from torch.distributed.pipelining import PipelineStage, ScheduleGPipe

FOLDER = pathlib.Path(__file__).resolve().parent


def rebuilt(structure, leaves):
    """The model's output, nested as the model returns it, from the tensors that the last stage gives."""
    kind, value = next(iter(structure.items()))
    if kind == "leaf":
        return leaves[value]
    if kind == "constant":
        return value
    if kind == "dict":
        return {key: rebuilt(each, leaves) for key, each in value}
    items = [rebuilt(each, leaves) for each in value]
    return tuple(items) if kind == "tuple" else items


def written_tensors(stage):
    """What a stage may write to when it runs: buffers, and tensors that are plain attributes."""
    for module in stage.modules():
        yield from module.buffers(recurse=False)
        yield from (each for each in vars(module).values() if isinstance(each, torch.Tensor))


class Sendable(torch.nn.Module):
    """A stage whose results are contiguous, as what is sent has to be; of the last one, numbers are rows, )py"
                                       R"py(as microbatches put together are.
    The schedule runs it once more beforehand, to learn shapes, so it gets copies of its inputs and then )py"
                                       R"py(its buffers as they were."""

    def __init__(self, stage, is_last):
        super().__init__()
        self.stage, self.is_last, self.numbers, self.is_new = stage, is_last, set(), True

    def forward(self, *args):
        before = [(each, each.clone()) for each in written_tensors(self.stage)] if self.is_new else []
        results = self.stage(*(each.clone() for each in args))
        self.is_new = False
        made = [each.contiguous() for each in (results if isinstance(results, tuple) else (results,))]
        if self.is_last:
            self.numbers = {place for place, each in enumerate(made) if each.dim() == 0}
            made = [each.reshape(1) if place in self.numbers else each for place, each in enumerate(made)]
        made = [each.clone() for each in made] if before else made # a buffer may be what it returns
        for each, value in before:
            each.copy_(value)
        return tuple(made) if isinstance(results, tuple) else made[0]


def stage_as_written(body, import_block):
    """A stage that runs its code as it stands. torch.load traces the code of a GraphModule again, which )py"
                                       R"py(torch.cond refuses and which loses
    regions of autocast."""
    stage = torch.nn.Module()
    stage.__dict__.update(body)
    forward = torch.fx.graph_module._forward_from_src(import_block + body["_code"], {})
    stage.forward = types.MethodType(forward, stage)
    return stage


def load_stage(number, device):
    torch.fx.graph_module.reduce_graph_module = stage_as_written # by this name the file asks for it
    return torch.load(FOLDER / f"stage_{number}.pt", map_location=device, weights_only=False)


def model_inputs(path):
    inputs = torch.load(path, weights_only=True)
    if isinstance(inputs, dict):
        return tuple(inputs[name] for name in PLAN["inputs"])
    return tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)


PLAN = json.loads((FOLDER / "pipeline.json").read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--microbatches", type=int, default=1, help="pieces into which inputs are cut along )py"
                                       R"py(their first dimension")
    parser.add_argument("--device", default="cpu", help="cpu, or cuda: process K of a machine takes its device K")
    args = parser.parse_args()
    backend = "nccl" if args.device == "cuda" else "gloo"
    dist.init_process_group(backend)
    stage, count = dist.get_rank(), dist.get_world_size()
    if count != PLAN["stages"]:
        raise SystemExit(f"the model has {PLAN['stages']} stages, so there must be as many processes, not {count}")
    device = torch.device(args.device, int(os.environ.get("LOCAL_RANK", 0))) if args.device == "cuda" else )py"
                                       R"py(torch.device(args.device)
    module = Sendable(load_stage(stage, device), stage == count - 1)
    schedule = ScheduleGPipe(PipelineStage(module, stage, count, device), n_microbatches=args.microbatches)
    with torch.no_grad():
        if stage == 0:
            result = schedule.step(*(value.to(device) for value in model_inputs(args.inputs)))
        else:
            result = schedule.step()
    if stage == count - 1:
        leaves = result if isinstance(result, (tuple, list)) else (result,)
        if module.numbers and args.microbatches > 1:
            raise SystemExit("the model returns a number for the whole batch, so it runs in one microbatch only")
        leaves = [leaf.reshape(()) if place in module.numbers else leaf for place, leaf in enumerate(leaves)]
        torch.save(rebuilt(PLAN["output"], [leaf.cpu() for leaf in leaves]), args.output)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
)py";

Error unwritable(const std::string& what) {
    return Error(ErrorKind::Refused, Message("saving.pipeline_output", {{"what", what}}));
}

/// `{"tuple": [{"leaf": 0}, {"constant": null}]}`. Its depth is that of an argument, which is bounded.
void writeStructure(JsonWriter& json, const Argument& value) {
    json.beginObject();
    if (const auto* leaf = value.as<BigInt>()) {
        json.key("leaf").raw(leaf->digits);
    } else if (const auto* sequence = value.as<Sequence>()) {
        if (sequence->kind == Sequence::Kind::NamedTuple) throw unwritable("a named tuple");
        json.key(sequence->kind == Sequence::Kind::List ? "list" : "tuple").beginArray();
        for (const Argument& item : sequence->items) writeStructure(json, item);
        json.endArray();
    } else if (const auto* dict = value.as<Dict>()) {
        json.key("dict").beginArray();
        for (const auto& [key, item] : dict->items) {
            if (!key.as<std::string>()) throw unwritable("a dict with keys that are no text");
            json.beginArray().string(*key.as<std::string>());
            writeStructure(json, item);
            json.endArray();
        }
        json.endArray();
    } else {
        json.key("constant");
        if (value.isNone()) json.null();
        else if (const auto* truth = value.as<bool>()) json.boolean(*truth);
        else if (const auto* number = value.as<std::int64_t>()) json.integer(*number);
        else if (const auto* text = value.as<std::string>()) json.string(*text);
        else throw unwritable("a constant");
    }
    json.endObject();
}

/// The graph of an exported program returns a flat tuple, in which are also new values of what it changes.
void nestOutput(const GraphModule& model, Pipeline& pipeline) {
    const auto file = model.lifted.empty() ? nullptr : ExportedSignature::of(model);
    const auto* flat = pipeline.output.as<Sequence>();
    if (!file || !flat || flat->items.size() != file->outputs.size()) return; // edited: it returns what the graph says
    for (const ExportedSignature::Output& output : file->outputs)
        if (output.kind != "user_output")
            throw Error(ErrorKind::Refused,
                        Message("saving.pipeline_update", {{"target", output.target}, {"kind", output.kind}}));
    try {
        if (auto nested = nestedOutput(model, {flat->items.begin(), flat->items.end()}))
            pipeline.output = std::move(*nested);
    } catch (const Error& error) { throw unwritable(error.what()); }
}

std::string planOf(const Pipeline& pipeline) {
    JsonWriter json;
    json.beginObject(JsonWriter::Layout::Lines)
        .key("stages")
        .integer(static_cast<std::int64_t>(pipeline.stages.size()))
        .key("inputs")
        .strings(pipeline.inputs)
        .key("output");
    writeStructure(json, pipeline.output);
    return json.endObject().text() + "\n";
}

void writeFile(const std::string& path, std::string_view text) {
    ReplacedFile file(path);
    file.write(text);
    file.commit();
}

/// Only an empty folder or an earlier pipeline may be replaced.
void checkPipeline(const std::string& path, const std::string& folder) {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(path, failed)) {
        const std::string name = entry.path().filename().string();
        const bool isStage = name.starts_with("stage_") && name.ends_with(".pt");
        if (!isStage && name != "pipeline.json" && name != "run_pipeline.py" && name != "__pycache__")
            throw Error(ErrorKind::Refused, Message("folder.would_lose", {{"name", name}})).in(folder);
    }
    if (failed) throw Error(ErrorKind::Refused, Message("saving.folder", {{"detail", failed.message()}})).in(folder);
}

} // namespace

std::vector<std::string> savePipeline(const GraphModule& model, const SplitAssignment& assignment,
                                      const std::string& folder, bool verify, const Progress& progress) {
    Pipeline pipeline = makePipeline(model, assignment);
    nestOutput(model, pipeline);
    const std::string plan = planOf(pipeline); // refused before anything is written
    std::error_code problem;
    const fs::path above = fs::absolute(folder + "/").parent_path().parent_path();
    fs::create_directories(above, problem);
    if (problem) throw Error(ErrorKind::Refused, Message("saving.folder", {{"detail", problem.message()}})).in(folder);
    ReplacedFolder beside(folder, [&folder](const std::string& path) { checkPipeline(path, folder); });
    const fs::path target(beside.path());
    std::vector<std::string> files;
    beside.fill([&] {
        for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
            progress.check();
            files.push_back("stage_" + std::to_string(i) + ".pt");
            (void)saveGraphModule(pipeline.stages[i], (target / files.back()).string(), verify, progress);
        }
        for (const auto& [name, text] : {std::pair<const char*, std::string_view>("pipeline.json", plan),
                                         std::pair<const char*, std::string_view>("run_pipeline.py", kLauncher)}) {
            writeFile((target / name).string(), text);
            files.emplace_back(name);
        }
    });
    beside.commit();
    return files;
}

} // namespace fx
