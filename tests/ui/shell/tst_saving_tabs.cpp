// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/ir_json/ir_json.h"
#include "core/journal/recovery.h"
#include "core/model_files/open.h"
#include "tests/ui/shell/saving_fixture.h"
#include "tests/ui/support/held_pool.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/document/document_source.h"
#include "ui/history/history_panel.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/widgets/save_path.h"

#include <QFileDialog>
#include <QLineEdit>
#include <QTest>

using namespace ui;

/// Files that other tabs have open are not written over.
class TestSavingTabs : public SavingFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { startUp(); }
    void cleanup() { m_window.reset(); }

    void save_whereAnotherTabIs_isRefused() {
        Document* a = openCopy("a.pt");
        Document* b = openCopy("b.pt");
        QVERIFY(a);
        QVERIFY(b);
        QVERIFY(rename(*b, "mul", "of_b"));
        answer(QStringLiteral("OK"));
        m_window->saveTo(file("a.pt"));
        QTRY_COMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].startsWith(QStringLiteral("Could not save a.pt")), qPrintable(m_asked[0]));
        QVERIFY2(m_asked[0].contains(QStringLiteral("open in another tab")), qPrintable(m_asked[0]));
        QVERIFY(b->isModified());
        QVERIFY(holds(file("a.pt"), "mul"));
    }

    void save_whereAnotherTabWritesItsSource_isRefused() {
        Document* a = openCopy("a.pt");
        m_window->actions().newSource->trigger();
        Document* source = m_window->currentDocument();
        QVERIFY(a);
        QVERIFY(source);
        QVERIFY(source != a);
        QVERIFY(source->source());
        const QByteArray text = source->source()->text();
        {
            const testing::HeldPool held;
            m_window->saveTo(file("new.py")); // written without a job
            tabs()->setCurrentIndex(0);
            answer(QStringLiteral("OK"));
            m_window->saveTo(file("new.py"));
            QTRY_COMPARE(m_asked.size(), 1);
            QVERIFY2(m_asked[0].contains(QStringLiteral("is being saved from another tab")), qPrintable(m_asked[0]));
        }
        QTRY_COMPARE(source->file().target(), file("new.py"));
        QCOMPARE(bytesOf(file("new.py")), text);
    }

    void export_whereATabIs_isRefused() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        const QByteArray before = bytesOf(file("a.pt"));
        answer(QStringLiteral("OK"));
        m_window->exportFile(file("a.pt"), ExportKind::Png);
        QTRY_COMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].startsWith(QStringLiteral("Could not export a.pt")), qPrintable(m_asked[0]));
        QVERIFY2(m_asked[0].contains(QStringLiteral("a.pt is open in a tab")), qPrintable(m_asked[0]));
        QCOMPARE(bytesOf(file("a.pt")), before);
    }

    void recipe_whereATabIs_isRefused() {
        fx::writeIrJson(*fx::openModel(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"),
                        file("net.json").toStdString());
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(rename(*a, "mul", "of_a"));
        QVERIFY(open(file("net.json")));
        tabs()->setCurrentIndex(0);
        const QByteArray before = bytesOf(file("net.json"));
        typeInDialog("net.json", "OK");
        Q_EMIT m_window->findChild<HistoryPanel*>()->saveRequested(false);
        QCOMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].contains(QStringLiteral("net.json is open in a tab")), qPrintable(m_asked[0]));
        QCOMPARE(bytesOf(file("net.json")), before);
    }

    /// What panels write goes through the same question: no tab's file is offered for replacement.
    void panelsSave_whereATabIs_isRefused_data() {
        QTest::addColumn<QString>("action");
        QTest::newRow("rules") << QStringLiteral("Save as RULES.json…");
        QTest::newRow("pipeline") << QStringLiteral("Save Pipeline As…");
    }
    void panelsSave_whereATabIs_isRefused() {
        QFETCH(QString, action);
        fx::writeIrJson(*fx::openModel(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"),
                        file("net.json").toStdString());
        QVERIFY(open(file("net.json")));
        const QByteArray before = bytesOf(file("net.json")), typed = file("net.json").toUtf8();
        typeInDialog(typed.constData(), "OK");
        for (QAction* each : m_window->findChildren<QAction*>())
            if (each->text() == action) each->trigger();
        QCOMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].contains(QStringLiteral("net.json is open in a tab")), qPrintable(m_asked[0]));
        QCOMPARE(bytesOf(file("net.json")), before);
    }

    /// Every question of the window for a file or a folder to write knows the files of its tabs, and forces the ending.
    void askedForInAPanel_tabsAreKnown() {
        QVERIFY(openCopy("a.pt"));
        QWidget* panel = m_window->findChild<HistoryPanel*>();
        const std::vector<SaveFormat> formats{{QStringLiteral(".pt"), QStringLiteral("Tensors (*.pt)")}};
        const QByteArray typed = file("a.pt").toUtf8();
        typeInDialog(typed.constData(), "OK");
        QCOMPARE(askSavePath(panel, QStringLiteral("Save"), QStringLiteral("in.pt"), formats), QString());
        QVERIFY2(m_asked.value(0).contains(QStringLiteral("a.pt is open in a tab")), qPrintable(m_asked.value(0)));
        whenFileDialog([this](QFileDialog* dialog) {
            dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(m_folder->path());
            answer(QStringLiteral("OK"));
            whenFileDialog([](QFileDialog* again) { again->reject(); }, m_asked.size() + 1);
            QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
        });
        const auto written = [](const QString& folder) { return QStringList(folder + QStringLiteral("/a.pt")); };
        QCOMPARE(askSaveFolder(panel, QStringLiteral("Stages"), m_folder->path(), written), QString());
        QVERIFY2(m_asked.value(1).contains(QStringLiteral("a.pt is open in a tab")), qPrintable(m_asked.value(1)));
        whenFileDialog([this](QFileDialog* dialog) {
            dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(file("inp.v2"));
            QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
        });
        QCOMPARE(askSavePath(panel, QStringLiteral("Save"), QStringLiteral("in.pt"), formats), file("inp.v2.pt"));
        typeInDialog("inp.json", "OK");
        QCOMPARE(askSavePath(panel, QStringLiteral("Save"), QStringLiteral("in.pt"), formats), QString());
        QVERIFY2(m_asked.value(2).contains(QStringLiteral("cannot be saved as .json")), qPrintable(m_asked.value(2)));
    }

    void saveAs_whereAnotherTabIs_isRefusedBeforeItAsksToReplace() {
        QVERIFY(openCopy("net.pt"));
        QVERIFY(openCopy("other.pt"));
        typeInDialog("net", "OK");
        m_window->actions().saveAs->trigger();
        QCOMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].startsWith(QStringLiteral("Could not save net.pt")), qPrintable(m_asked[0]));
        QVERIFY2(m_asked[0].contains(QStringLiteral("open in another tab")), qPrintable(m_asked[0]));
        QVERIFY(!m_window->currentDocument()->operations().isWriting());
    }

    void saveAs_overALinkToAnotherTab_namesThatTab() {
        QVERIFY(openCopy("net.pt"));
        QVERIFY(openCopy("other.pt"));
        QVERIFY(QFile::link(QStringLiteral("net.pt"), file("link.pt")));
        typeInDialog("link.pt", "OK");
        m_window->actions().saveAs->trigger();
        QCOMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].contains(QStringLiteral("link.pt, a link to net.pt, is open in another tab")),
                 qPrintable(m_asked[0]));
    }

    void saveAs_overTheWeightsOfAnotherTab_isRefused() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        m_window->saveTo(file("net.json")); // its weights are beside it
        QTRY_COMPARE(a->file().target(), file("net.json"));
        QVERIFY(openCopy("b.pt"));
        answer(QStringLiteral("OK"));
        m_window->saveTo(file("net.safetensors"));
        QTRY_COMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].contains(QStringLiteral("open in another tab")), qPrintable(m_asked[0]));
    }

    void save_overWhatAnotherTabWasOpenedFrom_keepsItsEdits() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(rename(*a, "mul", "of_a"));
        m_window->saveTo(file("saved.lancet"));
        QTRY_COMPARE(a->file().target(), file("saved.lancet"));
        QVERIFY(rename(*a, "of_a", "later"));
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/my_module.pt"));
        Document* b = m_window->currentDocument();
        QTRY_COMPARE(b->state(), Document::State::Ready);
        m_window->saveTo(file("a.pt"));
        QTRY_COMPARE(b->file().target(), file("a.pt"));
        QTRY_VERIFY(!b->operations().isWriting());
        const auto journals = asACrashLeavesThem();
        QCOMPARE(journals.size(), 1u);
        QVERIFY(fx::recover(*journals.front()).history.model()->graph.find("later") != fx::kNoNode);
    }
};

QTEST_MAIN(TestSavingTabs)
#include "tst_saving_tabs.moc"
