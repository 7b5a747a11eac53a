// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/open.h"
#include "tests/json_steps.h"
#include "tests/ui/source/source_fixture.h"
#include "tests/ui/support/modal.h"
#include "tests/ui/support/settle.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/code/code_panel.h"
#include "ui/document/document_source.h"
#include "ui/shell/document_page.h"
#include "ui/shell/recovery_bar.h"
#include "ui/shell/saving/disk_bar.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/source/source_pane.h"

#include <QApplication>
#include <QLabel>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QTabWidget>
#include <QTest>

#include <csignal>

using namespace ui;

namespace {

/// What is done beside typing into the source.
enum class Also { Nothing, Code, Edit, ChoicesAndEdit };

/// Dies when the journal has what was typed: a second after the last key, later on a busy machine.
[[noreturn]] void dieWhenKept() {
    const QDir journals(QString::fromStdString(fx::Journal::defaultFolder()));
    const auto isKept = [&] { return !journals.entryList({QStringLiteral("*.journal")}, QDir::Files).isEmpty(); };
    if (!QTest::qWaitFor(isKept, 20'000) || !testing::settle(std::chrono::seconds(1))) std::exit(1);
    std::raise(SIGKILL);
    std::abort();
}

/// Types into a file, and into the code of its graph or edits the graph, and dies.
[[noreturn]] void typeAndDie(const QString& path, const QString& settings, Also also) {
    Settings store(settings);
    MainWindow window(store);
    window.show();
    if (path.isEmpty()) window.newSource();
    else window.openFile(path);
    Document* document = window.currentDocument();
    if (!QTest::qWaitFor([&] { return document->source() && document->source()->isCurrent(); }, 20'000)) std::exit(1);
    if (also == Also::Code) {
        if (!QTest::qWaitFor([&] { return document->source()->isDrawn() && document->facts().code(); }, 20'000))
            std::exit(1);
        const QByteArray code = QByteArray::fromStdString(document->facts().code()->text) + "    # code\n";
        document->setDraft(CodeDraft{code, document->facts().code(), document->module()});
    }
    if (also == Also::ChoicesAndEdit) { // and nothing is typed
        SourceChoices choices = document->source()->choices();
        choices.arguments = QStringLiteral("depth=3");
        document->source()->setChoices(choices);
        if (!QTest::qWaitFor([&] { return document->source()->isDrawn(); }, 20'000)) std::exit(1);
        if (!document->versions().edit(QStringLiteral("Rename"),
                                       R"([{"step": "rename", "node": "relu", "name": "mine"}])"_steps))
            std::exit(1);
        dieWhenKept();
    }
    const QByteArray text = "# typed\n" + document->source()->text();
    document->source()->replaceText(text);
    if (also == Also::Edit) { // edits of what was typed, and then the text goes on
        if (!QTest::qWaitFor([&] { return document->source()->isDrawn(); }, 20'000)) std::exit(1);
        if (!document->versions().edit(QStringLiteral("Rename"),
                                       R"([{"step": "rename", "node": "relu", "name": "mine"}])"_steps))
            std::exit(1);
        document->source()->replaceText(QByteArray(text).replace("torch.relu(x)", "torch.relu(x) + 1"));
    }
    dieWhenKept();
}

} // namespace

/// Nothing typed is lost when the program is killed.
class TestSourceRecovery : public SourceFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { startUp(); }
    void cleanup() { shutDown(); }

    void crash_keepsEditsOfTheTypedSource() {
        const QString path = write("net.py", kNet);
        QProcess child;
        child.start(QCoreApplication::applicationFilePath(),
                    {QStringLiteral("--type-edit"), path, m_folder->filePath(QStringLiteral("child.ini"))});
        QVERIFY(child.waitForFinished(60'000));
        QCOMPARE(child.exitStatus(), QProcess::CrashExit);
        m_window->offerRecovery(QString::fromStdString(fx::Journal::defaultFolder()));
        auto* bar = m_window->findChild<RecoveryBar*>();
        QTRY_VERIFY(bar->isVisible());
        const QString offer = bar->findChild<QLabel*>()->text();
        QVERIFY2(offer.contains(QLatin1String("Restore unsaved source and 1 change of net.py")), qPrintable(offer));
        for (QPushButton* each : bar->findChildren<QPushButton*>())
            if (each->text() == QStringLiteral("Restore")) each->click();
        QTRY_VERIFY(m_window->currentDocument() && document().source());
        QTRY_VERIFY(source().isCurrent());
        QVERIFY(source().text().contains("torch.relu(x) + 1"));
        QVERIFY(node("mine") != fx::kNoNode);
        QVERIFY(node("add") == fx::kNoNode); // the graph is what it was
        QVERIFY(document().hasUnsavedSource());
        QVERIFY(document().hasUnsavedGraph());
        document().versions().undo();
        QVERIFY(node("relu") != fx::kNoNode);
        document().followSource();
        QVERIFY(node("add") != fx::kNoNode);
        source().replaceText(kNet);
    }

    void crash_keepsTheChoices_data() {
        QTest::addColumn<bool>("isChanged");
        QTest::newRow("a file") << false;
        QTest::newRow("a file that was changed since") << true;
    }
    void crash_keepsTheChoices() {
        QFETCH(bool, isChanged);
        const QString path = write("net.py", kNet);
        QProcess child;
        child.start(QCoreApplication::applicationFilePath(),
                    {QStringLiteral("--choose-edit"), path, m_folder->filePath(QStringLiteral("child.ini"))});
        QVERIFY(child.waitForFinished(60'000));
        QCOMPARE(child.exitStatus(), QProcess::CrashExit);
        if (isChanged) write("net.py", "# by another program\n" + kNet);
        m_window->offerRecovery(QString::fromStdString(fx::Journal::defaultFolder()));
        auto* bar = m_window->findChild<RecoveryBar*>();
        QTRY_VERIFY(bar->isVisible());
        for (QPushButton* each : bar->findChildren<QPushButton*>())
            if (each->text() == QStringLiteral("Restore")) each->click();
        QTRY_VERIFY(m_window->currentDocument() && document().source());
        QTRY_VERIFY(source().isCurrent());
        QCOMPARE(source().choices().arguments, QStringLiteral("depth=3"));
        QVERIFY(node("mine") != fx::kNoNode);
        QVERIFY(node("layers_2") != fx::kNoNode);
        QCOMPARE(source().text(), kNet); // the text that the graph is of
        QCOMPARE(document().hasUnsavedSource(), isChanged);
        DiskBar& disk = m_window->currentPage()->diskBar();
        if (isChanged) QTRY_VERIFY(disk.isVisible());
        document().followSource();
        QVERIFY(node("relu") != fx::kNoNode);
        QVERIFY(node("layers_2") != fx::kNoNode);
        if (isChanged) source().replaceText("# by another program\n" + kNet);
    }

    void crash_keepsTypedText_data() {
        QTest::addColumn<bool>("isNew");
        QTest::addColumn<bool>("isChanged");
        QTest::addColumn<bool>("hasCode");
        QTest::newRow("a file") << false << false << false;
        QTest::newRow("a file that was changed since") << false << true << false;
        QTest::newRow("a new source") << true << false << false;
        QTest::newRow("a file and code") << false << false << true;
        QTest::newRow("a new source and code") << true << false << true;
    }
    void crash_keepsTypedText() {
        QFETCH(bool, isNew);
        QFETCH(bool, isChanged);
        QFETCH(bool, hasCode);
        const QString path = isNew ? QString() : write("net.py", kNet);
        QProcess child;
        child.start(QCoreApplication::applicationFilePath(),
                    {hasCode ? QStringLiteral("--type-both") : QStringLiteral("--type"), path,
                     m_folder->filePath(QStringLiteral("child.ini"))});
        QVERIFY(child.waitForFinished(60'000));
        QCOMPARE(child.exitStatus(), QProcess::CrashExit);
        if (isChanged) write("net.py", "# by another program\n" + kNet);
        m_window->offerRecovery(QString::fromStdString(fx::Journal::defaultFolder()));
        auto* bar = m_window->findChild<RecoveryBar*>();
        QTRY_VERIFY(bar->isVisible());
        const QString offer = bar->findChild<QLabel*>()->text();
        const QString content = hasCode ? QStringLiteral("Restore unsaved source and unapplied code of ")
                                        : QStringLiteral("Restore unsaved source of ");
        QVERIFY2(offer.contains(content), qPrintable(offer));
        for (QPushButton* each : bar->findChildren<QPushButton*>())
            if (each->text() == QStringLiteral("Restore")) each->click();
        QTRY_VERIFY(m_window->currentDocument() && document().source());
        QVERIFY(source().text().startsWith("# typed\n"));
        QTRY_VERIFY(source().isCurrent());
        QTRY_VERIFY(source().trace()->isComplete);
        QVERIFY(document().isModified());
        QCOMPARE(document().file().isUntitled(), isNew);
        QVERIFY(m_window->currentPage()->sourcePane());
        QCOMPARE(editor().bytes(), source().text());
        QCOMPARE(document().draft().has_value(), hasCode);
        if (isChanged) QTRY_VERIFY(m_window->currentPage()->diskBar().isVisible());
        if (hasCode) {
            QVERIFY(document().draft()->text.endsWith("    # code\n"));
            QTRY_VERIFY(document().draft()->version == document().module()); // the same code as before the end
            document().setDraft({});
        }
        if (!isChanged) return;
        QString asked;
        testing::whenOpen<QMessageBox>(m_window.get(),
                                       [&asked](QMessageBox* box) { asked = box->text(), box->reject(); });
        m_window->actions().save->trigger();
        QTRY_VERIFY2(asked.contains(QStringLiteral("has changed on disk")), qPrintable(asked));
        QCOMPARE(contentOf(path), "# by another program\n" + kNet);
    }

    void crash_restoredIntoTheOpenTab_oneEditorHasTheText() {
        const QString path = write("net.py", kNet);
        open(path);
        QProcess child;
        child.start(QCoreApplication::applicationFilePath(),
                    {QStringLiteral("--type"), path, m_folder->filePath(QStringLiteral("child.ini"))});
        QVERIFY(child.waitForFinished(60'000));
        QCOMPARE(child.exitStatus(), QProcess::CrashExit);
        m_window->offerRecovery(QString::fromStdString(fx::Journal::defaultFolder()));
        auto* bar = m_window->findChild<RecoveryBar*>();
        QTRY_VERIFY(bar->isVisible());
        for (QPushButton* each : bar->findChildren<QPushButton*>())
            if (each->text() == QStringLiteral("Restore")) each->click();
        QTRY_COMPARE(source().text(), "# typed\n" + kNet);
        const DocumentPage& page = *m_window->currentPage();
        QCOMPARE(m_window->findChild<QTabWidget*>(QStringLiteral("documents"))->count(), 1);
        QCOMPARE(page.findChildren<SourcePane*>().size(), 1);
        QVERIFY(!page.sourceViewer());
        QCOMPARE(editor().bytes(), source().text());
        type(kNet); // the document follows this editor
        QCOMPARE(source().text(), kNet);
        QVERIFY(!document().isModified());
    }

    void crash_fileIsGone_keepsTypedText() {
        const QString path = write("net.py", kNet);
        QProcess child;
        child.start(QCoreApplication::applicationFilePath(),
                    {QStringLiteral("--type"), path, m_folder->filePath(QStringLiteral("child.ini"))});
        QVERIFY(child.waitForFinished(60'000));
        QCOMPARE(child.exitStatus(), QProcess::CrashExit);
        QVERIFY(QFile::remove(path));
        m_window->offerRecovery(QString::fromStdString(fx::Journal::defaultFolder()));
        auto* bar = m_window->findChild<RecoveryBar*>();
        QTRY_VERIFY(bar->isVisible());
        for (QPushButton* each : bar->findChildren<QPushButton*>())
            if (each->text() == QStringLiteral("Restore")) each->click();
        QTRY_VERIFY(m_window->currentDocument() && document().source());
        QCOMPARE(source().text(), "# typed\n" + kNet);
        QVERIFY(document().hasUnsavedSource());
        QTRY_VERIFY(source().isCurrent() && source().trace()->isComplete);
        m_window->actions().save->trigger();
        QTRY_COMPARE(contentOf(path), "# typed\n" + kNet);
        QTRY_VERIFY(!document().isModified());
    }
};

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    const QStringList arguments = app.arguments();
    if (arguments.value(1) == QLatin1String("--type")) typeAndDie(arguments[2], arguments[3], Also::Nothing);
    if (arguments.value(1) == QLatin1String("--type-both")) typeAndDie(arguments[2], arguments[3], Also::Code);
    if (arguments.value(1) == QLatin1String("--type-edit")) typeAndDie(arguments[2], arguments[3], Also::Edit);
    if (arguments.value(1) == QLatin1String("--choose-edit"))
        typeAndDie(arguments[2], arguments[3], Also::ChoicesAndEdit);
    TestSourceRecovery test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_source_recovery.moc"
