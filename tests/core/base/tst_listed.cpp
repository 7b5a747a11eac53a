// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/listed.h"

#include <QTest>

class TestListed : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesBeyondThoseShown_areCounted() {
        QCOMPARE(fx::listed({}, 2), std::string());
        QCOMPARE(fx::listed({"a", "b"}, 2), std::string("a, b"));
        QCOMPARE(fx::listed({"a", "b", "c", "d"}, 2), std::string("a, b and 2 more"));
    }
};

QTEST_APPLESS_MAIN(TestListed)
#include "tst_listed.moc"
