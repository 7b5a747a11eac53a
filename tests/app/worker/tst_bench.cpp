// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/history.h"
#include "core/model_files/open.h"
#include "core/model_files/save_graphmodule.h"
#include "core/remote/bench_message.h"
#include "core/remote/worker_client.h"
#include "tests/json_steps.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

using namespace fx::remote;
using fx::timing::BenchResult;
using fx::timing::Verdict;

namespace {

BenchRequest resnet(std::size_t others = 0) {
    BenchRequest request;
    request.run.model = LANCET_SOURCE_DIR "/resources/samples/resnet.pt";
    request.run.random = {{"x", {2, 3, 64, 64}, "torch.float32", 0}};
    request.run.threads = 1;
    request.others.assign(others, request.run.model);
    request.seconds = 2;
    return request;
}

} // namespace

class TestBench : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qputenv("XDG_CACHE_HOME", m_cache.path().toUtf8()); }

    void request_throughAFrame_isTheSame() {
        BenchRequest sent = resnet(2);
        sent.names = {"a", "b", "c"}, sent.nodes = true, sent.seconds = 1.5;
        const BenchRequest got = benchRequest(toFrame(sent, 3, true));
        QCOMPARE(got.others.size(), 2u);
        QCOMPARE(got.others[1].path, sent.run.model.path);
        QVERIFY(got.names == sent.names);
        QVERIFY(got.nodes);
        QVERIFY(got.seconds == 1.5);
        QVERIFY(got.run.threads == 1);
        QVERIFY(got.run.random.size() == 1);
    }

    void otherModels_getTheGuessesOfTheFirst() { // whose images are of 224, and which take those of one channel
        const QTemporaryDir folder;
        const std::string gray = folder.filePath(QStringLiteral("gray.pt")).toStdString();
        fx::History history(fx::openModel(resnet().run.model.path));
        history.edit("",
                     R"([{"step": "replace_module", "path": "conv1", "module": {"type": "torch.nn.Conv2d", "seed": 1,)"
                     R"( "settings": {"in_channels": 1, "out_channels": 8, "kernel_size": 7, "stride": 2,)"
                     R"( "padding": 3, "bias": false}}}])"_steps);
        fx::saveGraphModule(*history.model(), gray, true);
        WorkerClient worker({{LANCET_WORKER}, true, 0});
        BenchRequest request = resnet(1);
        request.run.random.clear();
        request.run.anyGuess = true;
        request.others = {gray};
        // Times of images of another size would say nothing: it is an error of the second model.
        QVERIFY_THROWS_EXCEPTION(fx::Error, bench(worker, request));
    }

    void modelsAgainstThemselves_areNeverFasterOrSlower() {
        WorkerClient worker({{LANCET_WORKER}, true, 0});
        const auto wrong = [](const BenchResult& result) {
            return std::ranges::count_if(result.ratios, [](const auto& ratio) {
                return ratio.verdict == Verdict::Faster || ratio.verdict == Verdict::Slower;
            });
        };
        BenchResult result = bench(worker, resnet(6)); // sampled here; tests/oracle/bench.py --repeat does more
        QCOMPARE(result.ratios.size(), 6u);
        // All six share the blocks of the original: another program that stops one of those makes several miss at once.
        for (int again = 0; again < 2 && wrong(result) > 1; ++again) result = bench(worker, resnet(6));
        QVERIFY2(wrong(result) <= 1, qPrintable(QStringLiteral("%1 of 6").arg(wrong(result))));
        QVERIFY(result.environment.threads == 1);
        QVERIFY(!result.environment.oneDnn.empty());
        QVERIFY(!result.environment.isa.empty());
        QVERIFY(result.variants[0].coldMs > 0);
        QVERIFY(result.variants[0].runsPerBlock >= 1);
    }

    void nodes_addUpAndTellWhatRan() {
        WorkerClient worker({{LANCET_WORKER}, true, 0});
        BenchRequest request = resnet();
        request.run.model =
            std::shared_ptr<const fx::GraphModule>(fx::openModel(request.run.model.path)); // as the window has it
        request.nodes = true;
        const auto off = [](const BenchResult& result) {
            return std::abs(result.reports.at(0).sumMs / result.reports.at(0).wholeMs - 1);
        };
        BenchResult result = bench(worker, request);
        for (int again = 0; again < 4 && off(result) > 0.05; ++again)
            result = bench(worker, request); // another program can make an attempt miss
        QCOMPARE(result.reports.size(), 1u);
        const auto& report = result.reports[0];
        QVERIFY2(off(result) <= 0.05, qPrintable(QString::number(off(result))));
        std::size_t primitives = 0, known = 0;
        for (const auto& node : report.nodes)
            primitives += node.primitives.size(), known += node.flops && *node.flops > 0;
        QVERIFY(primitives > 0);
        QVERIFY(known > 0);
        QVERIFY(result.environment.ceiling);
        QVERIFY(result.environment.ceiling->gflops > 0.5);
        QCOMPARE(report.types.front().ms,
                 std::max_element(report.types.begin(), report.types.end(), [](auto& a, auto& b) {
                     return a.ms < b.ms;
                 })->ms);
    }

    void modelThatFails_isNamed() {
        WorkerClient worker({{LANCET_WORKER}, true, 0});
        BenchRequest request = resnet();
        request.run.random[0].sizes = {2, 5, 64, 64};
        request.names = {"the model"};
        try {
            bench(worker, request);
            QFAIL("five channels are no three");
        } catch (const fx::Error& error) {
            QCOMPARE(error.file, std::string("the model"));
            QVERIFY(!error.node.empty());
        }
    }

    void cancelled_endsSoon() {
        WorkerClient worker({{LANCET_WORKER}, true, 0});
        BenchRequest request = resnet();
        request.seconds = 600;
        std::stop_source stop;
        std::size_t reports = 0;
        QElapsedTimer since;
        const fx::Progress progress(stop.get_token(), [&](std::string_view, double) {
            if (++reports == 5) stop.request_stop(), since.start();
        });
        QVERIFY_THROWS_EXCEPTION(fx::Error, bench(worker, request, {}, progress));
        QVERIFY(reports >= 5);
        QVERIFY(since.elapsed() < 3000 * LANCET_SLOWNESS);
    }

private:
    QTemporaryDir m_cache;
};

QTEST_APPLESS_MAIN(TestBench)
#include "tst_bench.moc"
