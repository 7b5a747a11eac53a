// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/nested_graphs.h"

#include "core/inputs/nested_inputs.h"
#include "ui/document/node_facts.h"

#include <QCursor>
#include <QMenu>

namespace ui {

NestedGraphs::NestedGraphs(Open open, QWidget* window) : QObject(window), m_open(std::move(open)), m_window(window) {}

void NestedGraphs::openSelected(Document& document) {
    const auto graphs = nestedGraphs(document);
    if (graphs.size() == 1) return open(document, graphs.front());
    if (graphs.empty()) return;
    auto* menu = new QMenu(m_window);
    menu->setObjectName(QStringLiteral("nestedGraphs"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const NestedGraph& each : graphs)
        connect(menu->addAction(
                    elided(document.module()->graph.node(each.node).target(), 60).replace(u'&', QStringLiteral("&&"))),
                &QAction::triggered, &document, [this, &document, each] { open(document, each); });
    menu->popup(QCursor::pos());
}

void NestedGraphs::open(Document& from, const NestedGraph& nested) {
    Document* const document = &from;
    const QString place = elided(document->module()->graph.node(nested.node).target(), 60);
    document->operations().start<std::string>(
        DocumentOperations::Kind::Open, {tr("Opening %1").arg(place), tr("Could not open %1").arg(place)},
        [model = document->shapes().shown(), nested](const fx::Progress&) {
            const auto inputs = fx::nestedInputs(*model, model->graph.node(nested.node), *nested.graph);
            return inputs ? fx::inputsJson(*inputs) : std::string();
        },
        [this, document, nested, place](std::string inputs) {
            std::optional<fx::Error> fixed = document->versions().refusal(); // graphs in a block belong to it
            if (nested.isBlock) fixed = fx::Error(fx::ErrorKind::Refused, fx::Message("script.block_is_shown"));
            const QString title = document->file().title();
            Document* opened = m_open(nested.graph, title + QStringLiteral(" › ") + place, std::move(inputs));
            if (fixed) opened->versions().refuseEdits(*fixed);
            else
                opened->setNote(
                    tr("This is a copy of a nested graph: edits here do not change %1, and are not recovered "
                       "after a crash.")
                        .arg(title));
        });
}

} // namespace ui
