// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/draw_colours.h"

#include "app/cli/file_options.h"
#include "app/cli/measured_times.h"
#include "app/cli/rules_file.h"
#include "app/cli/verb.h"
#include "core/base/counted.h"
#include "core/partition/operator_support.h"
#include "core/partition/partition_model.h"
#include "core/timing/timing_text.h"

#include <algorithm>

namespace app {
namespace {

fx::NodeClasses dtypeClasses(const fx::Graph& graph) {
    fx::NodeClasses classes;
    classes.classOf.assign(graph.idLimit(), fx::NodeClasses::kNone);
    for (const fx::Node& node : graph.nodes()) {
        const std::string dtype(fx::knownDtype(node));
        if (dtype.empty()) continue;
        const auto place = std::find(classes.names.begin(), classes.names.end(), dtype);
        classes.classOf[fx::index(node.id())] = static_cast<std::int32_t>(place - classes.names.begin());
        if (place == classes.names.end()) classes.names.push_back(dtype);
    }
    return classes;
}

fx::NodeClasses partitionClasses(const Session& session, const fx::GraphModule& model, const std::string& support) {
    fx::NodeClasses classes;
    classes.classOf.assign(model.graph.idLimit(), fx::NodeClasses::kNone);
    fx::PartitionRequest request;
    request.rules = readRules(support, session);
    const auto report = fx::proposePartitions(model, request, session.progress());
    for (std::size_t i = 0; i < report.partitions.size(); ++i) {
        classes.names.push_back("partition " + std::to_string(i) + " (" +
                                fx::counted(report.partitions[i].nodes.size(), "node", "nodes") + ")");
        for (const fx::NodeId node : report.partitions[i].nodes)
            classes.classOf[fx::index(node)] = static_cast<std::int32_t>(i);
    }
    return classes;
}

/// As many steps as the ramp of the picture has colours, of one size from nothing to the longest node.
constexpr std::size_t kTimeSteps = 6;

fx::NodeClasses timeClasses(Session& session, const std::shared_ptr<const fx::GraphModule>& model,
                            const DrawColours& colours) {
    const fx::NodeTimes times = measuredTimes(session, colours.run, model, colours.seconds);
    double longest = 0;
    for (const auto& [name, ms] : times) longest = std::max(longest, ms);
    fx::NodeClasses classes;
    classes.ordered = true;
    classes.classOf.assign(model->graph.idLimit(), fx::NodeClasses::kNone);
    classes.values.resize(model->graph.idLimit());
    for (std::size_t i = 0; i < kTimeSteps && longest > 0; ++i) {
        const std::string upTo = fx::timing::durationText(longest * static_cast<double>(i + 1) / kTimeSteps);
        classes.names.push_back(i == 0 ? "up to " + upTo
                                       : fx::timing::durationText(longest * static_cast<double>(i) / kTimeSteps) +
                                             " to " + upTo);
    }
    for (const auto& [name, ms] : times) {
        const fx::NodeId id = model->graph.find(name);
        if (id == fx::kNoNode || longest <= 0) continue;
        classes.classOf[fx::index(id)] =
            static_cast<std::int32_t>(std::min(kTimeSteps - 1, static_cast<std::size_t>(ms / longest * kTimeSteps)));
        classes.values[fx::index(id)] = fx::timing::durationText(ms);
    }
    return classes;
}

} // namespace

void DrawColours::declare(CLI::App& cli) {
    oneOf(cli.add_option("--color", color, "what colours show (.svg only)"), {"op", "dtype", "partition", "time"});
    reads(cli.add_option("--support", support, "with --color partition: support rules, as for lancet partition"))
        ->type_name("RULES.json");
    cli.add_option("--seconds", seconds, "with --color time: seconds to measure")
        ->check(CLI::Range(0.1, 86400.0))
        ->capture_default_str();
    run.declare(cli);
}

void DrawColours::check() const {
    if ((color == "partition") == support.empty())
        throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.color_partition"));
    if (color != "time" && (!run.inputsFile.empty() || !run.inputs.empty() || run.guess))
        throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.color_time"));
}

std::optional<fx::NodeClasses> nodeClasses(Session& session, const std::shared_ptr<const fx::GraphModule>& model,
                                           const DrawColours& colours) {
    if (colours.color == "op") return std::nullopt;
    if (colours.color == "time") return timeClasses(session, model, colours);
    fx::NodeClasses classes =
        colours.color == "dtype" ? dtypeClasses(model->graph) : partitionClasses(session, *model, colours.support);
    if (classes.names.empty())
        session.warn(
            {colours.color == "dtype" ? fx::Message("cli.no_dtypes") : fx::Message("cli.no_partitions"), {}, {}, {}});
    return classes;
}

} // namespace app
