// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/joined_path.h"

#include <QTest>

class TestJoinedPath : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void joinedPath_hasNoDotAtTheRoot() {
        QCOMPARE(fx::joinedPath("", "weight"), std::string("weight"));
        QCOMPARE(fx::joinedPath("layers.0", "weight"), std::string("layers.0.weight"));
    }
};

QTEST_APPLESS_MAIN(TestJoinedPath)
#include "tst_joined_path.moc"
