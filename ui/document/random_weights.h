// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/random_weights.h"
#include "ui/tasks/task_slot.h"

#include <QObject>

namespace ui {

class Document;

/// Which edits of a document drew new random weights, and which modules of its current version have such weights.
/// Found out on another thread, for each edit once. GUI thread only.
class RandomWeights final : public QObject {
    Q_OBJECT
public:
    /// Modules of the current version, by path, in the order of the tree.
    struct Current {
        std::vector<std::string> modules;
        fx::NodeId node = fx::kNoNode; ///< the first one that calls the first of them
        bool operator==(const Current&) const = default;
    };

    explicit RandomWeights(Document& document);

    /// The modules to which the edit that made `version` gave new weights; null while that is not known.
    const std::vector<std::string>* ofEdit(const std::shared_ptr<const fx::GraphModule>& version) const;
    /// Of all edits that led to the current version; empty also while that is not known.
    const Current& current() const;

Q_SIGNALS:
    /// More is known than before.
    void changed();

private:
    /// Does not keep the version: an edit that was undone and overwritten goes away on another thread.
    struct Edit {
        std::weak_ptr<const fx::GraphModule> version;
        std::shared_ptr<const fx::DrawnWeights> drawn;
    };
    /// What is asked of the other thread, and what it answers.
    struct Search {
        std::vector<std::shared_ptr<const fx::GraphModule>> before; ///< for each of `edits`
        std::vector<fx::History::Entry> edits;                      ///< those that are not known
        std::vector<std::shared_ptr<const fx::DrawnWeights>> drawn; ///< by those that are; null for `edits`, in order
        std::shared_ptr<const fx::GraphModule> version;             ///< the current one
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
    std::weak_ptr<const fx::GraphModule> m_of; ///< the version that `m_current` is of
    TaskSlot<Found> m_finding{"document.weights"};
};

} // namespace ui
