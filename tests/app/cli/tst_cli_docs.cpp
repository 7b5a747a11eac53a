// SPDX-License-Identifier: GPL-3.0-or-later
// The manual: docs/cli.md, the pages in docs/cli, the man page and the examples in the help. Each `$ lancet ...` of a
// console block runs, in order, and its standard output is what the page shows. Verbs and passes that are missing from
// a page are found here.
#include "program.h"

#include <QDir>
#include <QJsonArray>
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

    /// The verbs that `lancet --help` lists.
    static QStringList verbs() {
        QStringList found;
        const QString help = QString::fromUtf8(lancet({"--help"}).out).section("Verbs:\n", 1);
        for (const QString& line : help.split('\n'))
            if (line.startsWith("  ")) found << line.simplified().section(' ', 0, 0);
        return found;
    }

    /// Runs a command line of a page, with `lancet` in the path, beside a link to the resources.
    Run inShell(const QString& command) const {
        QProcess shell;
        shell.setWorkingDirectory(m_folder.path());
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("PATH", QFileInfo(LANCET_PROGRAM).path() + ":" + environment.value("PATH"));
        shell.setProcessEnvironment(environment);
        shell.start("/bin/sh", {"-c", command});
        Run run;
        if (shell.waitForFinished(60000) && shell.exitStatus() == QProcess::NormalExit) run.exit = shell.exitCode();
        run.out = shell.readAllStandardOutput();
        run.error = shell.readAllStandardError();
        return run;
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
        const Run run = inShell(command);
        QStringList printed;
        for (const QString& line : QString::fromUtf8(run.out).split('\n')) printed << line.trimmed();
        QVERIFY2(run.exit == 0, run.error);
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
        const QString index = textOf("cli.md");
        QSet<QString> shown;
        for (const Example& example : examples()) shown << example.page + ": " + example.command.section(' ', 1, 1);
        QVERIFY(verbs().size() >= 19);
        for (const QString& verb : verbs()) {
            const QRegularExpression entry(
                QStringLiteral("^\\| \\[`%1`\\]\\((cli/[a-z-]+\\.md)#([a-z-]+)\\) \\| [^|]+ \\|").arg(verb),
                QRegularExpression::MultilineOption);
            const QRegularExpressionMatch match = entry.match(index);
            QVERIFY2(match.hasMatch(), qPrintable(verb + " has no line in docs/cli.md"));
            const QString page = match.captured(1), anchor = match.captured(2);
            QVERIFY2(anchorsOf(page).contains(anchor), qPrintable(page + " has no heading for #" + anchor));
            QVERIFY2(shown.contains(page + ": " + verb), qPrintable(verb + " has no example in docs/" + page));
        }
    }

    void verbs_areAllInTheManPage() {
        const QString page = textOf("man/lancet.1");
        for (const QString& verb : verbs()) {
            const QRegularExpression entry(QStringLiteral("^\\.TP\\n\\.BI? %1( |$)").arg(verb),
                                           QRegularExpression::MultilineOption);
            QVERIFY2(entry.match(page).hasMatch(), qPrintable(verb + " is not in docs/man/lancet.1"));
        }
    }

    void help_eachVerb_showsAnExampleThatWorks_data() {
        QTest::addColumn<QString>("verb");
        for (const QString& verb : verbs())
            if (verb != "worker") QTest::newRow(qPrintable(verb)) << verb; // its example reads a file of requests
    }
    void help_eachVerb_showsAnExampleThatWorks() {
        QFETCH(QString, verb);
        const Run help = lancet({verb, "--help"});
        QCOMPARE(help.exit, 0);
        QVERIFY(help.out.contains("--json"));
        QString example = QString::fromUtf8(help.out).section("Example:\n", 1).trimmed();
        QVERIFY2((example + ' ').startsWith("lancet " + verb + ' '), qPrintable(example));
        if (help.out.contains("--seconds")) example += " --seconds 1"; // by default, they measure for longer
        const Run run = inShell(example);
        QVERIFY2(run.exit == (verb == "diff" ? 1 : 0), run.error); // 1: the models differ
    }

    /// docs/cli/passes.md has a row for each pass: its equivalent in PyTorch, or "–".
    void passes_allHaveARow() {
        const QString page = textOf("cli/passes.md");
        const QJsonArray passes = lancet({"passes", "--json"}).json()["passes"].toArray();
        QVERIFY(passes.size() >= 10);
        for (const auto& pass : passes) {
            const QString name = pass.toObject()["name"].toString();
            QVERIFY2(page.contains(QStringLiteral("\n| `%1` | ").arg(name)),
                     qPrintable(name + " has no row in docs/cli/passes.md"));
        }
    }
};

QTEST_GUILESS_MAIN(TestCliDocs)
#include "tst_cli_docs.moc"
