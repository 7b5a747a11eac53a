// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/inspector_panel.h"

#include "ui/inspector/html_parts.h"
#include "ui/inspector/node_html.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/in_place_field.h"

#include <QEvent>
#include <QMimeData>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextDocumentFragment>
#include <QUrl>

namespace ui {

InspectorPanel::InspectorPanel(QWidget* parent) : QTextBrowser(parent) {
    setOpenLinks(false);
    setFrameShape(QFrame::NoFrame);
    document()->setDocumentMargin(12);
    setAccessibleName(tr("Inspector"));
    connect(this, &QTextBrowser::anchorClicked, this, &InspectorPanel::follow);
}

void InspectorPanel::setDocument(Document* document) {
    InPlaceField::commitIn(*viewport());
    if (m_document) m_document->release(this);
    m_document = document;
    m_known.clear();
    if (document) {
        connect(&document->selection(), &NodeSelection::changed, this, [this] {
            InPlaceField::commitIn(*viewport());
            inspect();
        });
        connect(document, &Document::stateChanged, this, &InspectorPanel::inspect);
        connect(&document->shapes(), &DocumentShapes::changed, this, [this] {
            const int at = verticalScrollBar()->value(); // the same node is described
            inspect();
            verticalScrollBar()->setValue(at);
        });
        const auto inspectModel = [this] {
            if (m_document->selection().nodes().empty()) inspect();
        };
        connect(&document->facts(), &VersionFacts::problemsChanged, this, inspectModel); // the totals are there now
        connect(document, &Document::versionChanged, this, inspectModel);                // it may have been saved
        connect(document, &Document::diskChanged, this, inspectModel); // it may tell the size of the file
    }
    inspect();
}

void InspectorPanel::inspect() {
    const GuiScope scope("inspector.show");
    m_reading.cancel();
    m_tensors.clear();
    m_description.clear();
    const bool ready = m_document && m_document->state() == Document::State::Ready;
    if (ready) {
        const auto& selection = m_document->selection().nodes();
        if (m_document->selection().module()) describeModule(*m_document->selection().module());
        else if (selection.size() == 1) describeNode(m_document->shapes().shown()->graph.node(selection.front()));
        else m_description = selection.empty() ? modelHtml(*m_document) : selectionHtml(*m_document);
    }
    m_states.assign(m_tensors.size(), {});
    for (std::size_t i = 0; i < m_tensors.size(); ++i)
        if (const auto known = m_known.find(m_tensors[i].tensor.get()); known != m_known.end()) {
            m_states[i].kind = TensorState::Kind::Done;
            m_states[i].values = known->second;
        }
    verticalScrollBar()->setValue(0);
    render();
    readNext();
}

void InspectorPanel::describeNode(const fx::Node& node) {
    const fx::GraphModule& module = *m_document->module();
    m_description = nodeHtml(*m_document, node);
    if (node.op() == fx::Op::CallModule) {
        const fx::PathTarget target = fx::resolvePath(*module.root, node.target());
        if (target.module) {
            m_description += moduleHtml(*target.module, {});
            m_tensors = tensorsOf(*target.module);
        }
    } else {
        m_tensors = tensorsOf(module, node);
    }
}

void InspectorPanel::describeModule(const QString& path) {
    const fx::PathTarget target = fx::resolvePath(*m_document->module()->root, path.toStdString());
    const fx::Module* module = path.isEmpty() ? m_document->module()->root.get() : target.module;
    if (path.isEmpty() || !module) {
        m_description = modelHtml(*m_document);
    } else {
        m_description = selectionHtml(*m_document);
        m_description.prepend(moduleHtml(*module, path.toStdString()));
        m_tensors = tensorsOf(*module);
    }
}

void InspectorPanel::render() {
    QString html = m_description;
    QString tensors;
    m_drawnWidth = histogramWidth();
    constexpr std::size_t kShown = 40;
    for (std::size_t i = 0; i < m_tensors.size() && i < kShown; ++i)
        tensors += tensorHtml(m_tensors[i], m_states[i], i, histogramWidth());
    if (m_tensors.size() > kShown)
        tensors += QStringLiteral("<p class='muted'>%1</p>").arg(tr("and %1 more").arg(m_tensors.size() - kShown));
    html += section(tr("Tensors"), tensors);
    const int scrolled = verticalScrollBar()->value();
    document()->setDefaultStyleSheet(inspectorStyle());
    setHtml(withBreaks(html));
    verticalScrollBar()->setValue(scrolled);
}

/// Names as they are, without the places where they may break.
QMimeData* InspectorPanel::createMimeDataFromSelection() const {
    auto* copied = new QMimeData; // Qt owns it
    copied->setText(textCursor().selection().toPlainText().remove(kBreak));
    return copied;
}

/// Beside a scroll bar, whether it is there or not: else its coming would make the page too wide.
int InspectorPanel::histogramWidth() const {
    return std::max(120, width() - verticalScrollBar()->sizeHint().width() - 28);
}

QVariant InspectorPanel::loadResource(int type, const QUrl& name) {
    // Nothing but our own pictures: a text of the file can never make this read another file.
    if (type != QTextDocument::ImageResource || name.scheme() != QLatin1String("histogram")) return {};
    const std::size_t index = name.path().toULongLong();
    if (index >= m_states.size() || !m_states[index].values) return {};
    return histogramImage(*m_states[index].values, histogramWidth(), 56, devicePixelRatioF());
}

void InspectorPanel::follow(const QUrl& link) {
    if (!m_document || m_document->state() != Document::State::Ready) return;
    const std::size_t index = link.path().toULongLong();
    if (link.scheme() == QLatin1String("node") && index < m_document->module()->graph.idLimit())
        m_document->selection().goTo(static_cast<fx::NodeId>(index), this);
    else if (link.scheme() == QLatin1String("module"))
        m_document->selection().selectModule(link.path(QUrl::FullyDecoded), this);
    else if (link.scheme() == QLatin1String("read") && index < m_states.size()) {
        m_states[index].kind = TensorState::Kind::Asked;
        readNext();
    } else if (link.scheme() == QLatin1String("edit")) {
        editInPlace(link);
    } else if (link.scheme() == QLatin1String("stop") && index < m_states.size()) {
        m_reading.cancel();
        m_states[index].kind = TensorState::Kind::Failed;
        m_states[index].why = tr("stopped");
        render();
        readNext();
    }
}

/// Where the value stands that a link behind it changes: the cell of the table up to the right edge.
QRect InspectorPanel::placeOf(const QUrl& link) const {
    const QString name = link.toString();
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next())
        for (auto each = block.begin(); !each.atEnd(); ++each) {
            if (each.fragment().charFormat().anchorHref() != name) continue;
            QTextCursor cursor(document());
            cursor.setPosition(block.position());
            const QRect start = cursorRect(cursor);
            return {start.left() - 4, start.top(), viewport()->width() - start.left() - 4, start.height()};
        }
    return {};
}

/// "edit:argument/PLACE" and "edit:setting/NAME" open a field on the value of what is shown.
void InspectorPanel::editInPlace(const QUrl& link) {
    const QString kind = link.path().section(u'/', 0, 0),
                  name = QUrl::fromPercentEncoding(link.path(QUrl::FullyEncoded).section(u'/', 1).toUtf8());
    const fx::GraphModule& module = *m_document->module();
    const bool one = !m_document->selection().module() && m_document->selection().nodes().size() == 1;
    if (kind == QLatin1String("argument") && one) {
        const fx::Node& node = module.graph.node(m_document->selection().nodes().front());
        const QString text = argumentText(module.graph, node, name);
        new InPlaceField(
            placeOf(link), text,
            [this, id = node.id(), name, text](const QString& typed) {
                if (typed != text) Q_EMIT argumentEdited(m_document, id, name, typed);
            },
            viewport());
    } else if (kind == QLatin1String("setting")) {
        const std::string path = m_document->selection().module() ? m_document->selection().module()->toStdString()
                                 : one ? module.graph.node(m_document->selection().nodes().front()).target()
                                       : std::string();
        const fx::PathTarget target = fx::resolvePath(*module.root, path);
        const QString text = target.module ? settingText(*target.module, name) : QString();
        new InPlaceField(
            placeOf(link), text,
            [this, path = QString::fromStdString(path), name, text](const QString& typed) {
                if (typed != text) Q_EMIT settingEdited(m_document, path, name, typed);
            },
            viewport());
    }
}

void InspectorPanel::readNext() {
    if (m_reading.running()) return;
    for (std::size_t i = 0; i < m_states.size(); ++i) {
        const bool asked = m_states[i].kind == TensorState::Kind::Asked;
        const bool small =
            m_states[i].kind == TensorState::Kind::Waiting && m_tensors[i].tensor->byteCount() <= kReadUnasked;
        if (asked || small) return read(i);
    }
}

void InspectorPanel::read(std::size_t index) {
    m_states[index].kind = TensorState::Kind::Running;
    const fx::TensorPtr tensor = m_tensors[index].tensor;
    m_reading.start([tensor](const fx::Progress& progress) { return fx::computeStatistics(*tensor, progress); }, this,
                    [this, index, tensor](fx::TensorStatistics values) {
                        m_known[tensor.get()] = values;
                        m_states[index].kind = TensorState::Kind::Done;
                        m_states[index].values = values;
                        render();
                        readNext();
                    },
                    [this, index](const fx::Error& error) {
                        m_states[index].kind = TensorState::Kind::Failed;
                        m_states[index].why = linesFromCore(error.what());
                        render();
                        readNext();
                    },
                    [this, index](const QString&, double done) {
                        if (static_cast<int>(done * 20) == static_cast<int>(m_states[index].done * 20)) return;
                        m_states[index].done = done;
                        render();
                    });
}

void InspectorPanel::changeEvent(QEvent* event) {
    QTextBrowser::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) inspect();
}

void InspectorPanel::resizeEvent(QResizeEvent* event) {
    QTextBrowser::resizeEvent(event);
    if (histogramWidth() != m_drawnWidth && !m_tensors.empty()) render();
}

} // namespace ui
