// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/shell_python.h"
#include "tests/ui/support/settle.h"
#include "ui/source/trace_dialog.h"

#include <QComboBox>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include <csignal>

using namespace ui;

/// The dialog with a script in the place of Python; the real one is in tests/oracle/own_python.py.
class TestTraceDialog : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QString script(const QByteArray& body) { return shellPython(m_folder.path(), body); }
    static void fill(TraceDialog& dialog, const QString& python, const QString& target = QStringLiteral("nets:Net")) {
        dialog.interpreter()->setEditText(python);
        dialog.target()->setText(target);
        dialog.show();
    }

private Q_SLOTS:
    void initTestCase() { qputenv("LANCET_SANDBOX", "off"); } // which runs no scripts

    void whatWillRun_isShownBeforeItRuns() {
        TraceDialog dialog({});
        dialog.target()->clear();
        QCOMPARE(dialog.whatWillRun(), QStringLiteral("Nothing runs until Trace is pressed."));
        fill(dialog, QStringLiteral("/opt/own/python"), QStringLiteral("nets/net.py:make(18)"));
        const QString file = QFileInfo(QStringLiteral("nets/net.py")).absoluteFilePath();
        QCOMPARE(
            dialog.whatWillRun(),
            QStringLiteral("Trace runs /opt/own/python -u -c <tracing program>, which imports the file %1 and calls "
                           "make(18).")
                .arg(file));
        fill(dialog, QStringLiteral("/opt/own/python"), QStringLiteral("nets:Net"));
        QVERIFY(dialog.whatWillRun().endsWith(QStringLiteral("imports the module nets and calls Net().")));
        fill(dialog, QStringLiteral("/opt/own/python"), QStringLiteral("/a:b/net.py:Net"));
        QVERIFY(dialog.whatWillRun().endsWith(QStringLiteral("imports the file /a:b/net.py and calls Net().")));
        QFile shim(m_folder.filePath(QStringLiteral("shim")));
        QVERIFY(shim.open(QIODevice::WriteOnly));
        shim.write("#!/bin/sh\n");
        shim.close();
        fill(dialog, shim.fileName());
        QVERIFY(dialog.whatWillRun().endsWith(QStringLiteral("with your rights, to find the interpreter.")));
        QVERIFY(!dialog.isRunning());
    }

    void nothingRuns_beforeItIsAskedFor() {
        QFile::remove(m_folder.filePath(QStringLiteral("ran")));
        TraceDialog dialog({});
        fill(dialog, script("touch " + m_folder.path().toUtf8() + "/ran\n"), QString());
        QVERIFY(!dialog.traceButton()->isEnabled());
        QVERIFY(testing::settle());
        QVERIFY(!dialog.isRunning());
        QVERIFY(!QFile::exists(m_folder.filePath(QStringLiteral("ran"))));
    }

    /// It may open filled with what was traced last.
    void enter_runsNothing() {
        QFile::remove(m_folder.filePath(QStringLiteral("ran")));
        const QString python = script("touch " + m_folder.path().toUtf8() + "/ran\n");
        TraceDialog dialog({{QStringLiteral("target"), QStringLiteral("nets:Net")}});
        dialog.interpreter()->setEditText(python);
        dialog.show();
        QVERIFY(QTest::qWaitForWindowActive(&dialog));
        QVERIFY(dialog.traceButton()->isEnabled());
        QVERIFY(!dialog.traceButton()->hasFocus());
        QVERIFY(dialog.whatWillRun().contains(python));
        QTest::keyClick(dialog.focusWidget(), Qt::Key_Return);
        for (QWidget* field : dialog.findChildren<QWidget*>())
            if (field->focusPolicy() & Qt::TabFocus && field != dialog.output()) QTest::keyClick(field, Qt::Key_Return);
        QCoreApplication::processEvents();
        QVERIFY(!dialog.isRunning());
        QVERIFY(!QFile::exists(m_folder.filePath(QStringLiteral("ran"))));
    }

    void output_isShownAsItComes_andTheModelIsOpened() {
        TraceDialog dialog({});
        QSignalSpy traced(&dialog, &TraceDialog::traced);
        const QByteArray sample = LANCET_SOURCE_DIR "/resources/samples/simple_net.pt";
        fill(dialog, script("echo importing nets; sleep 0.5; echo done >&2; cat " + sample +
                            " >&4\necho '{\"how\": \"torch.fx.symbolic_trace\"}' >&3\n"));
        QTest::mouseClick(dialog.traceButton(), Qt::LeftButton);
        QTRY_VERIFY(dialog.output()->toPlainText().contains(QLatin1String("importing nets")));
        QVERIFY(dialog.isRunning());
        QTRY_COMPARE(traced.size(), 1);
        QVERIFY(dialog.output()->toPlainText().contains(QLatin1String("done")));
        const auto module = traced[0][0].value<std::shared_ptr<const fx::GraphModule>>();
        QVERIFY(module);
        QVERIFY(module->graph.size() > 0);
        QCOMPARE(traced[0][1].toString(), QStringLiteral("Net"));
    }

    void endlessOutput_keepsItsEnd_andTheWindowAnswers() {
        TraceDialog dialog({});
        fill(dialog, script("yes some words that are written for ever\n"));
        QTest::mouseClick(dialog.traceButton(), Qt::LeftButton);
        QTRY_VERIFY(dialog.output()->blockCount() > 100);
        QElapsedTimer clock;
        for (int i = 0; i < 20; ++i) {
            clock.start();
            QCoreApplication::processEvents();
            QVERIFY2(clock.elapsed() < 2000, qPrintable(QString::number(clock.elapsed())));
        }
        QTest::mouseClick(dialog.cancelButton(), Qt::LeftButton);
        QTRY_VERIFY(!dialog.isRunning());
        QVERIFY(dialog.output()->toPlainText().size() < 4'000'000);
    }

    void cancel_killsTheChild() {
        TraceDialog dialog({});
        fill(dialog, script("echo $$; sleep 60\n"));
        QTest::mouseClick(dialog.traceButton(), Qt::LeftButton);
        QTRY_VERIFY(dialog.output()->toPlainText().toInt() > 0);
        const pid_t child = dialog.output()->toPlainText().toInt();
        QCOMPARE(::kill(child, 0), 0);
        QTest::mouseClick(dialog.cancelButton(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(::kill(child, 0), -1, 3000);
        QVERIFY(dialog.message().contains(QLatin1String("Cancelled")));
        QVERIFY(dialog.isVisible());
    }

    void failure_isTold_withWhatPythonSaid() {
        TraceDialog dialog({});
        fill(dialog, script("echo '{\"error\": \"ModuleNotFoundError: no nets\", \"step\": \"import\", \"where\": "
                            "\"nets.py:3\"}' >&3; exit 1\n"));
        QTest::mouseClick(dialog.traceButton(), Qt::LeftButton);
        QTRY_VERIFY(dialog.message().contains(QLatin1String("cannot import 'nets:Net': ModuleNotFoundError")));
        QVERIFY(dialog.message().contains(QLatin1String("nets.py:3")));
        dialog.interpreter()->setEditText(m_folder.filePath(QStringLiteral("absent")));
        QTest::mouseClick(dialog.traceButton(), Qt::LeftButton);
        QTRY_VERIFY(dialog.message().contains(QLatin1String("cannot start")));
    }

    void choices_areRemembered() {
        TraceDialog dialog({});
        fill(dialog, QStringLiteral("/opt/python"));
        dialog.inputs()->setText(QStringLiteral("x=1x3"));
        TraceDialog again(dialog.memory());
        QCOMPARE(again.interpreter()->currentText(), QStringLiteral("/opt/python"));
        QCOMPARE(again.target()->text(), QStringLiteral("nets:Net"));
        QCOMPARE(again.inputs()->text(), QStringLiteral("x=1x3"));
    }

    void inputs_areRead() {
        const auto inputs = ownInputs(QStringLiteral("x=1x3x8:float16, n=, ids=4:int64"));
        QVERIFY(inputs);
        QVERIFY(inputs->size() == 3);
        QCOMPARE((*inputs)[0].sizes, (std::vector<std::int64_t>{1, 3, 8}));
        QCOMPARE((*inputs)[2].dtype, std::string("int64"));
        QVERIFY((*inputs)[1].sizes.empty());
        for (const char* wrong : {"x", "x=1x", "x=a", "=1"}) QVERIFY(!ownInputs(QLatin1String(wrong)));
    }
};

QTEST_MAIN(TestTraceDialog)
#include "tst_trace_dialog.moc"
