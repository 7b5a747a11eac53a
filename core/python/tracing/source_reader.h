// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/tracing/source_trace.h"
#include "core/python/tracing/trace_calls.h"
#include "core/python/tracing/trace_definition.h"

namespace fx {
struct PassRun;

/// Follows Python in another process, so that no text can crash or delay this one. Any thread.
class SourceReader {
public:
    virtual ~SourceReader() = default;
    /// Like `fx::traceText`.
    virtual std::shared_ptr<GraphModule> traceText(const std::string& file, const std::string& text,
                                                   const SourceOptions& options, const Progress& progress) = 0;
    /// Like `fx::traceSource`.
    virtual SourceTrace traceSource(const std::string& file, const std::string& text, const SourceOptions& options,
                                    const Progress& progress) = 0;
    /// Like `fx::traceDefinition`.
    virtual GraphModule traceDefinition(std::string_view source, const SourceDefinition& definition,
                                        const DefinitionSettings& settings) = 0;
    /// Runs a pass on a copy of the model before this process does. Throws if the pass exceeds its limits or ends the
    /// other process, and Error{Cancelled}.
    virtual void rehearse(const std::string& file, const std::string& name, const std::string& text,
                          const PassRun& run) = 0;
    /// Like `fx::traceCalls`.
    virtual std::vector<TracedCall> traceCalls(const std::string& file, const std::string& text,
                                               const GraphModule& model, const std::vector<std::string>& nodes,
                                               const SourceOptions& options, const Progress& progress) = 0;
};

} // namespace fx
