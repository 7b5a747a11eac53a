// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/sanitized.h"
#include "ui/edit/call_dialog.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/tasks/event_loop_watchdog.h"

#include <QApplication>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

using namespace ui;

/// New modules and pasted nodes: what is typed costs nothing, what is made is asked about, what is unused goes.
class TestNewModules : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

    Document& document() const { return *m_window->currentDocument(); }
    fx::NodeId node(const char* name) const { return document().module()->graph.find(name); }
    void select(const char* name) { document().selection().select({node(name)}, nullptr); }
    /// Runs `what` with the dialog that inserts after a node.
    template<class What> void inDialog(const char* after, What what) {
        select(after);
        m_window->actions().insertAfter->trigger();
        CallDialog* dialog = nullptr;
        QTRY_VERIFY((dialog = m_window->findChild<CallDialog*>()));
        dialog->choose({fx::Op::CallModule, QStringLiteral("torch.nn.Linear"), {}});
        what(*dialog);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    static QString textOf(const QWidget& dialog) {
        QString text;
        for (const QLabel* label : dialog.findChildren<QLabel*>()) text += label->text() + u'\n';
        return text;
    }
    static void accept(QDialog& dialog) { QMetaObject::invokeMethod(&dialog, "accept"); }

private Q_SLOTS:
    void init() {
        qputenv("XDG_DATA_HOME", m_folder.filePath(QStringLiteral("data")).toUtf8());
        qputenv("XDG_STATE_HOME", m_folder.filePath(QStringLiteral("state")).toUtf8());
        m_settings = std::make_unique<Settings>(
            m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()) + QStringLiteral(".ini")));
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->show();
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
        QTRY_COMPARE(document().state(), Document::State::Ready);
    }
    void cleanup() { m_window.reset(); }

    void insertAfter_hugeModule_costsNothingWhileOneTypes_andIsAskedAbout() {
        EventLoopWatchdog watchdog(nullptr, 1000 * kPatience);
        inDialog("conv", [&](CallDialog& dialog) {
            const auto fields = dialog.form()->findChildren<QLineEdit*>();
            fields.at(0)->setText(QStringLiteral("100000"));
            watchdog.reset();
            fields.at(1)->setText(QStringLiteral("100000"));
            const auto says = [&](const char* text) { return textOf(dialog).contains(QString::fromLatin1(text)); };
            QTRY_VERIFY2(says("The new weights need 37.3 GiB of memory."), qPrintable(textOf(dialog)));
            QVERIFY(dialog.accepts()->isEnabled());
            QVERIFY2(watchdog.longestGap() < 1000 * kPatience, qPrintable(QString::number(watchdog.longestGap())));
            fields.at(1)->setText(QStringLiteral("10000000000000000000"));
            QTRY_VERIFY(!dialog.accepts()->isEnabled());
            fields.at(1)->setText(QStringLiteral("100000"));
            QTRY_VERIFY(dialog.accepts()->isEnabled());
            bool isAsked = false;
            QTimer::singleShot(0, this, [&] {
                auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
                isAsked = box && box->text().contains(QStringLiteral("37.3 GiB"));
                if (box) box->button(QMessageBox::Cancel)->click();
            });
            accept(dialog);
            QVERIFY(isAsked);
        });
        QCOMPARE(document().versions().history()->entries().size(), 1u);
    }

    void insertAfter_largeModule_isMadeInTheBackground() {
        inDialog("conv", [&](CallDialog& dialog) {
            const auto fields = dialog.form()->findChildren<QLineEdit*>();
            fields.at(0)->setText(QStringLiteral("2000"));
            fields.at(1)->setText(QStringLiteral("2000"));
            QTRY_VERIFY(dialog.accepts()->isEnabled());
            accept(dialog);
        });
        QVERIFY(document().operations().isRunning(DocumentOperations::Kind::Edit));
        QTRY_VERIFY(fx::resolvePath(*document().module()->root, "linear_1").module);
        QCOMPARE(document().selection().nodes(), std::vector{node("linear_1")});
    }

    void pastedFile_goesWithTheDocumentsThatNeedIt() {
        const QString folder = m_folder.filePath(QStringLiteral("data/lancet/pasted"));
        const auto files = [&] { return QDir(folder).entryList(QDir::Files).size(); };
        select("conv");
        m_window->actions().copyNames->trigger();
        for (int i = 1; i <= 2; ++i) { // pasted twice is one file
            select("max_pool2d");
            m_window->actions().paste->trigger();
            QTRY_COMPARE(document().versions().history()->entries().size(), std::size_t(1 + i));
            QCOMPARE(files(), 1);
        }
        document().setSaved(document().module());
        select("relu");
        m_window->actions().copyNames->trigger(); // what was copied before is no longer on the clipboard
        m_window->actions().closeTab->trigger();
        QTRY_COMPARE(files(), 0);
    }
};

QTEST_MAIN(TestNewModules)
#include "tst_new_modules.moc"
