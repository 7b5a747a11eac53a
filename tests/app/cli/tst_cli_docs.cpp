// SPDX-License-Identifier: GPL-3.0-or-later
// The examples of docs/cli.md: each `$ lancet ...` of a console block runs, in order, and its standard output is what
// the page shows.
#include "program.h"

#include <QDir>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

class TestCliDocs : public QObject {
    Q_OBJECT

    struct Example {
        QString command;
        QStringList expected;
    };

    QTemporaryDir m_folder;

    static QList<Example> examples() {
        QList<Example> found;
        bool inside = false;
        for (const QString& line : QString::fromUtf8(contentOf(LANCET_SOURCE_DIR "/docs/cli.md")).split('\n')) {
            if (line.startsWith("```")) inside = line == "```console";
            else if (inside && line.startsWith("$ ")) found.append({line.mid(2), {}});
            else if (inside && !found.isEmpty()) found.back().expected << line.trimmed();
        }
        return found;
    }

    /// The text with "..." for anything, also over several lines.
    static QRegularExpression patternOf(const QStringList& lines) {
        const QString text = QRegularExpression::escape(lines.join('\n').trimmed());
        return QRegularExpression(
            QRegularExpression::anchoredPattern(QString(text).replace(QRegularExpression::escape("..."), ".*")),
            QRegularExpression::DotMatchesEverythingOption);
    }

private Q_SLOTS:
    void initTestCase() { QVERIFY(QFile::link(LANCET_SOURCE_DIR "/resources", m_folder.filePath("resources"))); }

    void example_prints_whatThePageShows_data() {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QStringList>("expected");
        for (const Example& example : examples())
            QTest::newRow(qPrintable(example.command)) << example.command << example.expected;
    }
    void example_prints_whatThePageShows() {
        QFETCH(QString, command);
        QFETCH(QStringList, expected);
        QProcess shell;
        shell.setWorkingDirectory(m_folder.path());
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("PATH", QFileInfo(LANCET_PROGRAM).path() + ":" + environment.value("PATH"));
        shell.setProcessEnvironment(environment);
        shell.start("/bin/sh", {"-c", command});
        QVERIFY(shell.waitForFinished(60000));
        QStringList printed;
        for (const QString& line : QString::fromUtf8(shell.readAllStandardOutput()).split('\n'))
            printed << line.trimmed();
        QVERIFY2(shell.exitCode() == 0, shell.readAllStandardError());
        QVERIFY2(patternOf(expected).match(printed.join('\n').trimmed()).hasMatch(), qPrintable(printed.join('\n')));
    }

    void verbs_allHaveAnExample() {
        const QString help = QString::fromUtf8(lancet({"--help"}).out).section("Verbs:\n", 1);
        QSet<QString> shown;
        for (const Example& example : examples()) shown << example.command.section(' ', 1, 1);
        int verbs = 0;
        for (const QString& line : help.split('\n')) {
            if (!line.startsWith("  ")) continue;
            const QString verb = line.simplified().section(' ', 0, 0);
            QVERIFY2(shown.contains(verb), qPrintable(verb + " has no example in docs/cli.md"));
            ++verbs;
        }
        QVERIFY(verbs >= 19);
    }
};

QTEST_GUILESS_MAIN(TestCliDocs)
#include "tst_cli_docs.moc"
