// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/stack_room.h"

#include <QtTest>

#include <thread>

using namespace fx;

class TestStackRoom : public QObject {
    Q_OBJECT

    /// Levels of a recursion that asks before each.
    static std::size_t levels(std::size_t above = 0) {
        volatile char held[256];
        held[above % 256] = 1;
        return isStackLow() ? above : levels(above + 1) + static_cast<std::size_t>(held[above % 256]) - 1;
    }

private Q_SLOTS:
    void recursion_endsBeforeTheStackDoes() {
        QVERIFY(!isStackLow());
        QVERIFY(levels() > 1000);
        std::size_t ofThread = 0;
        std::thread([&] { ofThread = levels(); }).join();
        QVERIFY(ofThread > 1000);
    }
};

QTEST_GUILESS_MAIN(TestStackRoom)
#include "tst_stack_room.moc"
