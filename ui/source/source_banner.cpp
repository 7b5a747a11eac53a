// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/source/source_banner.h"

#include "ui/document/document_source.h"
#include "ui/document/node_facts.h"
#include "ui/source/source_message.h"
#include "ui/widgets/confirm_discard.h"
#include "ui/widgets/wrapped_label.h"

#include <QHBoxLayout>
#include <QPushButton>

namespace ui {

SourceBanner::SourceBanner(Document& document, QWidget* parent)
    : QFrame(parent), m_document(document), m_text(new WrappedLabel(this)),
      m_follow(new QPushButton(tr("Discard Edits"), this)), m_python(new QPushButton(tr("Trace with Python…"), this)),
      m_cancel(new QPushButton(tr("Cancel"), this)) {
    setObjectName(QStringLiteral("diskBar"));
    m_text->setTextFormat(Qt::PlainText);
    m_text->setAccessibleName(tr("State of the graph"));
    m_follow->setToolTip(tr("Discard the edits of the graph; it follows the source again"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 8, 6);
    row->addWidget(m_text, 1);
    row->addWidget(m_follow);
    row->addWidget(m_python);
    row->addWidget(m_cancel);
    m_cancel->setToolTip(tr("End Python; the graph stays as far as Lancet traced it"));
    connect(m_follow, &QPushButton::clicked, this, &SourceBanner::giveUpEdits);
    connect(m_python, &QPushButton::clicked, this, &SourceBanner::pythonRequested);
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        if (DocumentSource* source = m_document.source()) source->cancelPython();
    });
    connect(&document, &Document::sourceChanged, this, &SourceBanner::update);
    connect(&document, &Document::versionChanged, this, &SourceBanner::update);
    update();
}

void SourceBanner::giveUpEdits() {
    if (confirmDiscard(this, tr("Discard the edits of the graph of %1?").arg(m_document.file().title()),
                       tr("The graph follows the source again. Discarded edits cannot be restored.")))
        m_document.followSource();
}

QString SourceBanner::text() const { return isHidden() ? QString() : m_text->text(); }

/// Describes what an allowed Python does or did; empty if it did nothing.
QString SourceBanner::aboutPython() const {
    const DocumentSource& source = *m_document.source();
    switch (source.python()) {
    case DocumentSource::Python::Tracing: return tr("Tracing with Python…");
    case DocumentSource::Python::Traced: return tr("Traced by %1, sandboxed.").arg(source.pythonText());
    case DocumentSource::Python::Refused:
        return tr("Python cannot trace it either: %1").arg(elidedLines(source.pythonText().toStdString(), 300));
    case DocumentSource::Python::Cancelled: return tr("Python was ended.");
    case DocumentSource::Python::None: break;
    }
    return {};
}

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
    const bool isTracing = source->python() == DocumentSource::Python::Tracing && !m_document.isDetached();
    if (const QString python = m_document.isDetached() ? QString() : aboutPython(); !python.isEmpty())
        text += (text.isEmpty() ? QString() : QStringLiteral(" ")) + python;
    m_text->setText(text);
    m_cancel->setVisible(isTracing);
    m_follow->setVisible(m_document.isDetached());
    // Python reads the file, not what was typed since.
    m_python->setVisible(m_document.isPartial() && !m_document.isDetached() && !m_document.file().isUntitled() &&
                         !isTracing);
    m_python->setEnabled(!source->isModified());
    m_python->setToolTip(source->isModified() ? tr("Save the source first: Python reads the file")
                                              : tr("Trace the file with your own Python and open the result in a tab"));
    setVisible(!text.isEmpty());
}

} // namespace ui
