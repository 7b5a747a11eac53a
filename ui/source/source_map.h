// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <QByteArray>
#include <QString>

#include <map>
#include <memory>
#include <vector>

namespace ui {

/// Which lines of which source files the nodes of a graph come from, as their `stack_trace` says it. Immutable.
struct SourceMap {
    struct Spot {
        int file = 0, line = 0; ///< `file`: an index in `files`; `line`: 0-based
        bool operator==(const Spot&) const = default;
    };
    struct File {
        QString path;
        std::size_t nodes = 0;                               ///< that come from it
        std::vector<std::pair<int, fx::NodeId>> nodesByLine; ///< sorted; a node is at the lines of all its calls
        std::map<int, QByteArray> knownLines;                ///< text, as far as the nodes tell it
    };
    std::vector<File> files;              ///< those of most nodes first, and code that torch.fx generated last
    std::vector<std::vector<Spot>> spots; ///< by node id: the innermost line first

    /// Linear; any thread.
    static std::shared_ptr<const SourceMap> of(const fx::Graph& graph);
    /// The index of a file, or -1.
    int file(const QString& path) const;
    /// The nodes of a line, in the order of the graph's ids.
    std::vector<fx::NodeId> nodesAt(int file, int line) const;
    /// The innermost line of a node in a file, or -1.
    int lineOf(fx::NodeId node, int file) const;
    /// The text of a file whose lines are only known from its nodes; others are empty.
    QByteArray knownText(int file) const;
    /// Whether `text` can be what the nodes come from.
    bool fits(int file, const QByteArray& text) const;
};

} // namespace ui
