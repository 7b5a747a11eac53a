// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/layer_error_message.h"
#include "core/remote/message_fields.h"
#include "core/remote/quant_message.h"
#include "core/remote/shapes_message.h"
#include "core/remote/verify_message.h"
#include "tests/failure.h"

#include <QTest>
#include <limits>

using namespace fx;
using namespace fx::remote;

/// The lists of members give the messages of all versions so far.
class TestMessageFields : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void layerErrors_asText() {
        LayerErrors errors;
        errors.layers = {{"conv", "conv_1", "features.0", 2, 0.5, 0.25, 7, 0.125}};
        errors.output = {"output", "output", "output", 1, std::numeric_limits<double>::infinity(), 0, 3, {}};
        const Frame frame = toFrame(errors, 4);
        QCOMPARE(QString::fromStdString(frame.json),
                 QStringLiteral(R"({"layers": [{"node": "conv", "original": "conv_1", "layer": "features.0", )"
                                R"("values": 7, "signal": 2.0, "noise": 0.5, "max_error": 0.25, "step": 0.125}], )"
                                R"("output": {"node": "output", "original": "output", "layer": "output", )"
                                R"("values": 3, "signal": 1.0, "noise": "inf", "max_error": 0.0}})"));
        QVERIFY(!frame.blob);
        const LayerErrors read = layerErrorsOf(frame);
        QCOMPARE(read.layers[0].step, errors.layers[0].step);
        QCOMPARE(read.output.noise, errors.output.noise);
        QVERIFY(!read.output.step);
        QCOMPARE(toFrame(read, 4).json, frame.json);
    }

    void shapes_asText() {
        NodeShapes shapes;
        ValueInfo info;
        info.dtype = "torch.float32", info.sizes = {"2", "3"}, info.strides = {"3", "1"};
        shapes.nodes = {{"relu", {info}}};
        ShapeFailure& failed = shapes.failures.emplace_back();
        failed.node = "view", failed.what = Message("engine.script_block"), failed.hint = "run it";
        shapes.ran = true, shapes.millis = 1.5;
        const Frame frame = toFrame(shapes, 1);
        const std::string what = shapes.failures[0].what.text();
        QCOMPARE(
            QString::fromStdString(frame.json),
            QStringLiteral(R"({"ran": true, "guessed": false, "micros": 1500, "nodes": [{"name": "relu", "values": [)"
                           R"({"dtype": "torch.float32", "sizes": ["2", "3"], "strides": ["3", "1"], )"
                           R"("grad": false, "tensor": true}]}], "failures": [{"node": "view", "what": ")") +
                QString::fromStdString(what) +
                QStringLiteral(R"(", "code": "engine.script_block", "arguments": {}, "hint": "run it", )"
                               R"("needs_values": false, "cause": "", "operands": []}]})"));
        const NodeShapes read = shapesResult(frame);
        QCOMPARE(read.nodes[0].second[0].device, std::string("cpu"));
        QVERIFY(read.failures[0].what == shapes.failures[0].what);
        QCOMPARE(toFrame(read, 1).json, frame.json);
    }

    void report_throughAFrame_isTheSame() {
        VerifyReport report;
        report.verdict = Verdict::Different, report.code = VerdictReason::BeyondTolerance;
        report.reason = Message::received({}, {}, "differs");
        report.outputs.resize(1);
        report.outputs[0].path = "[0]", report.outputs[0].value.maxAbs = std::numeric_limits<double>::quiet_NaN();
        report.outputs[0].value.sizes = {2, 3}, report.outputs[0].value.tolerance = {1e-5, 1e-8};
        report.first = NodeDifference{"relu", {}, true, {}, "inner"};
        report.nodeErrors = {{"relu", 1, 2, 3, 4, false, Message::received({}, {}, "shape"), "relu_1"}, {"add", 1, 0}};
        report.probes = {{Probe::Kind::RescaledWeights, "re-scaled weights", Verdict::Close, 1, 2,
                          std::numeric_limits<std::uint64_t>::max(), 3}};
        report.probes[0].counterexample = std::make_shared<const ValueTree>(ValueTree::of(Argument(std::int64_t{7})));
        report.remarks = {Message::received({}, {}, "remark")};
        report.sqnr = 12.5, report.inputs = {"x"}, report.warnings = {{Message::received({}, {}, "w"), "n", "m", "p"}};
        const Frame frame = toFrame(report, 1);
        const VerifyReport read = verifyReport(frame);
        QCOMPARE(QString::fromStdString(toFrame(read, 1).json), QString::fromStdString(frame.json));
        QCOMPARE(read.code, report.code);
        QCOMPARE(read.probes[0].seed, report.probes[0].seed);
        QVERIFY(read.probes[0].counterexample);
        QVERIFY(!read.counterexample);
        QCOMPARE(read.nodeErrors[0].nameInB, std::string("relu_1"));
        QVERIFY(read.nodeErrors[1].comparable);
    }

    void memberThatIsMissing_isRefused() {
        const Frame frame{FrameKind::Result, 1, R"({"layers": []})", {}, {}};
        QCOMPARE(failure([&] { layerErrorsOf(frame); }).kind(), ErrorKind::File);
    }

    void nameWithoutTensor_isRefused() {
        Frame frame = toFrame(Calibration(), 1);
        const std::size_t place = frame.json.find("\"buffers\": []");
        QVERIFY(place != std::string::npos);
        for (const char* buffers : {"[[]]", "[[\"a\"]]", "[[\"a\", 1, 2]]"}) {
            Frame broken = frame;
            broken.json.replace(place, 13, std::string("\"buffers\": ") + buffers);
            QCOMPARE(failure([&] { calibrationOf(broken); }).kind(), ErrorKind::Run);
        }
    }

    void enumeratorThatIsUnknown_isTheLast() {
        Frame frame = toFrame(VerifyReport(), 1);
        frame.json.replace(frame.json.find("\"verdict\": 0"), 12, "\"verdict\": 99");
        QCOMPARE(verifyReport(frame).verdict, Verdict::Different);
    }
};

QTEST_APPLESS_MAIN(TestMessageFields)

#include "tst_message_fields.moc"
