// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/extract.h"
#include "ui/document/document.h"

namespace ui {

/// Copied nodes with the modules and tensors that they name, for other documents of this window; the system's clipboard
/// gets their names as text.
class NodeClipboard final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Takes the selection. Throws fx::Error{Refused} when there is nothing to take.
    void copy(const Document& document);
    /// The system's clipboard holds what was copied last.
    bool holdsNodes() const;
    /// Inserts what was copied behind the selection: inputs of the same name are found in the graph, the others are the
    /// selected nodes in their order. The nodes are written to a file first, off the GUI thread. Errors come as
    /// `Document::refused`.
    void paste(Document& document);

private:
    QByteArray steps(const Document& document, const std::string& file) const;

    std::shared_ptr<const fx::Extracted> m_copied;
    QString m_token;
    TaskSlot<std::string> m_writing{"clipboard.write"};
};

} // namespace ui
