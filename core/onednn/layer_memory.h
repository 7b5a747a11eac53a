// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/onednn/layer_times.h"

#include <map>
#include <optional>
#include <set>

namespace fx::onednn {

/// Caches the times of layers between runs, by the properties that they depend on. Only keeps times with enough rounds
/// and little noise, measured on a quiet machine; others are measured again in the next run. The worker, which
/// measures, receives the cache as text and returns its replacement; the client owns the file. An invalid text counts
/// as empty.
class LayerMemory {
public:
    /// Upper limit for the noise floor of times that are kept.
    static constexpr double kMostNoise = 0.1;
    /// Kept times are rejected if they differ from current ones by more than this factor.
    static constexpr double kPlausible = 2.5;

    /// Parses the kept text; an invalid text counts as empty.
    explicit LayerMemory(const std::string& kept);

    /// Returns times kept earlier or measured in this run, else null.
    const LayerTimes* find(const std::string& key) const;
    /// True if the times of a key were measured or confirmed in this run.
    bool isNew(const std::string& key) const { return m_new.contains(key); }
    /// Stores times measured now, replacing older ones.
    const LayerTimes& add(const std::string& key, LayerTimes times);
    /// Marks kept times as still valid.
    void confirm(const std::string& key) { m_new.insert(key); }
    /// Returns the new text to keep; nullopt if nothing is new. `quiet` means that the machine was otherwise idle.
    std::optional<std::string> text(bool quiet) const;

private:
    friend void writeLayerMemory(const std::string& file, const std::string& text);
    std::string write(bool quiet) const;

    std::map<std::string, LayerTimes> m_entries;
    std::set<std::string> m_new; ///< measured or confirmed in this run
};

/// Returns the cache file for a machine in `folder`; empty if `folder` is empty.
std::string layerMemoryFile(const std::string& folder, const std::string& processor, int threads,
                            const std::string& library);
/// Reads the file; returns an empty text if it does not exist.
std::string readLayerMemory(const std::string& file);
/// Replaces the file by the valid part of `text`. Ignores errors: they only cost a measurement the next time.
void writeLayerMemory(const std::string& file, const std::string& text);

/// True if kept times are still plausible. `now` has the shortest of a few runs, in milliseconds: of the unfused
/// nodes, then of the kernels that `kept` has.
bool isPlausible(const LayerTimes& kept, const std::vector<double>& now);

} // namespace fx::onednn
