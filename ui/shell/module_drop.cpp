// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/module_drop.h"

#include "ui/document/module_tree_model.h"

#include <QDropEvent>
#include <QMimeData>

namespace ui {

namespace {
constexpr double kReach = 24; ///< px: a drop beside a node or edge is meant for it
}

ModuleDrop::ModuleDrop(Document* document, GraphCanvas* canvas)
    : QObject(canvas), m_document(document), m_canvas(canvas) {
    canvas->setAcceptDrops(true);
    canvas->installEventFilter(this);
}

bool ModuleDrop::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
    case QEvent::DragEnter:
    case QEvent::DragMove:
    case QEvent::Drop: return follow(static_cast<QDropEvent&>(*event), event->type() == QEvent::Drop);
    case QEvent::DragLeave: leave(); return false;
    default: return QObject::eventFilter(watched, event);
    }
}

/// A drop where it may not be comes as one that leaves: what was said about the place stays, for who let go there.
void ModuleDrop::leave() {
    m_spot.reset();
    m_canvas->hideDrop();
    Q_EMIT told(std::exchange(m_refusal, {}));
}

/// Always true: what is none of ours is ignored, so that the window gets it.
bool ModuleDrop::follow(QDropEvent& event, bool drops) {
    const QByteArray path = event.mimeData()->data(QString::fromLatin1(ModuleTreeModel::kMimeType));
    const bool ours = event.mimeData()->hasFormat(QString::fromLatin1(ModuleTreeModel::kMimeType)) && m_document &&
                      m_document->state() == Document::State::Ready;
    event.ignore();
    if (!ours) return true;
    const GraphCanvas::Spot spot = m_canvas->spotAt(event.position(), kReach);
    const ModuleCall call{path.toStdString(), spot.node, spot.user};
    const QString why = !spot.group.isEmpty() && spot.node == fx::kNoNode
                            ? tr("Open %1 before dropping into it.").arg(spot.group)
                            : QString();
    const QString reason = why.isEmpty() ? whyNoCall(*m_document->module(), call) : why;
    if (reason.isEmpty() || event.type() == QEvent::DragEnter) event.setDropAction(Qt::CopyAction), event.accept();
    m_refusal = reason.isEmpty() ? QString() : tr("Not dropped: %1").arg(reason);
    if (drops) {
        leave();
        if (reason.isEmpty()) drop(call);
    } else if (m_spot != spot) {
        m_spot = spot;
        m_canvas->showDrop(spot, reason.isEmpty());
        Q_EMIT told(reason.isEmpty() ? callName(*m_document->module(), call) : reason);
    }
    return true;
}

void ModuleDrop::drop(const ModuleCall& call) {
    try {
        const fx::GraphModule& module = *m_document->module();
        Q_EMIT dropped(callName(module, call), callModuleSteps(module, call));
    } catch (const fx::Error& error) { Q_EMIT refused(error); }
}

} // namespace ui
