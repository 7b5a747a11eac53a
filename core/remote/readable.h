// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace fx::remote {

/// Returns the files that opening MODEL reads: "net.ts#forward" reads net.ts, "net.json" also reads its weights.
std::vector<std::string> filesOfModel(const std::string& model);
/// Returns the TorchScript files that modules of a model call or take objects from. On this machine (`local`), omits
/// files that are not TorchScript, so that a model cannot gain access to other files by naming them.
std::vector<std::string> calledFiles(const GraphModule& model, bool local);

/// The files that a worker was allowed to read when it entered its sandbox. Permission belongs to the file, not to its
/// name: a file that replaced a permitted one is not permitted.
class Readable {
public:
    /// `local`: the paths are on this machine; otherwise only their names are compared.
    Readable(std::vector<std::string> paths, bool local);

    /// Local paths are absolute, each file once, without missing files.
    const std::vector<std::string>& paths() const { return m_paths; }
    /// Returns true if each path, in its current state, is permitted or does not exist. Files below a permitted folder
    /// are permitted.
    bool covers(const std::vector<std::string>& paths) const;

private:
    using File = std::pair<std::uint64_t, std::uint64_t>; ///< device, inode
    bool covers(const std::string& path) const;
    bool m_local;
    std::vector<std::string> m_paths; ///< absolute if local
    std::set<std::string> m_names;    ///< unless local
    std::set<File> m_files;
};

} // namespace fx::remote
