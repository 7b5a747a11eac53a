// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/edit/steps/step_list.h"
#include "core/io/readers.h"
#include "core/module/graph_module.h"

#include <chrono>

namespace fx {

/// The versions of a model during editing. Versions share unchanged parts, so undo restores everything, including the
/// order of users, order keys and name counters. Copying a version costs O(1).
class History {
public:
    /// One version and the edit that created it.
    struct Entry {
        std::string name;                           ///< "erase relu"
        StepList steps;                             ///< empty for the first version
        std::chrono::system_clock::time_point time; ///< time of the edit
        std::shared_ptr<const GraphModule> model;
    };

    /// Starts with one version without a name.
    explicit History(std::shared_ptr<const GraphModule> model) {
        m_entries.push_back({{}, {}, std::chrono::system_clock::now(), std::move(model)});
    }

    /// All versions, oldest first, including undone ones.
    const std::vector<Entry>& entries() const { return m_entries; }
    /// Index of the current version in `entries()`.
    std::size_t current() const { return m_current; }
    /// The model of the current version; never null.
    const std::shared_ptr<const GraphModule>& model() const { return m_entries[m_current].model; }
    /// True if there is an earlier version.
    bool canUndo() const { return m_current > 0; }
    /// True if there are undone versions.
    bool canRedo() const { return m_current + 1 < m_entries.size(); }

    /// Applies steps to the current version and makes the result current. Drops undone versions. Throws Error{Refused}
    /// and then changes nothing.
    void edit(std::string name, StepList steps);
    /// Adds a version that `edited` created from the current one, possibly on another thread or earlier, at `time`.
    /// Drops undone versions.
    void push(std::string name, StepList steps, std::shared_ptr<const GraphModule> model,
              std::chrono::system_clock::time_point time = std::chrono::system_clock::now());
    /// Applies steps to a copy of `model`. Keeps the warnings of `model` that still apply, and adds those of the steps.
    /// `readers` follow Python in the steps. Throws Error{Refused, Cancelled}. Any thread.
    static std::shared_ptr<GraphModule> edited(const GraphModule& model, const StepList& steps,
                                               const Progress& progress = {}, const Readers& readers = {});
    /// The preview of an edit. New weights have shapes only, so a preview is cheap for weights of any size.
    struct Trial {
        std::shared_ptr<GraphModule> model;
        std::uint64_t weightBytes = 0; ///< bytes of the new weights
        Warnings warnings = {};        ///< warnings of the steps
    };
    /// Applies steps to a copy of `model` for a preview. Throws as `edited`. Any thread.
    static Trial tried(const GraphModule& model, const StepList& steps, const Progress& progress = {},
                       const Readers& readers = {});
    /// Makes another version the current one; `entry` is an index in `entries()`.
    void goTo(std::size_t entry) { m_current = entry; }

private:
    std::vector<Entry> m_entries;
    std::size_t m_current = 0;
};

} // namespace fx
