// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document_file.h"

#include "core/model_files/foresee.h"
#include "core/python/imports/sources.h"
#include "ui/widgets/core_text.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

#include <algorithm>

namespace ui {

namespace {
const QLatin1String kProject(".lancet"), kUntitled("/lancet/new/untitled_");

/// The last part of a path, also of a folder.
QString lastPart(const QString& path) { return visible(path.section(u'/', -1, -1, QString::SectionSkipEmpty)); }
} // namespace

/// "forward (operators only)" is another form of "forward", and no second graph.
QString graphNameOf(const fx::GraphModule* model) {
    if (!model || model->modelNames.size() < 2) return {};
    const std::vector<std::string>& names = model->modelNames;
    const std::string form = names.front() + " (";
    const bool isOne =
        std::all_of(names.begin() + 1, names.end(), [&](const std::string& name) { return name.starts_with(form); });
    return isOne && model->modelName == names.front() ? QString() : fromCore(model->modelName);
}

QString fileTitle(const QString& path) {
    const auto source = fx::splitSourcePath(path.toStdString());
    return lastPart(source ? QString::fromStdString(source->file) : path);
}

DocumentFile::DocumentFile(QString opened)
    : m_opened(std::move(opened)), m_title(visible(QFileInfo(m_opened).fileName())) {}

DocumentFile::~DocumentFile() {
    if (m_isUntitled) QFile::remove(m_opened);
}

QString DocumentFile::titleWithGraph(const fx::GraphModule* model) const {
    const QString graph = graphNameOf(model);
    return graph.isEmpty() ? m_title : m_title + QStringLiteral(" · ") + graph;
}

void DocumentFile::setTitle(const QString& title) { m_title = visible(title); }

void DocumentFile::setAwaited(const QString& path) {
    m_awaited = path;
    if (m_opened == path && m_target.isEmpty()) m_target = path;
}

void DocumentFile::open(const QString& path, const QString& part, std::optional<fx::ModelIdentity> identity) {
    m_opened = path;
    m_title = part.isEmpty() ? fileTitle(path) : visible(part);
    m_onDisk = std::move(identity);
    m_target = path.endsWith(kProject) || path == m_awaited ? path : QString();
}

void DocumentFile::openSource(const QString& path, std::optional<fx::ModelIdentity> identity) {
    m_opened = m_target = path;
    m_title = visible(QFileInfo(path).fileName());
    m_onDisk = std::move(identity);
}

void DocumentFile::begin(const QString& start, const QString& title) {
    static int number = 0; // GUI thread only
    m_opened = start + QStringLiteral("%1_%2.py").arg(QCoreApplication::applicationPid()).arg(++number);
    m_title = visible(title);
    m_isUntitled = true;
}

void DocumentFile::setSourceSaved(const QString& path, std::optional<fx::ModelIdentity> identity) {
    if (m_isUntitled && path != m_opened) QFile::remove(m_opened);
    m_isUntitled = m_isLost = false;
    openSource(path, std::move(identity));
}

void DocumentFile::restore(const fx::ModelIdentity& seen, const std::optional<fx::ModelIdentity>& written) {
    m_onDisk = written ? *written : seen; // a file that differs from it was changed by somebody else
    m_target = written ? QString::fromStdString(written->path) : m_opened.endsWith(kProject) ? m_opened : QString();
    if (written && QFileInfo(m_target).isDir()) m_target += u'/'; // as it was saved
    if (!m_target.isEmpty()) m_title = lastPart(m_target);
}

void DocumentFile::restoreSource(const QString& path, const QString& untitled) {
    m_isUntitled = path.contains(kUntitled);
    if (m_isUntitled) m_title = untitled;
    m_target = m_isUntitled ? QString() : path;
}

void DocumentFile::take(fx::Format modelFormat) {
    m_isLost = false;
    m_format = m_target.isEmpty() ? modelFormat : fx::formatOf(fx::savedAs(m_target.toStdString()));
}

void DocumentFile::setSaved(const QString& path) {
    m_isLost = false;
    if (path.isEmpty()) return;
    m_target = path;
    m_format = fx::formatOf(fx::savedAs(path.toStdString()));
    m_title = lastPart(path);
}

} // namespace ui
