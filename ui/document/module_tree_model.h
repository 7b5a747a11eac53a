// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <QAbstractItemModel>

#include <unordered_set>
#include <vector>

namespace ui {

/// The module tree: one row per module, the root first, children in order.
///
/// A Module with several paths shows its children at the first path; the others say "shared with …". So the tree is
/// linear in the modules, and finite even if a module contains itself. A filter keeps matching modules and their
/// parents.
class ModuleTreeModel final : public QAbstractItemModel {
    Q_OBJECT
public:
    /// Roles besides Qt's: dotted path, class, detail text, parameters.
    enum Role { PathRole = Qt::UserRole + 1, TypeRole, DetailRole, ParametersRole };

    using QAbstractItemModel::QAbstractItemModel;

    /// Shows another module. Keeps all rows and their expansion if the tree is the same.
    void setModule(std::shared_ptr<const fx::GraphModule> module);
    /// Keeps modules with `text` in path or type, case-insensitively; empty: all.
    void setFilter(const QString& text);
    const QString& filter() const { return m_filter; } ///< The text of `setFilter`.
    /// Returns the row of a path; invalid if it is unknown or filtered out.
    QModelIndex indexOf(const QString& path) const;
    /// The MIME type of dragged rows: the path, in UTF-8.
    static constexpr const char* kMimeType = "application/x-lancet-module";
    static QString pathOf(const QModelIndex& index) { return index.data(PathRole).toString(); } ///< The path of a row.

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& = {}) const override { return 1; }
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    Qt::DropActions supportedDragActions() const override { return Qt::CopyAction; }
    QStringList mimeTypes() const override { return {QString::fromLatin1(kMimeType)}; }
    QMimeData* mimeData(const QModelIndexList& rows) const override;

private:
    struct Entry {
        const fx::Module* module = nullptr; ///< null: registered as None
        std::string name, path;
        int parent = -1, row = 0; ///< `row`: among the shown children of the parent; -1: filtered out
        int sharedWith = -1;      ///< the entry that shows the children of the same Module
        int sameAs = -1;          ///< an earlier sibling with the same structure
        struct Values {
            std::int64_t elements = 0, bytes = 0;
        } parameters{}, buffers{}; ///< totals of the subtree, in which shared tensors count once
        std::vector<int> children{}, shown{};
    };

    void build();
    void countValues(std::vector<fx::Module::Slot> fx::Module::*slots, Entry::Values Entry::*total);
    void findRepeats();
    void applyFilter();
    QString detail(const Entry& entry) const;
    static QString valuesOf(const Entry& entry);
    QString toolTip(const Entry& entry, const QString& type) const;
    const Entry& entry(const QModelIndex& index) const {
        return m_entries[static_cast<std::size_t>(index.internalId())];
    }

    std::shared_ptr<const fx::GraphModule> m_module;
    std::vector<Entry> m_entries; ///< parents before children
    std::unordered_map<std::string, int> m_byPath;
    QString m_filter;
};

} // namespace ui
