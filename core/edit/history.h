// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

#include <chrono>

namespace fx {

/// The versions of a model while it is edited. Versions share unchanged parts, so undo restores everything, including
/// the order of users, order keys and name counters. Copying one costs O(1).
class History {
public:
    struct Entry {
        std::string name;  ///< "erase relu"
        std::string steps; ///< the JSON array of its steps; empty for the first version
        std::chrono::system_clock::time_point time;
        std::shared_ptr<const GraphModule> model;
    };

    explicit History(std::shared_ptr<const GraphModule> model) {
        m_entries.push_back({{}, {}, std::chrono::system_clock::now(), std::move(model)});
    }

    const std::vector<Entry>& entries() const { return m_entries; }
    std::size_t current() const { return m_current; }
    const std::shared_ptr<const GraphModule>& model() const { return m_entries[m_current].model; }
    bool canUndo() const { return m_current > 0; }
    bool canRedo() const { return m_current + 1 < m_entries.size(); }

    /// Applies steps (a JSON array) to the current version and makes the result current. Undone versions are dropped.
    /// Throws Error{Refused} and then changes nothing.
    void edit(std::string name, std::string steps);
    /// Adds a version that `edited` made from the current one, possibly on another thread or earlier, at `time`.
    void push(std::string name, std::string steps, std::shared_ptr<const GraphModule> model,
              std::chrono::system_clock::time_point time = std::chrono::system_clock::now());
    /// A copy of `model` after these steps (a JSON array), with its warnings that are still so and those of the steps.
    /// Throws Error{Refused, Cancelled}. Any thread.
    static std::shared_ptr<GraphModule> edited(const GraphModule& model, const std::string& steps,
                                               const Progress& progress = {});
    /// What steps would make of a model, for looking at: new weights have shapes only, so it costs nothing however
    /// large they are. Throws as `edited`.
    struct Trial {
        std::shared_ptr<GraphModule> model;
        std::uint64_t weightBytes = 0; ///< of the new weights
        Warnings warnings = {};        ///< of the steps
    };
    static Trial tried(const GraphModule& model, const std::string& steps, const Progress& progress = {});
    /// Makes another version the current one.
    void goTo(std::size_t entry) { m_current = entry; }

private:
    std::vector<Entry> m_entries;
    std::size_t m_current = 0;
};

} // namespace fx
