// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/saving/note_bar.h"

#include "ui/widgets/wrapped_label.h"

#include <QHBoxLayout>

namespace ui {

NoteBar::NoteBar(const Document& document, QWidget* parent)
    : QFrame(parent), m_document(document), m_text(new WrappedLabel(this)) {
    setObjectName(QStringLiteral("diskBar"));
    setAccessibleName(tr("Notes on the document"));
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 8, 6);
    row->addWidget(m_text, 1);
    for (auto signal : {&Document::noteChanged, &Document::versionChanged})
        connect(&document, signal, this, &NoteBar::update);
    connect(&document.journal(), &DocumentJournal::problemChanged, this, &NoteBar::update);
    update();
}

QString NoteBar::text() const { return isHidden() ? QString() : m_text->text(); }

void NoteBar::update() {
    QStringList notes;
    if (m_document.file().target().isEmpty() && !m_document.note().isEmpty()) notes << m_document.note();
    if (const QString& problem = m_document.journal().problem(); !problem.isEmpty())
        notes << tr("Edits here cannot be recovered after a crash: %1. Crash journals are in %2.")
                     .arg(problem, QString::fromStdString(fx::Journal::defaultFolder()));
    m_text->setText(notes.join(u'\n'));
    setVisible(!notes.isEmpty());
}

} // namespace ui
