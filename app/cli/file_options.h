// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace app {

/// The kind of result that a verb writes to the path of an option.
enum class Writes : std::uint8_t {
    File,         ///< a result
    Model,        ///< a model; NAME.json comes with NAME.safetensors
    ChangedModel, ///< the model of the argument MODEL after changes; may overwrite that file unless it is Python
                  ///< source
    Pipeline,     ///< the files of `savePipeline` in a folder
};

/// Returns the file of `FILE#PART`, `FILE.py:NAME` and, for the user's own Python, `module.name:NAME`.
std::string fileOf(const std::string& value);

/// True if writing a model to `output` replaces the file of MODEL.
bool isModelReplaced(const std::string& model, const std::string& output);

/// Marks an option whose values are files, or parts of files, that the verb reads.
CLI::Option* reads(CLI::Option* option);
/// Marks an option whose values are files that the verb writes.
CLI::Option* writes(CLI::Option* option, Writes what = Writes::File);

/// The files of one call: no verb overwrites its inputs or another of its results. Files are compared by identity,
/// independent of spelling and links.
class CallFiles {
public:
    CallFiles() = default; ///< Contains no files.
    /// Collects the marked options of a parsed command line. Throws Error{Usage} that names both options.
    explicit CallFiles(CLI::App& cli);

    /// Checks a file that is read because another file refers to it. Throws Error{Usage} if it would be overwritten.
    void read(const std::string& option, const std::string& value) const;

private:
    struct Output {
        std::string option, value;
        Writes what;
        std::vector<std::string> paths; ///< folders end in "/"
    };
    void add(Output output);

    std::vector<Output> m_outputs;
};

} // namespace app
