// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/journal/kept_base.h"
#include "tests/json_steps.h"
#include "tests/ui/support/settle.h"
#include "ui/document/document_source.h"
#include "ui/history/history_panel.h"
#include "ui/shell/recovery_bar.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/source/new_source.h"

#include <QApplication>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <unistd.h>

namespace ui {

/// Models that a program edits before it is killed, and the bar that offers the edits.
class RecoveryFixture : public QObject {
protected:
    inline static const fx::StepList kRename = fx::StepList().rename("mul", "scaled");
    inline static const fx::StepList kInsert =
        R"J([{"step": "insert_after", "node": "scaled", "op": "call_function", "target": "torch.relu", "args": )J"
        R"J([{"node": "scaled"}], "rewire_users": true}])J"_steps;

    /// Edits a model in a document and dies in the middle of it.
    [[noreturn]] static void editAndDie(const QString& model) {
        Document document(model);
        document.load();
        if (!QTest::qWaitFor([&] { return document.state() == Document::State::Ready; }, 20'000)) std::exit(1);
        bool done = document.versions().edit(QStringLiteral("Rename mul"), kRename) &&
                    document.versions().edit(QStringLiteral("Insert relu"), kInsert);
        document.versions().undo();
        document.versions().redo();
        if (!done) std::exit(1);
        std::raise(SIGKILL);
        std::abort();
    }

    /// Edits in the window, saves to `target`, edits on, and dies.
    [[noreturn]] static void saveEditAndDie(const QString& model, const QString& target) {
        Settings settings(target + QStringLiteral(".ini"));
        MainWindow window(settings);
        window.show();
        window.openFile(model);
        Document* document = window.currentDocument();
        const auto isReady = [&] { return document->state() == Document::State::Ready; };
        if (!QTest::qWaitFor(isReady, 20'000) || !document->versions().edit(QStringLiteral("Rename mul"), kRename))
            std::exit(1);
        window.saveTo(target);
        if (!QTest::qWaitFor([&] { return !document->isModified(); }, 20'000)) std::exit(1);
        if (!document->versions().edit(QStringLiteral("Insert relu"), kInsert)) std::exit(1);
        std::raise(SIGKILL);
        std::abort();
    }

    /// Types a line at the end of new source, and is killed or asked to end.
    [[noreturn]] static void typeAndEnd(const QByteArray& line, bool isTold) {
        Document document({});
        document.begin(QStringLiteral("Untitled"), newSourceText());
        document.source()->setText(newSourceText() + line);
        const QString folder = QString::fromStdString(fx::Journal::defaultFolder());
        if (!isTold) { // the draft is written soon after the last key
            if (!QTest::qWaitFor([&] { return !QDir(folder).entryList({QStringLiteral("*.journal")}).isEmpty(); },
                                 20'000))
                std::exit(1);
            std::raise(SIGKILL);
        }
        document.leaveJournal();
        ::_exit(0);
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<Settings> m_settings;
    QString m_model, m_folder;

    QStringList journals() const { return QDir(m_folder).entryList({QStringLiteral("*.journal")}, QDir::Files); }
    void crash(const QStringList& arguments = {}) const {
        QProcess child;
        startItself(child, arguments.isEmpty() ? QStringList{QStringLiteral("--edit"), m_model} : arguments);
        QVERIFY(child.waitForFinished(60'000));
        QCOMPARE(child.exitStatus(), QProcess::CrashExit);
        QCOMPARE(journals().size(), 1);
        // As if the base had not been copied yet.
        QDir(QString::fromStdString(fx::keptBaseFolder((m_folder + u'/' + journals().front()).toStdString())))
            .removeRecursively();
    }
    static QPushButton* button(RecoveryBar* bar, const QString& text) {
        for (QPushButton* each : bar->findChildren<QPushButton*>())
            if (each->text() == text) return each;
        return nullptr;
    }
    RecoveryBar* offered(MainWindow& window) {
        window.show();
        window.offerRecovery(m_folder);
        auto* bar = window.findChild<RecoveryBar*>();
        return QTest::qWaitFor([&] { return bar->isVisible(); }, 10'000) ? bar : nullptr;
    }
    static QString textOf(RecoveryBar* bar) { return bar->findChild<QLabel*>()->text(); }

    /// Starts this program with words that `runOrDie` knows.
    static void startItself(QProcess& child, const QStringList& words) {
        child.start(QCoreApplication::applicationFilePath(), QStringList{QStringLiteral("tst_recovery")} + words);
    }

public:
    /// Runs the tests, or what the words say.
    template<class Test> static int runOrDie(int argc, char** argv) {
        QApplication application(argc, argv);
        if (argc == 3 && qstrcmp(argv[1], "--edit") == 0) editAndDie(QString::fromLocal8Bit(argv[2]));
        if (argc == 4 && qstrcmp(argv[1], "--save") == 0)
            saveEditAndDie(QString::fromLocal8Bit(argv[2]), QString::fromLocal8Bit(argv[3]));
        if (argc == 4 && qstrcmp(argv[1], "--type") == 0) typeAndEnd(argv[2], qstrcmp(argv[3], "told") == 0);
        Test test;
        return QTest::qExec(&test, argc, argv);
    }

protected:
    void startUp() {
        m_dir = std::make_unique<QTemporaryDir>();
        qputenv("XDG_STATE_HOME", m_dir->path().toUtf8());
        m_folder = QString::fromStdString(fx::Journal::defaultFolder());
        m_model = m_dir->filePath(QStringLiteral("simple_net.pt"));
        m_settings = std::make_unique<Settings>(m_dir->filePath(QStringLiteral("settings.ini")));
        QVERIFY(QFile::copy(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"), m_model));
    }
};

} // namespace ui
