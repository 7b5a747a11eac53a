// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace app {

/// What a verb writes to the path that an option names.
enum class Writes : std::uint8_t {
    File,         ///< a result
    Model,        ///< a model; NAME.json comes with NAME.safetensors
    ChangedModel, ///< the model of the argument MODEL, changed: it may take that one's place, unless it is Python
                  ///< source
    Pipeline,     ///< the files of `savePipeline` in a folder
};

/// The file of `FILE#PART`, `FILE.py:NAME` and, for a Python of one's own, `module.name:NAME`.
std::string fileOf(const std::string& value);

/// Whether a model written to `output` takes the place of the file of MODEL.
bool isModelReplaced(const std::string& model, const std::string& output);

/// Marks an option whose values are files, or name something in a file, that the verb reads.
CLI::Option* reads(CLI::Option* option);
CLI::Option* writes(CLI::Option* option, Writes what = Writes::File);

/// The files of one call: no verb writes over what it reads, or over another of its results. Files are compared by
/// identity, whatever the spelling or link.
class CallFiles {
public:
    CallFiles() = default;
    /// The marked options of a parsed command line. Throws Error{Usage} that names both options.
    explicit CallFiles(CLI::App& cli);

    /// A file that is read because another says so. Throws Error{Usage} when it would be overwritten.
    void read(const std::string& option, const std::string& value) const;

private:
    struct Output {
        std::string option, value;
        Writes what;
        std::vector<std::string> paths; ///< a folder ends in "/"
    };
    void add(Output output);

    std::vector<Output> m_outputs;
};

} // namespace app
