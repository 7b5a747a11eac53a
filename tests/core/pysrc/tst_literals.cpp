// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/print.h"
#include "core/pysrc/literals.h"

#include <QTest>

class TestLiterals : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void literal_anyForm_hasPythonsValue_data() {
        QTest::addColumn<QByteArray>("token");
        QTest::addColumn<QByteArray>("repr"); // empty: refused
        const auto row = [](const char* token, const char* repr) {
            QTest::newRow(token) << QByteArray(token) << QByteArray(repr);
        };
        row("0", "0");
        row("1_000", "1000");
        row("0x1F", "31");
        row("0b101", "5");
        row("0o17", "15");
        row("9223372036854775808", "9223372036854775808");
        row("0xffffffffffffffffff", "4722366482869645213695");
        row("1e400", "inf");
        row("1e-5", "1e-05");
        row(".5", "0.5");
        row("2.", "2.0");
        row("2j", "2j");
        row("12abc", "");
        row("'it\\'s'", "\"it's\"");
        row("'\\x41\\101\\u00e9\\n'", "'AA\u00e9\\n'");
        row("r'\\n'", "'\\\\n'");
        row("b'\\x00a'", "b'\\x00a'");
        row("'''a\nb'''", "'a\\nb'");
        row("'\\q'", "'\\\\q'");
        row("''", "''");
        row("f'x'", "");
        row("'\\xZZ'", "");
    }
    void literal_anyForm_hasPythonsValue() {
        QFETCH(QByteArray, token);
        QFETCH(QByteArray, repr);
        const std::string text = token.toStdString();
        const bool number = text[0] == '.' || (text[0] >= '0' && text[0] <= '9');
        const auto value = number ? fx::py::parseNumber(text) : fx::py::parseString(text);
        QCOMPARE(value.has_value(), !repr.isEmpty());
        if (value) QCOMPARE(QByteArray::fromStdString(fx::reprOf(fx::Graph(), *value)), repr);
    }
};

QTEST_APPLESS_MAIN(TestLiterals)
#include "tst_literals.moc"
