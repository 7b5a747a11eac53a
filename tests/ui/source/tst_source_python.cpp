// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document_source.h"
#include "ui/shell/document_page.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/source/source_banner.h"
#include "ui/source/source_editor.h"
#include "ui/source/source_pane.h"
#include "ui/source/trace_dialog.h"

#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

/// Source that Lancet cannot trace leads to the user's own Python.
class TestSourcePython : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tracingStopped_offersPython_forTheFile() {
        QTemporaryDir folder;
        qputenv("XDG_STATE_HOME", folder.path().toUtf8());
        const QString path = folder.filePath(QStringLiteral("net.py"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("import torch\n\ndef net(x):\n    y = torch.relu(x)\n    return y + 1 if y.sum() > 0 else y\n");
        file.close();
        Settings settings(folder.filePath(QStringLiteral("settings.ini")));
        MainWindow window(settings);
        window.show();
        window.openFile(path);
        QTRY_VERIFY(window.currentDocument() && window.currentDocument()->isPartial());
        auto* banner = window.currentPage()->findChild<SourceBanner*>();
        QVERIFY(banner);
        QTRY_VERIFY(banner->pythonButton()->isVisible());
        QVERIFY(banner->pythonButton()->isEnabled());
        SourceEditor* editor = window.currentPage()->sourcePane()->editor();
        editor->typeText("import torch\n\ndef net(x):\n    return 1 if x.sum() > 0 else x\n");
        Q_EMIT editor->typed();
        QTRY_VERIFY(!banner->pythonButton()->isEnabled()); // Python would read the file
        editor->typeText(
            "import torch\n\ndef net(x):\n    y = torch.relu(x)\n    return y + 1 if y.sum() > 0 else y\n");
        Q_EMIT editor->typed();
        QTRY_VERIFY(banner->pythonButton()->isEnabled());
        QTest::mouseClick(banner->pythonButton(), Qt::LeftButton);
        QTRY_VERIFY(window.findChild<TraceDialog*>());
        auto* dialog = window.findChild<TraceDialog*>();
        QCOMPARE(dialog->target()->text(), path + QStringLiteral(":net"));
        QVERIFY(!dialog->isRunning());
        dialog->reject();
    }
};

QTEST_MAIN(TestSourcePython)
#include "tst_source_python.moc"
