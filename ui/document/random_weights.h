// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/drawn_weights.h"
#include "ui/tasks/task_slot.h"

#include <QObject>

namespace ui {

class Document;

/// Tracks which edits of a document drew new random weights, and which modules of its current version have such
/// weights. Computed on another thread, once per edit. GUI thread only.
class RandomWeights final : public QObject {
    Q_OBJECT
public:
    /// Modules of the current version with random weights.
    struct Current {
        std::vector<std::string> modules; ///< paths, in the order of the tree
        fx::NodeId node = fx::kNoNode;    ///< the first node that calls the first module
        bool operator==(const Current&) const = default;
    };

    /// `document` becomes the parent.
    explicit RandomWeights(Document& document);

    /// Returns the modules to which the edit that created `version` gave new weights; null while unknown.
    const std::vector<std::string>* ofEdit(const std::shared_ptr<const fx::GraphModule>& version) const;
    /// Returns the modules of all edits that led to the current version; empty while unknown.
    const Current& current() const;

Q_SIGNALS:
    /// Emitted when more is known than before.
    void changed();

private:
    /// The weights that an edit drew. Holds no version, so that undone and overwritten edits can be freed on another
    /// thread.
    struct Edit {
        std::weak_ptr<const fx::GraphModule> version;
        std::shared_ptr<const fx::DrawnWeights> drawn;
    };
    /// Input of the search on another thread.
    struct Search {
        std::vector<std::shared_ptr<const fx::GraphModule>> before; ///< the version before each of `edits`
        std::vector<fx::History::Entry> edits;                      ///< the edits with unknown weights
        /// Weights of all edits in order; null for those in `edits`.
        std::vector<std::shared_ptr<const fx::DrawnWeights>> drawn;
        std::shared_ptr<const fx::GraphModule> version; ///< the current version
    };
    struct Found {
        std::vector<Edit> edits;
        Current current;
    };
    void find();
    void take(Found found, const std::shared_ptr<const fx::GraphModule>& version);
    const Edit* known(const std::shared_ptr<const fx::GraphModule>& version) const;
    static Found search(const Search& search, const fx::Progress& progress);

    Document& m_document;
    std::vector<Edit> m_edits;
    Current m_current;
    std::weak_ptr<const fx::GraphModule> m_of; ///< the version of `m_current`
    TaskSlot<Found> m_finding{"document.weights"};
};

} // namespace ui
