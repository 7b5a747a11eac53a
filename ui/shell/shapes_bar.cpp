// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/shapes_bar.h"

#include "ui/document/node_facts.h"
#include "ui/widgets/counted_text.h"
#include "ui/widgets/wrapped_label.h"

#include <QHBoxLayout>
#include <QPushButton>

namespace ui {

namespace {

bool isNotRun(const fx::Message& why) { return why.is("engine.not_inferred"); }

/// How many nodes have no shape, and why: what opening does not run, or values.
QString waitingText(const ShapeNotes& shapes) {
    QStringList notRun;
    bool isForValues = false;
    for (const auto& [node, why] : shapes.waiting) {
        const QString what = isNotRun(why) ? elided(why.argument("what"), 80) : QString();
        if (what.isEmpty()) isForValues = true;
        else if (!notRun.contains(what)) notRun << what;
    }
    if (notRun.isEmpty())
        return counted(
            shapes.waiting.size(),
            ShapesBar::tr("1 node has no shape: it depends on values, and opening a file computes none."),
            ShapesBar::tr("%1 nodes have no shape: they depend on values, and opening a file computes none."));
    const QString what = notRun.size() > 1 ? ShapesBar::tr("%1, and others").arg(notRun.front()) : notRun.front();
    const QString text =
        isForValues
            ? counted(shapes.waiting.size(), QString(),
                      ShapesBar::tr("%1 nodes have no shape: opening a file computes no values and does not "
                                    "run %2."))
            : counted(shapes.waiting.size(), ShapesBar::tr("1 node has no shape: opening a file does not run %2."),
                      ShapesBar::tr("%1 nodes have no shape: opening a file does not run %2."));
    return QString(text).replace(QLatin1String("%2"), what);
}

/// The first nodes with their reasons.
QString waitingList(const ShapeNotes& shapes) {
    constexpr std::size_t kMost = 10;
    QStringList lines;
    for (const auto& [node, why] : shapes.waiting) {
        if (lines.size() == kMost) {
            lines << QStringLiteral("…");
            break;
        }
        lines << QStringLiteral("%1: %2").arg(elided(shapes.version->graph.node(node).name(), 60),
                                              elidedLines(why.text(), 160));
    }
    return plainToolTip(lines.join(u'\n'));
}

} // namespace

ShapesBar::ShapesBar(Document& document, QWidget* parent)
    : QFrame(parent), m_document(document), m_text(new WrappedLabel(this)),
      m_compute(new QPushButton(tr("Compute Shapes"), this)) {
    setAccessibleName(tr("Nodes without a shape"));
    m_text->setTextFormat(Qt::PlainText);
    m_text->setProperty("role", "muted");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(14, 2, 10, 2);
    row->addWidget(m_text, 1);
    row->addWidget(m_compute);
    connect(m_compute, &QPushButton::clicked, this, &ShapesBar::click);
    connect(&document.shapes(), &DocumentShapes::changed, this, &ShapesBar::update);
    connect(&document, &Document::versionChanged, this, &ShapesBar::update);
    connect(&document.operations(), &DocumentOperations::changed, this, &ShapesBar::update);
    update();
}

QString ShapesBar::text() const { return isHidden() ? QString() : m_text->text(); }

const DocumentOperations::Operation* ShapesBar::running() const {
    for (const auto& each : m_document.operations().running())
        if (each.kind == DocumentOperations::Kind::Shapes) return &each;
    return nullptr;
}

void ShapesBar::click() {
    if (running()) m_document.operations().cancel(DocumentOperations::Kind::Shapes);
    else m_document.shapes().ask();
}

void ShapesBar::update() {
    const auto& shapes = m_document.shapes().notes();
    const bool isCurrent = shapes && shapes->version == m_document.module();
    const std::size_t count = isCurrent ? shapes->waiting.size() : 0;
    const QString failure = isCurrent ? shapes->failure : QString();
    setVisible(count > 0 || !failure.isEmpty());
    if (isHidden()) return;
    const auto* run = running();
    m_compute->setText(run ? tr("Cancel") : tr("Compute Shapes"));
    m_compute->setToolTip(run ? tr("Stop computing shapes; those that are known stay")
                              : tr("Run the model in the worker, with guessed inputs where none are known"));
    if (run) m_text->setText(run->waits ? tr("Computing shapes: waiting for the worker") : tr("Computing shapes…"));
    else m_text->setText(failure.isEmpty() ? waitingText(*shapes) : failure);
    m_text->setToolTip(run || !failure.isEmpty() ? QString() : waitingList(*shapes));
}

} // namespace ui
