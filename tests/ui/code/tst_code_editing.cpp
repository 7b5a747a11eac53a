// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/print.h"
#include "core/python/tracing/trace_definition.h"
#include "tests/json_steps.h"
#include "tests/ui/support/models.h"
#include "ui/code/code_edit_bar.h"
#include "ui/code/code_editing.h"
#include "ui/code/code_panel.h"
#include "ui/widgets/theme.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

using namespace ui;
using State = CodeEditing::State;

namespace {

std::shared_ptr<fx::GraphModule> net() {
    return std::make_shared<fx::GraphModule>(
        fx::traceFunctionSource("def net(x, y):\n    a = torch.relu(x)\n    b = torch.neg(a)\n    return b + y\n"));
}

/// A document in a code panel, with its code shown.
struct Shown {
    explicit Shown(std::shared_ptr<fx::GraphModule> module = net()) {
        document.adopt(std::move(module), QStringLiteral("net"));
        panel.resize(900, 300);
        panel.setDocument(&document);
        panel.show();
        (void)QTest::qWaitForWindowExposed(&panel);
        (void)QTest::qWaitFor([this] { return document.facts().code() != nullptr; });
    }
    CodeView* view() { return panel.view(); }
    CodeEditing* editing() { return panel.editing(); }
    QPushButton* button(const QString& text) {
        for (auto* each : panel.findChildren<QPushButton*>())
            if (each->text() == text && each->isVisible()) return each;
        return nullptr;
    }
    /// Types over the first place of `what`.
    void type(const QString& what, const QString& by) {
        const QByteArray text = view()->bytes();
        const qsizetype at = text.indexOf(what.toUtf8());
        QVERIFY2(at >= 0, qPrintable(what + " is not in\n" + text));
        view()->SendScintilla(QsciScintilla::SCI_SETSEL, static_cast<unsigned long>(at),
                              static_cast<long>(at + what.toUtf8().size()));
        if (by.isEmpty()) QTest::keyClick(view(), Qt::Key_Delete);
        else QTest::keyClicks(view(), by);
    }
    std::string graph() { return fx::graphText(document.module()->graph); }

    Document document{QString()};
    CodePanel panel;
};

} // namespace

class TestCodeEditing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void check_takesLong_saysSoAndCanBeStopped() {
        Shown shown(testing::chain(60000));
        shown.editing()->setSlowAfter(0);
        shown.type(QStringLiteral("torch.relu"), QStringLiteral("torch.neg"));
        QTRY_VERIFY(shown.editing()->slow());
        QPushButton* stop = shown.button(QStringLiteral("Stop"));
        QVERIFY(stop);
        stop->click();
        QCOMPARE(shown.editing()->state(), State::Stopped);
        QVERIFY2(shown.editing()->summary().contains(QStringLiteral("Not checked")),
                 qPrintable(shown.editing()->summary()));
        QVERIFY(!shown.button(QStringLiteral("Stop")));
        QVERIFY(shown.document.draft()); // the text stays
        shown.editing()->apply();        // checks, then applies
        QTRY_COMPARE_WITH_TIMEOUT(shown.editing()->state(), State::Clean, 60000);
        QVERIFY(shown.graph().find("torch.neg") != std::string::npos);
    }

    void typed_thenApplied_changesTheModelOnce() {
        Shown shown;
        QVERIFY(!shown.button(QStringLiteral("Apply")));
        const fx::NodeId relu = shown.document.module()->graph.find("relu");
        shown.type(QStringLiteral("relu(x)"), QStringLiteral("sigmoid(x)"));
        QVERIFY(shown.document.isModified());
        QTRY_COMPARE(shown.editing()->state(), State::Ready);
        QVERIFY2(shown.editing()->summary().contains("1 changed"), qPrintable(shown.editing()->summary()));
        QCOMPARE(shown.document.versions().history()->entries().size(), 1u);
        QVERIFY(shown.button(QStringLiteral("Apply")));
        QVERIFY(shown.button(QStringLiteral("Revert")));
        QTest::keyClick(shown.view(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(shown.editing()->state(), State::Clean);
        QCOMPARE(shown.document.versions().history()->entries().size(), 2u);
        QCOMPARE(shown.document.module()->graph.node(relu).target(), std::string("torch.sigmoid"));
        QTRY_VERIFY(shown.document.facts().code());
        QTRY_COMPARE(shown.view()->bytes(), QByteArray::fromStdString(shown.document.facts().code()->text));
        QVERIFY(!shown.button(QStringLiteral("Apply")));
        shown.document.versions().undo();
        QTRY_VERIFY(shown.view()->bytes().contains("torch.relu(x)"));
    }

    void faultyCode_isUnderlinedAndChangesNothing() {
        Shown shown;
        const std::string before = shown.graph();
        shown.type(QStringLiteral("neg(relu)"), QStringLiteral("neg(rleu)"));
        QTRY_COMPARE(shown.editing()->state(), State::Faulty);
        QCOMPARE(shown.editing()->errors().size(), 1u);
        QVERIFY2(shown.editing()->summary().contains("name 'rleu' is not defined"),
                 qPrintable(shown.editing()->summary()));
        const auto at = static_cast<long>(shown.view()->bytes().indexOf("rleu"));
        QVERIFY(shown.view()->SendScintilla(QsciScintilla::SCI_INDICATORVALUEAT, 9ul, at));
        QVERIFY(!shown.view()->SendScintilla(QsciScintilla::SCI_INDICATORVALUEAT, 9ul, at - 2));
        QVERIFY(!shown.button(QStringLiteral("Apply"))->isEnabled());
        shown.view()->SendScintilla(QsciScintilla::SCI_GOTOPOS, 0ul);
        QTest::keyClick(shown.view(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(shown.view()->SendScintilla(QsciScintilla::SCI_GETCURRENTPOS), at); // the cursor goes to the error
        QCOMPARE(shown.graph(), before);
        QCOMPARE(shown.document.versions().history()->entries().size(), 1u);
        shown.type(QStringLiteral("rleu"), QStringLiteral("relu"));
        QTRY_COMPARE(shown.editing()->state(), State::Clean); // it is the code again
        QVERIFY(!shown.view()->SendScintilla(QsciScintilla::SCI_INDICATORVALUEAT, 9ul, at));
        QVERIFY(!shown.document.isModified());
    }

    void apply_whileTyping_waitsForTheCheck() {
        Shown shown;
        shown.type(QStringLiteral("relu(x)"), QStringLiteral("tanh(x)"));
        QTest::keyClick(shown.view(), Qt::Key_Return, Qt::ControlModifier); // before anything was checked
        QTRY_COMPARE(shown.document.versions().history()->entries().size(), 2u);
        QVERIFY(shown.graph().find("torch.tanh") != std::string::npos);
    }

    void revert_canBeUndone() {
        Shown shown;
        const QByteArray code = shown.view()->bytes();
        shown.type(QStringLiteral("relu(x)"), QStringLiteral("tanh(x)"));
        const QByteArray typed = shown.view()->bytes();
        QTest::mouseClick(shown.button(QStringLiteral("Revert")), Qt::LeftButton);
        QCOMPARE(shown.view()->bytes(), code);
        QCOMPARE(shown.editing()->state(), State::Clean);
        QTest::keyClick(shown.view(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(shown.view()->bytes(), typed);
        QTRY_COMPARE(shown.editing()->state(), State::Ready);
    }

    void revert_keepsTheLineAndWhatIsShown() {
        Shown shown(testing::chain(60));
        QVERIFY(QTest::qWaitForWindowActive(&shown.panel));
        const QByteArray code = shown.view()->bytes();
        shown.type(QStringLiteral("torch.relu("), QStringLiteral("torch.tanh(")); // the first line of it
        const QByteArray last = code.trimmed().split('\n').last().trimmed();
        shown.type(QString::fromUtf8(last), QString::fromUtf8(last) + u' ');
        shown.view()->setCursorPosition(30, 6);
        shown.view()->setFirstVisibleLine(25);
        QTest::mouseClick(shown.button(QStringLiteral("Revert")), Qt::LeftButton);
        QCOMPARE(shown.view()->bytes(), code);
        int line = 0, column = 0;
        shown.view()->getCursorPosition(&line, &column);
        QCOMPARE(std::pair(line, column), std::pair(30, 6));
        QCOMPARE(shown.view()->firstVisibleLine(), 25);
        QVERIFY(shown.view()->hasFocus());
    }

    void otherChange_isMergedOrWins() {
        for (const bool merges : {true, false}) {
            Shown shown;
            shown.type(QStringLiteral("relu(x)"), QStringLiteral("tanh(x)"));
            const QByteArray typed = shown.view()->bytes();
            QVERIFY(shown.document.versions().edit(QStringLiteral("rename"),
                                                   R"([{"step": "rename", "node": "add", "name": "total"}])"_steps));
            QTRY_COMPARE(shown.editing()->state(), State::Outdated);
            QCOMPARE(shown.view()->bytes(), typed); // nothing is lost
            QVERIFY(!shown.button(QStringLiteral("Apply")));
            QTest::keyClick(shown.view(), Qt::Key_Return, Qt::ControlModifier);
            QCOMPARE(shown.document.versions().history()->entries().size(), 2u);
            QTest::mouseClick(shown.button(merges ? QStringLiteral("Merge") : QStringLiteral("Discard My Changes")),
                              Qt::LeftButton);
            QTRY_COMPARE(shown.editing()->state(), merges ? State::Ready : State::Clean);
            QVERIFY(shown.view()->bytes().contains("total = "));
            QCOMPARE(shown.view()->bytes().contains("torch.tanh(x)"), merges);
            if (!merges) continue;
            QTest::mouseClick(shown.button(QStringLiteral("Apply")), Qt::LeftButton);
            QTRY_COMPARE(shown.document.versions().history()->entries().size(), 3u);
            QVERIFY(shown.graph().find("%total") != std::string::npos);
            QVERIFY(shown.graph().find("torch.tanh") != std::string::npos);
        }
    }

    void otherDocument_keepsTheDraft() {
        Shown shown;
        shown.type(QStringLiteral("neg(relu)"), QStringLiteral("neg(rleu)"));
        const QByteArray typed = shown.view()->bytes();
        Document other({});
        other.adopt(testing::smallNet(), QStringLiteral("small"));
        shown.panel.setDocument(&other);
        QTRY_VERIFY(shown.view()->bytes().contains("self.first.conv"));
        QCOMPARE(shown.editing()->state(), State::Clean);
        shown.panel.setDocument(&shown.document);
        QCOMPARE(shown.view()->bytes(), typed);
        QTRY_COMPARE(shown.editing()->state(), State::Faulty);
    }

    void unknownModule_isToldAsWarning() {
        Shown shown;
        shown.type(QStringLiteral("torch.relu(x)"), QStringLiteral("self.stem(x)"));
        QTRY_COMPARE(shown.editing()->state(), State::Ready);
        QCOMPARE(shown.editing()->warnings().size(), 1);
        QVERIFY(shown.editing()->warnings().first().contains("stem"));
    }

    void selection_whileTyping_replacesNothing() {
        Shown shown(testing::chain(60'000));
        QTRY_VERIFY_WITH_TIMEOUT(shown.view()->lines() > 1000, 20'000);
        const qsizetype size = shown.view()->bytes().size();
        shown.type(QStringLiteral("torch.relu("), QStringLiteral("torch.tanh("));
        shown.document.selection().select({shown.document.module()->graph.find("blocks_25000_linear")}, nullptr);
        QCOMPARE(shown.view()->bytes().size(), size);
        QVERIFY(shown.view()->bytes().contains("torch.tanh("));
        QTRY_COMPARE_WITH_TIMEOUT(shown.editing()->state(), State::Ready, 30'000);
        QTest::keyClick(shown.view(), Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(shown.document.versions().history()->entries().size(), 2u);
        std::size_t changed = 0;
        for (const fx::Node& node : shown.document.module()->graph.nodes()) changed += node.target() == "torch.tanh";
        QCOMPARE(changed, 1u);
    }
};

QTEST_MAIN(TestCodeEditing)
#include "tst_code_editing.moc"
