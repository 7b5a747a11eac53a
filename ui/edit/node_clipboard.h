// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/extract.h"
#include "core/journal/pasted_files.h"
#include "ui/document/document.h"

namespace ui {

/// Copied nodes with the modules and tensors that they use, for pasting into documents of this window. The system
/// clipboard gets their names as text.
class NodeClipboard final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Copies the selected nodes. Throws fx::Error{Refused} if the selection is empty.
    void copy(const Document& document);
    /// True while the system clipboard contains the last copy.
    bool holdsNodes() const;
    /// Inserts the copied nodes after the selection and selects them. The selected nodes become their inputs, in order.
    /// If nothing is selected, or the copied nodes themselves are, their inputs are the nodes of the same names. Writes
    /// the nodes to a file first, off the GUI thread. Reports errors by `DocumentVersions::refused`.
    void paste(Document& document);
    /// Removes the files of pasted nodes that no open document and no journal in `journals` refers to.
    void removeUnused(const QString& journals);

private:
    using File = std::shared_ptr<const fx::PastedFile>;
    std::vector<fx::NodeId> feeding(const Document& document) const;
    fx::StepList steps(const Document& document, const std::string& file) const;
    void insert(Document& document, const File& file);
    void release();

    std::shared_ptr<const fx::Extracted> m_copied;
    QPointer<const Document> m_source; ///< the document of the copied nodes
    std::vector<fx::NodeId> m_nodes;   ///< the copied nodes, in graph order
    QString m_token;
    File m_file; ///< the file of the copied nodes; null before the first paste
    std::vector<std::pair<QPointer<Document>, File>> m_inUse;
    TaskSlot<File> m_writing{"clipboard.write"};
    TaskSlot<bool> m_removing{"clipboard.remove"};
};

} // namespace ui
