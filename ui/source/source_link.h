// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/code/code_view.h"
#include "ui/document/document.h"
#include "ui/source/source_map.h"

#include <QPointer>

namespace ui {

/// Links a view of source text with the document: it marks the lines of the selected nodes, and picked lines select
/// their nodes.
class SourceLink final : public QObject {
    Q_OBJECT
public:
    /// `view` becomes the parent. `document` must outlive it.
    SourceLink(Document& document, CodeView* view);

    /// Sets the file that the view shows, as an index in `map()->files`; -1 if no node comes from it.
    void setFile(int file);
    /// Switches marking and picking on or off; off while the text in the view is not the one that the nodes come from.
    /// After reactivation, a selection that was picked by line is replaced by the nodes of the line at the cursor.
    void setActive(bool active);
    /// The map of the newest version for which it is built. Never null.
    const std::shared_ptr<const SourceMap>& map() const { return m_map; }

Q_SIGNALS:
    /// Emitted when the map of another version is built.
    void mapChanged();
    /// Emitted when a node is selected elsewhere whose innermost line is in another file.
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
    std::shared_ptr<const fx::GraphModule> m_version, m_mapped; ///< the newest version; the version of `m_map`
    int m_file = -1;
    bool m_active = true;
    bool m_isPicked = false;   ///< the selection was picked in the view
    bool m_picksAgain = false; ///< pick again as soon as the map matches the text
    TaskSlot<std::shared_ptr<const SourceMap>> m_building{"source.map"};
};

} // namespace ui
