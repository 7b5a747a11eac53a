// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/own/allowed_pythons.h"
#include "core/sandbox/sandbox.h"
#include "tests/ui/source/source_fixture.h"
#include "tests/ui/support/settle.h"
#include "ui/shell/preferences.h"
#include "ui/source/trace_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>

using namespace ui;

/// An environment that the user has allowed traces by itself what Lancet cannot; the program in the place of Python is
/// fake_python.cpp, in the sandbox. The real one is in tests/oracle/own_python.py.
class TestSourceAllowed : public SourceFixture {
    Q_OBJECT

    inline static const QByteArray kOutside = "import pickle\nimport torch\n\ndef net(x):\n    y = torch.relu(x)\n"
                                              "    return pickle.dumps(y)\n";

    QString environment() const { return m_folder->filePath(QStringLiteral("env")); }
    QString program() const { return environment() + QStringLiteral("/bin/python"); }
    void make(const char* name) const { QVERIFY(QFile::exists(write(name, {}))); }
    bool isAllowed() const { return fx::AllowedPythons().allows(program().toStdString()); }
    void allow() const { fx::AllowedPythons().allow(program().toStdString()); }
    /// Opens a source; what Python does about it goes on.
    void openOutside(const QByteArray& text = kOutside) { open(write("net.py", text)); }
    QWidget* preferencesPart() {
        m_window->actions().preferences->trigger();
        return m_window->findChild<PreferencesDialog*>()->findChild<QWidget*>(QStringLiteral("pythonEnvironments"));
    }

private Q_SLOTS:
    void init() {
        if (!fx::sandboxSupport().holds()) QSKIP("this kernel has no sandbox");
        for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) qunsetenv(variable);
        qputenv("PATH", LANCET_PROGRAMS); // lancet-reader, which makes the sandbox, and no Python
        startUp();
        qputenv("XDG_CONFIG_HOME", m_folder->path().toUtf8());
        QVERIFY(QDir().mkpath(environment() + QStringLiteral("/bin")));
        make("env/pyvenv.cfg");
        QVERIFY(QFile::copy(QStringLiteral(FAKE_PYTHON), program()));
        QVERIFY(QFile::copy(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"),
                            environment() + QStringLiteral("/model.pt")));
    }
    void cleanup() { shutDown(); }

    void notAllowed_nothingRuns() {
        openOutside();
        QVERIFY(testing::settle());
        QCOMPARE(source().python(), DocumentSource::Python::None);
        QVERIFY(document().isPartial());
        QVERIFY(banner().pythonButton()->isVisible());
        QVERIFY(!banner().cancelButton()->isVisible());
    }

    void allowed_tracesByItself_andTheBarSaysSo() {
        allow();
        openOutside();
        QTRY_COMPARE(source().python(), DocumentSource::Python::Traced);
        QCOMPARE(banner().text(), QStringLiteral("Traced by Python 3.11.2, torch 2.13.0, sandboxed."));
        QVERIFY(!banner().pythonButton()->isVisible());
        QVERIFY(!document().isPartial());
        QVERIFY(!document().isModified());
        QVERIFY(document().module()->graph.size() > 3);
        QVERIFY(document().module()->graph.find("output") != fx::kNoNode);
        QVERIFY(testing::settle()); // Lancet's weights of the part do not come back
        QVERIFY(!document().isPartial());
        QCOMPARE(document().module()->format, fx::Format::Python);
    }

    /// Python itself raises: an allowed environment would refuse the source, too.
    void refusalOfPython_startsNothing() {
        allow();
        openOutside("import torch\n\ndef net(x):\n    return x if x.sum() > 0 else -x\n");
        QVERIFY(testing::settle());
        QCOMPARE(source().python(), DocumentSource::Python::None);
    }

    void unsavedText_isNotTraced_untilItIsSaved() {
        allow();
        open(write("net.py", kNet));
        type(kOutside);
        QVERIFY(testing::settle());
        QCOMPARE(source().python(), DocumentSource::Python::None);
        QVERIFY(document().isPartial());
        m_window->saveTo(m_folder->filePath(QStringLiteral("net.py")));
        QTRY_COMPARE(source().python(), DocumentSource::Python::Traced);
        type(kOutside + "# typed\n");
        QCOMPARE(source().python(), DocumentSource::Python::None);
        QTRY_VERIFY(document().isPartial());
    }

    void cancel_endsPython_andTheGraphStays() {
        allow();
        make("env/slow");
        openOutside();
        QTRY_VERIFY(banner().cancelButton()->isVisible());
        QVERIFY(banner().text().endsWith(QStringLiteral("Tracing with Python…")));
        QVERIFY(!banner().pythonButton()->isVisible());
        QTest::mouseClick(banner().cancelButton(), Qt::LeftButton);
        QCOMPARE(source().python(), DocumentSource::Python::Cancelled);
        QVERIFY(banner().pythonButton()->isVisible());
        QVERIFY(testing::settle()); // the task ends, and so Python
        QVERIFY(document().isPartial());
        QVERIFY(document().module()->graph.find("relu") != fx::kNoNode);
    }

    void refused_isTold() {
        allow();
        make("env/refuses");
        openOutside();
        QTRY_COMPARE(source().python(), DocumentSource::Python::Refused);
        QVERIFY2(banner().text().contains(QLatin1String("Python cannot trace it either: cannot import")),
                 qPrintable(banner().text()));
        QVERIFY(document().isPartial());
        QVERIFY(banner().pythonButton()->isVisible());
    }

    void box_ofTheDialog_allowsAndForgets() {
        for (const bool isChecked : {true, false}) {
            TraceDialog dialog({});
            QSignalSpy traced(&dialog, &TraceDialog::traced);
            dialog.setTarget(write("net.py", kOutside) + QStringLiteral(":net"));
            dialog.interpreter()->setEditText(program());
            dialog.show();
            QCOMPARE(dialog.alwaysBox()->isChecked(), !isChecked); // as it was decided before
            dialog.alwaysBox()->setChecked(isChecked);
            QTest::mouseClick(dialog.traceButton(), Qt::LeftButton);
            QTRY_COMPARE(traced.size(), 1);
            QCOMPARE(isAllowed(), isChecked);
        }
    }

    void box_withoutASandbox_isNotOffered() {
        qputenv("LANCET_SANDBOX", "off");
        allow();
        TraceDialog dialog({});
        dialog.interpreter()->setEditText(program());
        qunsetenv("LANCET_SANDBOX");
        QVERIFY(!dialog.alwaysBox()->isEnabled());
        QVERIFY(!dialog.alwaysBox()->isChecked());
    }

    void preferences_listTheEnvironments_andRemoveThem() {
        allow();
        QWidget* part = preferencesPart();
        auto* list = part->findChild<QListWidget*>();
        auto* remove = part->findChild<QPushButton*>();
        QCOMPARE(list->count(), 1);
        QCOMPARE(list->item(0)->text(), program());
        QVERIFY(!remove->isEnabled());
        list->setCurrentRow(0);
        QTest::mouseClick(remove, Qt::LeftButton);
        QVERIFY(!isAllowed());
        QVERIFY(list->isHidden());
        QVERIFY(part->findChild<QLabel*>()->text().startsWith(QLatin1String("No environment traces by itself.")));
    }
};

QTEST_MAIN(TestSourceAllowed)
#include "tst_source_allowed.moc"
