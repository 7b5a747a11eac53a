// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/json_steps.h"
#include "tests/ui/support/models.h"
#include "ui/history/history_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QListWidget>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

using namespace ui;

/// The list of versions: what it says of them, and going from one to another.
class TestHistoryPanel : public QObject {
    Q_OBJECT

    std::unique_ptr<Document> m_document;
    std::unique_ptr<HistoryPanel> m_panel;

    QString row(int at) const { return m_panel->list()->item(at)->text(); }
    void rename(const char* from, const char* to) {
        QVERIFY(m_document->versions().edit(QStringLiteral("Rename %1").arg(QLatin1String(from)),
                                            fx::StepList().rename(from, to)));
    }

private Q_SLOTS:
    void init() {
        m_document = std::make_unique<Document>(QString());
        m_document->adopt(testing::chain(4), QStringLiteral("net"));
        m_panel = std::make_unique<HistoryPanel>();
        m_panel->setDocument(m_document.get());
    }
    void cleanup() {
        m_panel.reset();
        m_document.reset();
    }

    void versions_inOrder_withTheCurrentOneChosen() {
        QCOMPARE(m_panel->list()->count(), 1);
        rename("relu", "first");
        rename("first", "second");
        QCOMPARE(m_panel->list()->count(), 3);
        QVERIFY2(QRegularExpression(QStringLiteral("^\\d\\d:\\d\\d:\\d\\d   Opened$")).match(row(0)).hasMatch(),
                 qPrintable(row(0)));
        QVERIFY(row(1).endsWith(QStringLiteral("Rename relu")));
        QVERIFY(m_panel->list()->item(1)->toolTip().contains(QStringLiteral("rename relu, name first")));
        QVERIFY(row(2).endsWith(QStringLiteral("Rename first")));
        QCOMPARE(m_panel->list()->currentRow(), 2);
        m_document->versions().undo();
        QCOMPARE(m_panel->list()->currentRow(), 1);
        m_panel->list()->setCurrentRow(0);
        Q_EMIT m_panel->list()->itemActivated(m_panel->list()->item(0));
        QCOMPARE(m_document->versions().history()->current(), 0u);
        QVERIFY(m_document->module()->graph.find("relu") != fx::kNoNode);
    }

    void newRandomWeights_areSaidOfTheEditThatDrewThem() {
        rename("relu", "first");
        QVERIFY(m_document->versions().edit(
            QStringLiteral("Add fc"), R"([{"step": "add_module", "path": "fc", "module": {"type": "torch.nn.Linear", )"
                                      R"("settings": {"in_features": 4, "out_features": 4}}}])"_steps));
        QTRY_VERIFY2(row(2).endsWith(QStringLiteral("Add fc · new random weights")), qPrintable(row(2)));
        QVERIFY(m_panel->list()->item(2)->toolTip().contains(QStringLiteral("New random weights: fc")));
        QVERIFY(row(1).endsWith(QStringLiteral("Rename relu")));
        m_document->versions().undo();
        QVERIFY(row(2).endsWith(QStringLiteral("new random weights"))); // what redoing brings back
    }

    void recipe_ofNoEdit_cannotBeCopied() {
        const auto buttons = m_panel->findChildren<QToolButton*>();
        for (const QToolButton* button : buttons) {
            QVERIFY(!button->isEnabled());
            QVERIFY(!button->toolTip().isEmpty());
        }
        rename("relu", "first");
        QSignalSpy copied(m_panel.get(), &HistoryPanel::copied);
        for (QToolButton* button : buttons)
            if (button->text() == QStringLiteral("Copy as Recipe")) button->click();
        QCOMPARE(copied.count(), 1);
        QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("\"lancet_recipe\"")));
    }

    void noDocument_isSaid() {
        m_panel->setDocument(nullptr);
        QCOMPARE(m_panel->list()->count(), 0);
        for (const QToolButton* button : m_panel->findChildren<QToolButton*>()) QVERIFY(!button->isEnabled());
    }
};

QTEST_MAIN(TestHistoryPanel)
#include "tst_history_panel.moc"
