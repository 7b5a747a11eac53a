// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/trace_file.h"

#include "core/files/read_text.h"
#include "core/ir/print.h"
#include "core/python/tracing/file_trace.h"
#include "core/python/tracing/source_program.h"
#include "core/python/tracing/source_reader.h"
#include "core/python/tracing/source_scopes.h"

namespace fx {

using namespace python;

std::optional<SourcePath> splitSourcePath(const std::string& model) {
    const auto at = model.rfind(".py");
    if (at == std::string::npos || (at + 3 != model.size() && model[at + 3] != ':')) return std::nullopt;
    return SourcePath{model.substr(0, at + 3), at + 3 < model.size() ? model.substr(at + 4) : std::string()};
}

namespace {

/// A method of a class that derives from FloatFunctional was called, which quantisation replaces: what it replaces it
/// by can only be traced, and only now that the source is known.
void keepSwapped(GraphModule& made, const std::string& file, const std::string& text, const SourceOptions& options,
                 const Progress& progress) {
    const auto* known = dynamic_cast<const SourceScopes*>(made.origin.get());
    if (!known || !known->ownMember) return;
    SourceOptions with = options;
    with.swapsFloatFunctionals = true;
    const auto traced = [&](bool eval) {
        with.eval = eval;
        return FileTrace(file, text, with, progress).run();
    };
    try {
        const auto evaluating = traced(true);
        const auto training = options.eval ? evaluating : traced(false);
        const auto scopes = std::make_shared<SourceScopes>(*known);
        scopes->swapped = std::make_shared<const SourceScopes::Swapped>(
            SourceScopes::Swapped{evaluating, training, graphText(made.graph)});
        made.origin = scopes;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
    } catch (const ValuesNeeded&) {} // quantisation refuses the method
}

/// A trace, and another one that computes where that writes to tensors. `missedValues` is set before errors are thrown.
std::shared_ptr<GraphModule> tracedOrComputed(const std::string& file, const std::string& text,
                                              const SourceOptions& options, const Progress& progress,
                                              bool& missedValues) {
    const auto attempt = [&](FileTrace& trace) {
        struct Note {
            FileTrace& trace;
            bool& missed;
            ~Note() { missed = trace.missedValues(); }
        } const note{trace, missedValues};
        return trace.run();
    };
    FileTrace first(file, text, options, progress);
    try {
        const auto made = attempt(first);
        if (!first.mustCompute()) return made;
    } catch (const Error& error) {
        if (!first.mustCompute() || error.kind() == ErrorKind::Cancelled) throw;
    }
    FileTrace second(file, text, options, progress);
    return attempt(second.computing());
}

} // namespace

std::shared_ptr<GraphModule> traceFile(const std::string& file, const SourceOptions& options,
                                       const Progress& progress) {
    return traceText(file, readTextFile(file, Sources::kMaxBytes), options, progress);
}

std::shared_ptr<GraphModule> traceText(const std::string& file, const std::string& text, const SourceOptions& options,
                                       const Progress& progress) {
    if (options.reader) return options.reader->traceText(file, text, options, progress);
    bool missedValues = false;
    if (options.weights == NewWeights::ShapesOnly) {
        try {
            return tracedOrComputed(file, text, options, progress, missedValues);
        } catch (const ValuesNeeded&) {
        } catch (const Error&) {
            if (!missedValues) throw;
        }
    }
    SourceOptions drawn = options;
    drawn.weights = NewWeights::Drawn;
    return tracedOrComputed(file, text, drawn, progress, missedValues);
}

void python::withProgram(const std::string& file, const std::string& text, const SourceOptions& options,
                         const Progress& progress,
                         const std::function<void(Interpreter& in, const Value& model)>& use) {
    FileTrace(file, text, options, progress).construct(use);
}

SourceTrace traceSource(const std::string& file, std::string text, const SourceOptions& options,
                        const Progress& progress) {
    if (options.reader) return options.reader->traceSource(file, text, options, progress);
    if (text.size() > Sources::kMaxBytes) {
        SourceTrace out;
        const Error error = Error(ErrorKind::File, Message("files.too_large")).in(file);
        out.faults.push_back({error, file, 0, 0});
        return out;
    }
    SourceTrace out;
    bool missed = false;
    SourceOptions with = options;
    const auto trace = [&] {
        try {
            FileTrace first(file, text, with, progress);
            out = first.typed();
            missed = first.missedValues();
            if (!first.mustCompute()) return;
            FileTrace second(file, text, with, progress);
            out = second.computing().typed();
            missed = second.missedValues();
        } catch (const ValuesNeeded&) { missed = true; }
    };
    trace();
    if (missed && options.weights != NewWeights::Drawn) {
        with.weights = NewWeights::Drawn;
        trace();
    }
    if (out.module && out.isComplete) keepSwapped(*out.module, file, text, with, progress);
    return out;
}

} // namespace fx
