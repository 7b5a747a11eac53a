// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/current_document.h"

namespace ui {

Document* CurrentDocument::ready() const {
    return m_document && m_document->state() == Document::State::Ready ? m_document.data() : nullptr;
}

void CurrentDocument::set(Document* document) {
    if (m_document == document) return;
    if (m_document) m_document->release(this);
    m_document = document;
    if (document) {
        for (auto signal : {&VersionFacts::codeChanged, &VersionFacts::indexChanged, &VersionFacts::problemsChanged})
            connect(&document->facts(), signal, this, &CurrentDocument::updated);
        connect(&document->selection(), &NodeSelection::changed, this, &CurrentDocument::updated);
        for (auto signal : {&Document::stateChanged, &Document::versionChanged, &Document::draftChanged})
            connect(document, signal, this, &CurrentDocument::versionChanged);
        connect(&document->picture(), &DocumentPicture::pictureChanged, this, &CurrentDocument::updated);
        connect(&document->picture(), &DocumentPicture::optionsChanged, this, &CurrentDocument::updated);
    }
    Q_EMIT changed(document);
}

} // namespace ui
