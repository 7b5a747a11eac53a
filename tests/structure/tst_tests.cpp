// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/structure/repository_files.h"

#include <QRegularExpression>
#include <QTest>

using namespace structure;

/// How tests are written.
class TestTests : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A wait of a fixed time is too short on a loaded machine, and too long on every other: `testing::settle` ends
    /// when nothing more can happen, QTRY_VERIFY when something has.
    void waits_areForConditions() {
        static const QRegularExpression fixed(QStringLiteral("\\bqWait\\("));
        QStringList found;
        for (const QString& file : filesBelow(QStringLiteral("tests"))) {
            if (file == QLatin1String("tests/structure/tst_tests.cpp")) continue;
            const QStringList lines = textOf(file).split(u'\n');
            for (qsizetype line = 0; line < lines.size(); ++line)
                if (fixed.match(lines[line]).hasMatch()) found << QStringLiteral("%1:%2").arg(file).arg(line + 1);
        }
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
    }

    /// A file of tests has one subject; what several share is in a header beside them.
    void files_areShort() {
        constexpr qsizetype kMost = 500;
        QStringList longer;
        for (const QString& file : filesBelow(QStringLiteral("tests")))
            if (const auto lines = textOf(file).count(u'\n'); lines > kMost)
                longer << QStringLiteral("%1: %2 lines").arg(file).arg(lines);
        QVERIFY2(longer.isEmpty(), qPrintable(longer.join(u'\n')));
    }
};

QTEST_GUILESS_MAIN(TestTests)
#include "tst_tests.moc"
