// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/models.h"
#include "ui/code/code_panel.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QDragEnterEvent>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QMimeData>
#include <QScrollBar>
#include <QTest>
#include <QUrl>

using namespace ui;

class TestCodePanel : public QObject {
    Q_OBJECT

    static void clickLine(CodeView* view, int line, Qt::KeyboardModifiers modifiers = {}) {
        const long position =
            view->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, static_cast<unsigned long>(line));
        const auto at = static_cast<long>(position + 6);
        const int x = static_cast<int>(view->SendScintilla(QsciScintilla::SCI_POINTXFROMPOSITION, 0ul, at));
        const int y = static_cast<int>(view->SendScintilla(QsciScintilla::SCI_POINTYFROMPOSITION, 0ul, at));
        QTest::mouseClick(view->viewport(), Qt::LeftButton, modifiers, QPoint(x, y + 4));
    }
    static QList<int> marked(CodeView* view) {
        QList<int> lines;
        for (int line = 0; line < view->lines(); ++line)
            if (view->markersAtLine(line) != 0) lines << line;
        return lines;
    }

private Q_SLOTS:
    void click_line_selectsItsNode() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        CodePanel panel;
        panel.resize(900, 400);
        panel.setDocument(&document);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QTRY_VERIFY(document.facts().code());
        const fx::NodeId relu = document.module()->graph.find("relu"), view = document.module()->graph.find("view");
        const int reluLine = document.facts().code()->nodeLines[fx::index(relu)],
                  viewLine = document.facts().code()->nodeLines[fx::index(view)];
        clickLine(panel.view(), reluLine);
        QTRY_COMPARE(document.selection().nodes(), std::vector<fx::NodeId>{relu});
        QCOMPARE(marked(panel.view()), QList<int>{reluLine});
        clickLine(panel.view(), viewLine, Qt::ControlModifier);
        QTRY_COMPARE(document.selection().nodes(), (std::vector<fx::NodeId>{relu, view}));
        QTest::keyClick(panel.view(), Qt::Key_Up);
        QTRY_COMPARE(document.selection().nodes(), std::vector<fx::NodeId>{relu});
    }

    void select_nodes_marksTheirLines() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        CodePanel panel;
        panel.setDocument(&document);
        QTRY_VERIFY(document.facts().code());
        const fx::NodeId relu = document.module()->graph.find("relu"), view = document.module()->graph.find("view");
        document.selection().select({relu, view}, nullptr);
        QCOMPARE(marked(panel.view()), (QList<int>{document.facts().code()->nodeLines[fx::index(relu)],
                                                   document.facts().code()->nodeLines[fx::index(view)]}));
        panel.resize(600, 300);
        const QImage picture = panel.view()->viewport()->grab().toImage();
        const int y = static_cast<int>(panel.view()->SendScintilla(
            QsciScintilla::SCI_POINTYFROMPOSITION, 0ul,
            panel.view()->SendScintilla(
                QsciScintilla::SCI_POSITIONFROMLINE,
                static_cast<unsigned long>(document.facts().code()->nodeLines[fx::index(relu)]))));
        QCOMPARE(picture.pixelColor(picture.width() - 8, y + 3), theme().accentBackground);
        document.selection().select({}, nullptr);
        QVERIFY(marked(panel.view()).isEmpty());
    }

    void setLines_changed_showsNewText() {
        CodeView view;
        view.setLines("a\nb\nc\nd", 0);
        QCOMPARE(view.text(), QStringLiteral("a\nb\nc\nd"));
        view.setLines("a\nB\nd", 0);
        QCOMPARE(view.text(), QStringLiteral("a\nB\nd"));
        view.setLines("", 0);
        QCOMPARE(view.text(), QString());
        view.setLines("x\nx\nx", 7);
        QCOMPARE(view.text(), QStringLiteral("x\nx\nx"));
        view.setLines("x\nx", 7);
        QCOMPARE(view.text(), QStringLiteral("x\nx"));
        QVERIFY(view.isReadOnly());
    }

    void find_text_selectsAround() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        CodePanel panel;
        panel.setDocument(&document);
        QTRY_VERIFY(document.facts().code());
        auto* field = panel.findChild<QLineEdit*>();
        QTest::keyClicks(field, QStringLiteral("torch"));
        QCOMPARE(panel.view()->selectedText(), QStringLiteral("torch"));
        QVERIFY(!field->property("invalid").toBool());
        QTest::keyClicks(field, QStringLiteral("qqq"));
        QVERIFY(field->property("invalid").toBool());
    }

    void copyCode_whole_inClipboard() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        CodePanel panel;
        panel.setDocument(&document);
        QTRY_VERIFY(document.facts().code());
        panel.copyCode();
        QCOMPARE(QGuiApplication::clipboard()->text(), QString::fromStdString(document.facts().code()->text));
    }

    void hugeCode_selection_showsItsPart() {
        Document document({});
        document.adopt(testing::chain(60'000), QStringLiteral("chain"));
        CodePanel panel;
        panel.resize(900, 400);
        panel.setDocument(&document);
        panel.show();
        QTRY_VERIFY_WITH_TIMEOUT(document.facts().code(), 20'000);
        QVERIFY(panel.view()->lines() <= kWholeCodeLimit + 1);
        const fx::NodeId node = document.module()->graph.find("blocks_25000_linear");
        document.selection().select({node}, nullptr);
        const QList<int> lines = marked(panel.view());
        QCOMPARE(lines.size(), 1);
        QVERIFY(panel.view()->text(lines.first()).contains(QStringLiteral("blocks_25000_linear =")));
    }

    void draggedFiles_areLeftToTheWindow() {
        CodeView view;
        view.setEditable(true);
        QMimeData files, text;
        files.setUrls({QUrl::fromLocalFile(QStringLiteral("/net.pt"))});
        text.setText(QStringLiteral("relu"));
        for (QMimeData* data : {&files, &text}) {
            QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, data, Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(view.viewport(), &enter);
            QCOMPARE(enter.isAccepted(), data == &text);
        }
    }

    void longLines_thatAreGone_leaveNoRoomBehind() {
        CodeView view;
        view.resize(300, 200);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.setLines(QByteArray(2000, 'x'), 0);
        QTRY_VERIFY(view.horizontalScrollBar()->maximum() > 0);
        view.setLines("x", 0);
        QTRY_COMPARE(view.horizontalScrollBar()->maximum(), 0);
    }
};

QTEST_MAIN(TestCodePanel)
#include "tst_code_panel.moc"
