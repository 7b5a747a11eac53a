// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/file_options.h"
#include "app/cli/source_arguments.h"
#include "app/cli/standard_input.h"
#include "core/diag/progress.h"
#include "core/json/json_writer.h"
#include "core/module/graph_module.h"
#include "core/remote/model_ref.h"

#include <CLI/CLI.hpp>

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

namespace app {

/// Options that every verb takes.
struct CommonOptions {
    bool json = false;
    bool quiet = false;
    int threads = 0; ///< 0: as many as there are processors
    std::uint64_t seed = 0;
    std::string device = "cpu";
    SourceArguments source;

    void declare(CLI::App& cli);
};

/// One run of one verb: its common options, where its results go, and how it is stopped.
class Session {
public:
    Session(CommonOptions options, CallFiles files, std::stop_token stop)
        : m_options(std::move(options)), m_files(std::move(files)), m_stop(std::move(stop)) {}

    const CommonOptions& options() const { return m_options; }
    bool json() const { return m_options.json; }
    const CallFiles& files() const { return m_files; }
    /// Throws Error{Usage} when a model written to `output` would take the place of MODEL in another format.
    void keepFormat(const std::string& model, const std::string& output) const;
    /// Reports to a terminal only, and stops on SIGINT.
    fx::Progress progress() const;
    /// What `worded` makes of each report is shown in its place.
    using Report = std::pair<std::string, double>;
    fx::Progress progress(std::function<Report(std::string_view what, double done)> worded) const;

    /// The absolute path of MODEL, for a worker; "-" is standard input, copied to a file once.
    std::string file(const std::string& model);
    using Adjust = std::function<void(fx::SourceOptions&)>;
    /// Opens MODEL; "-" is standard input. `weights`: whether those of Python source are needed; `adjust`: changes how
    /// it is traced.
    std::shared_ptr<fx::GraphModule> open(const std::string& model, fx::NewWeights weights = fx::NewWeights::Drawn,
                                          const Adjust& adjust = {});
    /// --weights are of something else than MODEL: `open` does not load them. Returns their file.
    std::string takeWeights() { return std::exchange(m_options.source.weights, {}); }
    /// Opens MODEL and tells its warnings on standard error.
    std::shared_ptr<fx::GraphModule> openWarning(const std::string& model,
                                                 fx::NewWeights weights = fx::NewWeights::Drawn,
                                                 const Adjust& adjust = {});

    /// MODEL for a worker: it opens files itself, but what options change is made here: traces of Python source, and
    /// TorchScript with fixed inputs. `asItself`: TorchScript as LibTorch runs it, to compare others with.
    fx::remote::ModelRef workerModel(const std::string& model, bool asItself = false);

    /// Prints a text result and the newline after it.
    void printLine(std::string_view text) const;
    /// One line on standard error, unless --quiet or told before, as when both models are one file.
    void warn(const fx::Warning& warning) const;
    /// These and all that `warn` has told so far: what a result in JSON lists.
    fx::Warnings andTold(fx::Warnings warnings) const {
        warnings.insert(warnings.end(), m_told.begin(), m_told.end());
        return warnings;
    }

private:
    CommonOptions m_options;
    CallFiles m_files;
    std::map<std::string, fx::Format> m_formats; ///< of the models that were opened, as the user named them
    std::stop_token m_stop;
    mutable fx::Warnings m_told;
    std::unique_ptr<StandardInput> m_input; ///< tensors of a model from standard input are read from it later
};

/// A warning on one line.
std::string warningText(const fx::Warning& warning);
/// The member `"warnings": [{"what", "node", "module_path", "where"}]`.
void writeWarnings(fx::JsonWriter& json, const fx::Warnings& warnings);

} // namespace app
