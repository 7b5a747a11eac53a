// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/tracing/source_reader.h"
#include "core/remote/worker_process.h"

#include <memory>
#include <mutex>

namespace fx::reader {
struct SourceRequest;

/// Returns the path of lancet-reader beside the running program, or else its name, to be found on PATH.
std::string readerProgram();

/// How to start lancet-reader.
struct ReaderOptions {
    /// The program and its arguments; if empty, lancet-reader beside the running program, else on PATH.
    std::vector<std::string> command;
    bool spare = false; ///< keep a process ready for the next source
};

/// Follows Python in lancet-reader, with one process per source. A source that exceeds its limits, crashes or is
/// cancelled ends only that process, with Error{Refused}; for `traceSource` that is a fault. A source with large
/// weights is traced twice, first without drawing them. Any thread.
class ReaderClient final : public SourceReader {
public:
    /// Starts no process yet.
    explicit ReaderClient(ReaderOptions options) : m_options(std::move(options)) {}

    std::shared_ptr<GraphModule> traceText(const std::string& file, const std::string& text,
                                           const SourceOptions& options, const Progress& progress) override;
    SourceTrace traceSource(const std::string& file, const std::string& text, const SourceOptions& options,
                            const Progress& progress) override;
    GraphModule traceDefinition(std::string_view source, const SourceDefinition& definition,
                                const DefinitionSettings& settings) override;
    std::vector<TracedCall> traceCalls(const std::string& file, const std::string& text, const GraphModule& model,
                                       const std::vector<std::string>& nodes, const SourceOptions& options,
                                       const Progress& progress) override;
    /// Ignores errors of the pass itself, which this process will find.
    void rehearse(const std::string& file, const std::string& name, const std::string& text,
                  const PassRun& run) override;

private:
    std::unique_ptr<remote::WorkerProcess> process();
    void keepSpare();
    template<class Result> Result read(SourceRequest request, const Progress& progress);
    template<class Result> Result once(SourceRequest& request, const Progress& progress);

    ReaderOptions m_options;
    std::mutex m_mutex;
    std::unique_ptr<remote::WorkerProcess> m_spare;
};

/// Returns the client that follows a program's Python; null with LANCET_READER=off in the environment: the program then
/// interprets everything itself, with fewer limits.
std::shared_ptr<SourceReader> pythonReader(ReaderOptions options = {});

} // namespace fx::reader
