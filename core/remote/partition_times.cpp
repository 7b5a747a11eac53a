// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/partition_times.h"

#include "core/module/exported_signature.h"
#include "core/partition/partition_model.h"
#include "core/remote/bench_message.h"

#include <numeric>
#include <unordered_map>

namespace fx::remote {
namespace {

std::unordered_map<std::string, double> millisByName(const timing::NodeReport& report) {
    std::unordered_map<std::string, double> result;
    for (const auto& node : report.nodes) result[node.name] = node.ms;
    return result;
}

} // namespace

std::shared_ptr<const GraphModule> splitBy(const GraphModule& model, const std::vector<Partition>& partitions,
                                           std::vector<SplitPart>& parts) {
    PartitionRequest request;
    for (const Partition& partition : partitions) {
        auto& names = request.assignment.emplace_back();
        for (const NodeId id : partition.nodes) names.push_back(model.graph.node(id).name());
    }
    request.then = PartitionRequest::Then::Split;
    auto split = std::make_shared<GraphModule>(model);
    parts = partitionModel(*split, request).parts;
    if (model.lifted.empty()) return split;
    // The tensors of an exported program are inputs of the split graph too: they come from the tree as before.
    auto root = std::make_shared<Module>(*model.root);
    root->children.insert(root->children.end(), split->root->children.begin(), split->root->children.end());
    split->root = std::move(root);
    std::vector<LiftedInput> inputs;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < model.lifted.size(); ++i) {
        const LiftedInput& input = model.lifted[i];
        if (model.graph.node(input.node).erased()) continue; // by an edit; its name may be another node's
        inputs.push_back({split->graph.find(model.graph.node(input.node).name()), input.kind, input.path});
        places.push_back(i);
    }
    setInputs(*split, std::move(inputs), places);
    return split;
}

double PartitionTimes::sumMs() const { return std::accumulate(aloneMs.begin(), aloneMs.end(), betweenMs); }

PartitionTimes timePartitions(WorkerClient& worker, RunRequest run, const std::vector<Partition>& partitions,
                              double seconds, std::chrono::milliseconds timeout, const Progress& progress) {
    const auto whole = run.model.snapshot;
    std::vector<SplitPart> parts;
    const auto split = splitBy(*whole, partitions, parts);
    BenchRequest request;
    request.run = std::move(run);
    request.others.emplace_back(split);
    request.names = {"whole", "split"};
    request.seconds = seconds, request.nodes = true, request.ceiling = false;
    const timing::BenchResult measured = bench(worker, request, timeout, progress);

    PartitionTimes result;
    result.aloneMs.assign(partitions.size(), 0);
    result.wholeMs = measured.variants.at(0).medianMs, result.splitMs = measured.variants.at(1).medianMs;
    result.ratio = measured.ratios.at(0);
    result.otherLoad = measured.environment.otherLoad;
    auto nodes = millisByName(measured.reports.at(0)), modules = millisByName(measured.reports.at(1));
    for (const Partition& partition : partitions)
        result.nodesMs.push_back(
            std::accumulate(partition.nodes.begin(), partition.nodes.end(), 0.0,
                            [&](double sum, NodeId id) { return sum + nodes[whole->graph.node(id).name()]; }));
    std::unordered_map<std::string, std::string> callOf; // of the module of that path
    for (const Node& node : split->graph.nodes())
        if (node.op() == Op::CallModule) callOf[node.target()] = node.name();
    for (const SplitPart& part : parts)
        (part.partition ? result.aloneMs[*part.partition] : result.betweenMs) += modules[callOf[part.name]];
    return result;
}

} // namespace fx::remote
