// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/settle.h"

#include <QVariantAnimation>
#include <QWidget>

using testing::settle;
using namespace std::chrono_literals;

/// The end of all that happens by itself, which other tests of the window wait for.
class TestSettle : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void settle_awaitsTheTaskThatATimerStarts() {
        QWidget window;
        QTimer pause(&window);
        pause.setSingleShot(true);
        ui::TaskSlot<int> slot("test.settle");
        int result = 0;
        connect(&pause, &QTimer::timeout, &window, [&] {
            const auto work = [](const fx::Progress&) { return 7; };
            slot.start(work, &window, [&](int value) { ui::callLater(&window, [&, value] { result = value; }); });
        });
        pause.start(50);
        QVERIFY(settle());
        QCOMPARE(result, 7);
    }

    void settle_awaitsACall() {
        bool isCalled = false;
        QTimer::singleShot(50, this, [&] { isCalled = true; });
        QVERIFY(settle());
        QVERIFY(isCalled);
    }

    void settle_awaitsAnAnimation() {
        QWidget window;
        QVariantAnimation animation(&window);
        animation.setStartValue(0.0);
        animation.setEndValue(1.0);
        animation.setDuration(50);
        animation.start();
        QVERIFY(settle());
        QCOMPARE(animation.currentValue(), QVariant(1.0));
    }

    void settle_awaitsWhatHasNoWindow_ifItIsNamed() {
        QObject root;
        QTimer pause(&root);
        pause.setSingleShot(true);
        pause.start(50);
        QVERIFY(settle(500ms, &root));
        QVERIFY(!pause.isActive());
    }

    void settle_ignoresTimersThatAreLongOrRepeat() {
        QWidget window;
        QTimer repeated(&window), late(&window);
        repeated.start(1);
        late.setSingleShot(true);
        late.start(1h);
        QVERIFY(settle());
        QVERIFY(late.isActive());
    }
};

QTEST_MAIN(TestSettle)
#include "tst_settle.moc"
