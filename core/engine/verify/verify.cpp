// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/verify.h"

#include "core/base/listed.h"
#include "core/diag/sides.h"
#include "core/diff/normalised.h"
#include "core/engine/allocation_watch.h"
#include "core/engine/machine.h"
#include "core/engine/verify/boundary_numbers.h"
#include "core/engine/verify/compare.h"
#include "core/engine/verify/further_runs.h"
#include "core/engine/verify/inputs/other_sizes.h"
#include "core/engine/verify/not_run.h"
#include "core/engine/verify/read_elements.h"
#include "core/engine/verify/region_check.h"
#include "core/engine/verify/rounding.h"
#include "core/engine/verify/state.h"
#include "core/remote/verdict.h"

#include <ATen/CPUGeneratorImpl.h>

#include <chrono>
#include <limits>

namespace fx::engine {
namespace {

constexpr std::size_t kNamedModules = 3; ///< modules or tensors that a sentence lists

/// Two models as they are, and without their cuts.
struct Cuts {
    const VerifySide &givenA, &givenB;
    VerifySide a, b;

    Cuts(const VerifySide& ofA, const VerifySide& ofB) : givenA(ofA), givenB(ofB), a(uncut(ofA)), b(uncut(ofB)) {}
    static VerifySide uncut(VerifySide side) {
        side.tensors->addModel(side.model); // its constants are read from its modules
        auto inlined = std::make_shared<InlinedNodes>();
        side.model = normalised(side.model, inlined.get());
        side.inlined = std::move(inlined);
        return side;
    }
};

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

/// Runs a model as it is, cuts included, and gives what its caller gets.
Value runAsItIs(Side which, const VerifySide& side, const VerifyOptions& options, double& millis) {
    try {
        Interpreter interpreter(side.model, side.tensors);
        RunHooks hooks;
        hooks.before = options.atNode;
        const auto start = std::chrono::steady_clock::now();
        const Value returned = interpreter.run(side.inputs, hooks);
        millis = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        return side.finish ? side.finish(returned) : returned;
    } catch (Error& error) {
        if (error.kind() == ErrorKind::Run) error.of(which);
        throw;
    }
}

/// Models without a changed region: one run of each. `a`, `b`: without cuts.
VerifyReport sameStructure(const Cuts& cuts, const ChangedPart& part, const VerifyOptions& options) {
    const VerifySide &a = cuts.givenA, &b = cuts.givenB;
    VerifyReport report;
    for (const VerifySide* side : {&a, &b}) side->tensors->keepState();
    const at::Generator generator = at::detail::getDefaultCPUGenerator();
    const at::Tensor state = generator.get_state();
    const Value ofA = denseCopyOf(runAsItIs(Side::A, a, options, report.millisA));
    const_cast<at::Generator&>(generator).set_state(state);
    const Value ofB = runAsItIs(Side::B, b, options, report.millisB);
    Evidence evidence = compareOutputs(ofA, ofB, options.tolerances, report);
    const bool sameState = compareStates(a, b, options.tolerances).differs.text().empty() &&
                           compareInputs(a, b, options.tolerances).differs.text().empty();
    evidence.identical = report.identical = evidence.comparable && evidence.close && sameState;
    const Judgement judgement = judge(evidence);
    report.verdict = judgement.verdict, report.code = judgement.code;
    if (Message checks = otherChecks(a, b); report.agrees() && !checks.text().empty()) {
        report.verdict = Verdict::Inconclusive, report.code = VerdictReason::OtherBranch;
        report.reason = std::move(checks);
    }
    if (report.reason.text().empty()) report.reason = reasonText(report.code, report, {});
    const Graph &graphA = cuts.a.model->graph, &graphB = cuts.b.model->graph;
    for (const Node& node : graphA.nodes()) {
        if (node.op() == Op::Placeholder || node.op() == Op::Output) continue;
        report.nodeErrors.push_back({node.name()});
        if (const NodeId other = part.counterpart(node.id()); other != kNoNode)
            if (const std::string& name = graphB.node(other).name(); name != node.name())
                report.nodeErrors.back().nameInB = name;
    }
    report.nodesCompared = static_cast<std::int64_t>(report.nodeErrors.size());
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
FurtherRuns affordable(const VerifyReport& report, const VerifyOptions& options,
                       std::chrono::steady_clock::time_point start) {
    if (options.searchSeconds > 0) return {std::numeric_limits<std::size_t>::max(), 1e3 * options.searchSeconds, true};
    std::int64_t elements = 0;
    for (const NodeError& node : report.nodeErrors) elements += node.count;
    const double sofar = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return furtherRunsFor(report.nodesCompared, elements, report.millisA + report.millisB, sofar);
}

/// Outputs that agree have to do so on further inputs. Returns what has to be told even so.
Message runFurther(const VerifySide& a, const VerifySide& b, const VerifyOptions& options, const FurtherSearch& search,
                   VerifyReport& report) {
    const auto start = std::chrono::steady_clock::now();
    const FurtherFinding finding = differOnFurtherInputs(a, b, options, search);
    const auto& found = finding.counterexample;
    report.furtherSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (found) {
        report.verdict = Verdict::Inconclusive, report.code = found->code, report.reason = found->reason;
        report.counterexample = inputsByName(a, found->inputs);
    }
    return finding.refused;
}

/// Nodes of graphs that A calls become the calls: the errors of one call are those of its worst node.
void nameAsGiven(const Cuts& cuts, VerifyReport& report) {
    if (report.first)
        if (const InlinedFrom* from = cuts.a.inlinedFrom(report.first->node))
            report.first->node = from->call, report.first->inner = from->inner;
    std::vector<NodeError> errors;
    std::unordered_map<std::string, std::size_t> known; // calls
    for (NodeError& each : report.nodeErrors) {
        if (const InlinedFrom* from = cuts.b.inlinedFrom(each.nameInB.empty() ? each.node : each.nameInB))
            each.nameInB = from->call;
        const InlinedFrom* from = cuts.a.inlinedFrom(each.node);
        if (!from) {
            errors.push_back(std::move(each));
            continue;
        }
        each.node = from->call;
        const auto [place, isNew] = known.emplace(from->call, errors.size());
        if (isNew) errors.push_back(std::move(each));
        else if (NodeError& worst = errors[place->second];
                 worst.comparable && (!each.comparable || each.error > worst.error))
            worst = std::move(each);
    }
    report.nodeErrors = std::move(errors);
}

/// Tensors that differ and that nothing uses: outputs cannot show it, but a state dict does.
void tellUnused(const ChangedPart& part, VerifyReport& report) {
    const std::vector<std::string>& paths = part.otherUnused();
    if (!paths.empty())
        report.remarks.push_back(
            Message("verify.unused_tensors", {{"tensors", listed(paths, kNamedModules)}, {"count", paths.size()}}));
}

/// Models that agree, but of which not all was run, cannot be told to be equal.
void doubtWhatDidNotRun(const Cuts& cuts, const ChangedPart& part, VerifyReport& report) {
    if (!report.agrees()) return;
    Message why = narrowerSizes(*cuts.a.model, *cuts.b.model);
    const VerdictReason code = why.text().empty() ? VerdictReason::NotRun : VerdictReason::OtherSizes;
    if (why.text().empty()) why = notRun(cuts.givenA, cuts.givenB, cuts.a, cuts.b, part);
    if (why.text().empty()) return;
    report.verdict = Verdict::Inconclusive, report.code = code, report.reason = std::move(why);
    report.identical = false;
}

/// Outputs that agree, of weights that differ where no run has read them.
void doubtUnread(const ReadElements& reads, VerifyReport& report) {
    if (!report.agrees()) return;
    const std::vector<std::string> paths = reads.unread();
    if (paths.empty()) return;
    report.verdict = Verdict::Inconclusive, report.code = VerdictReason::NotReached;
    report.reason =
        Message("verify.unread_weights", {{"tensors", listed(paths, kNamedModules)}, {"count", paths.size()}});
}

/// Integers and booleans that agree, of models of which floats do not, bit for bit: near ties they may not.
bool decidesByRounding(const VerifyReport& report, const NodeTable& table, const GraphModule& a) {
    const auto isDecision = [](const OutputDifference& output) {
        const auto type = scalarType(output.value.dtype);
        return type && at::isIntegralType(*type, true) && output.value.count > 0;
    };
    if (std::none_of(report.outputs.begin(), report.outputs.end(), isDecision)) return false;
    for (const Node& node : a.graph.nodes())
        if (const ValueDifference* difference = table.differenceOf(node.id());
            difference && difference->dtype.find("float") != std::string::npos)
            return true;
    return false;
}

/// Models with a changed region: lockstep run, the region by itself, further inputs.
VerifyReport compareChanged(const Cuts& cuts, const ChangedPart& part, const VerifyOptions& options) {
    const VerifySide &a = cuts.a, &b = cuts.b;
    const auto start = std::chrono::steady_clock::now();
    const VerifySide givenA{a.model, a.tensors, copyOf(a.inputs), a.finish, a.inlined}, // the runs may change them
        givenB{b.model, b.tensors, copyOf(b.inputs), b.finish, b.inlined};
    for (const VerifySide* side : {&a, &b}) side->tensors->keepState();
    VerifyReport report;
    BranchWatch watch;
    AllocationWatch memory;
    RegionCheck regionCheck(a, b, options, part, watch);
    ReadElements reads(a, b, part);
    LockstepRun lockstep(a, b, options, part);
    lockstep.run(
        [&](const Node& node, const Value& value) {
            regionCheck.watch(node, value);
            reads.note(node, value);
        },
        [&](const Node& node, const Value& value) { regionCheck.watchB(node, value); });
    reads.endRun();
    report.millisA = lockstep.millisA(), report.millisB = lockstep.millisB();
    Evidence evidence = compareOutputs(lockstep.outputA(), lockstep.outputB(), options.tolerances, report);
    lockstep.table().report(report);
    evidence.sameOutputs = part.sameOutputs();
    const StateFinding states = compareStates(a, b, options.tolerances); // before more runs change them
    evidence.stateDiffers = !states.differs.text().empty(), evidence.stateLost = !states.onlyA.empty();
    const StateFinding inputs = compareInputs(a, b, options.tolerances);
    evidence.inputsDiffer = !inputs.differs.text().empty();
    evidence.sameLeft = states.isEqual && inputs.isEqual;
    evidence.allowed = allowedBy(options.tolerances);
    if (!evidence.allowed && evidence.comparable && !evidence.close && options.freshA)
        evidence.rounding = onlyRounding(lockstep.outputA(), lockstep.outputB(), givenA, givenB, options);
    watch.limitRounds();
    memory.limit();
    RegionCheck::Finding finding;
    if (const Verdict sofar = judge(evidence).verdict; sofar == Verdict::Equal || sofar == Verdict::Close)
        finding = regionCheck.examine(lockstep, report);
    evidence.change = finding.change, evidence.outputsMove = finding.outputsMove;
    evidence.saturated = finding.saturated;
    Message checks;
    if (evidence.change == Evidence::Change::Same) checks = otherChecks(cuts.givenA, cuts.givenB);
    if (!checks.text().empty()) evidence.change = Evidence::Change::OtherBranch;
    const Judgement judgement = judge(evidence);
    report.verdict = judgement.verdict, report.code = judgement.code;
    if (report.code == VerdictReason::OtherBranch) report.reason = checks;
    if (report.code == VerdictReason::OtherState) report.reason = states.differs;
    if (report.code == VerdictReason::OtherInputs) report.reason = inputs.differs;
    if (report.code == VerdictReason::LostState) finding.where = states.onlyA;
    if (report.reason.text().empty()) report.reason = reasonText(report.code, report, finding.where);
    Message refused;
    const bool isOpen = report.agrees() || report.code == VerdictReason::SignalLost; // other inputs may show it
    if (options.further && isOpen && report.code != VerdictReason::SameModel)
        refused = runFurther(
            givenA, givenB, options,
            {affordable(report, options, start), &part, &reads, &report.furtherInputs, options.searchRound}, report);
    doubtUnread(reads, report);
    if (report.verdict == Verdict::Different) report.counterexample = inputsByName(a, givenA.inputs);
    else if (finding.shownBy && !report.agrees()) report.counterexample = inputsByName(a, *finding.shownBy);
    if (report.agrees()) {
        lockstep.table().forgetMisplaced();
        lockstep.table().report(report);
    }
    explain(a, b, part, lockstep.table(), report);
    if (!evidence.sameLeft && report.agrees()) report.remarks.push_back(Message("verify.close_state"));
    if (report.agrees() && decidesByRounding(report, lockstep.table(), *a.model)) {
        report.verdict = Verdict::Close;
        report.remarks.push_back(Message("verify.near_ties"));
    }
    if (!refused.text().empty()) report.remarks.push_back(std::move(refused));
    report.remarks.insert(report.remarks.end(), finding.remarks.begin(), finding.remarks.end());
    return report;
}

} // namespace

const InlinedFrom* VerifySide::inlinedFrom(const std::string& node) const {
    if (!inlined) return nullptr;
    const auto from = inlined->find(node);
    return from == inlined->end() ? nullptr : &from->second;
}

std::string VerifySide::nameOf(const Node& node) const {
    const InlinedFrom* from = inlinedFrom(node.name());
    return from ? from->call + " (" + from->inner + ")" : node.name();
}

std::string VerifySide::callOf(const std::string& node) const {
    const InlinedFrom* from = inlinedFrom(node);
    return from ? from->call : node;
}

VerifyReport verify(const VerifySide& ofA, const VerifySide& ofB, const VerifyOptions& asked) {
    const Cuts cuts(ofA, ofB);
    VerifyOptions options = asked;
    if (asked.freshA) options.freshA = [&] { return Cuts::uncut(asked.freshA()); };
    const ChangedPart part(*cuts.a.model, *cuts.b.model, options.progress);
    VerifyReport report = part.identical() ? sameStructure(cuts, part, options) : compareChanged(cuts, part, options);
    if (part.identical() && !report.identical && report.agrees()) report = compareChanged(cuts, part, options);
    doubtWhatDidNotRun(cuts, part, report);
    tellUnused(part, report);
    nameAsGiven(cuts, report);
    return report;
}

} // namespace fx::engine
