// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/verdict.h"
#include "core/remote/verify_message.h"

#include <QTest>

#include <limits>

using namespace fx;
using Change = Evidence::Change;

namespace {

/// Outputs that were compared and are within tolerance.
Evidence close() {
    Evidence evidence;
    evidence.equal = false, evidence.count = 10, evidence.error = 1e-7;
    return evidence;
}
template<class Alter> Evidence but(const Alter& alter) {
    Evidence evidence = close();
    alter(evidence);
    return evidence;
}

} // namespace

class TestVerdict : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void judge_evidence_verdictAndReason_data() {
        QTest::addColumn<Evidence>("evidence");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* expected, const Evidence& evidence) {
            QTest::newRow(name) << evidence << QString(expected);
        };
        row("rounding", "close none", close());
        row("same bits", "equal none", but([](Evidence& e) { e.equal = true; }));
        row("identical", "equal same_model", but([](Evidence& e) { e.identical = true; }));
        row("identical, NaN", "equal same_model", but([](Evidence& e) { e.identical = true, e.nans = 10; }));
        row("identical, random", "equal same_model", but([](Evidence& e) { e.identical = true, e.close = false; }));
        row("dead code erased, NaN", "equal same_model",
            but([](Evidence& e) { e.sameOutputs = e.equal = true, e.nans = 10; }));
        row("beyond tolerance", "different beyond_tolerance", but([](Evidence& e) { e.close = false; }));
        row("other structure", "different not_comparable", but([](Evidence& e) { e.comparable = false; }));
        row("other shapes", "different shapes", but([](Evidence& e) { e.comparable = e.sameShapes = false; }));
        row("nothing returned", "inconclusive empty_outputs", but([](Evidence& e) { e.count = 0; }));
        row("only NaN", "inconclusive nan_outputs", but([](Evidence& e) { e.equal = true, e.nans = 10; }));
        row("some NaN", "equal none", but([](Evidence& e) { e.equal = true, e.nans = 9; }));
        row("lost", "inconclusive signal_lost", but([](Evidence& e) { e.change = Change::Lost; }));
        row("lost, same bits", "inconclusive signal_lost",
            but([](Evidence& e) { e.change = Change::Lost, e.equal = true; }));
        row("not reached", "inconclusive not_reached",
            but([](Evidence& e) { e.change = Change::NotReached, e.outputsMove = true; }));
        row("NaN alone", "inconclusive not_finite", but([](Evidence& e) { e.change = Change::NotFinite; }));
        row("other sizes", "inconclusive other_sizes", but([](Evidence& e) { e.change = Change::OtherSizes; }));
        row("other decisions", "inconclusive other_boundary",
            but([](Evidence& e) { e.change = Change::OtherBoundary, e.equal = true; }));
        row("decided by other floats", "inconclusive other_decision",
            but([](Evidence& e) { e.change = Change::OtherDecision, e.equal = true; }));
        row("one side of a branch", "inconclusive other_branch",
            but([](Evidence& e) { e.change = Change::OtherBranch, e.equal = true; }));
        row("without data", "inconclusive no_data",
            but([](Evidence& e) { e.change = Change::NoData, e.equal = true; }));
        row("other buffers", "different other_state", but([](Evidence& e) { e.stateDiffers = e.equal = true; }));
        row("other inputs", "different other_inputs", but([](Evidence& e) { e.inputsDiffer = e.equal = true; }));
        row("buffers that only A has", "inconclusive lost_state",
            but([](Evidence& e) { e.stateLost = e.sameOutputs = true; }));
        row("other outputs and buffers", "different beyond_tolerance",
            but([](Evidence& e) { e.close = false, e.stateDiffers = true; }));
        row("small against atol", "inconclusive small_against_atol",
            but([](Evidence& e) { e.change = Change::Lost, e.error = 19; }));
        row("error of a zero output", "inconclusive small_against_atol",
            but([](Evidence& e) { e.change = Change::Lost, e.error = std::numeric_limits<double>::infinity(); }));
        row("large against a small output, but the change does the same", "close none",
            but([](Evidence& e) { e.error = 0.5; }));
        row("an error that the user allows", "close none",
            but([](Evidence& e) { e.change = Change::Lost, e.error = 2e-3, e.allowed = 0; }));
        row("large against the outputs, whatever atol", "inconclusive small_against_atol",
            but([](Evidence& e) { e.change = Change::Lost, e.error = 19, e.allowed = 0; }));
        row("lost, with a tolerance of the user", "inconclusive signal_lost",
            but([](Evidence& e) { e.change = Change::Lost, e.error = 1e-6, e.allowed = 0.1; }));
        row("constant", "inconclusive constant_outputs",
            but([](Evidence& e) { e.change = Change::Lost, e.outputsMove = false; }));
        row("saturated", "inconclusive saturated_outputs",
            but([](Evidence& e) { e.change = Change::Lost, e.outputsMove = false, e.saturated = true; }));
        row("ones and zeros that move", "inconclusive not_reached",
            but([](Evidence& e) { e.change = Change::NotReached, e.outputsMove = true, e.saturated = true; }));
    }
    void judge_evidence_verdictAndReason() {
        QFETCH(Evidence, evidence);
        const Judgement told = judge(evidence);
        QTEST(QString("%1 %2").arg(verdictName(told.verdict), reasonName(told.code)), "expected");
    }

    void add_output_collects() {
        Evidence evidence;
        ValueDifference value;
        value.count = 4, value.nansA = value.nansB = value.nansBoth = 1, value.maxAbs = 1, value.scale = 4;
        value.equal = false;
        evidence.add(value);
        QVERIFY(!evidence.equal);
        QVERIFY(evidence.close);
        QCOMPARE(evidence.error, 0.25);
        value.close = false, value.scale = 0;
        evidence.add(value);
        QVERIFY(!evidence.close);
        QVERIFY(std::isinf(evidence.error));
        QCOMPARE(evidence.count, 8);
        QCOMPARE(evidence.nans, 2);
    }

    void relativeToScale_ofWhatCannotBeCompared_isInfinite() {
        ValueDifference value;
        QCOMPARE(value.relativeToScale(), 0.0);
        value.scale = 2, value.maxAbs = 1;
        QCOMPARE(value.relativeToScale(), 0.5);
        value.nansA = 1;
        QVERIFY(std::isinf(value.relativeToScale()));
        value.nansA = 0, value.reason = Message("verify.sides", {{"a", "3"}, {"b", "2"}});
        QVERIFY(std::isinf(value.relativeToScale()));
    }

    void reasons_haveWords_data() {
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("word");
        const auto row = [](VerdictReason code, const char* word) {
            QTest::newRow(reasonName(code)) << static_cast<int>(code) << QString(word);
        };
        row(VerdictReason::SmallAgainstAtol,
            "2e-08 is within atol 1e-05, but the outputs themselves are at most 1e-09");
        row(VerdictReason::ConstantOutputs, "other inputs give the same outputs");
        row(VerdictReason::SaturatedOutputs, "end of its range");
        row(VerdictReason::NanOutputs, "NaN in both models");
        row(VerdictReason::EmptyOutputs, "no values");
        row(VerdictReason::SignalLost, "189 of 196 nodes differ beyond the tolerance");
        row(VerdictReason::BeyondTolerance, "3 of 12 output values are beyond tolerance; the largest error is 2e-08");
        row(VerdictReason::Rounding, "the largest error is 2e-08, but B is as near to the results in float64 as A");
        row(VerdictReason::NotReached, "(a, b, c and 1 more)");
        row(VerdictReason::NotFinite, "no NaN or infinite values, for which what changed (a, b, c and 1 more)");
        row(VerdictReason::OtherSizes, "for inputs of other sizes, what changed (a, b, c and 1 more)");
        row(VerdictReason::OtherBoundary, "change at different points (what changed: a, b, c and 1 more)");
        row(VerdictReason::NoData, "what changed (a, b, c and 1 more) only tensors without elements");
        row(VerdictReason::LostState, "A writes into tensors that B does not have: a, b, c and 1 more");
        row(VerdictReason::OtherBranch, "comparisons (a, b, c and 1 more) of which these inputs take only one side");
        row(VerdictReason::OtherDecision, "by different values (a, b, c and 1 more)");
    }
    void reasons_haveWords() {
        QFETCH(int, code);
        VerifyReport report;
        report.nodesCompared = 196, report.nodesDiffering = 189;
        report.outputs.resize(1);
        report.outputs[0].value.maxAbs = 2e-8, report.outputs[0].value.scale = 1e-9;
        report.outputs[0].value.tolerance = {1.3e-6, 1e-5};
        report.outputs[0].value.beyond = 3, report.outputs[0].value.count = 12;
        report.outputs[0].value.close = false;
        const QString text =
            QString::fromStdString(reasonText(static_cast<VerdictReason>(code), report, {"a", "b", "c", "d"}).text());
        QFETCH(QString, word);
        QVERIFY2(text.contains(word), qPrintable(text));
    }

    void report_throughAFrame_isTheSame() {
        VerifyReport report;
        report.verdict = Verdict::Inconclusive, report.code = VerdictReason::SignalLost,
        report.reason = Message("verify.signal_lost", {{"differing", 189}, {"compared", 196}});
        report.remarks = {Message("verify.nan_in_one", {{"count", 2}})};
        report.nodeErrors = {{"conv", 0.5, std::numeric_limits<double>::infinity(), 12, 3, false,
                              Message("verify.sides", {{"a", "3"}, {"b", "2"}})}};
        report.nodeErrors[0].nameInB = "conv_1";
        report.probes = {{Probe::Kind::InputScale, "inputs ×100", Verdict::Different, 4, 0.5, 7, 100,
                          Message("verify.nan_outputs")}};
        report.outputs.push_back({"[0]", {}});
        report.outputs[0].value.scale = 3, report.outputs[0].value.rms = 2;
        report.outputs[0].value.rmsError = 0.5;
        report.outputs[0].value.sameShape = false;
        report.first = NodeDifference{"fused_0", {}, false, {}, "relu"};
        ValueTree inputs;
        inputs.kind = ValueTree::Kind::Dict;
        inputs.items = {ValueTree::of(Argument(std::string("x"))), ValueTree::of(Argument(std::int64_t{3}))};
        report.counterexample = report.probes[0].counterexample = std::make_shared<const ValueTree>(inputs);
        const VerifyReport back = remote::verifyReport(remote::toFrame(report, 1));
        QCOMPARE(back.first->inner, std::string("relu"));
        QVERIFY(back.counterexample);
        QVERIFY(back.counterexample->items.at(1).plain == Argument(std::int64_t{3}));
        QVERIFY(!remote::verifyReport(remote::toFrame(VerifyReport(), 1)).counterexample);
        QCOMPARE(back.verdict, Verdict::Inconclusive);
        QCOMPARE(back.code, VerdictReason::SignalLost);
        QVERIFY(back.reason == report.reason);
        QVERIFY(back.remarks == report.remarks);
        QVERIFY(back.probes[0].reason == report.probes[0].reason);
        QCOMPARE(back.outputs[0].value.scale, 3.0);
        QCOMPARE(back.outputs[0].value.rms, 2.0);
        QCOMPARE(back.outputs[0].value.rmsError, 0.5);
        QVERIFY(!back.outputs[0].value.sameShape);
        QCOMPARE(back.nodeErrors[0].node, std::string("conv"));
        QVERIFY(std::isinf(back.nodeErrors[0].error));
        QVERIFY(!back.nodeErrors[0].comparable);
        QVERIFY(back.nodeErrors[0].reason == report.nodeErrors[0].reason);
        QCOMPARE(back.nodeErrors[0].reason.text(), std::string("3 in A, 2 in B"));
        QCOMPARE(back.nodeErrors[0].nameInB, std::string("conv_1"));
        const std::vector<Probe> probes = remote::probesOf(remote::toFrame(report.probes, 2));
        QCOMPARE(probes.size(), back.probes.size());
        QCOMPARE(probes[0].what, std::string("inputs ×100"));
        QCOMPARE(probes[0].seed, 7u);
        QCOMPARE(probes[0].scale, 100.0);
        QCOMPARE(probes[0].verdict, Verdict::Different);
        for (const auto& saved : {probes[0].counterexample, back.probes[0].counterexample}) {
            QVERIFY(saved);
            QVERIFY(saved->items.at(1).plain == Argument(std::int64_t{3}));
        }
    }

    void addProbes_onlyOwnWeights_changeTheVerdict() {
        VerifyReport report;
        report.verdict = Verdict::Inconclusive, report.reason = Message("verify.constant_outputs");
        VerifyReport other = report;
        const Probe seed{
            Probe::Kind::Seed, "seed 1", Verdict::Inconclusive, 0, 0, 1, 1, Message("verify.constant_outputs")};
        const Probe rescaled{Probe::Kind::RescaledWeights, "re-scaled weights", Verdict::Different, 0.31, 2, 0, 1, {}};
        addProbes(report, {seed, rescaled});
        QCOMPARE(report.verdict, Verdict::Inconclusive);
        QCOMPARE(report.reason.text(),
                 std::string("with these weights: cannot tell, since the outputs do not depend on the inputs: other "
                             "inputs give the same outputs; with re-scaled weights: different, largest error 0.31"));
        QCOMPARE(report.probes.size(), 2u);
        const auto inputs = std::make_shared<const ValueTree>();
        addProbes(other, {{Probe::Kind::InputScale, "inputs ×100", Verdict::Different, 4, 1, 0, 100, {}, inputs}});
        QCOMPARE(other.counterexample, inputs);
        QCOMPARE(other.verdict, Verdict::Different);
        QCOMPARE(
            other.reason.text(),
            std::string("with inputs ×100 the outputs differ, the largest error is 4; these inputs do not show it: "
                        "the outputs do not depend on the inputs: other inputs give the same outputs"));
        QCOMPARE(other.code, VerdictReason::BeyondTolerance);
        VerifyReport equal;
        addProbes(equal, {{Probe::Kind::Seed, "seed 1", Verdict::Different, 4, 1, 0, 1, {}}});
        QCOMPARE(equal.verdict, Verdict::Equal); // nobody asked
    }
};

QTEST_APPLESS_MAIN(TestVerdict)
#include "tst_verdict.moc"
