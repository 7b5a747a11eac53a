// SPDX-License-Identifier: GPL-3.0-or-later
// The manual: docs/cli.md and the pages in docs/cli. Each `$ lancet ...` of a console block runs, in order, and its
// standard output is what the page shows.
#include "program.h"

#include <QDir>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

class TestCliDocs : public QObject {
    Q_OBJECT

    struct Example {
        QString page, command;
        QStringList expected;
    };

    QTemporaryDir m_folder;

    static QString textOf(const QString& page) {
        return QString::fromUtf8(contentOf(QStringLiteral(LANCET_SOURCE_DIR "/docs/") + page));
    }

    /// docs/cli.md and the pages that it links, in the order of the first link to each.
    static QStringList pages() {
        static const QRegularExpression link(QStringLiteral("\\((cli/[a-z-]+\\.md)[#)]"));
        const QString index = textOf("cli.md");
        QStringList found = {"cli.md"};
        for (auto match = link.globalMatch(index); match.hasNext();)
            if (const QString page = match.next().captured(1); !found.contains(page)) found << page;
        return found;
    }

    /// The lines of a page. A line that ends with " \" continues on the next.
    static QStringList linesOf(const QString& page) {
        QStringList lines;
        bool continues = false;
        for (const QString& line : textOf(page).split('\n')) {
            if (continues) lines.back() += line.trimmed();
            else lines << line;
            continues = lines.back().endsWith(" \\");
            if (continues) lines.back().chop(1);
        }
        return lines;
    }

    static QList<Example> examples() {
        QList<Example> found;
        for (const QString& page : pages()) {
            bool inside = false;
            for (const QString& line : linesOf(page)) {
                if (line.startsWith("```")) inside = line == "```console";
                else if (inside && line.startsWith("$ ")) found.append({page, line.mid(2), {}});
                else if (inside && !found.isEmpty()) found.back().expected << line.trimmed();
            }
        }
        return found;
    }

    /// The anchors of a page's headings: lower case, without punctuation, with hyphens for spaces.
    static QStringList anchorsOf(const QString& page) {
        static const QRegularExpression heading(QStringLiteral("^#+ (.*)$"), QRegularExpression::MultilineOption);
        static const QRegularExpression punctuation(QStringLiteral("[^a-z0-9_ -]"));
        const QString text = textOf(page);
        QStringList anchors;
        for (auto match = heading.globalMatch(text); match.hasNext();)
            anchors << match.next().captured(1).toLower().remove(punctuation).replace(' ', '-');
        return anchors;
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

    void pages_areAllLinkedByTheIndex() {
        QStringList linked = pages(), there = {"cli.md"};
        for (const QString& name : QDir(LANCET_SOURCE_DIR "/docs/cli").entryList({"*.md"}, QDir::Files))
            there << "cli/" + name;
        linked.sort();
        there.sort();
        QCOMPARE(linked, there);
        QVERIFY(there.size() > 1);
    }

    /// The index has a line for each verb, which links the heading that describes it; that page has an example of it.
    void verbs_allHaveALineAndAnExample() {
        const QString help = QString::fromUtf8(lancet({"--help"}).out).section("Verbs:\n", 1);
        const QString index = textOf("cli.md");
        QSet<QString> shown;
        for (const Example& example : examples()) shown << example.page + ": " + example.command.section(' ', 1, 1);
        int verbs = 0;
        for (const QString& line : help.split('\n')) {
            if (!line.startsWith("  ")) continue;
            const QString verb = line.simplified().section(' ', 0, 0);
            const QRegularExpression entry(
                QStringLiteral("^\\| \\[`%1`\\]\\((cli/[a-z-]+\\.md)#([a-z-]+)\\) \\| [^|]+ \\|").arg(verb),
                QRegularExpression::MultilineOption);
            const QRegularExpressionMatch match = entry.match(index);
            QVERIFY2(match.hasMatch(), qPrintable(verb + " has no line in docs/cli.md"));
            const QString page = match.captured(1), anchor = match.captured(2);
            QVERIFY2(anchorsOf(page).contains(anchor), qPrintable(page + " has no heading for #" + anchor));
            QVERIFY2(shown.contains(page + ": " + verb), qPrintable(verb + " has no example in docs/" + page));
            ++verbs;
        }
        QVERIFY(verbs >= 19);
    }
};

QTEST_GUILESS_MAIN(TestCliDocs)
#include "tst_cli_docs.moc"
