// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDir>
#include <QFile>
#include <QTest>

/// A case of a file in tests/data: text in, text out. tests/data/README.md describes the files.
struct TableCase {
    QByteArray preamble; ///< of the file, without notes; ends with a newline unless it is empty
    QByteArray input;    ///< ends with a newline
    QString expected;    ///< what Python says
    QString but;         ///< what Lancet says instead; null if it says what is expected

    /// Returns the number of lines before the input.
    std::size_t linesBefore() const { return static_cast<std::size_t>(preamble.count('\n')); }
};
Q_DECLARE_METATYPE(TableCase)

namespace table {

/// Adds a row for each case of tests/data/AREA/PATTERN, with the column "given". Blanks separate several patterns.
inline void addRows(const char* area, const char* patterns) {
    QTest::addColumn<TableCase>("given");
    const QDir folder(QString(LANCET_SOURCE_DIR "/tests/data/") + area);
    const QStringList names = folder.entryList(QString(patterns).split(' '), QDir::Files, QDir::Name);
    if (names.empty()) qFatal("no tables");
    for (const QString& name : names) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read a table");
        QByteArray preamble, title;
        QByteArray parts[3]; // input, expected, but Lancet
        int part = -1;
        const auto finish = [&] {
            if (part < 0) return;
            TableCase made{preamble, parts[0].trimmed() + "\n", QString::fromUtf8(parts[1]).trimmed(), {}};
            if (part == 2) made.but = QString::fromUtf8(parts[2]).trimmed();
            QTest::newRow(name.chopped(4).toUtf8() + ": " + title) << made;
            for (QByteArray& text : parts) text.clear();
        };
        for (const QByteArray& line : file.readAll().split('\n')) {
            if (line.startsWith("== ")) finish(), part = 0, title = line.mid(3);
            else if (line == "-- expected") part = 1;
            else if (line == "-- but Lancet") part = 2;
            else if (part >= 0) parts[part] += line + "\n";
            else if (!line.isEmpty() && !line.startsWith('#')) preamble += line + "\n";
        }
        finish();
    }
}

/// Both texts without the lines that they begin and end with in common.
inline QString difference(const QString& expected, const QString& said) {
    QStringList wanted = expected.split('\n'), found = said.split('\n');
    QString before;
    while (!wanted.empty() && !found.empty() && wanted.first() == found.first())
        before = wanted.takeFirst(), found.removeFirst();
    while (!wanted.empty() && !found.empty() && wanted.last() == found.last()) wanted.removeLast(), found.removeLast();
    const auto marked = [](const QStringList& lines, const char* mark) {
        QString out;
        for (const QString& line : lines) out += mark + line + "\n";
        return out;
    };
    return "\n" + (before.isNull() ? QString() : "  " + before + "\n") + marked(wanted, "- ") + marked(found, "+ ");
}

/// What is said of each line of the input.
template<class Say> QString byLine(const TableCase& given, const Say& say) {
    QString out;
    for (const QByteArray& line : given.input.chopped(1).split('\n'))
        out += QString::fromStdString(say(line.toStdString())) + "\n";
    return out;
}

/// Requires that Lancet says what the case says.
inline void compare(const TableCase& given, const QString& text) {
    const QString said = text.trimmed().isEmpty() ? QString("(nothing)") : text.trimmed();
    if (said == given.expected && !given.but.isNull()) QFAIL("Lancet says what is expected: remove \"but Lancet\"");
    const QString& wanted = given.but.isNull() ? given.expected : given.but;
    if (said != wanted) QFAIL(qPrintable(difference(wanted, said)));
}

} // namespace table
