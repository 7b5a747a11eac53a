// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/wheel_guard.h"

#include <QApplication>
#include <QComboBox>
#include <QSpinBox>
#include <QTest>
#include <QVBoxLayout>
#include <QWheelEvent>

using namespace ui;

class TestWheelGuard : public QObject {
    Q_OBJECT

    /// Whether the widget takes it; what it does not take goes to its parent.
    static bool turn(QWidget& over) {
        const QPointF at(over.width() / 2.0, over.height() / 2.0);
        QWheelEvent event(at, over.mapToGlobal(at), {}, {0, -120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                          false);
        QApplication::sendEvent(&over, &event);
        return event.isAccepted();
    }

private Q_SLOTS:
    void wheel_overFieldWithoutFocus_isNotTaken() {
        WheelGuard guard;
        qApp->installEventFilter(&guard);
        QWidget panel;
        auto* column = new QVBoxLayout(&panel);
        auto* spin = new QSpinBox(&panel);
        auto* combo = new QComboBox(&panel);
        combo->addItems({QStringLiteral("x86"), QStringLiteral("onednn")});
        spin->setValue(5);
        column->addWidget(spin);
        column->addWidget(combo);
        panel.setFocusPolicy(Qt::StrongFocus);
        panel.show();
        QVERIFY(QTest::qWaitForWindowActive(&panel));
        panel.setFocus();
        QVERIFY(!turn(*spin));
        QVERIFY(!turn(*combo));
        QCOMPARE(spin->value(), 5);
        QCOMPARE(combo->currentIndex(), 0);
        QVERIFY(spin->focusPolicy() == Qt::StrongFocus);
        QVERIFY(combo->focusPolicy() == Qt::StrongFocus);
        spin->setFocus();
        QVERIFY(turn(*spin));
        QCOMPARE(spin->value(), 4);
        combo->setFocus();
        QVERIFY(turn(*combo));
        QCOMPARE(combo->currentIndex(), 1);
    }
};

QTEST_MAIN(TestWheelGuard)
#include "tst_wheel_guard.moc"
