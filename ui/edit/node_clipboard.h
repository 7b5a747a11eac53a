// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/extract.h"
#include "ui/document/document.h"

namespace ui {

/// Copied nodes with the modules and tensors that they use, for documents in this window; the system clipboard gets
/// their names as text.
class NodeClipboard final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Copies the selection. Throws fx::Error{Refused} if it is empty.
    void copy(const Document& document);
    /// Whether the system clipboard contains the last copy.
    bool holdsNodes() const;
    /// Inserts the copied nodes after the selection: inputs are matched to nodes of the graph by name, or else to the
    /// selected nodes in order. The nodes are written to a file first, off the GUI thread. Errors are reported by
    /// `Document::refused`.
    void paste(Document& document);

private:
    QByteArray steps(const Document& document, const std::string& file) const;

    std::shared_ptr<const fx::Extracted> m_copied;
    QString m_token;
    TaskSlot<std::string> m_writing{"clipboard.write"};
};

} // namespace ui
