// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/file_options.h"
#include "app/cli/measured_times.h"
#include "app/cli/rules_file.h"
#include "app/cli/save.h"
#include "app/cli/show.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/base/counted.h"
#include "core/base/python_text.h"
#include "core/codegen/graph_json.h"
#include "core/codegen/python_code.h"
#include "core/model_files/save_pipeline.h"
#include "core/partition/partition_model.h"
#include "core/remote/evaluate.h"
#include "core/remote/worker_client.h"
#include "core/timing/timing_text.h"

#include <unordered_map>

namespace app {
namespace {

using fx::JsonWriter;
using Then = fx::PartitionRequest::Then;

struct PartitionOptions {
    std::string support, balance;
    fx::PartitionRequest request;
    bool fuse = false, split = false;
    int stages = 0;
    RunOptions run; ///< what nodes are timed with
    SaveRequest save;
    std::string show, pipeline;
};

void writeNames(JsonWriter& json, const char* key, const fx::Graph& graph, const std::vector<fx::NodeId>& ids) {
    json.key(key).beginArray();
    for (const fx::NodeId id : ids) json.string(graph.node(id).name());
    json.endArray();
}

/// Milliseconds of the nodes together.
double timeOf(const fx::Graph& graph, const fx::Partition& partition, const fx::NodeTimes& times) {
    double sum = 0;
    for (const fx::NodeId id : partition.nodes)
        if (const auto known = times.find(graph.node(id).name()); known != times.end()) sum += known->second;
    return sum;
}

void writePartitions(JsonWriter& json, const fx::Graph& graph, const fx::PartitionReport& report,
                     const fx::NodeTimes& times) {
    json.key("partitions").beginArray(JsonWriter::Layout::Lines);
    for (std::size_t i = 0; i < report.partitions.size(); ++i) {
        const auto& traffic = report.traffic[i];
        json.beginObject().key("id").integer(static_cast<std::int64_t>(i));
        writeNames(json, "nodes", graph, report.partitions[i].nodes);
        writeNames(json, "inputs", graph, traffic.boundary.inputs);
        writeNames(json, "outputs", graph, traffic.boundary.outputs);
        json.key("bytes_in")
            .integer(traffic.bytesIn)
            .key("bytes_out")
            .integer(traffic.bytesOut)
            .key("bytes_known")
            .boolean(traffic.bytesKnown);
        if (!times.empty()) {
            std::string ms;
            fx::appendPythonFloat(ms, timeOf(graph, report.partitions[i], times));
            json.key("ms").raw(ms);
        }
        json.endObject();
    }
    json.endArray();
}

void writeReasons(JsonWriter& json, const fx::Graph& graph, const fx::PartitionReport& report) {
    json.key("unassigned").beginArray(JsonWriter::Layout::Lines);
    for (const auto& each : report.unassigned) {
        json.beginObject()
            .key("node")
            .string(graph.node(each.node).name())
            .key("reason")
            .string(reasonName(each.reason))
            .key("rule")
            .string(each.rule.text());
        if (each.follows != fx::kNoNode) json.key("follows").string(graph.node(each.follows).name());
        if (!each.cycle.empty()) writeNames(json, "cycle", graph, each.cycle);
        json.endObject();
    }
    json.endArray().key("not_merged").beginArray(JsonWriter::Layout::Lines);
    for (const auto& each : report.notMerged) {
        json.beginObject()
            .key("a")
            .integer(static_cast<std::int64_t>(each.a))
            .key("b")
            .integer(static_cast<std::int64_t>(each.b));
        json.key("reason").string(each.cycle.empty() ? "not_tried" : "cycle");
        if (!each.cycle.empty()) writeNames(json, "cycle", graph, each.cycle);
        json.endObject();
    }
    json.endArray();
}

/// The code of the changed model and of each module made.
void writeModules(JsonWriter& json, const fx::Graph& before, const fx::GraphModule& model,
                  const fx::PartitionReport& report) {
    json.key("code").string(fx::generatePython(model.graph).text).key("modules").beginArray(JsonWriter::Layout::Lines);
    std::unordered_map<std::string, const fx::SplitPart*> parts;
    for (const auto& part : report.parts) parts[part.name] = &part;
    for (const std::string& path : report.modules) {
        json.beginObject().key("path").string(path);
        if (const auto part = parts.find(path); part != parts.end()) {
            json.key("partition");
            if (part->second->partition) json.integer(static_cast<std::int64_t>(*part->second->partition));
            else json.null();
            writeNames(json, "nodes", before, part->second->nodes);
        }
        json.key("code")
            .string(fx::generatePython(fx::resolvePath(*model.root, path).module->graphModule->graph).text)
            .endObject();
    }
    json.endArray();
}

std::string listed(const fx::Graph& graph, const std::vector<fx::NodeId>& ids) {
    std::string text;
    for (const fx::NodeId id : ids) text += (text.empty() ? "" : ", ") + graph.node(id).name();
    return text;
}

std::string textOf(const fx::Graph& graph, const fx::PartitionReport& report, const PartitionOptions& options,
                   const fx::NodeTimes& times) {
    std::string text = options.stages > 0 ? fx::counted(report.partitions.size(), "stage", "stages")
                                          : fx::counted(report.partitions.size(), "partition", "partitions");
    for (std::size_t i = 0; i < report.partitions.size(); ++i)
        text +=
            "\n" + std::to_string(i) +
            (times.empty() ? "" : " (" + fx::timing::durationText(timeOf(graph, report.partitions[i], times)) + ")") +
            ": " + listed(graph, report.partitions[i].nodes);
    for (const auto& each : report.unassigned) {
        text += "\nnot in one: " + graph.node(each.node).name() + " (" + std::string(reasonName(each.reason)) + ": " +
                each.rule.text() + ")";
        if (each.follows != fx::kNoNode) text += "; it goes where " + graph.node(each.follows).name() + " goes";
        if (!each.cycle.empty()) text += "; cycle " + listed(graph, each.cycle);
    }
    for (const auto& each : report.notMerged)
        text += "\nnot merged: " + std::to_string(each.a) + " and " + std::to_string(each.b) +
                (each.cycle.empty() ? " (not tried)" : " (cycle " + listed(graph, each.cycle) + ")");
    return text;
}

fx::PartitionRequest requestOf(const Session& session, const PartitionOptions& options) {
    fx::PartitionRequest request = options.request;
    if (options.stages > 0) {
        request.stages = static_cast<std::size_t>(options.stages);
        request.balance = options.balance == "time"         ? fx::StageBalance::Time
                          : options.balance == "parameters" ? fx::StageBalance::Parameters
                                                            : fx::StageBalance::Nodes;
        request.then = options.pipeline.empty() || !options.save.output.empty() || !options.show.empty() ? Then::Split
                                                                                                         : Then::Report;
        return request;
    }
    if (!options.pipeline.empty()) throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.pipeline_stages"));
    if (options.support.empty()) throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.partition_how"));
    if (!options.balance.empty()) throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.balance_stages"));
    request.rules = readRules(options.support, session);
    request.then = options.split                                                           ? Then::Split
                   : options.fuse || !options.save.output.empty() || !options.show.empty() ? Then::Fuse
                                                                                           : Then::Report;
    return request;
}

/// The parts take constants that loading the file computes, not the tensors that these are made of. PyTorch has their
/// values then.
void evaluateConstants(Session& session, fx::GraphModule& model) {
    try {
        fx::remote::WorkerClient worker(session.workerOptions());
        model = fx::remote::evaluated(model, worker, session.options().seed, session.progress());
    } catch (const fx::Error& error) {
        if (error.kind() != fx::ErrorKind::Run) throw; // the writer says what it cannot write
    }
}

int partition(Session& session, const PartitionOptions& options) {
    if (!options.save.output.empty()) checkOutput(options.save.output);
    fx::PartitionRequest request = requestOf(session, options);
    if (request.stages > 0 && request.balance == fx::StageBalance::Time)
        request.times = measuredTimes(session, options.run, session.workerModel(options.save.model));
    const auto model = session.json() ? session.open(options.save.model) : session.openWarning(options.save.model);
    const fx::Graph before = model->graph;
    if (model->lifted.empty() && (!options.save.output.empty() || !options.pipeline.empty()))
        evaluateConstants(session, *model);
    if (!options.pipeline.empty())
        fx::savePipeline(*model, fx::splitIntoStages(*model, request.stages, request.balance, request.times),
                         options.pipeline, !options.save.noVerify, session.progress());
    const fx::PartitionReport report = fx::partitionModel(*model, request, session.progress());
    const bool found = !report.partitions.empty();
    const bool verified = found && !options.save.output.empty() && saveModel(session, *model, options.save);
    fx::Warnings warnings = report.warnings;
    if (options.stages > 0 && !options.support.empty())
        warnings.push_back({fx::Message("cli.rules_unused", {{"file", options.support}}), {}, {}, {}});
    if (request.rules && report.supported == 0) warnings.push_back({fx::Message("cli.nothing_supported"), {}, {}, {}});
    else if (!found)
        warnings.push_back({fx::Message("cli.no_partition_left", {{"count", report.supported}}), {}, {}, {}});
    if (session.json()) {
        JsonWriter json;
        json.beginObject(JsonWriter::Layout::Lines);
        writePartitions(json, before, report, request.times);
        writeReasons(json, before, report);
        if (!report.modules.empty()) writeModules(json, before, *model, report);
        json.key("written");
        fx::writeTextOrNull(json, found ? options.save.output : std::string());
        if (!options.pipeline.empty()) json.key("pipeline").string(options.pipeline);
        json.key("verified").boolean(verified);
        warnings.insert(warnings.begin(), model->warnings.begin(), model->warnings.end());
        writeWarnings(json, session.andTold(warnings));
        session.printLine(json.endObject().text());
    } else {
        for (const fx::Warning& warning : warnings) session.warn(warning);
        if (options.show.empty() || !found) session.printLine(textOf(before, report, options, request.times));
        else session.printExact(shownText(*model, options.show));
    }
    return found ? kDone : kAnswerIsNo;
}

Action declarePartition(CLI::App& cli) {
    auto options = std::make_shared<PartitionOptions>();
    declareModel(cli, options->save.model);
    auto& how = options->request.options;
    reads(cli.add_option("--support", options->support,
                         R"(support rules: {"supported": [RULE...], "unsupported": [RULE...]})"))
        ->type_name("RULES.json");
    cli.add_flag("--allow-single", how.allowsSingleNodePartition,
                 "keep partitions of one node (allows_single_node_partition)");
    cli.add_option("--non-compute", how.nonComputeOps, "non-compute operators (non_compute_ops)")
        ->type_name("T")
        ->expected(1, -1);
    cli.add_option("--single-ok", how.allowedSingleNodePartitionOps,
                   "operators allowed on their own (allowed_single_node_partition_ops)")
        ->type_name("T")
        ->expected(1, -1);
    cli.add_flag("--no-horizontal", how.skipHorizontalFusion,
                 "merge only nodes that feed each other (skip_horizontal_fusion)");
    cli.add_flag("--trim-ends", options->request.trimEnds,
                 "remove non-compute operators from the ends (remove_bookend_non_compute_ops)");
    auto* fuse = cli.add_flag("--fuse", options->fuse, "turn each partition into a module fused_N");
    auto* split =
        cli.add_flag("--split", options->split, "turn partitions and the nodes between them into modules submod_N")
            ->excludes(fuse);
    cli.add_option("--stages", options->stages, "cut the model into N stages instead of using rules")
        ->type_name("N")
        ->check(CLI::Range(1, 1000000))
        ->excludes(fuse);
    oneOf(cli.add_option("--balance", options->balance, "what to balance between the stages"),
          {"time", "parameters", "nodes"});
    (void)split;
    writes(cli.add_option("--pipeline", options->pipeline,
                          "with --stages: write a folder that runs the stages with torchrun"),
           Writes::Pipeline)
        ->type_name("DIR");
    options->run.declare(cli);
    options->save.declare(cli);
    declareShow(cli, options->show);
    return [options](Session& session) { return partition(session, *options); };
}

} // namespace

const Verb kPartitionVerb = {
    "partition", "group the nodes that a back end supports",
    "lancet partition resources/samples/transformer.pt --support resources/samples/support.json", declarePartition};

} // namespace app
