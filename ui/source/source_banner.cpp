// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/source/source_banner.h"

#include "ui/document/document_source.h"
#include "ui/source/source_message.h"
#include "ui/widgets/confirm_discard.h"
#include "ui/widgets/wrapped_label.h"

#include <QHBoxLayout>
#include <QPushButton>

namespace ui {

SourceBanner::SourceBanner(Document& document, QWidget* parent)
    : QFrame(parent), m_document(document), m_text(new WrappedLabel(this)),
      m_follow(new QPushButton(tr("Discard Edits"), this)), m_python(new QPushButton(tr("Trace with Python…"), this)) {
    setObjectName(QStringLiteral("diskBar"));
    m_text->setTextFormat(Qt::PlainText);
    m_text->setAccessibleName(tr("State of the graph"));
    m_follow->setToolTip(tr("Discard the edits of the graph; it follows the source again"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 8, 6);
    row->addWidget(m_text, 1);
    row->addWidget(m_follow);
    row->addWidget(m_python);
    connect(m_follow, &QPushButton::clicked, this, &SourceBanner::giveUpEdits);
    connect(m_python, &QPushButton::clicked, this, &SourceBanner::pythonRequested);
    connect(&document, &Document::sourceChanged, this, &SourceBanner::update);
    connect(&document, &Document::versionChanged, this, &SourceBanner::update);
    update();
}

void SourceBanner::giveUpEdits() {
    if (confirmDiscard(this, tr("Discard the edits of the graph of %1?").arg(m_document.title()),
                       tr("The graph follows the source again. Discarded edits cannot be restored.")))
        m_document.followSource();
}

QString SourceBanner::text() const { return isHidden() ? QString() : m_text->text(); }

void SourceBanner::update() {
    const DocumentSource* source = m_document.source();
    if (!source) return hide();
    const fx::SourceTrace& trace = *source->trace();
    const fx::SourceFault* fault = mainFault(trace);
    const QString at = fault && faultLine(*fault) ? tr(" at line %1").arg(faultLine(*fault)) : QString();
    const bool empty = !m_document.module() || m_document.module()->graph.size() == 0;
    QString text;
    if (m_document.isDetached()) {
        text = tr("The graph was edited: it no longer follows the source.");
    } else if (m_document.isPartial()) {
        text = empty          ? tr("No graph yet: tracing stopped%1. The message below the source says why.").arg(at)
               : trace.module ? tr("Partial graph: tracing stopped%1.").arg(at)
                              : tr("Graph of an earlier text: tracing stopped%1, before the first node.").arg(at);
    } else if (!at.isEmpty()) { // tracing went on behind what it could not read
        text = tr("Syntax error%1: the graph leaves out the statements that cannot be read.").arg(at);
    }
    m_text->setText(text);
    m_follow->setVisible(m_document.isDetached());
    // Python reads the file, not what was typed since.
    m_python->setVisible(m_document.isPartial() && !m_document.isDetached() && !m_document.isUntitled());
    m_python->setEnabled(!source->isModified());
    m_python->setToolTip(source->isModified() ? tr("Save the source first: Python reads the file")
                                              : tr("Trace the file with your own Python and open the result in a tab"));
    setVisible(!text.isEmpty());
}

} // namespace ui
