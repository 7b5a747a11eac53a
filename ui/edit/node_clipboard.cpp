// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/node_clipboard.h"

#include "core/json/json_writer.h"
#include "core/model_files/save_graphmodule.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QMimeData>
#include <QPointer>
#include <QStandardPaths>
#include <QUuid>

namespace ui {

namespace {
constexpr auto kFormat = "application/x-lancet-nodes";
}

void NodeClipboard::copy(const Document& document) {
    const auto nodes = document.selectionInGraphOrder();
    m_copied = std::make_shared<const fx::Extracted>(fx::extractNodes(*document.module(), nodes));
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

/// Behind the last of what feeds the nodes.
QByteArray NodeClipboard::steps(const Document& document, const std::string& file) const {
    const fx::Graph& graph = document.module()->graph;
    std::vector<fx::NodeId> selected = document.selectionInGraphOrder();
    std::erase_if(selected, [&](fx::NodeId node) { return graph.node(node).op() == fx::Op::Output; });
    fx::NodeId after = selected.empty() ? fx::kNoNode : selected.back();
    fx::JsonWriter inputs;
    inputs.beginObject();
    std::size_t next = 0;
    for (const fx::Node& node : m_copied->model.graph.nodes()) {
        if (node.op() != fx::Op::Placeholder) continue;
        fx::NodeId feeds = next < selected.size() ? selected[next++] : graph.find(node.name());
        if (feeds == fx::kNoNode)
            throw fx::Error(fx::ErrorKind::Refused,
                            QCoreApplication::translate("NodeClipboard", "the copied nodes need an input for %1")
                                .arg(QString::fromStdString(node.name()))
                                .toStdString())
                .hinting(QCoreApplication::translate("NodeClipboard", "select the nodes to use as inputs, then paste")
                             .toStdString());
        if (after == fx::kNoNode || graph.isBefore(after, feeds)) after = feeds;
        inputs.key(node.name()).beginObject().key("node").string(graph.node(feeds).name()).endObject();
    }
    if (after == fx::kNoNode) after = graph.order().front();
    fx::JsonWriter json;
    json.beginArray()
        .beginObject()
        .key("step")
        .string("insert_model")
        .key("file")
        .string(file)
        .key("after")
        .string(graph.node(after).name());
    json.key("inputs").raw(inputs.endObject().text()).endObject();
    return QByteArray::fromStdString(json.endArray().text());
}

void NodeClipboard::paste(Document& document) {
    try {
        steps(document, {}); // refuses before anything is written
    } catch (const fx::Error& error) {
        Q_EMIT document.refused(error);
        return;
    }
    // The file stays: the history, the crash journal and recipes name it.
    QDir folder(QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
                QStringLiteral("/lancet/pasted"));
    folder.mkpath(QStringLiteral("."));
    const std::string file = folder.filePath(m_token + QStringLiteral(".pt")).toStdString();
    m_writing.start(
        [copied = m_copied, file](const fx::Progress& progress) {
            if (!QFile::exists(QString::fromStdString(file))) fx::saveGraphModule(copied->model, file, false, progress);
            return file;
        },
        &document,
        [this, target = QPointer<Document>(&document)](const std::string& written) {
            try {
                const std::size_t count = m_copied->model.graph.size() - m_copied->inputs.size() - 1;
                if (target)
                    target->editInBackground(count == 1 ? tr("Paste 1 node") : tr("Paste %1 nodes").arg(count),
                                             steps(*target, written));
            } catch (const fx::Error& error) { Q_EMIT target->refused(error); }
        },
        [target = QPointer<Document>(&document)](const fx::Error& error) {
            if (target) Q_EMIT target->refused(error);
        });
}

} // namespace ui
