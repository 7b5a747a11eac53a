// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/flow_layout.h"

#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QToolButton>

using namespace ui;

class TestFlowLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void widgetsThatExpand_takeTheRestOfTheirRow() {
        QWidget parent;
        auto* button = new QToolButton;
        auto* field = new QLineEdit;
        flowOf(&parent, {button, field}, FlowLayout::Rest::Fill)->setFixedWidth(900);
        button->setText(QStringLiteral("Options"));
        parent.show();
        QVERIFY(QTest::qWaitForWindowExposed(&parent));
        QCOMPARE(button->width(), button->sizeHint().width());
        QCOMPARE(field->width(), 900 - FlowLayout::kBetween - button->sizeHint().width());
    }

    void withoutSuchWidgets_allTakeIt() {
        QWidget parent;
        auto* one = new QPushButton(QStringLiteral("Time"));
        auto* other = new QPushButton(QStringLiteral("Time"));
        flowOf(&parent, {one, other}, FlowLayout::Rest::Fill)->setFixedWidth(900);
        parent.show();
        QVERIFY(QTest::qWaitForWindowExposed(&parent));
        QVERIFY(qAbs(one->width() - other->width()) <= 1);
        QCOMPARE(one->width() + other->width(), 900 - FlowLayout::kBetween);
    }

    void tooNarrow_wraps() {
        QWidget parent;
        auto* one = new QLineEdit;
        auto* other = new QLineEdit;
        flowOf(&parent, {one, other}, FlowLayout::Rest::Fill)->setFixedWidth(one->sizeHint().width() + 10);
        parent.show();
        QVERIFY(QTest::qWaitForWindowExposed(&parent));
        QVERIFY(other->y() > one->y());
    }
};

QTEST_MAIN(TestFlowLayout)
#include "tst_flow_layout.moc"
