// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts/texts.h"

#include <QDirIterator>
#include <QFile>
#include <QHash>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

namespace {

QString view(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

/// All sources of the program but for the tables.
const QHash<QString, QString>& sources() {
    static const QHash<QString, QString> texts = [] {
        QHash<QString, QString> out;
        const QString root = QStringLiteral(LANCET_SOURCE_DIR "/");
        for (const char* folder : {"core", "app", "ui"}) {
            QDirIterator files(root + folder, {QStringLiteral("*.h"), QStringLiteral("*.cpp")}, QDir::Files,
                               QDirIterator::Subdirectories);
            while (files.hasNext()) {
                QFile file(files.next());
                const QString name = file.fileName().mid(root.size());
                if (!name.startsWith(u"core/diag/") && file.open(QIODevice::ReadOnly))
                    out.insert(name, QString::fromUtf8(file.readAll()));
            }
        }
        return out;
    }();
    return texts;
}

/// `Message("code", {{"a", …}, {"b", …}})` in the sources, as far as brackets and quotes show it.
struct Use {
    QString file, code;
    QSet<QString> arguments;
};
QList<Use> uses() {
    static const QRegularExpression call(QStringLiteral("\\bMessage\\(\\s*\"([^\"]*)\"")),
        name(QStringLiteral("\\{\\s*\"([a-z_]+)\"\\s*,"));
    static const QRegularExpression named(
        QStringLiteral("\\bMessageArgument \\w+\\(\"([a-z_]+)\"|[,:]\\s+\\w+\\(\"([a-z_]+)\""));
    QList<Use> out;
    for (auto source = sources().begin(); source != sources().end(); ++source) {
        QSet<QString> variables; // arguments that several messages of the file share
        for (auto found = named.globalMatch(source.value()); found.hasNext();) {
            const auto match = found.next();
            variables.insert(match.captured(1) + match.captured(2));
        }
        for (auto found = call.globalMatch(source.value()); found.hasNext();) {
            const auto match = found.next();
            qsizetype end = match.capturedEnd(), depth = 1;
            bool quoted = false;
            for (; end < source.value().size() && depth > 0; ++end) {
                const QChar c = source.value()[end];
                if (quoted && c == u'\\') ++end;
                else if (c == u'"') quoted = !quoted;
                else if (!quoted) depth += (c == u'(' || c == u'{') - (c == u')' || c == u'}');
            }
            Use use{source.key(), match.captured(1), variables};
            const QString inside = source.value().mid(match.capturedEnd(), end - match.capturedEnd());
            for (auto argument = name.globalMatch(inside); argument.hasNext();)
                use.arguments.insert(argument.next().captured(1));
            out << use;
        }
    }
    return out;
}

QList<fx::MessageText> allTexts() {
    QList<fx::MessageText> out;
    for (const fx::MessageTexts& table : fx::allMessageTexts())
        for (const fx::MessageText& text : table) out << text;
    return out;
}

QSet<QString> namedIn(const QString& text) {
    static const QRegularExpression placeholder(QStringLiteral("\\{([a-z_]+)(\\|[^{}]*)?\\}"));
    QSet<QString> out;
    for (auto match = placeholder.globalMatch(text); match.hasNext();) out.insert(match.next().captured(1));
    return out;
}

/// What Python and PyTorch say stays as it is.
bool isOfPython(const QString& text) {
    static const QRegularExpression theirs(
        QStringLiteral("^([A-Z]\\w*)?(Error|Exception)\\b|^StopIteration$|^Expected 1 arg for Dropout"));
    return theirs.match(text).hasMatch();
}

/// Names an option or a verb of the command line.
bool isOfTheCommandLine(const QString& text) {
    static const QRegularExpression theirs(QStringLiteral("(^|[\\s`'\"(])--[a-z]|(?<![.\\w])lancet (?!or )[a-z]+\\b"));
    return theirs.match(text).hasMatch();
}

} // namespace

/// The tables of core/diag and the sources that use them.
class TestMessageTexts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void codes_areUniqueAndWellFormed() {
        static const QRegularExpression form(QStringLiteral("^[a-z0-9_]+(\\.[a-z0-9_]+)+$"));
        QSet<QString> seen;
        QStringList wrong;
        for (const auto& text : allTexts()) {
            const QString code = view(text.code);
            if (!form.match(code).hasMatch() || seen.contains(code)) wrong << code;
            seen.insert(code);
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    void codes_thatAreUsed_haveTexts() {
        QSet<QString> known;
        for (const auto& text : allTexts()) known.insert(view(text.code));
        QStringList wrong;
        for (const Use& use : uses())
            if (!known.contains(use.code)) wrong << use.file + QStringLiteral(": ") + use.code;
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    void texts_areUsed() {
        QSet<QString> literals;
        static const QRegularExpression literal(QStringLiteral("\"([a-z0-9_]+(?:\\.[a-z0-9_]+)+)\""));
        for (const QString& source : sources())
            for (auto match = literal.globalMatch(source); match.hasNext();) literals.insert(match.next().captured(1));
        QStringList unused;
        for (const auto& text : allTexts())
            if (!literals.contains(view(text.code)) && text.code != "app.cancelled") // core/diag itself throws this
                unused << view(text.code);
        QVERIFY2(unused.isEmpty(), qPrintable(unused.join(u'\n')));
    }

    void arguments_thatTextsName_areGiven() {
        QHash<QString, QSet<QString>> named;
        for (const auto& text : allTexts()) named.insert(view(text.code), namedIn(view(text.text)));
        QStringList wrong;
        for (const Use& use : uses())
            for (const QString& argument : named.value(use.code) - use.arguments)
                wrong << QStringLiteral("%1: %2 without %3").arg(use.file, use.code, argument);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    /// Windows show texts and hints; what needs a terminal stands in commandLineHint. "cli." is what only `lancet`
    /// says.
    void hints_ofWindows_doNotNameTheCommandLine() {
        QStringList wrong;
        for (const auto& entry : allTexts())
            for (const std::string_view each : {entry.text, entry.hint})
                if (!entry.code.starts_with("cli.") && isOfTheCommandLine(view(each)))
                    wrong << view(entry.code) + QStringLiteral(": ") + view(each);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
        QVERIFY(isOfTheCommandLine(QStringLiteral("pass --guess to use it")));
        QVERIFY(isOfTheCommandLine(QStringLiteral("see `lancet graph` for the nodes")));
        QVERIFY(!isOfTheCommandLine(QStringLiteral("install lancet-worker beside lancet or on PATH")));
    }

    void windows_doNotShowHintsOfTheCommandLine() {
        QStringList wrong;
        for (auto source = sources().begin(); source != sources().end(); ++source)
            if (source.key().startsWith(u"ui/") &&
                source.key() != u"ui/shell/launch.cpp" && // lancet-gui's own terminal
                source.value().contains(u"commandLineHint"))
                wrong << source.key();
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    /// Hints of a code stand in its table; the rest is put together from names.
    void hints_areNotInTheSources() {
        static const QRegularExpression literal(QStringLiteral("\\.hinting\\(\\s*\"[^\"]{12,}"));
        QStringList wrong;
        for (auto source = sources().begin(); source != sources().end(); ++source)
            if (const auto match = literal.match(source.value()); match.hasMatch())
                wrong << source.key() + QStringLiteral(": ") + match.captured();
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    /// raised() and PythonError() are for what Python says; what Lancet says has a code.
    void raisedTexts_areOfPython() {
        static const QRegularExpression call(
            QStringLiteral("\\b(raised|PythonError)\\(\\s*(?:std::string\\()?\"([^\"]*)\""));
        QStringList wrong;
        for (auto source = sources().begin(); source != sources().end(); ++source)
            for (auto found = call.globalMatch(source.value()); found.hasNext();)
                if (const auto match = found.next(); !isOfPython(match.captured(2)))
                    wrong << source.key() + QStringLiteral(": ") + match.captured(2);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    /// "Words" of the house style, as far as a pattern can tell.
    void texts_areInTheStyleOfTheHouse() {
        static const QRegularExpression banned(QStringLiteral(
            "\\b(is none|are none|is told|are told|what would help|takes it back|that is to be|made anew|"
            "of which all|made up|gives back|cannot be known|behind it|in place of which|mend|anew|inside of|"
            "is no tensor|as flat as|colored|normalizations?|normalizes)\\b"));
        QStringList wrong;
        for (const auto& entry : allTexts())
            for (const std::string_view each : {entry.text, entry.hint, entry.commandLineHint}) {
                const QString text = view(each);
                if (text.isEmpty() || isOfPython(text)) continue;
                static const QRegularExpression shout(QStringLiteral("^(A|An|The|This|That|It|No|Cannot|Could|Expected|"
                                                                     "Missing|Unknown|Invalid|Unsupported|There)\\b"));
                if (text.endsWith(u'.') && !text.endsWith(u"...")) wrong << QStringLiteral("full stop: ") + text;
                if (shout.match(text).hasMatch()) wrong << QStringLiteral("upper case: ") + text;
                if (banned.match(text).hasMatch()) wrong << QStringLiteral("wording: ") + text;
                if (text != text.trimmed() || text.contains(u"  ")) wrong << QStringLiteral("spaces: ") + text;
            }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }
};
QTEST_APPLESS_MAIN(TestMessageTexts)
#include "tst_message_texts.moc"
