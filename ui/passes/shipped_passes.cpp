// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/passes/shipped_passes.h"

#include <QDir>
#include <QFile>

namespace ui {

namespace {

/// What stands between the first quotation marks, up to the end of the paragraph.
QString aboutOf(const QByteArray& text) {
    const QByteArray mark = QByteArrayLiteral("\"\"\"");
    const qsizetype start = text.indexOf(mark);
    if (start < 0) return {};
    const qsizetype begin = start + mark.size(), end = text.indexOf(mark, begin);
    QString about = QString::fromUtf8(text.mid(begin, end < 0 ? -1 : end - begin)).trimmed();
    about.truncate(about.contains(QLatin1String("\n\n")) ? about.indexOf(QLatin1String("\n\n")) : about.size());
    return about.replace(u'\n', u' ');
}

std::vector<ShippedPass> read() {
    std::vector<ShippedPass> passes;
    const QDir folder(QStringLiteral(":/lancet/passes"));
    for (const QString& name : folder.entryList({QStringLiteral("*.py")}, QDir::Files, QDir::Name)) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::ReadOnly)) continue;
        const QByteArray text = file.readAll();
        passes.push_back({name.chopped(3), aboutOf(text), text});
    }
    return passes;
}

} // namespace

const std::vector<ShippedPass>& shippedPasses() {
    static const std::vector<ShippedPass> kPasses = read();
    return kPasses;
}

} // namespace ui
