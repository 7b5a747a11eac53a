// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/history.h"
#include "core/edit/python/recipe_python.h"
#include "core/edit/recipe.h"
#include "core/model_files/open.h"
#include "core/tensor/elements.h"

#include <QTest>

using namespace fx;

/// The step `load_weights` on a GraphModule with the layers `fc` and `bn`.
class TestWeightsStep : public QObject {
    Q_OBJECT

    static std::string fixture(const char* name) {
        return LANCET_SOURCE_DIR "/tests/data/weights/" + std::string(name);
    }
    static std::shared_ptr<const GraphModule> net() { return openModel(fixture("graph_module_old.pt")); }
    static std::vector<double> weight(const GraphModule& model) {
        return elementValues(*resolvePath(*model.root, "fc.weight").tensor);
    }

private Q_SLOTS:
    void weights_areAVersion() {
        const auto before = net();
        const std::vector<double> old = weight(*before), ema{11, 12};
        QVERIFY(old != ema);
        History history(before);
        history.edit("load", StepList().loadWeights(fixture("ema.pth"), "ema", true));
        QCOMPARE(weight(*history.model()), ema);
        QCOMPARE(weight(*history.entries()[0].model), old);
    }

    void part_isLoadedIfNotStrict() {
        const auto refused = [&](bool strict, const char* file = "fc.pth") {
            try {
                const auto made = History::edited(*net(), StepList().loadWeights(fixture(file), {}, strict));
                QStringList codes;
                for (const Warning& warning : made->warnings) codes << QString::fromStdString(warning.what.code());
                return codes.join(' ');
            } catch (const Error& error) { return QString::fromStdString(error.message().argument("cause")); }
        };
        QCOMPARE(refused(true), QStringLiteral("make.state_dict"));
        QCOMPARE(refused(true, "sizes.pth"), QStringLiteral("make.state_dict_misfits"));
        QCOMPARE(refused(true, "optimizer.pth"), QStringLiteral("tensors.not_weights"));
        QCOMPARE(refused(false), QStringLiteral("make.weights_missing make.weights_left"));
    }

    void python_loadsTheSame_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("text");
        QTest::newRow("state dict") << "no_counter.pth"
                                    << ""
                                    << "gm.load_state_dict(torch.load(";
        QTest::newRow("key") << "ema.pth"
                             << "ema"
                             << ")[\"ema\"])";
        QTest::newRow("module") << "whole.pth"
                                << ""
                                << ", weights_only=False).state_dict())";
        QTest::newRow("wrapped") << "nested.pth"
                                 << ""
                                 << "nested in other objects";
    }
    void python_loadsTheSame() {
        QFETCH(QString, file);
        QFETCH(QString, key);
        const StepList steps = StepList().loadWeights(fixture(file.toUtf8().constData()), key.toStdString(), true);
        QString written;
        try {
            written = QString::fromStdString(recipePython(*net(), steps, "net.pt"));
        } catch (const Error& error) { written = QString::fromUtf8(error.what()); }
        QFETCH(QString, text);
        QVERIFY2(written.contains(text), qPrintable(written));
    }
};

QTEST_GUILESS_MAIN(TestWeightsStep)
#include "tst_weights_step.moc"
