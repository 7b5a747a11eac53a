// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/json_steps.h"
#include "tests/ui/shell/surgery_fixture.h"
#include "tests/ui/support/modal.h"
#include "tests/ui/support/models.h"
#include "tests/ui/support/settle.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/edit/call_dialog.h"
#include "ui/edit/erase_dialog.h"
#include "ui/shell/document_page.h"
#include "ui/shell/saving/note_bar.h"
#include "ui/shell/window/main_window.h"

#include <QApplication>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QRadioButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QStatusBar>
#include <QTest>

using namespace ui;

/// The dialogs that insert, change and erase calls.
class TestSurgeryDialogs : public SurgeryFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { startUp(); }
    void cleanup() { m_window.reset(); }

    void insertAfter_searchAndForm_makesTheNode() {
        select({"max_pool2d"});
        inDialog<CallDialog>(m_window->actions().insertAfter, [&](CallDialog& dialog) {
            QVERIFY(!dialog.accepts()->isEnabled());
            dialog.search()->setText(QStringLiteral("torch.softmax"));
            QTRY_VERIFY(!dialog.accepts()->isEnabled()); // dim is missing
            const auto fields = dialog.form()->findChildren<QLineEdit*>();
            QCOMPARE(fields.at(0)->text(), QStringLiteral("max_pool2d"));
            fields.at(1)->setText(QStringLiteral("1"));
            QTRY_VERIFY(dialog.accepts()->isEnabled());
            accept(dialog);
        });
        QTRY_VERIFY(code().contains(QStringLiteral("softmax = torch.softmax(max_pool2d, 1)")));
        QCOMPARE(document().selection().nodes().size(), 1u);
        QCOMPARE(document().module()->graph.node(node("flatten")).inputs().front(), node("softmax"));
    }

    void insertAfter_module_isMade() {
        select({"conv"});
        inDialog<CallDialog>(m_window->actions().insertAfter, [&](CallDialog& dialog) {
            dialog.choose({fx::Op::CallModule, QStringLiteral("torch.nn.BatchNorm2d"), {}});
            dialog.form()->findChildren<QLineEdit*>().at(0)->setText(QStringLiteral("8"));
            QTRY_VERIFY(dialog.accepts()->isEnabled());
            accept(dialog);
        });
        QTRY_VERIFY(code().contains(QStringLiteral("self.batchnorm2d(conv)")));
        QVERIFY(fx::resolvePath(*document().module()->root, "batchnorm2d").module);
    }

    void insert_search_findsFunctionalsFirst_andNothingIsNothing() {
        select({"max_pool2d"});
        inDialog<CallDialog>(m_window->actions().insertAfter, [&](CallDialog& dialog) {
            dialog.search()->setText(QStringLiteral("functional.glu"));
            const auto* list = dialog.findChild<QListWidget*>();
            QCOMPARE(list->item(0)->text(), QStringLiteral("torch.nn.functional.glu"));
            QTRY_VERIFY(dialog.accepts()->isEnabled());
            dialog.search()->setText(QStringLiteral("functional.gluten"));
            QTRY_VERIFY(!dialog.accepts()->isEnabled()); // glu is not what is called for
            QVERIFY(list->item(0)->text().contains(QStringLiteral("gluten")));
            for (const char* name : {"gelu", "conv2d", "linear", "scaled_dot_product_attention"}) {
                dialog.search()->setText(QStringLiteral("functional.") + QLatin1String(name));
                QCOMPARE(list->item(0)->text(), QStringLiteral("torch.nn.functional.") + QLatin1String(name));
                const QString tip = list->item(0)->toolTip(); // escaped text would show as it is
                QVERIFY2(!tip.contains(u'&') || Qt::mightBeRichText(tip), qPrintable(tip));
            }
            dialog.search()->setText(QStringLiteral("functional.gelu"));
            QTRY_VERIFY(dialog.accepts()->isEnabled());
            accept(dialog);
        });
        QTRY_VERIFY(code().contains(QStringLiteral("gelu = torch._C._nn.gelu(max_pool2d)")));
    }

    void changeCall_argument_isTyped() {
        select({"max_pool2d"});
        inDialog<CallDialog>(m_window->actions().changeCall, [&](CallDialog& dialog) {
            auto* first = dialog.form()->findChildren<QLineEdit*>().at(1);
            first->setText(QStringLiteral("nonsense"));
            QTRY_VERIFY(!dialog.accepts()->isEnabled());
            first->setText(QStringLiteral("(3, 3)"));
            QTRY_VERIFY(dialog.accepts()->isEnabled());
            accept(dialog);
        });
        QTRY_VERIFY(code().contains(QStringLiteral("(3, 3)")));
    }

    void changeCall_accepted_asItIs_isNoEdit() {
        const QString before = code();
        for (const char* name : {"max_pool2d", "mul", "flatten", "conv"}) { // keywords, a function, a method, a module
            select({name});
            inDialog<CallDialog>(m_window->actions().changeCall, [&](CallDialog& dialog) {
                QTRY_VERIFY2(textOf(dialog).contains(QStringLiteral("Nothing changes.")), qPrintable(textOf(dialog)));
                QVERIFY(!dialog.accepts()->isEnabled());
                accept(dialog); // as Enter does
                QVERIFY(dialog.isVisible());
                dialog.reject();
            });
        }
        QCOMPARE(document().versions().history()->entries().size(), 1u);
        QCOMPARE(code(), before);
    }

    void changeCall_keywords_stayKeywords() {
        select({"max_pool2d"});
        inDialog<CallDialog>(m_window->actions().changeCall, [&](CallDialog& dialog) {
            for (QLineEdit* field : dialog.form()->findChildren<QLineEdit*>())
                if (field->accessibleName() == QLatin1String("padding")) field->setText(QStringLiteral("1"));
            QTRY_VERIFY(dialog.accepts()->isEnabled());
            accept(dialog);
        });
        QTRY_VERIFY2(code().contains(QStringLiteral(
                         "max_pool2d(mul, 2, stride = None, padding = 1, dilation = 1, ceil_mode = False")),
                     qPrintable(code()));
    }

    void changeCall_ofAModule_listsTheModulesOfTheModel() {
        select({"conv"});
        inDialog<CallDialog>(m_window->actions().changeCall, [&](CallDialog& dialog) {
            QStringList modules;
            for (int row = 0; row < dialog.list()->count(); ++row) modules << dialog.list()->item(row)->text();
            QVERIFY2(modules.contains(QStringLiteral("conv  Conv2d")), qPrintable(modules.join(u'|')));
            QVERIFY2(modules.contains(QStringLiteral("linear  Linear")), qPrintable(modules.join(u'|')));
            QCOMPARE(dialog.list()->currentItem()->text(), QStringLiteral("conv  Conv2d"));
            dialog.search()->setText(QStringLiteral("lin"));
            QCOMPARE(dialog.list()->count(), 1);
            QTRY_VERIFY(dialog.accepts()->isEnabled());
            accept(dialog);
        });
        QTRY_VERIFY(code().contains(QStringLiteral("conv = self.linear(x)")));
    }

    void openNested_ofACond_offersBothGraphs() {
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/tests/data/pt2/control.pt2"));
        QTRY_VERIFY(document().state() == Document::State::Ready && document().picture().scene());
        const QString parent = document().file().title();
        select({"cond"});
        QTRY_VERIFY(m_window->actions().openNested->isEnabled());
        m_window->actions().openNested->trigger();
        auto* menu = m_window->findChild<QMenu*>(QStringLiteral("nestedGraphs"));
        QVERIFY(menu);
        QStringList names;
        for (const QAction* action : menu->actions()) names << action->text();
        QCOMPARE(names, QStringList({QStringLiteral("true_graph_0"), QStringLiteral("false_graph_0")}));
        menu->actions().at(1)->trigger();
        menu->close();
        QTRY_COMPARE(document().file().title(), parent + QStringLiteral(" › false_graph_0"));
        const auto* bar = m_window->currentPage()->findChild<NoteBar*>();
        QTRY_VERIFY(bar && bar->isVisible());
        QCOMPARE(bar->text(),
                 QStringLiteral("This is a copy of a nested graph: edits here do not change %1, and are not recovered "
                                "after a crash.")
                     .arg(parent));
        m_window->notify(QStringLiteral("Something else."));
        QVERIFY(bar->isVisible());
    }

    void removeUnused_ofAWriter_saysWhatItLoses() {
        QVERIFY(document().versions().edit(
            QStringLiteral("Write"),
            R"([{"step": "insert_after", "node": "conv", "op": "call_method", "target": "mul_", )"
            R"("args": [{"node": "conv"}, 2], "rewire_users": false}])"_steps));
        m_window->actions().deadCode->trigger();
        QTRY_VERIFY(document().module()->graph.find("mul_") == fx::kNoNode);
        const QString lost =
            QStringLiteral("mul_ wrote to conv in place; relu, which reads it later, gets other values now");
        QTRY_VERIFY2(m_window->statusBar()->currentMessage().contains(QStringLiteral("Warning: ") + lost),
                     qPrintable(m_window->statusBar()->currentMessage()));
        QTRY_VERIFY(
            std::ranges::any_of(document().facts().problems(), [&](const Problem& each) { return each.what == lost; }));
    }

    void erase_nodeWithOneInput_isOneKeypress() {
        select({"max_pool2d"});
        const fx::NodeId input = document().module()->graph.node(node("max_pool2d")).inputs().front();
        m_window->actions().eraseNodes->trigger();
        QCOMPARE(node("max_pool2d"), fx::kNoNode);
        QCOMPARE(document().module()->graph.node(node("flatten")).inputs().front(), input);
        select({"conv", "relu"}); // one chain with one input
        m_window->actions().eraseNodes->trigger();
        QVERIFY(node("conv") == fx::kNoNode);
        QVERIFY(node("relu") == fx::kNoNode);
        QVERIFY(!m_window->findChild<EraseDialog*>());
        document().versions().undo();
        document().versions().undo();
        QVERIFY(node("max_pool2d") != fx::kNoNode);
        QVERIFY(node("relu") != fx::kNoNode);
    }

    void erase_nodeWithSeveralInputs_asksWhichOneItsUsersGet() {
        const fx::NodeId scale = node("scale");
        select({"mul"});
        m_window->actions().eraseNodes->trigger();
        auto* dialog = m_window->findChild<EraseDialog*>();
        QVERIFY(dialog);
        QVERIFY2(textOf(*dialog).contains(QStringLiteral("max_pool2d uses mul")), qPrintable(textOf(*dialog)));
        const auto choices = dialog->findChildren<QRadioButton*>();
        QCOMPARE(choices.size(), 2);
        QVERIFY(choices[0]->isChecked());
        QVERIFY(choices[0]->text().startsWith(QStringLiteral("relu ")));
        const auto* list = dialog->findChild<QScrollArea*>();
        QVERIFY(list);
        QVERIFY(choices[0]->mapTo(dialog, QPoint()).x() >= list->mapTo(dialog, QPoint()).x() + 8);
        QVERIFY2(dialog->deadText()->text().contains(QStringLiteral("scale")), qPrintable(dialog->deadText()->text()));
        QTRY_COMPARE(QApplication::focusWidget(), static_cast<QWidget*>(choices[0]));
        QTest::keyClick(choices[0], Qt::Key_Down);
        QVERIFY(choices[1]->isChecked());
        QVERIFY2(dialog->deadText()->text().contains(QStringLiteral("relu")), qPrintable(dialog->deadText()->text()));
        QVERIFY(!dialog->usersButton()->isEnabled()); // the output depends on it
        dialog->alsoDead()->click();
        dialog->eraseButton()->click();
        QTRY_COMPARE(node("mul"), fx::kNoNode);
        QCOMPARE(document().module()->graph.node(node("max_pool2d")).inputs().front(), scale);
        QVERIFY(node("relu") == fx::kNoNode);
        QVERIFY(node("conv") == fx::kNoNode);
        QCOMPARE(document().versions().history()->entries().size(), 2u);
        document().versions().undo();
        QVERIFY(node("mul") != fx::kNoNode);
        QVERIFY(node("conv") != fx::kNoNode);
        select({"mul"});
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        m_window->actions().eraseNodes->trigger();
        QVERIFY((dialog = m_window->findChild<EraseDialog*>()));
        QTest::keyClick(dialog, Qt::Key_Return); // the first choice; what is unused stays
        QTRY_COMPARE(node("mul"), fx::kNoNode);
        QVERIFY(node("scale") != fx::kNoNode);
        QCOMPARE(document().module()->graph.node(node("max_pool2d")).inputs().front(), node("relu"));
    }

    void erase_longNames_areReadWithoutScrollingSideways() {
        m_window->renameNode(QStringLiteral("relu"), QStringLiteral("features_denseblock1_denselayer1_relu_of_conv2"));
        select({"mul"});
        m_window->actions().eraseNodes->trigger();
        auto* dialog = m_window->findChild<EraseDialog*>();
        QVERIFY(dialog);
        QVERIFY(QTest::qWaitForWindowExposed(dialog));
        QCOMPARE(dialog->findChild<QScrollArea*>()->horizontalScrollBar()->maximum(), 0);
        dialog->reject();
    }

    void erase_whatHasNoInput_offersTheUsersAlone() {
        QVERIFY(document().versions().edit(QStringLiteral("side"),
                                           R"J([{"step": "insert_after", "node": "scale", "op": )J"
                                           R"J("call_function", "target": "torch.neg", "args": )J"
                                           R"J([{"node": "scale"}], "name": "side"}])J"_steps));
        QVERIFY(document().versions().edit(QStringLiteral("other"),
                                           R"J([{"step": "replace_uses", "node": "mul", "with": )J"
                                           R"J("relu"}, {"step": "erase", "node": "mul"}])J"_steps));
        select({"scale"});
        m_window->actions().eraseNodes->trigger();
        auto* dialog = m_window->findChild<EraseDialog*>();
        QVERIFY(dialog);
        QVERIFY(!dialog->eraseButton()->isEnabled());
        QVERIFY(dialog->usersButton()->isEnabled());
        QVERIFY(dialog->height() < 300);                        // no larger than what it asks
        QTest::keyClick(dialog->usersButton(), Qt::Key_Return); // the button that has the keyboard
        QTRY_VERIFY(node("scale") == fx::kNoNode && node("side") == fx::kNoNode);
    }
};

QTEST_MAIN(TestSurgeryDialogs)
#include "tst_surgery_dialogs.moc"
