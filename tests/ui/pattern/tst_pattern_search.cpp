// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/models.h"
#include "ui/document/document.h"
#include "ui/pattern/pattern_search.h"

#include <QTest>

using namespace ui;

/// What the panel gets: matches, and errors with their lines as data.
class TestPatternSearch : public QObject {
    Q_OBJECT

    static PatternResult search(const char* pattern, const char* replacement = "") {
        PatternQuery query;
        query.pattern = pattern;
        query.replacement = replacement;
        return searchPattern(*testing::chain(9), query, {});
    }

private Q_SLOTS:
    void matches_haveTheirNodes() {
        const PatternResult result = search("def pattern(x):\n    return torch.relu(x)\n");
        QVERIFY(!result.patternError);
        QVERIFY(result.matches.size() > 1);
        QCOMPARE(result.nodes, result.matches.size());
        QVERIFY(!result.matches.front().anchor.empty());
    }

    void errors_haveTheirLines_data() {
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<int>("line");
        QTest::newRow("syntax") << QByteArray("def pattern(x):\n    y = torch.relu(x)\n    return (y\n")
                                << 2; // the bracket
        QTest::newRow("unknown function")
            << QByteArray("def pattern(x):\n    y = x + 1\n    return torch.nope(y)\n") << 2;
        QTest::newRow("method of a module's result")
            << QByteArray("def pattern(x, bn: torch.nn.BatchNorm2d):\n    y = bn(x)\n    return y.rleu()\n") << 2;
        QTest::newRow("class") << QByteArray("class P(torch.nn.Module):\n    def forward(self, x):\n"
                                             "        return torch.nope(x)\n")
                               << 2;
    }
    void errors_haveTheirLines() {
        QFETCH(QByteArray, pattern);
        QFETCH(int, line);
        const PatternResult result = search(pattern);
        QVERIFY(result.patternError);
        QVERIFY2(result.patternLine == line, result.patternError->where.c_str());
        const QByteArray replacement = QByteArray(pattern).replace("pattern", "replacement");
        const PatternResult replaced = search("def pattern(x):\n    return torch.relu(x)\n", replacement);
        QVERIFY(replaced.replacementError);
        QVERIFY(!replaced.patternError);
        QCOMPARE(replaced.replacementLine, line);
        QCOMPARE(replaced.patternLine, -1);
    }

    void replacement_withOtherInputs_isOfNoLine() {
        const PatternResult result = search("def pattern(x):\n    return torch.relu(x)\n",
                                            "def replacement(x, y):\n    return torch.add(x, y)\n");
        QVERIFY(result.replacementError);
        QCOMPARE(result.replacementLine, -1);
    }

    void step_ofAQuery_replacesTheTicked() {
        PatternQuery query;
        query.pattern = "def pattern(x):\n    return torch.relu(x)\n";
        query.replacement = "def replacement(x):\n    return torch.tanh(x)\n";
        Document document({});
        document.adopt(testing::chain(9), QStringLiteral("chain"));
        const PatternResult result = searchPattern(*document.module(), query, {});
        QVERIFY(
            document.versions().edit(QStringLiteral("Replace"), replaceStep(query, {result.matches.front().anchor})));
        const PatternResult rest = searchPattern(*document.module(), query, {});
        QCOMPARE(rest.matches.size() + 1, result.matches.size());
    }
};

QTEST_MAIN(TestPatternSearch)
#include "tst_pattern_search.moc"
