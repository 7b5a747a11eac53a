// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/extract.h"
#include "core/model_files/journal/pasted_files.h"
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
    /// Inserts the copied nodes after the selection and selects them: the selected nodes become their inputs, in order.
    /// Without a selection, or while it is what was copied, their inputs are the nodes of the same names. The nodes are
    /// written to a file first, off the GUI thread. Errors are reported by `Document::refused`.
    void paste(Document& document);
    /// Removes files of pasted nodes that no open document and no journal in `journals` needs any more.
    void removeUnused(const QString& journals);

private:
    using File = std::shared_ptr<const fx::PastedFile>;
    std::vector<fx::NodeId> feeding(const Document& document) const;
    QByteArray steps(const Document& document, const std::string& file) const;
    void insert(Document& document, const File& file);
    void release();

    std::shared_ptr<const fx::Extracted> m_copied;
    QPointer<const Document> m_source; ///< of what was copied
    std::vector<fx::NodeId> m_nodes;   ///< that were copied, in graph order
    QString m_token;
    File m_file; ///< of what was copied; null until it is pasted
    std::vector<std::pair<QPointer<Document>, File>> m_inUse;
    TaskSlot<File> m_writing{"clipboard.write"};
    TaskSlot<bool> m_removing{"clipboard.remove"};
};

} // namespace ui
