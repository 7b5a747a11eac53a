// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QPointer>

namespace ui {

/// The document in front, or none. Panels subscribe to it and turn to another document by themselves.
class CurrentDocument final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    Document* get() const { return m_document; }
    /// Null unless it is Ready.
    Document* ready() const;
    void set(Document* document);
    /// Calls `panel->setDocument` whenever another document comes to the front, in the order of subscriptions.
    template<typename Panel> void subscribe(Panel* panel) {
        connect(this, &CurrentDocument::changed, panel, &Panel::setDocument);
        if (m_document) panel->setDocument(m_document);
    }

Q_SIGNALS:
    /// Another one is in front; null: none.
    void changed(Document* document);
    /// Its code, index, problems, selection or picture has changed.
    void updated();
    /// It has another version, state or draft, or was saved.
    void versionChanged();

private:
    QPointer<Document> m_document;
};

} // namespace ui
