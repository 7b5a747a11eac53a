// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/steps/partition_step.h"

#include "core/edit/steps/step.h"
#include "core/partition/inline.h"

namespace fx {
namespace {

Error refused(const Message& what) { return Error(ErrorKind::Refused, what); }

bool flag(const JsonValue& step, std::string_view key) { return step.find(key).exists() && step.find(key).asBool(); }

NamedPartitions assignmentOf(const JsonValue& json) {
    NamedPartitions result;
    for (const JsonValue list : json.needArray()) result.push_back(list.texts());
    if (result.empty()) throw refused(Message("edit.no_partitions"));
    return result;
}

std::vector<std::string> texts(const JsonValue& step, std::string_view key) {
    const JsonValue list = step.find(key);
    return list.exists() ? list.texts() : std::vector<std::string>();
}

StageBalance balanceOf(const JsonValue& step) {
    const std::string balance(step.find("balance").exists() ? step.find("balance").asText() : "nodes");
    if (balance == "nodes") return StageBalance::Nodes;
    if (balance == "parameters") return StageBalance::Parameters;
    if (balance == "time") return StageBalance::Time;
    throw refused(Message("edit.balance", {{"balance", balance}}));
}

NodeTimes timesOf(const JsonValue& step) {
    if (!step.find("times").exists()) throw refused(Message("edit.no_times"));
    NodeTimes times;
    for (const JsonValue ms : step.find("times").needObject()) times[std::string(ms.key())] = ms.asDouble();
    return times;
}

void partition(const Step& step) {
    const PartitionReport report = partitionModel(step.model, partitionRequest(step.json), step.progress);
    step.warnings.insert(step.warnings.end(), report.warnings.begin(), report.warnings.end());
    if (report.partitions.empty()) step.warnings.push_back({Message("edit.no_partition"), {}, {}, {}});
}

} // namespace

PartitionRequest partitionRequest(const JsonValue& step) {
    PartitionRequest request;
    if (flag(step, "fuse") && flag(step, "split")) throw refused(Message("edit.fuse_or_split"));
    const JsonValue stages = step.find("stages"), rules = step.find("rules"), assignment = step.find("assignment");
    if (stages.exists() + rules.exists() + assignment.exists() != 1) throw refused(Message("edit.needs_partition_key"));
    request.then =
        flag(step, "split") || stages.exists() ? PartitionRequest::Then::Split : PartitionRequest::Then::Fuse;
    request.options = {flag(step, "allow_single"), texts(step, "non_compute"), texts(step, "single_ok"),
                       flag(step, "no_horizontal")};
    request.trimEnds = flag(step, "trim_ends");
    if (rules.exists()) request.rules = SupportRules::parse(rules);
    if (assignment.exists()) request.assignment = assignmentOf(assignment);
    if (!stages.exists()) return request;
    if (stages.asInt() < 1) throw refused(Message("partition.no_stages"));
    request.stages = static_cast<std::size_t>(stages.asInt());
    request.balance = balanceOf(step);
    if (request.balance == StageBalance::Time) request.times = timesOf(step);
    return request;
}

const std::vector<StepKind>& partitionSteps() {
    static const std::vector<StepKind> kSteps = {
        {"partition",
         {"rules?", "assignment?", "fuse?", "split?", "allow_single?", "non_compute?", "single_ok?", "no_horizontal?",
          "trim_ends?", "stages?", "balance?", "times?"},
         partition},
        {"inline", {"node"}, [](const Step& step) { inlineModule(step.model, step.node("node")); }},
    };
    return kSteps;
}

} // namespace fx
