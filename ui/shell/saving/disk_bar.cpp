// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/saving/disk_bar.h"

#include "core/module/data_files.h"
#include "core/module/graph_module.h"
#include "core/tensor/storage.h"
#include "ui/document/document_source.h"
#include "ui/shell/saving/save_request.h"
#include "ui/widgets/save_path.h"
#include "ui/widgets/wrapped_label.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QPushButton>

#include <algorithm>
#include <utility>

namespace ui {

namespace {

constexpr int kSettled = 200; // ms without a change, so that a file is not read while it is written

bool isSame(const std::optional<fx::ModelIdentity>& a, const std::optional<fx::ModelIdentity>& b) {
    return a.has_value() == b.has_value() && (!a || a->difference(*b).empty());
}

/// False when a file was overwritten in place whose content is not kept: the model cannot be written any more.
bool isReadable(const fx::GraphModule& model) {
    const auto files = fx::dataFiles(*model.root);
    return std::ranges::all_of(files, [](const auto& file) { return file->isReadable(); });
}

/// The name of the first file of the model that is not there.
QString missingFile(const fx::ModelIdentity& known) {
    for (const auto& file : known.files)
        if (const QString path = QString::fromStdString(known.pathOf(file)); !QFileInfo::exists(path))
            return nameOfPath(path);
    return {};
}

} // namespace

DiskBar::DiskBar(Document& document, QWidget* parent)
    : QFrame(parent), m_document(document), m_text(new WrappedLabel(this)),
      m_reload(new QPushButton(tr("Reload"), this)), m_keep(new QPushButton(tr("Keep Mine"), this)) {
    setObjectName(QStringLiteral("diskBar"));
    setAccessibleName(tr("Changes by other programs"));
    m_text->setTextFormat(Qt::PlainText);
    m_reload->setToolTip(tr("Open the file as it is on disk now"));
    m_keep->setToolTip(tr("Continue with the model that is open"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(10, 6, 8, 6);
    row->addWidget(m_text, 1);
    row->addWidget(m_reload);
    row->addWidget(m_keep);
    m_settled.setSingleShot(true);
    m_settled.setInterval(kSettled);
    connect(&m_settled, &QTimer::timeout, this, &DiskBar::check);
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, &m_settled, qOverload<>(&QTimer::start));
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, &m_settled, qOverload<>(&QTimer::start));
    connect(m_reload, &QPushButton::clicked, this, &DiskBar::reloadRequested);
    connect(m_keep, &QPushButton::clicked, this, [this] {
        m_kept = m_seen;
        compare();
    });
    connect(&document, &Document::versionChanged, this, [this] { // opened, reloaded or saved, among others
        if (!isSame(m_known, m_document.file().onDisk())) {
            m_known = m_document.file().onDisk();
            m_seen = m_known;
            watch();
        }
        compare();
    });
    hide();
}

/// A file that is replaced as a whole is another one for the watcher; one that is missing may come back to its folder.
void DiskBar::watch() {
    QStringList wanted;
    if (const auto& known = m_document.file().onDisk())
        for (const auto& file : known->files) {
            const QFileInfo info(QString::fromStdString(known->pathOf(file)));
            wanted << (info.exists() ? info.filePath() : info.absolutePath());
        }
    wanted.removeDuplicates();
    QStringList gone;
    for (const QString& path : m_watcher.files() + m_watcher.directories())
        if (wanted.removeAll(path) == 0) gone << path;
    if (!gone.isEmpty()) m_watcher.removePaths(gone);
    if (!wanted.isEmpty()) m_watcher.addPaths(wanted);
}

void DiskBar::check() {
    const auto& known = m_document.file().onDisk();
    if (!known) return;
    m_checking.start(
        [path = QString::fromStdString(known->path), name = known->modelName,
         model = m_document.module()](const fx::Progress&) {
            return Seen{identityAt(path, name), !model || isReadable(*model)};
        },
        this,
        [this, asked = known](const Seen& seen) {
            if (isSame(asked, m_document.file().onDisk())) take(seen);
            else m_settled.start(); // it was saved meanwhile, perhaps under another name
        });
}

/// While the document writes the file itself, it is asked again.
void DiskBar::take(const Seen& seen) {
    if (m_document.operations().isRunning(DocumentOperations::Kind::Save)) return m_settled.start();
    const bool differs = !isSame(std::exchange(m_seen, seen.now), seen.now);
    m_isReadable = seen.isReadable;
    watch();
    compare();
    if (differs) Q_EMIT m_document.diskChanged();
}

void DiskBar::compare() {
    const auto& known = m_document.file().onDisk();
    const bool changed = known && !isSame(known, m_seen);
    const bool kept = m_kept && isSame(*m_kept, m_seen);
    if (!changed) m_kept.reset();
    const QString name = nameOfPath(m_document.file().path()), missing = changed ? missingFile(*known) : QString();
    m_isOutdated = changed;
    const bool isGone = changed && (!m_seen || !missing.isEmpty());
    m_text->setText(isGone ? tr("%1 is no longer on disk.").arg(missing.isEmpty() ? name : missing)
                    : m_isReadable
                        ? tr("%1 has changed on disk.").arg(name)
                        : tr("%1 was overwritten, and the weights that this tab shows can no longer be read. "
                             "To keep edits, save them as a recipe, reload the file, and apply the recipe.")
                              .arg(name));
    m_reload->setVisible(!isGone);
    setVisible(changed && !kept);
    const fx::History* history = m_document.versions().history();
    // The file may have been the only copy of the edits.
    const bool hasEdits = (history && history->model() != history->entries().front().model) ||
                          m_document.isRestored() || // as the user asked for it
                          (m_document.source() && m_document.source()->wasSaved());
    m_document.setFileLost(changed && (isGone || kept || hasEdits));
}

QString DiskBar::text() const { return m_text->text(); }

} // namespace ui
