// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/visible_text.h"

#include "core/base/utf8.h"

#include <QChar>
#include <QTest>

using namespace fx;

class TestVisibleText : public QObject {
    Q_OBJECT

    static std::string of(char32_t point) {
        std::string text;
        appendUtf8(text, point);
        return text;
    }

private Q_SLOTS:
    void plainText_stays_data() {
        QTest::addColumn<QByteArray>("text");
        for (const char* text :
             {"", "conv1.weight -> relu", "Größe", "畳み込み", "a\u00a0b", "مرحبا", "e\u0301", "😀", "\\u202e"})
            QTest::newRow(text) << QByteArray(text);
    }
    void plainText_stays() {
        QFETCH(QByteArray, text);
        QCOMPARE(QByteArray::fromStdString(visibleText(text.toStdString())), text);
        QCOMPARE(QByteArray::fromStdString(visibleLine(text.toStdString())), text);
        QCOMPARE(QByteArray::fromStdString(visibleName(text.toStdString())), text);
    }

    void hiddenCharacters_areSpelledAsInPython_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("shown");
        QTest::newRow("escape sequence") << QByteArray("\x1b[2Jx\x07") << QByteArray("\\x1b[2Jx\\x07");
        QTest::newRow("C1") << QByteArray("\u009b31m") << QByteArray("\\x9b31m");
        QTest::newRow("delete, return") << QByteArray("a\x7f\r") << QByteArray("a\\x7f\\x0d");
        QTest::newRow("override") << QByteArray("net\u202etp.exe") << QByteArray("net\\u202etp.exe");
        QTest::newRow("isolates") << QByteArray("\u2066a\u2069\u061c") << QByteArray("\\u2066a\\u2069\\u061c");
        QTest::newRow("no width") << QByteArray("re\u200blu\ufeff\u00ad") << QByteArray("re\\u200blu\\ufeff\\xad");
        QTest::newRow("separators") << QByteArray("a\u2028b\u2029") << QByteArray("a\\u2028b\\u2029");
        QTest::newRow("blank Braille") << QByteArray("re\u2800lu") << QByteArray("re\\u2800lu");
        QTest::newRow("tags") << QByteArray("a\U000e0041") << QByteArray("a\\U000e0041");
        QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80") << QByteArray("\\ud800");
        QTest::newRow("no UTF-8") << QByteArray("a\xff\xc3") << QByteArray("a\\xff\\xc3");
    }
    void hiddenCharacters_areSpelledAsInPython() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, shown);
        QCOMPARE(QByteArray::fromStdString(visibleText(text.toStdString())), shown);
        QCOMPARE(QByteArray::fromStdString(visibleText(shown.toStdString())), shown); // shown twice is shown once
    }

    void nulBytes_areSpelled() { QCOMPARE(visibleText(std::string("a\0b", 3)), std::string("a\\x00b")); }

    void lines_stayOrBecomeOne() {
        QCOMPARE(visibleText("a\n\tb"), std::string("a\n\tb"));
        QCOMPARE(visibleLine("a\n\tb"), std::string("a  b"));
        QCOMPARE(visibleName("a\n\tb\u202e"), std::string("a\\n\\tb\\u202e"));
    }

    void excerpts_areCutAndOnOneLine() {
        QCOMPARE(visibleExcerpt("a\n\tb\r\x1b[1A"), std::string("a\\n\\tb\\x0d\\x1b[1A"));
        const std::string much = visibleExcerpt(std::string(16'000'000, '\n'));
        QVERIFY2(much.size() < 5'000, std::to_string(much.size()).c_str());
        QVERIFY(much.ends_with("\\n…"));
    }

    /// What Qt's tables call a control, format or separating character is hidden, but for those that have a shape.
    void unicode_hasNoOtherHiddenCharacters() {
        const auto hasShape = [](char32_t c) { // signs that mark the numbers or the words after them
            return (c >= 0x600 && c <= 0x605) || c == 0x6dd || c == 0x70f || c == 0x890 || c == 0x891 || c == 0x8e2 ||
                   c == 0x110bd || c == 0x110cd || (c >= 0x13430 && c <= 0x1343f);
        };
        for (char32_t c = 0; c <= 0x10ffff; ++c) {
            const auto category = QChar::category(c);
            const bool isFormat = category == QChar::Other_Control || category == QChar::Other_Format ||
                                  category == QChar::Other_Surrogate || category == QChar::Separator_Line ||
                                  category == QChar::Separator_Paragraph;
            if (isFormat && !hasShape(c)) QVERIFY2(isHiddenCharacter(c), std::to_string(c).c_str());
            if (c >= 0x20 && c < 0x7f) QVERIFY(!isHiddenCharacter(c));
            if (isHiddenCharacter(c) && c != '\n' && c != '\t')
                QVERIFY2(visibleText(of(c))[0] == '\\', std::to_string(c).c_str());
        }
    }
};

QTEST_APPLESS_MAIN(TestVisibleText)
#include "tst_visible_text.moc"
