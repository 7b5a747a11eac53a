// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/code/code_view.h"
#include "ui/document/document.h"
#include "ui/source/source_map.h"

#include <QPointer>

namespace ui {

/// Joins a view of source text with the document: lines of the selected nodes are marked, and lines that are picked
/// select their nodes.
class SourceLink final : public QObject {
    Q_OBJECT
public:
    SourceLink(Document& document, CodeView* view);

    /// The file that the view shows; -1 for none that the nodes come from.
    void setFile(int file);
    /// Nothing is marked or picked while the lines of the view are not those that the nodes come from. Nodes that were
    /// picked by their line before give way to those of the line where the cursor is then.
    void setActive(bool active);
    /// Never null.
    const std::shared_ptr<const SourceMap>& map() const { return m_map; }

Q_SIGNALS:
    /// Another version has another map.
    void mapChanged();
    /// A node was selected elsewhere whose lines are in another file.
    void fileWanted(int file);

private:
    void build();
    void selected(QObject* source);
    void follow(QObject* source);
    void pick(const std::vector<int>& lines);
    void pickAgain();
    std::vector<fx::NodeId> nodesAt(const std::vector<int>& lines) const;
    bool isOfTheVersion() const { return m_mapped == m_document.module(); }

    Document& m_document;
    CodeView* m_view;
    std::shared_ptr<const SourceMap> m_map = std::make_shared<SourceMap>();
    std::shared_ptr<const fx::GraphModule> m_version, m_mapped; ///< that a map is made of, that the map is of
    int m_file = -1;
    bool m_active = true;
    bool m_isPicked = false;   ///< the selection was made here
    bool m_picksAgain = false; ///< as soon as there is a map of what is being typed
    TaskSlot<std::shared_ptr<const SourceMap>> m_building{"source.map"};
};

} // namespace ui
