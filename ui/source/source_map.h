// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <QByteArray>
#include <QString>

#include <map>
#include <memory>
#include <vector>

namespace ui {

/// Maps the nodes of a graph to lines of source files, from their `stack_trace`. Immutable.
struct SourceMap {
    /// A line of a source file.
    struct Spot {
        int file = 0, line = 0; ///< `file` is an index in `files`; `line` is 0-based
        bool operator==(const Spot&) const = default;
    };
    /// A source file that nodes come from.
    struct File {
        QString path;          ///< as in the stack traces
        std::size_t nodes = 0; ///< the number of nodes whose innermost line is in it
        /// Sorted. A node is listed at the lines of all its calls.
        std::vector<std::pair<int, fx::NodeId>> nodesByLine;
        std::map<int, QByteArray> knownLines; ///< the text of lines as quoted in the stack traces, by line
    };
    std::vector<File> files;              ///< files with most nodes first; code that torch.fx generated last
    std::vector<std::vector<Spot>> spots; ///< by node id; the innermost line first

    /// Builds the map of a graph. Linear; thread-safe.
    static std::shared_ptr<const SourceMap> of(const fx::Graph& graph);
    /// Returns the index of a file, or -1.
    int file(const QString& path) const;
    /// Returns the nodes of a line, in the order of their ids.
    std::vector<fx::NodeId> nodesAt(int file, int line) const;
    /// Returns the innermost line of a node in a file, or -1.
    int lineOf(fx::NodeId node, int file) const;
    /// Returns the text of a file as far as the stack traces quote it; the other lines are empty.
    QByteArray knownText(int file) const;
    /// True if `text` is consistent with the lines that the stack traces quote from the file.
    bool fits(int file, const QByteArray& text) const;
};

} // namespace ui
