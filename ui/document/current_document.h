// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QPointer>

namespace ui {

/// The document in front, or none. Panels subscribe to it and switch documents themselves.
class CurrentDocument final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    Document* get() const { return m_document; } ///< The document in front, or null.
    /// The document in front if it is Ready, else null.
    Document* ready() const;
    /// Brings `document` to the front; null for none.
    void set(Document* document);
    /// Calls `panel->setDocument` now and whenever another document comes to the front, in the order of subscription.
    template<typename Panel> void subscribe(Panel* panel) {
        connect(this, &CurrentDocument::changed, panel, &Panel::setDocument);
        if (m_document) panel->setDocument(m_document);
    }

Q_SIGNALS:
    /// Emitted when another document is in front; null: none.
    void changed(Document* document);
    /// Emitted when code, index, problems, selection or picture of the document change.
    void updated();
    /// Emitted when version, state or draft of the document change, or it was saved.
    void versionChanged();

private:
    QPointer<Document> m_document;
};

} // namespace ui
