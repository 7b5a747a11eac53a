// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/argument.h"
#include "core/model_files/open.h"
#include "core/tensor/tensor_statistics.h"
#include "tests/sanitized.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTest>

#include <sys/resource.h>

using namespace fx;

/// Files that nobody writes by accident: each opens or is refused, quickly, in bounded memory, and runs nothing.
constexpr int kMostMillis = kPatience * 2000;

class TestHostile : public QObject {
    Q_OBJECT

    static constexpr const char* kFolder = LANCET_SOURCE_DIR "/tests/data/graphmodule/hostile/";

private Q_SLOTS:
    void open_hostile_refusedOrHarmless_data() {
        QTest::addColumn<QString>("error");   // empty: it opens
        QTest::addColumn<QString>("warning"); // of what opens
        const auto opens = [](const char* name, const char* warning = "") { QTest::newRow(name) << "" << warning; };
        const auto refused = [](const char* name, const char* error) { QTest::newRow(name) << error << ""; };
        opens("plain");
        opens("deep_attribute");
        opens("cycle_modules", "one of its own ancestors");
        opens("cycle_root");
        opens("laughs");
        opens("deep_laughs");
        opens("runs_code");
        refused("modules_is_a_list", "are not a dict");
        opens("child_is_a_number", "not an nn.Module");
        refused("deep_pickle", "a list of 1 object");
        refused("deep_modules", "nested more than 1000");
        refused("long_chain", "nested more than 1000");
        refused("long_names", "more than 64 MB");
        refused("runs_code_at_root", "an object of class posix.system");
        refused("bad_syntax", "");
        refused("no_code", "has no code");
        refused("empty_body", "has no code");
        refused("body_is_none", "has no code");
        refused("tensor_past_end", "past the end of its storage");
        refused("tensor_offset_past_end", "past the end of its storage");
        refused("tensor_huge", "more elements than 64 bits count");
        refused("tensor_negative", "negative size");
        refused("tensor_negative_offset", "negative offset");
        refused("tensor_storage_overflow", "invalid length of a storage");
        refused("tensor_negative_storage", "invalid length of a storage");
        refused("tensor_in_tensors", "wrapped in itself");
    }

    void open_hostile_refusedOrHarmless() {
        QFETCH(QString, error);
        QFETCH(QString, warning);
        const std::string name = QTest::currentDataTag();
        QElapsedTimer timer;
        timer.start();
        QString message;
        std::shared_ptr<GraphModule> model;
        try {
            model = openModel(kFolder + name + ".pt");
        } catch (const Error& caught) {
            QCOMPARE(caught.kind(), ErrorKind::File);
            message = QString::fromStdString(caught.what());
        }
        const bool mustOpen = error.isEmpty() && name != "bad_syntax";
        QVERIFY2(mustOpen == (model != nullptr), qPrintable(message));
        QVERIFY2(message.contains(error), qPrintable(message));
        if (!warning.isEmpty())
            QVERIFY(std::any_of(model->warnings.begin(), model->warnings.end(), [&](const Warning& w) {
                return QString::fromStdString(w.what.text()).contains(warning);
            }));
        model.reset();
        QVERIFY2(timer.elapsed() < kMostMillis, qPrintable(QString::number(timer.elapsed())));
    }

    /// Code whose calls Python would run at loading: shown or refused, never run.
    void open_codeThatRuns_notRun_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"runs_code", "runs_code_at_root", "code_that_runs", "no_such_module"})
            QTest::newRow(name) << name;
    }

    void open_codeThatRuns_notRun() {
        QFETCH(QString, name);
        try {
            const auto model = openModel(kFolder + name.toStdString() + ".pt");
            QVERIFY(name == "runs_code" || !model->warnings.empty());
        } catch (const Error& error) { QCOMPARE(error.kind(), ErrorKind::File); }
        QVERIFY(!QFile::exists("/tmp/lancet-ran-code"));
    }

    void attributes_deepOrShared_opaque() {
        const auto isOpaqueBelow = [](const char* name, const char* attribute) {
            const auto model = openModel(kFolder + std::string(name) + ".pt");
            Argument value = std::get<Argument>(*model->root->attribute(attribute));
            int depth = 0;
            while (const Sequence* list = value.asList()) {
                if (list->items.empty() || ++depth > kMaxArgumentDepth + 1) return false;
                value = Argument(list->items.back());
            }
            return value.as<OpaqueObject>() != nullptr;
        };
        QVERIFY(isOpaqueBelow("deep_attribute", "deep"));
        QVERIFY(isOpaqueBelow("cycle_root", "loop"));
        QVERIFY(isOpaqueBelow("laughs", "laughs"));
        QVERIFY(isOpaqueBelow("deep_laughs", "laughs"));
    }

    void cleanupTestCase() {
        const QStringList files = QDir(kFolder).entryList(QDir::Files);
        QVERIFY(files.size() >= 28);
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        QVERIFY2(kSanitized || usage.ru_maxrss < 250 * 1024, qPrintable(QString::number(usage.ru_maxrss)));
    }
};

QTEST_APPLESS_MAIN(TestHostile)
#include "tst_hostile.moc"
