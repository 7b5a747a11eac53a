// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/drawn_weights.h"
#include "core/edit/history.h"
#include "core/python/tracing/trace_definition.h"
#include "tests/json_steps.h"

#include <QTest>

#include <ctime>

using namespace fx;

/// New modules of any size: what is typed costs nothing until it is applied, and then only what the machine has.
class TestNewWeights : public QObject {
    Q_OBJECT

    static GraphModule net() { return traceFunctionSource("def net(x):\n    return torch.relu(x)\n"); }
    static StepList adding(const std::string& type, const std::string& settings) {
        return StepList::parse("[{\"step\": \"add_module\", \"path\": \"added\", \"module\": {\"type\": \"" + type +
                               "\", \"settings\": {" + settings + "}}}]");
    }
    static QString refusal(const StepList& steps) {
        try {
            History::edited(net(), steps);
        } catch (const Error& error) {
            return error.kind() == ErrorKind::Refused ? QString::fromUtf8(error.what()) : QStringLiteral("other kind");
        }
        return {};
    }

private Q_SLOTS:
    void tried_anySize_costsNothing_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("settings");
        QTest::addColumn<qulonglong>("bytes");
        QTest::newRow("linear") << "torch.nn.Linear"
                                << "\"in_features\": 100000, \"out_features\": 100000" << 40'000'400'000ull;
        QTest::newRow("batch norm") << "torch.nn.BatchNorm2d"
                                    << "\"num_features\": 1000000000000" << 16'000'000'000'000ull;
        QTest::newRow("embedding") << "torch.nn.Embedding"
                                   << "\"num_embeddings\": 1000000, \"embedding_dim\": 1000000, \"padding_idx\": 1"
                                   << 4'000'000'000'000ull;
        QTest::newRow("LSTM") << "torch.nn.LSTM"
                              << "\"input_size\": 100000, \"hidden_size\": 100000" << 320'003'200'000ull;
        QTest::newRow("no weights") << "torch.nn.ReLU"
                                    << "" << 0ull;
    }
    void tried_anySize_costsNothing() {
        QFETCH(QString, type);
        QFETCH(QString, settings);
        QFETCH(qulonglong, bytes);
        const std::clock_t start = std::clock();
        const auto trial = History::tried(net(), adding(type.toStdString(), settings.toStdString()));
        const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
        QVERIFY2(seconds < 2.0 * LANCET_SLOWNESS, qPrintable(QString::number(seconds)));
        if (type != QLatin1String("torch.nn.BatchNorm2d")) QCOMPARE(trial.weightBytes, std::uint64_t(bytes));
        else {
            QVERIFY(trial.weightBytes >= bytes);
            QVERIFY(trial.weightBytes <= bytes + 8);
        }
        QVERIFY(resolvePath(*trial.model->root, "added").module);
    }
    /// The dialog tells it before the module is replaced.
    void tried_keptWeightsOfAnotherShape_areWarnedOf_data() {
        QTest::addColumn<QString>("steps");
        QTest::addColumn<QString>("expected");
        const QString replace = QStringLiteral(R"({"step": "replace_module", "path": "a", "keep": %1, "module": )"
                                               R"({"type": "torch.nn.Linear", "settings": {"out_features": %2}}})");
        const QString text =
            QStringLiteral("cannot keep the values of weight, bias in %1: weight was [2, 4] and is now "
                           "[3, 4]; new initial values take their place, and the nodes around it must fit");
        QTest::newRow("other size") << replace.arg(QStringLiteral("true")).arg(3) << text.arg(QStringLiteral("a"));
        QTest::newRow("same size") << replace.arg(QStringLiteral("true")).arg(2) << QString();
        QTest::newRow("nothing is to be kept")
            << replace.arg(QStringLiteral("false"))
                   .arg(3)
                   .replace(QStringLiteral("{\"out"), QStringLiteral("{\"in_features\": 4, \"out"))
            << QString();
        QTest::newRow("every one")
            << QStringLiteral(R"({"step": "replace_module_class", "from": "torch.nn.Linear", "keep": true, "to": )"
                              R"({"type": "torch.nn.Linear", "settings": {"out_features": 3}}})")
            << text.arg(QStringLiteral("a and 1 more"));
    }
    void tried_keptWeightsOfAnotherShape_areWarnedOf() {
        QFETCH(QString, steps);
        QFETCH(QString, expected);
        GraphModule model = net();
        for (const char* path : {"a", "b"}) {
            const QString add =
                QStringLiteral(R"([{"step": "add_module", "path": "%1", "module": {"type": )"
                               R"("torch.nn.Linear", "settings": {"in_features": 4, "out_features": 2}}}])");
            model = *History::edited(model, StepList::parse(add.arg(QLatin1String(path)).toStdString()));
        }
        const auto trial = History::tried(model, StepList::parse((u'[' + steps + u']').toStdString()));
        QCOMPARE(trial.warnings.size(), std::size_t(expected.isEmpty() ? 0 : 1));
        if (!expected.isEmpty()) QCOMPARE(QString::fromStdString(trial.warnings[0].what.text()), expected);
    }
    void tooLarge_isRefusedInWords() {
        const std::string petabyte = "\"in_features\": 20000000, \"out_features\": 20000000";
        QVERIFY2(refusal(adding("torch.nn.Linear", petabyte)).contains(QStringLiteral("needs 1.4 PiB of memory")),
                 qPrintable(refusal(adding("torch.nn.Linear", petabyte))));
        const std::string huge = "\"in_features\": 10000000000, \"out_features\": 10000000000";
        QVERIFY(refusal(adding("torch.nn.Linear", huge)).contains(QStringLiteral("64 bits")));
        const std::string beyond = "\"input_size\": 1, \"hidden_size\": 9000000000000000000";
        const auto most = QStringLiteral("at most 2^48 as setting 'hidden_size'");
        QVERIFY2(refusal(adding("torch.nn.LSTM", beyond)).contains(most),
                 qPrintable(refusal(adding("torch.nn.LSTM", beyond))));
        const std::string kernel = "\"in_channels\": 1000000, \"out_channels\": 1, \"kernel_size\": 4000000000";
        QVERIFY(
            refusal(adding("torch.nn.Conv3d", kernel)).contains(QStringLiteral("kernel_size 4000000000 is too large")));
        const std::string deep = "\"input_size\": 1, \"hidden_size\": 1, \"num_layers\": 1000000000";
        QVERIFY2(refusal(adding("torch.nn.LSTM", deep)).contains(QStringLiteral("at most 10000")),
                 qPrintable(refusal(adding("torch.nn.LSTM", deep))));
    }
    /// Kept weights and those that start with ones are not random; what a later step replaces is gone.
    void randomWeights_areThoseOfModulesWhoseFormIsNew() {
        History history(std::make_shared<GraphModule>(net()));
        const auto paths = [&] { return modulesWithRandomWeights(std::span(history.entries())); };
        const auto resized = [](int size) {
            return StepList().replaceModule("added", {"torch.nn.Linear", {{"in_features", 4}, {"out_features", size}}},
                                            true);
        };
        history.edit("norm", R"([{"step": "add_module", "path": "norm", "module": {"type": "torch.nn.BatchNorm1d", )"
                             R"("settings": {"num_features": 20}}}])"_steps);
        QVERIFY(paths().empty());
        history.edit("add", adding("torch.nn.Linear", "\"in_features\": 4, \"out_features\": 10"));
        QCOMPARE(paths(), std::vector<std::string>{"added"});
        const std::size_t added = history.current();
        history.edit("same", resized(10)); // keeps them
        QVERIFY(modulesWithRandomWeights(std::span(history.entries()).subspan(added)).empty());
        history.edit("resize", resized(5));
        QCOMPARE(modulesWithRandomWeights(std::span(history.entries()).subspan(added)),
                 std::vector<std::string>{"added"});
        history.edit("delete", R"([{"step": "delete_module", "path": "added"}])"_steps);
        QVERIFY(paths().empty());
    }
    void drawing_stopsWhenItIsAskedTo() {
        std::stop_source stop;
        int reports = 0;
        const Progress progress(stop.get_token(), [&](std::string_view, double done) {
            QVERIFY(done > 0);
            QVERIFY(done < 1);
            if (++reports == 2) stop.request_stop();
        });
        bool isCancelled = false;
        try {
            History::edited(net(), adding("torch.nn.Linear", "\"in_features\": 8192, \"out_features\": 8192"),
                            progress);
        } catch (const Error& error) { isCancelled = error.kind() == ErrorKind::Cancelled; }
        QVERIFY(isCancelled);
        QCOMPARE(reports, 2);
    }
};

QTEST_GUILESS_MAIN(TestNewWeights)
#include "tst_new_weights.moc"
