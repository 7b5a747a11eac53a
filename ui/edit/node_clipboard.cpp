// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/node_clipboard.h"

#include "core/edit/steps/step_files.h"
#include "core/edit/steps/steps.h"
#include "core/model_files/save_graphmodule.h"
#include "ui/document/kept_files.h"

#include <QApplication>
#include <QClipboard>
#include <QMimeData>
#include <QPointer>
#include <QUuid>

#include <algorithm>

namespace ui {

namespace {
constexpr auto kFormat = "application/x-lancet-nodes";
} // namespace

void NodeClipboard::copy(const Document& document) {
    const auto nodes = document.selection().inGraphOrder();
    m_copied = std::make_shared<const fx::Extracted>(fx::extractNodes(*document.module(), nodes));
    m_file.reset();
    m_source = &document;
    m_nodes = nodes;
    m_token = QUuid::createUuid().toString(QUuid::WithoutBraces);
    QStringList names;
    for (const fx::NodeId node : nodes) names << QString::fromStdString(document.module()->graph.node(node).name());
    auto* data = new QMimeData;
    data->setText(names.join(u'\n'));
    data->setData(QLatin1String(kFormat), m_token.toUtf8());
    QApplication::clipboard()->setMimeData(data);
}

bool NodeClipboard::holdsNodes() const {
    const QMimeData* data = QApplication::clipboard()->mimeData();
    return m_copied && data && data->data(QLatin1String(kFormat)) == m_token.toUtf8();
}

/// What the selection says about where to paste: nothing, directly after copying it.
std::vector<fx::NodeId> NodeClipboard::feeding(const Document& document) const {
    std::vector<fx::NodeId> selected = document.selection().inGraphOrder();
    if (m_source == &document && selected == m_nodes) return {};
    std::erase_if(selected,
                  [&](fx::NodeId node) { return document.module()->graph.node(node).op() == fx::Op::Output; });
    return selected;
}

/// Behind the last of what feeds the nodes, or behind the nodes that were copied.
fx::StepList NodeClipboard::steps(const Document& document, const std::string& file) const {
    const fx::Graph& graph = document.module()->graph;
    const std::vector<fx::NodeId> selected = feeding(document);
    const std::vector<fx::NodeId> behind = selected.empty() ? document.selection().inGraphOrder() : selected;
    fx::NodeId after = behind.empty() ? fx::kNoNode : behind.back();
    if (after != fx::kNoNode && graph.node(after).op() == fx::Op::Output) after = fx::kNoNode;
    fx::Kwargs inputs;
    std::size_t next = 0;
    for (const fx::Node& node : m_copied->model.graph.nodes()) {
        if (node.op() != fx::Op::Placeholder) continue;
        fx::NodeId feeds = next < selected.size() ? selected[next++] : graph.find(node.name());
        if (feeds == fx::kNoNode)
            throw fx::Error(fx::ErrorKind::Refused, fx::Message("window.paste_input", {{"name", node.name()}}));
        if (after == fx::kNoNode || graph.isBefore(after, feeds)) after = feeds;
        inputs.emplace_back(node.name(), feeds);
    }
    if (after == fx::kNoNode) after = graph.order().front();
    return fx::StepList().insertModel(file, graph.node(after).name(), graph, inputs);
}

void NodeClipboard::paste(Document& document) {
    try {
        steps(document, {}); // refuses before anything is written
    } catch (const fx::Error& error) {
        Q_EMIT document.versions().refused(error);
        return;
    }
    if (m_file) return insert(document, m_file);
    m_writing.start(
        [copied = m_copied, folder = keptFilesFolder()](const fx::Progress& progress) {
            return fx::PastedFile::make(
                folder, [&](const std::string& path) { fx::saveGraphModule(copied->model, path, false, progress); });
        },
        &document,
        [this, target = QPointer<Document>(&document), copied = m_copied](const File& written) {
            if (m_copied == copied) m_file = written;
            if (target && m_copied == copied) insert(*target, written);
        },
        [target = QPointer<Document>(&document)](const fx::Error& error) {
            if (target) Q_EMIT target->versions().refused(error);
        });
}

void NodeClipboard::insert(Document& document, const File& file) {
    release();
    m_inUse.emplace_back(&document, file);
    connect(&document, &QObject::destroyed, this, &NodeClipboard::release, Qt::UniqueConnection);
    try {
        const std::size_t count = m_copied->model.graph.size() - m_copied->inputs.size() - 1;
        const auto show = [target = &document, before = document.module()] {
            target->selection().select(fx::compareVersions(before->graph, target->module()->graph).created, nullptr);
        };
        document.versions().editInBackground(count == 1 ? tr("Paste 1 node") : tr("Paste %1 nodes").arg(count),
                                             steps(document, file->path()), show);
    } catch (const fx::Error& error) { Q_EMIT document.versions().refused(error); }
}

/// A file is needed as long as the history of an open document names it: recipes and projects carry copies.
void NodeClipboard::release() {
    const auto names = [](const Document& document, const std::string& path) {
        if (!document.versions().history() || document.operations().isRunning(DocumentOperations::Kind::Edit))
            return true;
        const auto& entries = document.versions().history()->entries();
        return std::any_of(entries.begin(), entries.end(), [&](const fx::History::Entry& entry) {
            const auto files = fx::filesInSteps(entry.steps);
            return std::find(files.begin(), files.end(), path) != files.end();
        });
    };
    const auto gone =
        std::erase_if(m_inUse, [&](const auto& use) { return !use.first || !names(*use.first, use.second->path()); });
    if (gone > 0) removeUnused(QString::fromStdString(fx::Journal::defaultFolder()));
}

void NodeClipboard::removeUnused(const QString& journals) {
    m_removing.start(
        [journals = journals.toStdString(), folder = keptFilesFolder()](const fx::Progress&) {
            fx::removePastedFiles(folder, journals);
            return true;
        },
        this, [](bool) {});
}

} // namespace ui
