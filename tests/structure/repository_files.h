// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDirIterator>
#include <QFile>
#include <QStringList>

namespace structure {

/// The text of a file of the repository.
inline QString textOf(const QString& file) {
    QFile opened(QStringLiteral(LANCET_SOURCE_DIR "/") + file);
    return opened.open(QIODevice::ReadOnly) ? QString::fromUtf8(opened.readAll()) : QString();
}

/// The headers and sources below a folder of the repository, relative to the repository and sorted.
inline QStringList filesBelow(const QString& folder) {
    const QString root = QStringLiteral(LANCET_SOURCE_DIR "/");
    QDirIterator files(root + folder, {QStringLiteral("*.h"), QStringLiteral("*.cpp")}, QDir::Files,
                       QDirIterator::Subdirectories);
    QStringList out;
    while (files.hasNext()) out << files.next().mid(root.size());
    out.sort();
    return out;
}

} // namespace structure
