// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/text_metrics.h"

#include <QtTest>

/// Names cut to a width.
class TestTextMetrics : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void elideName_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("group");
        QTest::addColumn<QByteArray>("fits"); ///< is given just so much room
        QTest::addColumn<QByteArray>("expected");
        const QByteArray name = "features_denseblock2_denselayer3_norm1", group = "features.denseblock2.denselayer3";
        QTest::newRow("whole") << name << group << name << name;
        QTest::newRow("without the outer group") << name << group << QByteArray("…denseblock2_denselayer3_norm1")
                                                 << QByteArray("…denseblock2_denselayer3_norm1");
        QTest::newRow("as far in as needed")
            << name << group << QByteArray("…denselayer3_norm1mm") << QByteArray("…denselayer3_norm1");
        QTest::newRow("without all groups") << name << group << QByteArray("…norm1") << QByteArray("…norm1");
        QTest::newRow("another group") << name << QByteArray("features.dense")
                                       << QByteArray("…denseblock2_denselayer3_norm1")
                                       << QByteArray("…denseblock2_denselayer3_norm1");
    }
    void elideName() {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, group);
        QFETCH(QByteArray, fits);
        QFETCH(QByteArray, expected);
        const std::string got =
            fx::elideName(name.toStdString(), group.toStdString(), fx::monoWidth(fits.toStdString()) + 0.01);
        QCOMPARE(QByteArray::fromStdString(got), expected);
    }
    void elideName_noGroup_keepsTheEnd() {
        const std::string one = "a_very_long_name_of_a_node_number_11", two = "a_very_long_name_of_a_node_number_12";
        for (double width = 60; width < fx::monoWidth(one); width += 7) {
            const std::string got = fx::elideName(one, "", width);
            QVERIFY(fx::monoWidth(got) <= width);
            QVERIFY(got.starts_with("a"));
            QVERIFY(got.ends_with("1"));
            QVERIFY(got.find("…") != got.npos);
            QVERIFY(got != fx::elideName(two, "", width));
        }
    }
    void elideName_manyBytesACharacter_cutsBetweenThem() {
        const std::string name = "größenänderungsfaktorüberschreitung_äöü";
        for (double width = 30; width < fx::monoWidth(name); width += 3) {
            const std::string got = fx::elideName(name, "", width);
            QCOMPARE(QString::fromStdString(got).toStdString(), got);
            QVERIFY(!QString::fromStdString(got).contains(QChar::ReplacementCharacter));
        }
    }
};

QTEST_GUILESS_MAIN(TestTextMetrics)
#include "tst_text_metrics.moc"
