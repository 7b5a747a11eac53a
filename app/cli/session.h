// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/file_options.h"
#include "app/cli/source_arguments.h"
#include "app/cli/standard_input.h"
#include "core/diag/progress.h"
#include "core/files/temporary_folder.h"
#include "core/io/file_kind.h"
#include "core/io/readers.h"
#include "core/json/json_writer.h"
#include "core/model_files/source_calls.h"
#include "core/module/graph_module.h"
#include "core/own/own_python.h"
#include "core/remote/model_ref.h"
#include "core/remote/worker_client.h"

#include <CLI/CLI.hpp>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>

namespace app {

/// The options of all verbs.
struct CommonOptions {
    bool json = false;          ///< print only the result, as JSON
    bool quiet = false;         ///< no warnings and no progress
    int threads = 0;            ///< 0: one per processor
    std::uint64_t seed = 0;     ///< random seed
    std::string device = "cpu"; ///< "cpu"
    SourceArguments source;     ///< options for Python source and TorchScript

    void declare(CLI::App& cli); ///< Adds the options to a verb.
};

/// One run of one verb: its common options, the destination of its results, and its stop request.
class Session {
public:
    /// `stop` is requested by an interrupt.
    Session(CommonOptions options, CallFiles files, std::stop_token stop);
    Session(const Session&) = delete; // its readers refer to it
    Session& operator=(const Session&) = delete;

    const CommonOptions& options() const { return m_options; } ///< The common options.
    bool json() const { return m_options.json; }               ///< True if the result is printed as JSON.
    const CallFiles& files() const { return m_files; }         ///< The files of the call.
    const fx::Readers& readers() const { return m_readers; }   ///< How models are opened and edited.
    /// The worker for models and scripts of this call.
    fx::remote::WorkerOptions workerOptions() const {
        fx::remote::WorkerOptions options;
        options.libraries = m_options.source.libraries;
        options.complete = [this](const auto& model, const auto& progress) { return completed(model, progress); };
        options.python = [this](const auto& source, const auto&) { return startPython(source); };
        return options;
    }
    /// Throws Error{Usage} if a model written to `output` would replace MODEL by another format.
    void keepFormat(const std::string& model, const std::string& output) const;
    /// Returns a progress that reports to a terminal only, and stops on SIGINT.
    fx::Progress progress() const;
    /// Text and fraction done; without a fraction no percentage is shown.
    using Report = std::pair<std::string, std::optional<double>>;
    /// Like `progress`, but shows the result of `worded` instead of each report.
    fx::Progress progress(std::function<Report(std::string_view what, double done)> worded) const;

    /// Returns the absolute path of MODEL for a worker. "-" is standard input, which is copied to a file once.
    std::string file(const std::string& model);
    using Adjust = std::function<void(fx::SourceOptions&)>; ///< changes the tracing options of Python source
    /// Opens MODEL; "-" is standard input. Python source that Lancet cannot follow is traced by an interpreter that the
    /// user has allowed (`fx::AllowedPythons`), which a warning says. Loads the files of --weights. `weights` says if
    /// weights of Python source are needed. `adjust` changes the tracing options.
    std::shared_ptr<fx::GraphModule> open(const std::string& model, fx::NewWeights weights = fx::NewWeights::Drawn,
                                          const Adjust& adjust = {});
    /// Says which models the call compares: if one is Python source, only source takes the files of --weights, which
    /// would otherwise make the models alike. A warning names the others.
    void compares(const std::vector<std::string>& models);
    /// Returns the files of --weights and clears the option, so that `open` does not load them for MODEL.
    std::vector<std::string> takeWeights() { return std::exchange(m_options.source.weights, {}); }
    /// Traces MODEL with the interpreter of --python, and says on standard error which it is and what it prints.
    /// `inputs` are for torch.export, where symbolic_trace refuses.
    std::shared_ptr<fx::GraphModule> traceOwn(const std::string& model, std::vector<fx::OwnInput> inputs = {});
    /// Opens MODEL and reports its warnings on standard error.
    std::shared_ptr<fx::GraphModule> openWarning(const std::string& model,
                                                 fx::NewWeights weights = fx::NewWeights::Drawn,
                                                 const Adjust& adjust = {});

    /// Returns MODEL for a worker. The worker opens files itself, but models that depend on options are created here:
    /// traces of Python source, and TorchScript with fixed inputs. `asItself` selects TorchScript as LibTorch runs it,
    /// for comparing other models with it. The model runs in the mode of --eval and --train.
    fx::remote::ModelRef workerModel(const std::string& model, bool asItself = false);

    /// Lets an interrupt end the process at once, because only printing is left. Throws Error{Cancelled} if there was
    /// an interrupt.
    void onlyPrints() const;
    /// Prints a result and a newline: JSON like `writeOutput`, text for people like `writeVisible`.
    void printLine(std::string_view text) const;
    /// Prints a graph, code or a table, which equal torch.fx's byte for byte (`writeOutput`), and a newline.
    void printExact(std::string_view text) const;
    /// Prints one line on standard error, unless --quiet is given or the line was printed before, as when both models
    /// are one file.
    void warn(const fx::Warning& warning) const;
    /// Returns these warnings and all that `warn` has reported so far: the warnings in a JSON result.
    fx::Warnings andTold(fx::Warnings warnings) const {
        warnings.insert(warnings.end(), m_told.begin(), m_told.end());
        return warnings;
    }

private:
    std::shared_ptr<fx::GraphModule> inAskedMode(std::shared_ptr<fx::GraphModule> module) const;
    fx::remote::ModelRef workerModelAsSaved(const std::string& model, bool asItself);
    std::shared_ptr<fx::GraphModule> openFile(const std::string& path, const fx::OpenOptions& options) const;
    /// True if --weights is loaded into this model after it was opened.
    bool takesWeights(const std::string& path, fx::FileKind kind) const;
    std::shared_ptr<fx::GraphModule> openHere(const std::string& model, fx::NewWeights weights, const Adjust& adjust);
    /// Null if no interpreter is allowed, or if it refuses, too.
    std::shared_ptr<fx::GraphModule> traceAllowed(const std::string& model, const fx::Error& refusal);
    fx::OwnTrace traceBy(const fx::PythonEnvironment& python, const std::string& model,
                         std::vector<fx::OwnInput> inputs);
    void remember(const fx::OwnTrace& traced) const;
    std::shared_ptr<const fx::GraphModule> completed(const std::shared_ptr<const fx::GraphModule>& model,
                                                     const fx::Progress& progress) const;
    /// The interpreter that was asked for, or that is allowed for the folder of a source; null for none.
    const fx::PythonEnvironment* pythonFor(const std::string& source) const;
    fx::remote::OwnPythonEnds startPython(const std::string& source) const;

    CommonOptions m_options;
    CallFiles m_files;
    fx::Readers m_readers;
    mutable fx::SourceCalls m_calls; ///< what only source defines, for the worker
    bool m_onlySourceTakesWeights = false;
    mutable std::map<std::string, std::optional<fx::PythonEnvironment>> m_pythons; ///< by source
    std::map<std::string, std::string> m_targets; ///< MODEL as the user wrote it, by the file of its source
    std::map<std::string, fx::Format> m_formats;  ///< of the opened models, by the name that the user wrote
    std::stop_token m_stop;
    std::vector<std::unique_ptr<fx::TemporaryFolder>> m_traces; ///< weights of models that Python traced
    mutable fx::Warnings m_told;
    mutable std::set<std::string> m_toldLines; ///< the lines of `m_told`
    std::unique_ptr<StandardInput> m_input;    ///< tensors of a model from standard input are read from it later
};

/// Returns a warning on one line.
std::string warningText(const fx::Warning& warning);
/// Writes the member `"warnings": [{"what", "node", "module_path", "where"}]`.
void writeWarnings(fx::JsonWriter& json, const fx::Warnings& warnings);

} // namespace app
