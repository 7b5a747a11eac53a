// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/recovery_offer.h"

#include "core/files/read_text.h"
#include "ui/document/node_facts.h"
#include "ui/widgets/core_text.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStringList>

namespace ui {

namespace {

constexpr std::uint64_t kMostText = 4 << 20; // bytes
constexpr int kLongestLine = 48, kPreviewLines = 12;
constexpr qsizetype kClasses = 3;

QString tr(const char* text) { return QCoreApplication::translate("ui::RecoveryOffer", text); }

/// What the file of the journal has, or had; empty if that cannot be read.
QString savedText(const fx::OrphanedJournal& journal) {
    for (const std::string& path : {journal.base().path, journal.keptBase()}) {
        try {
            return QString::fromStdString(fx::readTextFile(path, kMostText));
        } catch (const fx::Error&) {} // NOLINT(bugprone-empty-catch)
    }
    return {};
}

/// The classes of a source, else its first statement.
QString contentOf(const QString& text) {
    static const QRegularExpression kClass(QStringLiteral("^class\\s+(\\w+)"), QRegularExpression::MultilineOption);
    QStringList names;
    for (auto each = kClass.globalMatch(text); each.hasNext();) names << each.next().captured(1);
    if (names.size() > kClasses) names = names.mid(0, kClasses) << QStringLiteral("…");
    if (!names.isEmpty()) return names.join(QStringLiteral(", "));
    for (const QString& line : text.split(u'\n'))
        if (const QString bare = line.trimmed(); !bare.isEmpty() && !bare.startsWith(u'#')) return bare;
    return tr("empty");
}

/// Sources that begin alike, as new ones do, differ in what was changed first.
void describeUntitled(RecoveryOffer& offer) {
    const QString saved = savedText(*offer.journal);
    const auto& draft = offer.journal->draft();
    const QString text = draft && draft->source ? QString::fromStdString(*draft->source) : saved;
    const QStringList lines = text.split(u'\n'), before = saved.split(u'\n');
    qsizetype changed = 0;
    while (changed < lines.size() && changed < before.size() && lines[changed] == before[changed]) ++changed;
    QString what = elided(contentOf(text).toStdString(), kLongestLine);
    if (!saved.isEmpty() && changed < lines.size())
        what =
            tr("%1; line %2: %3")
                .arg(what, QString::number(changed + 1), elided(lines[changed].trimmed().toStdString(), kLongestLine));
    offer.name = tr("Untitled (%1)").arg(what);
    const qsizetype first = changed < lines.size() ? std::max<qsizetype>(changed - 2, 0) : 0;
    offer.preview = visibleLines(lines.mid(first, kPreviewLines).join(u'\n'));
}

} // namespace

RecoveryOffer recoveryOffer(std::shared_ptr<fx::OrphanedJournal> journal) {
    RecoveryOffer offer{std::move(journal), {}, {}, {}, false};
    offer.isOnlyCopy = offer.journal->problem().empty() && !offer.journal->hasChanges() && offer.journal->hasOnlyCopy();
    const auto* save = offer.journal->lastSave();
    const QFileInfo file(QString::fromStdString(save && save->file ? save->file->path : offer.journal->base().path));
    offer.path = file.filePath();
    offer.name = visible(file.fileName());
    // In a file of Lancet's own, whose name the user does not know.
    if (offer.path.contains(QLatin1String("/lancet/new/untitled_"))) describeUntitled(offer);
    return offer;
}

} // namespace ui
