// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/undo_keys.h"

#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QMainWindow>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>

using namespace ui;

class TestUndoKeys : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fieldWithNothingToUndo_leavesTheKeyToTheWindow_data() {
        QTest::addColumn<bool>("isLine");
        QTest::newRow("line") << true;
        QTest::newRow("text") << false;
    }
    void fieldWithNothingToUndo_leavesTheKeyToTheWindow() {
        QFETCH(bool, isLine);
        UndoKeys keys;
        qApp->installEventFilter(&keys);
        QMainWindow window;
        auto* middle = new QWidget;
        auto* column = new QVBoxLayout(middle);
        QLineEdit line;
        QPlainTextEdit text;
        column->addWidget(&line);
        column->addWidget(&text);
        window.setCentralWidget(middle);
        QAction undo, redo;
        undo.setShortcut(QKeySequence::Undo);
        redo.setShortcut(QKeySequence::Redo);
        window.addActions({&undo, &redo});
        QSignalSpy undone(&undo, &QAction::triggered), redone(&redo, &QAction::triggered);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QWidget* field = isLine ? static_cast<QWidget*>(&line) : &text;
        const auto content = [&] { return isLine ? line.text() : text.toPlainText(); };
        field->setFocus();
        QTest::keySequence(field, QKeySequence(QKeySequence::Undo));
        QCOMPARE(undone.count(), 1);
        QTest::keyClick(field, Qt::Key_A);
        QCOMPARE(content(), QStringLiteral("a"));
        QTest::keySequence(field, QKeySequence(QKeySequence::Undo)); // what was typed goes first
        QCOMPARE(undone.count(), 1);
        QVERIFY(content().isEmpty());
        QTest::keySequence(field, QKeySequence(QKeySequence::Redo));
        QCOMPARE(redone.count(), 0);
        QCOMPARE(content(), QStringLiteral("a"));
        for (int i = 0; i < 3; ++i) // pressed once too often: it is still the text that is meant
            QTest::keySequence(field, QKeySequence(i ? QKeySequence::Undo : QKeySequence::Redo));
        QCOMPARE(redone.count(), 0);
        QCOMPARE(undone.count(), 1);
    }
};

QTEST_MAIN(TestUndoKeys)
#include "tst_undo_keys.moc"
