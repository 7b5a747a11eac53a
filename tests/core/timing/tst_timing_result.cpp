// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/timing_json.h"
#include "core/timing/verbose_log.h"

#include <QTest>

using namespace fx::timing;

namespace {

BenchResult sample() {
    BenchResult out;
    out.environment = {"AMD EPYC",
                       2,
                       1,
                       "AVX2",
                       "v3.7.1",
                       "Intel AVX2",
                       "MKL",
                       "LibTorch 2.13.0",
                       "Linux",
                       true,
                       "performance",
                       2450,
                       1.5,
                       0.25,
                       0.01,
                       0.004,
                       Ceiling{80.5, 20, 1, true}};
    out.variants.push_back({"a \"b\".pt", "eval", 1.5, 1.25, 2, 1, 30, 7, 12, false, {1.5, 1.25, 2}});
    out.variants.push_back({"b.pt", "", 3, 3, 3, 3, 30, 4, 12, true, {3, 3, 3}});
    out.ratios.push_back({0, 1, 2.05, {1.9, 2.1}, Verdict::Slower, {}});
    NodeReport report{1, 3, 2.99, 50, 1, {}, {}};
    NodeTiming node{
        "conv", "call_module",  "torch.nn.modules.conv.Conv2d", 2.5, 0.1, 0.8, 1e9, std::nullopt, 0.7, false, {},
        1,      "channels_last"};
    node.primitives.push_back({"oneDNN", "convolution", "brg_conv_fwd:avx2", "src:f32:acdb", "mb1_ic3"});
    report.nodes.push_back(node);
    report.types.push_back({"torch.nn.modules.conv.Conv2d", 1, 2.5, 0.8, 1e9});
    out.reports.push_back(report);
    out.rounds = 3, out.seconds = 4.5, out.warnings = {fx::Message("timing.governor", {{"governor", "powersave"}})};
    return out;
}

} // namespace

class TestTimingResult : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void json_readAgain_isTheSame() {
        const std::string text = toJson(sample());
        const auto document = fx::JsonDocument::parse(text);
        const BenchResult got = readBenchResult(document->root());
        QCOMPARE(toJson(got), text);
        QCOMPARE(got.variants[0].samplesMs.size(), 3u);
        QCOMPARE(got.ratios[0].verdict, Verdict::Slower);
        QCOMPARE(got.reports[0].nodes[0].primitives[0].implementation, "brg_conv_fwd:avx2");
        QVERIFY(!got.reports[0].nodes[0].bytes);
    }

    void json_hasTheKeysOfTheManual() {
        const auto document = fx::JsonDocument::parse(toJson(sample()));
        const fx::JsonValue root = document->root(), variant = *root.at("variants").begin(),
                            ratio = *root.at("ratios").begin();
        QVERIFY(root.at("environment").isObject());
        QCOMPARE(variant.at("model").asText(), "a \"b\".pt");
        QCOMPARE(variant.at("iqr_ms").asDouble(), 0.75);
        QCOMPARE(variant.at("samples").asInt(), 3);
        for (const char* key : {"median_ms", "cold_ms"}) QVERIFY(variant.at(key).asDouble() > 0);
        QCOMPARE(ratio.at("verdict").asText(), "slower");
        QCOMPARE(ratio.at("ratio").asDouble(), 2.0); // of the medians
        QCOMPARE(ratio.at("paired_ratio").asDouble(), 2.05);
        QCOMPARE(ratio.at("ci95").size(), 2u);
        QCOMPARE(root.at("nodes").size(), 1u);
    }

    void csv_quotesWhatItMust() {
        NodeReport report;
        report.nodes.push_back({"a", "call_function", "f(\"x\", 1)", 0.5, 0, 0.25, {}, 8, {}, false, {}, 0, {}});
        QVERIFY(QString::fromStdString(toCsv(report))
                    .endsWith("\na,call_function,\"f(\"\"x\"\", 1)\",0.5,0.25,,8.0,,0,,\n"));
    }

    void verbose_ofOneDnn_isParsed_data() {
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("3.7") << QByteArray(
            "onednn_verbose,v1,primitive,exec,cpu,convolution,brg_conv_fwd:avx2,forward_inference,src:f32::blocked:"
            "acdb::f0 wei:f32:a:blocked:Acdb8a::f0 bia:f32::blocked:a::f0 "
            "dst:f32::blocked:acdb::f0,attr-scratchpad:user,alg:convolution_direct,mb1_ic3oc64_ih32oh30kh3,0.41");
        QTest::newRow("3.1") << QByteArray(
            "onednn_verbose,exec,cpu,convolution,brg_conv_fwd:avx2,forward_inference,src_f32::blocked:acdb:f0 "
            "wei_f32:a:blocked:Acdb8a:f0 bia_f32::blocked:a:f0 dst_f32::blocked:acdb:f0,attr-scratchpad:user "
            ",alg:convolution_direct,mb1_ic3oc64_ih32oh30kh3,0.41");
    }
    void verbose_ofOneDnn_isParsed() {
        QFETCH(QByteArray, line);
        const VerboseLog log = parseVerbose("hello\n" + line.toStdString() + "\n");
        QCOMPARE(log.primitives.size(), 1u);
        QCOMPARE(log.primitives[0].kind, "convolution");
        QCOMPARE(log.primitives[0].implementation, "brg_conv_fwd:avx2");
        QCOMPARE(log.primitives[0].formats, "src:f32:acdb wei:f32:Acdb8a bia:f32:a dst:f32:acdb");
        QCOMPARE(log.primitives[0].problem, "mb1_ic3oc64_ih32oh30kh3");
        QVERIFY(!log.primitives[0].isReorder());
    }

    void verbose_firstLines_tellTheVersion() {
        const VerboseLog log = parseVerbose(
            "onednn_verbose,v1,info,oneDNN v3.7.1 (commit "
            "8d263e6)\nonednn_verbose,v1,info,cpu,runtime:OpenMP,nthr:2\nonednn_verbose,v1,info,cpu,isa:Intel AVX2\n");
        QCOMPARE(log.version, "v3.7.1");
        QCOMPARE(log.isa, "Intel AVX2");
        QVERIFY(log.primitives.empty());
    }

    void verbose_ofMkl_isParsed() {
        const VerboseLog log =
            parseVerbose("MKL_VERBOSE oneMKL 2024.0 Update 2 Product build 20240605 for Intel(R) 64 architecture\n"
                         "MKL_VERBOSE SGEMM(N,T,900,64,27,0x7ffd,0x88,900,0x36,27,0x7f,0x88,900) 32.08ms CNR:OFF Dyn:1 "
                         "FastMM:1 TID:0  NThr:2\n");
        QCOMPARE(log.primitives.size(), 1u);
        QCOMPARE(log.primitives[0].library + " " + log.primitives[0].kind, "MKL sgemm");
        QCOMPARE(log.primitives[0].problem, "N,T,900,64,27,900,27,900");
    }

    void verbose_cutShort_isPassedOver() {
        QVERIFY(parseVerbose(
                    "onednn_verbose,v1,primitive,exec,cpu,convolution\nMKL_VERBOSE SGEMM(\nonednn_verbose,info\n\n")
                    .primitives.empty());
    }
};

QTEST_APPLESS_MAIN(TestTimingResult)
#include "tst_timing_result.moc"
