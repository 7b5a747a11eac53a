// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/onednn/layer_times.h"

#include <map>
#include <set>

namespace fx::onednn {

/// The times of layers by what they depend on, in a file. Only what comes from enough rounds, little noise and a quiet
/// machine is kept; anything else is measured again in the next run. A file that cannot be read is as good as none.
class LayerMemory {
public:
    /// Times are kept where a model differs from itself by no more than this.
    static constexpr double kMostNoise = 0.1;
    /// A kept time that differs from one of now by more than this factor is not of this machine as it is.
    static constexpr double kPlausible = 2.5;

    /// Reads the file; an empty path keeps nothing.
    explicit LayerMemory(std::string path);

    /// What was kept, or measured in this run; else null.
    const LayerTimes* find(const std::string& key) const;
    /// Whether the times of a key are of this run.
    bool isNew(const std::string& key) const { return m_new.contains(key); }
    /// Takes times that were measured now, in place of others.
    const LayerTimes& add(const std::string& key, LayerTimes times);
    /// Kept times were found to hold still.
    void confirm(const std::string& key) { m_new.insert(key); }
    /// Writes the file; `quiet`: the machine had nothing else to do while times were added.
    void save(bool quiet) const;

private:
    std::string m_path;
    std::map<std::string, LayerTimes> m_entries;
    std::set<std::string> m_new; ///< measured or confirmed in this run
};

/// Whether kept times hold: `now` are the shortest of few runs, in milliseconds, of the nodes as they are and of the
/// kernels that the times have.
bool isPlausible(const LayerTimes& kept, const std::vector<double>& now);

} // namespace fx::onednn
