// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/verify.h"

#include "core/diag/sides.h"
#include "core/engine/allocation_watch.h"
#include "core/engine/verify/compare.h"
#include "core/engine/verify/doubt.h"
#include "core/engine/verify/further_runs.h"
#include "core/engine/verify/layer.h"
#include "core/engine/verify/rounding.h"
#include "core/engine/verify/state.h"
#include "core/remote/verdict.h"

#include <chrono>

namespace fx::engine {
namespace {

Evidence compareOutputs(const Value& a, const Value& b, const Tolerances& tolerances, VerifyReport& report) {
    Evidence evidence;
    const auto notComparable = [&](const std::string& path, const Message& why) {
        const MessageArgument difference("difference", why.text());
        if (evidence.comparable)
            report.reason = containing(path.empty() ? Message("verify.other_structure", {difference})
                                                    : Message("verify.not_comparable", {{"output", path}, difference}),
                                       "difference", why);
        evidence.comparable = false;
    };
    if (const Message kinds = otherSequence(a, b); !kinds.text().empty()) notComparable({}, kinds);
    pairLeaves(
        a, b,
        [&](const std::string& path, const Value& left, const Value& right) {
            ValueDifference difference = compareLeaves(left, right, tolerances);
            if (!difference.comparable()) notComparable(path, difference.reason);
            evidence.sameShapes = evidence.sameShapes && difference.sameShape;
            evidence.add(difference);
            report.outputs.push_back({path, std::move(difference)});
        },
        notComparable);
    return evidence;
}

/// One run stands for both, but a constant of B may be computed from what only A has.
void computeConstants(const VerifySide& side) {
    side.tensors->addModel(side.model);
    for (const Node& node : side.model->graph.nodes())
        if (const TensorPtr ref = tensorRead(node, *side.model); ref && ref->storage && ref->storage->isExpression())
            side.tensors->tensor(ref);
}

/// One run stands for both.
VerifyReport sameModel(const VerifySide& a, const VerifySide& b, const ChangedPart& part,
                       const VerifyOptions& options) {
    VerifyReport report;
    Interpreter interpreter(a.model, a.tensors);
    RunHooks hooks;
    hooks.before = options.afterNode;
    hooks.after = [&](const Node& node, const Value&) {
        if (node.op() == Op::Placeholder || node.op() == Op::Output) return;
        report.nodeErrors.push_back({node.name()});
        if (const NodeId other = part.counterpart(node.id()); other != kNoNode)
            if (const std::string& name = b.model->graph.node(other).name(); name != node.name())
                report.nodeErrors.back().nameInB = name;
    };
    try {
        const auto start = std::chrono::steady_clock::now();
        const Value returned = interpreter.run(a.inputs, hooks), output = a.finish ? a.finish(returned) : returned;
        report.millisA = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        Evidence evidence = compareOutputs(output, output, options.tolerances, report);
        evidence.identical = report.identical = true;
        const Judgement judgement = judge(evidence);
        report.verdict = judgement.verdict, report.code = judgement.code;
        report.reason = otherChecks(a, b);
        if (!report.reason.text().empty())
            report.verdict = Verdict::Inconclusive, report.code = VerdictReason::OtherBranch;
    } catch (Error& error) {
        if (error.kind() == ErrorKind::Run) error.of(Side::A);
        throw;
    }
    try {
        computeConstants(b);
    } catch (Error& error) {
        error.of(Side::B);
        throw;
    }
    report.nodesCompared = static_cast<std::int64_t>(report.nodeErrors.size());
    report.millisB = report.millisA;
    report.remarks = likelyCauses(report, a, b);
    return report;
}

/// The first node that differs and why, and what else may be the cause.
void explain(const VerifySide& a, const VerifySide& b, const ChangedPart& part, const NodeTable& table,
             VerifyReport& report) {
    const bool close = report.verdict != Verdict::Different;
    report.first = table.first(close, report.verdict != Verdict::Inconclusive);
    if (report.first) {
        const NodeId node = a.model->graph.find(report.first->node);
        report.first->why = differenceAt(a.model->graph.node(node), b.model->graph.node(part.counterpart(node)), a, b);
    }
    report.sqnr = quantisedSqnr(report, a, b);
    report.remarks = likelyCauses(report, a, b);
    const NodeId outputA = a.model->graph.outputNode(), outputB = b.model->graph.outputNode();
    if (report.first || close || outputA == kNoNode || outputB == kNoNode) return;
    const Message why = differenceAt(a.model->graph.node(outputA), b.model->graph.node(outputB), a, b);
    if (why.text().empty()) return;
    const Message remark("verify.node_differs", {{"difference", why.text()}}); // it is not compared
    report.remarks.push_back(containing(remark, "difference", why));
}

/// The largest relative error that the user asked to allow; nothing where the tolerances are those of the dtypes.
std::optional<double> allowedBy(const Tolerances& asked) {
    if (!asked.rtol && !asked.atol && asked.types.empty()) return std::nullopt;
    double allowed = asked.rtol.value_or(0);
    for (const auto& [type, tolerance] : asked.types) allowed = std::max(allowed, tolerance.rtol);
    return allowed;
}

/// How much is worth running again.
FurtherRuns affordable(const VerifyReport& report, std::chrono::steady_clock::time_point start) {
    std::int64_t elements = 0;
    for (const NodeError& node : report.nodeErrors) elements += node.count;
    const double sofar = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return furtherRunsFor(report.nodesCompared, elements, report.millisA + report.millisB, sofar);
}

/// Outputs that agree have to do so on further inputs. Returns what has to be told even so.
Message runFurther(const VerifySide& a, const VerifySide& b, const VerifyOptions& options, const FurtherRuns& runs,
                   VerifyReport& report) {
    const auto found = differOnFurtherInputs(a, b, options, runs);
    if (found) report.verdict = Verdict::Inconclusive, report.code = found->code, report.reason = found->reason;
    return found ? Message() : refusedByB(a, b, options, runs);
}

} // namespace

VerifyReport verify(const VerifySide& a, const VerifySide& b, const VerifyOptions& options) {
    const ChangedPart part(*a.model, *b.model, options.progress);
    if (part.identical()) return sameModel(a, b, part, options);
    const auto start = std::chrono::steady_clock::now();
    const VerifySide givenA{a.model, a.tensors, copyOf(a.inputs), a.finish}, // the runs may change them
        givenB{b.model, b.tensors, copyOf(b.inputs), b.finish};
    for (const VerifySide* side : {&a, &b}) side->tensors->keepState();
    VerifyReport report;
    BranchWatch watch;
    AllocationWatch memory;
    Doubt doubt(a, b, options, part, watch);
    Race race(a, b, options, part);
    race.run([&](const Node& node, const Value& value) { doubt.watch(node, value); },
             [&](const Node& node, const Value& value) { doubt.watchB(node, value); });
    report.millisA = race.millisA(), report.millisB = race.millisB();
    Evidence evidence = compareOutputs(race.outputA(), race.outputB(), options.tolerances, report);
    race.table().report(report);
    evidence.sameOutputs = part.sameOutputs();
    const StateFinding states = compareStates(a, b, options.tolerances); // before more runs change them
    evidence.stateDiffers = !states.differs.text().empty(), evidence.stateLost = !states.onlyA.empty();
    const Message inputs = compareInputs(a, b, options.tolerances);
    evidence.inputsDiffer = !inputs.text().empty();
    evidence.allowed = allowedBy(options.tolerances);
    if (!evidence.allowed && evidence.comparable && !evidence.close && options.freshA)
        evidence.rounding = onlyRounding(race.outputA(), race.outputB(), options);
    watch.limitRounds();
    memory.limit();
    Doubt::Finding finding;
    if (const Verdict sofar = judge(evidence).verdict; sofar == Verdict::Equal || sofar == Verdict::Close)
        finding = doubt.examine(race, report);
    evidence.change = finding.change, evidence.outputsMove = finding.outputsMove;
    evidence.saturated = finding.saturated;
    Message checks;
    if (evidence.change == Evidence::Change::Same) checks = otherChecks(a, b);
    if (!checks.text().empty()) evidence.change = Evidence::Change::OtherBranch;
    const Judgement judgement = judge(evidence);
    report.verdict = judgement.verdict, report.code = judgement.code;
    if (report.code == VerdictReason::OtherBranch) report.reason = checks;
    if (report.code == VerdictReason::OtherState) report.reason = states.differs;
    if (report.code == VerdictReason::OtherInputs) report.reason = inputs;
    if (report.code == VerdictReason::LostState) finding.where = states.onlyA;
    if (report.reason.text().empty()) report.reason = reasonText(report.code, report, finding.where);
    Message refused;
    if (options.further && report.agrees() && report.code != VerdictReason::SameModel)
        refused = runFurther(givenA, givenB, options, affordable(report, start), report);
    if (report.agrees()) {
        race.table().forgetMisplaced();
        race.table().report(report);
    }
    explain(a, b, part, race.table(), report);
    if (!refused.text().empty()) report.remarks.push_back(std::move(refused));
    if (report.agrees()) report.remarks.insert(report.remarks.end(), finding.remarks.begin(), finding.remarks.end());
    return report;
}

} // namespace fx::engine
