// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/code/merge_code.h"
#include "tests/sanitized.h"

#include <QtTest>

using namespace fx;

class TestMergeCode : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void merge_keepsBothEdits_data() {
        for (const char* column : {"base", "mine", "theirs", "merged"}) QTest::addColumn<QByteArray>(column);
        QTest::addColumn<int>("conflicts");
        const auto row = [](const char* name, const char* base, const char* mine, const char* theirs,
                            const char* merged, int conflicts) {
            QTest::newRow(name) << QByteArray(base) << QByteArray(mine) << QByteArray(theirs) << QByteArray(merged)
                                << conflicts;
        };
        row("nothing", "a\nb\n", "a\nb\n", "a\nb\n", "a\nb\n", 0);
        row("only mine", "a\nb\nc", "a\nX\nc", "a\nb\nc", "a\nX\nc", 0);
        row("only theirs", "a\nb\nc", "a\nb\nc", "a\nX\nY\nc", "a\nX\nY\nc", 0);
        row("apart", "a\nb\nc\nd\ne\n", "a\nB\nc\nd\ne\n", "a\nb\nc\nD\nD2\ne\n", "a\nB\nc\nD\nD2\ne\n", 0);
        row("removed and added", "a\nb\nc\nd\n", "a\nc\nd\n", "a\nb\nc\nnew\nd\n", "a\nc\nnew\nd\n", 0);
        row("same change", "a\nb\nc\n", "a\nX\nc\n", "a\nX\nc\n", "a\nX\nc\n", 0);
        row("both changed", "a\nb\nc\n", "a\nX\nc\n", "a\nY\nc\n", "a\nX\nc\n", 1);
        row("at the ends", "b\nc", "a\nb\nc", "b\nc\nd", "a\nb\nc\nd", 0);
        row("lines that are there often", "\n\na\n\nb\n\n", "\n\na\nX\n\nb\n\n", "\n\na\n\nb\nY\n\n",
            "\n\na\nX\n\nb\nY\n\n", 0);
        row("freed values differ", "a = f(x)\nb = g(a);  a = None\nk = 1\nc = b\n",
            "a = f(x)\nb = g(a);  a = None\nk = 1\nc = a + b\n", "a = f(x);  x = None\nb = h(a)\nk = 1\nc = b\n",
            "a = f(x);  x = None\nb = h(a)\nk = 1\nc = a + b\n", 0);
        row("neighbours changed", "a\nb\nc\nd\n", "a\nB\nc\nd\n", "a\nb\nC\nd\n", "a\nB\nc\nd\n", 1);
        row("everything else", "a\nb\n", "x\n", "a\nb\nc\n", "x\n", 1);
        row("empty base", "", "a\n", "", "a\n", 0);
    }
    void merge_keepsBothEdits() {
        QFETCH(QByteArray, base);
        QFETCH(QByteArray, mine);
        QFETCH(QByteArray, theirs);
        QFETCH(QByteArray, merged);
        QFETCH(int, conflicts);
        const MergedCode result = mergeCode(base.toStdString(), mine.toStdString(), theirs.toStdString());
        QCOMPARE(QByteArray::fromStdString(result.text), merged);
        QCOMPARE(result.conflicts, conflicts);
    }

    void manyLines_areQuick() {
        std::string base, mine, theirs;
        for (int i = 0; i < 100'000; ++i) {
            const std::string line = i % 3 == 0 ? "same\n" : "line " + std::to_string(i) + "\n";
            base += line;
            mine += i % 1000 == 0 ? "mine\n" + line : line;
            theirs += i % 1000 == 500 ? "theirs\n" : line;
        }
        QElapsedTimer timer;
        timer.start();
        const MergedCode merged = mergeCode(base, mine, theirs);
        QCOMPARE(merged.conflicts, 0);
        QCOMPARE(std::count(merged.text.begin(), merged.text.end(), '\n'), std::ptrdiff_t{100'100});
        QVERIFY(timer.elapsed() < kPatience * 3000);
    }
};

QTEST_APPLESS_MAIN(TestMergeCode)
#include "tst_merge_code.moc"
