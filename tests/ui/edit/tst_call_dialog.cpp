// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/json_steps.h"
#include "tests/ui/support/models.h"
#include "tests/ui/support/settle.h"
#include "ui/edit/call_dialog.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QTextDocument>

using namespace ui;

/// Inserting and replacing with the keyboard, in the real window: nothing incomplete is inserted, and what is wrong is
/// said where one types.
class TestCallDialog : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

    Document& document() const { return *m_window->currentDocument(); }
    const fx::Graph& graph() const { return document().module()->graph; }
    fx::NodeId node(const char* name) const { return graph().find(name); }
    QString settingsFile() const {
        return m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()) + QStringLiteral(".ini"));
    }
    void open(const char* name) {
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1280, 800);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/") + QLatin1String(name));
        QTRY_VERIFY(document().state() == Document::State::Ready && document().facts().code() &&
                    document().picture().scene());
    }
    CallDialog* start(const char* name, QAction* action) {
        document().selection().select({node(name)}, nullptr);
        action->trigger();
        auto* dialog = m_window->findChild<CallDialog*>();
        return dialog && QTest::qWaitForWindowActive(dialog) ? dialog : nullptr;
    }
    static QString textOf(const QWidget& dialog) {
        QString text;
        for (const QLabel* label : dialog.findChildren<QLabel*>()) text += label->text() + u'\n';
        return text;
    }
    static QLineEdit* fieldOf(const CallDialog& dialog, const char* name) {
        for (QLineEdit* field : dialog.form()->findChildren<QLineEdit*>())
            if (field->accessibleName() == QLatin1String(name)) return field;
        return nullptr;
    }

private Q_SLOTS:
    void init() { m_settings = std::make_unique<Settings>(settingsFile()); }
    void cleanup() { m_window.reset(); }

    void enter_goesToWhatIsMissing_andInsertsOnlyTheComplete() {
        open("simple_net.pt");
        QPointer<CallDialog> dialog = start("max_pool2d", m_window->actions().insertAfter);
        QVERIFY(dialog);
        QTRY_COMPARE(QApplication::focusWidget(), static_cast<QWidget*>(dialog->search()));
        QTest::keyClick(dialog->search(), Qt::Key_Return); // nothing is chosen
        QVERIFY(dialog);
        QVERIFY(dialog->isVisible());
        QTest::keyClicks(dialog->search(), QStringLiteral("torch.softmax"));
        QTest::keyClick(dialog->search(), Qt::Key_Return); // faster than any check
        QVERIFY(dialog);
        QVERIFY(dialog->isVisible());
        QVERIFY2(QApplication::focusWidget() == fieldOf(*dialog, "dim"),
                 qPrintable(QApplication::focusWidget()->accessibleName() + dialog->search()->text()));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return); // still empty
        QVERIFY(testing::settle());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QVERIFY(dialog);
        QVERIFY(dialog->isVisible());
        QCOMPARE(document().versions().history()->entries().size(), 1u);
        QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("1"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return); // before it is checked: then it is inserted
        QTRY_VERIFY(!dialog);
        QVERIFY(node("softmax") != fx::kNoNode);
        QCOMPARE(document().versions().history()->entries().size(), 2u);
    }

    void enter_afterAnArgumentWasEmptied_insertsNothing() {
        open("simple_net.pt");
        QPointer<CallDialog> dialog = start("max_pool2d", m_window->actions().insertAfter);
        QVERIFY(dialog);
        QTest::keyClicks(dialog->search(), QStringLiteral("torch.softmax"));
        fieldOf(*dialog, "dim")->setText(QStringLiteral("1"));
        QTRY_VERIFY(dialog->accepts()->isEnabled());
        fieldOf(*dialog, "dim")->clear();
        QTest::keyClick(fieldOf(*dialog, "dim"), Qt::Key_Return); // the button does not know yet
        dialog->accepts()->click();
        QVERIFY(testing::settle());
        QVERIFY(dialog);
        QVERIFY(dialog->isVisible());
        QVERIFY(!dialog->accepts()->isEnabled());
        QVERIFY(Qt::mightBeRichText(dialog->accepts()->toolTip())); // wraps, and shows names as they are
        QCOMPARE(document().versions().history()->entries().size(), 1u);
    }

    void tab_goesFromSearchToArgumentsToInsert() {
        open("simple_net.pt");
        QPointer<CallDialog> dialog = start("max_pool2d", m_window->actions().insertAfter);
        QVERIFY(dialog);
        QTest::keyClicks(dialog->search(), QStringLiteral("torch.softmax"));
        fieldOf(*dialog, "dim")->setText(QStringLiteral("1"));
        QTRY_VERIFY(dialog->accepts()->isEnabled());
        std::vector<QWidget*> expected = dialog->form()->fields();
        expected.push_back(dialog->accepts());
        for (QWidget* next : expected) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            QCOMPARE(QApplication::focusWidget(), next);
        }
        dialog->search()->setFocus();
        const int row = dialog->list()->currentRow();
        QTest::keyClick(dialog->search(), Qt::Key_Down); // the list follows the keys of the search
        QVERIFY(dialog->list()->currentRow() > row || dialog->list()->count() == 1);
        QCOMPARE(QApplication::focusWidget(), dialog->search());
    }

    void list_recentAndLikelyFirst() {
        open("resnet.pt");
        fx::NodeId conv = fx::kNoNode;
        for (const fx::Node& each : graph().nodes())
            if (conv == fx::kNoNode && each.name().find("conv") != std::string::npos) conv = each.id();
        const std::string name = graph().node(conv).name();
        QPointer<CallDialog> dialog = start(name.c_str(), m_window->actions().insertAfter);
        QVERIFY(dialog);
        const auto row = [&](int at) { return dialog->list()->item(at)->text(); };
        QTRY_COMPARE(row(0), QStringLiteral("Likely here"));
        QCOMPARE(row(1), QStringLiteral("torch.nn.BatchNorm2d"));
        QTest::keyClicks(dialog->search(), QStringLiteral("torch.tanh"));
        QTest::keyClick(dialog->search(), Qt::Key_Return);
        QTRY_VERIFY(!dialog);
        QTRY_VERIFY(node("tanh") != fx::kNoNode);
        dialog = start(name.c_str(), m_window->actions().insertAfter);
        QVERIFY(dialog);
        QCOMPARE(row(0), QStringLiteral("Recent"));
        QCOMPARE(row(1), QStringLiteral("torch.tanh"));
        dialog->reject();
    }

    void wrongCalls_areSaidWithWhatWasMeant() {
        open("simple_net.pt");
        QPointer<CallDialog> dialog = start("max_pool2d", m_window->actions().insertAfter);
        QVERIFY(dialog);
        QTest::keyClicks(dialog->search(), QStringLiteral("torch.reluu")); // unknown
        const auto list = [&] {
            QStringList rows;
            for (int i = 0; i < dialog->list()->count(); ++i) rows << dialog->list()->item(i)->text();
            return rows;
        };
        QCOMPARE(list(), QStringList({QStringLiteral("No match for “torch.reluu”."), QStringLiteral("Did you mean:"),
                                      QStringLiteral("torch.relu")}));
        QVERIFY(!dialog->accepts()->isEnabled());
        dialog->list()->setCurrentRow(2);
        QTRY_VERIFY(dialog->accepts()->isEnabled());

        dialog->search()->setText(QStringLiteral("torch.topk")); // a wrong type
        fieldOf(*dialog, "k")->setText(QStringLiteral("3.5"));
        QTRY_VERIFY2(textOf(*dialog).contains(QStringLiteral("expected an integer for 'k', got a float")),
                     qPrintable(textOf(*dialog)));
        QVERIFY(!dialog->accepts()->isEnabled());
        fieldOf(*dialog, "k")->setText(QStringLiteral("(1, ")); // no value at all
        QTRY_VERIFY(fieldOf(*dialog, "k")->property("invalid").toBool());
        fieldOf(*dialog, "k")->setText(QStringLiteral("3"));
        QTRY_VERIFY(dialog->accepts()->isEnabled());
        QVERIFY(!fieldOf(*dialog, "k")->property("invalid").toBool());
        dialog->reject();
    }

    void newModule_isEvaluatedWithTheOthers() {
        open("simple_net.pt");
        QVERIFY(document().versions().edit(QStringLiteral("Evaluate"),
                                           "[{\"step\": \"set_training\", \"value\": false}]"_steps));
        QPointer<CallDialog> dialog = start("max_pool2d", m_window->actions().insertAfter);
        QVERIFY(dialog);
        QTest::keyClicks(dialog->search(), QStringLiteral("torch.nn.Dropout"));
        QTRY_VERIFY(dialog->accepts()->isEnabled());
        dialog->accepts()->click();
        QTRY_VERIFY(node("dropout") != fx::kNoNode);
        const fx::PathTarget made = fx::resolvePath(*document().module()->root, graph().node(node("dropout")).target());
        QVERIFY(made.module);
        QVERIFY(!made.module->training);
    }

    void moduleClass_isReplacedEverywhere() {
        open("resnet.pt");
        std::size_t before = 0;
        fx::NodeId relu = fx::kNoNode;
        fx::forEachModule(*document().module()->root,
                          [&](const std::string&, const fx::Module& module) { before += module.className == "ReLU"; });
        for (const fx::Node& each : graph().nodes()) {
            const auto target = each.op() == fx::Op::CallModule
                                    ? fx::resolvePath(*document().module()->root, each.target())
                                    : fx::PathTarget();
            if (target.module && target.module->className == "ReLU") relu = each.id();
        }
        QVERIFY(before > 1);
        QVERIFY(relu != fx::kNoNode);
        const std::string name = graph().node(relu).name();
        QPointer<CallDialog> dialog = start(name.c_str(), m_window->actions().replaceModuleClass);
        QVERIFY(dialog);
        QCOMPARE(dialog->windowTitle(), QStringLiteral("Replace Every ReLU"));
        QTRY_VERIFY2(textOf(*dialog).contains(QStringLiteral("Nothing changes.")), qPrintable(textOf(*dialog)));
        QVERIFY(!dialog->accepts()->isEnabled());
        dialog->search()->setText(QStringLiteral("torch.nn.ReLU6"));
        QTRY_VERIFY2(textOf(*dialog).contains(QStringLiteral("%1 modules will be replaced").arg(before)),
                     qPrintable(textOf(*dialog)));
        QCOMPARE(fieldOf(*dialog, "inplace")->placeholderText(), QStringLiteral("True (kept)"));
        QTest::keyClick(dialog->search(), Qt::Key_Return);
        QTRY_VERIFY(!dialog);
        std::size_t old = 0, fresh = 0;
        fx::forEachModule(*document().module()->root, [&](const std::string&, const fx::Module& module) {
            old += module.className == "ReLU", fresh += module.className == "ReLU6";
        });
        QCOMPARE(old, 0u);
        QCOMPARE(fresh, before);
        document().versions().undo();
        QCOMPARE(document().versions().history()->current(), 0u);
        // What each module has anyway need not be typed.
        fx::NodeId norm = fx::kNoNode;
        for (const fx::Node& each : graph().nodes())
            if (const auto target = each.op() == fx::Op::CallModule
                                        ? fx::resolvePath(*document().module()->root, each.target())
                                        : fx::PathTarget();
                target.module && target.module->className == "BatchNorm2d")
                norm = each.id();
        QVERIFY(norm != fx::kNoNode);
        dialog = start(graph().node(norm).name().c_str(), m_window->actions().replaceModuleClass);
        QVERIFY(dialog);
        dialog->search()->setText(QStringLiteral("torch.nn.InstanceNorm2d"));
        QVERIFY(fieldOf(*dialog, "num_features")->text().isEmpty());
        QTRY_VERIFY2(dialog->accepts()->isEnabled(), qPrintable(textOf(*dialog)));
        for (QCheckBox* box : dialog->findChildren<QCheckBox*>())
            if (box->text().startsWith(QStringLiteral("Keep"))) box->click();
        QTRY_VERIFY(!dialog->accepts()->isEnabled()); // now it is
        dialog->reject();
        QTRY_VERIFY(!dialog);
        // Calls of the function stay, and the dialog says so.
        const QString call =
            QStringLiteral(R"([{"step": "insert_after", "node": "%1", "op": "call_function", "target": )"
                           R"("torch.relu", "args": [{"node": "%1"}], "name": "own"}])");
        QVERIFY(document().versions().edit(QStringLiteral("Insert relu"),
                                           fx::StepList::parse(call.arg(QString::fromStdString(name)).toStdString())));
        const QString other = // of the same name, but nothing of PyTorch
            QStringLiteral(R"([{"step": "insert_after", "node": "own", "op": "call_function", "target": )"
                           R"("mine.relu", "args": [{"node": "own"}], "name": "other"}])");
        QVERIFY(document().versions().edit(QStringLiteral("Insert relu"), fx::StepList::parse(other.toStdString())));
        dialog = start(name.c_str(), m_window->actions().replaceModuleClass);
        QVERIFY(dialog);
        dialog->search()->setText(QStringLiteral("torch.nn.ReLU6"));
        QTRY_VERIFY2(textOf(*dialog).contains(QStringLiteral("1 call of a function is not replaced: own")),
                     qPrintable(textOf(*dialog)));
        dialog->reject();
    }
};

QTEST_MAIN(TestCallDialog)
#include "tst_call_dialog.moc"
