// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/pysrc/parser.h"
#include "core/python/python_interpreter.h"
#include "core/python/tracing/fx_classes.h"
#include "core/python/tracing/source_trace.h"
#include "core/python/tracing/trace_file.h"

namespace fx::python {

/// One trace: the file runs, the class is constructed, its forward is followed.
class FileTrace {
public:
    FileTrace(const std::string& file, std::string text, const SourceOptions& options, const Progress& progress)
        : m_options(options), m_sources(file, std::move(text), options.paths),
          m_random(options.seed, options.weights, progress), m_in(m_sources, m_random, progress) {}

    /// Returns the traced model. With `SourceOptions::partial`, a trace that stops after the constructor returns what
    /// it has, with a warning.
    std::shared_ptr<GraphModule> run();
    /// Returns true if the code asked for values of weights that have none.
    bool missedValues() const { return m_in.missedValues && !trace::isSpent(m_why); }
    /// Returns true if the traced code writes to tensors, or has constants without values. Only a machine that computes
    /// during the trace, too, follows that as Python does, and it costs a run.
    bool mustCompute() const {
        return m_options.machine && (m_in.writesTensors || m_lacksConstants) && !m_computes && !trace::isSpent(m_why);
    }
    /// Computes with all tensors while it traces, too: constants of the graph have values then.
    FileTrace& computing() {
        m_computes = true;
        return *this;
    }

    /// Constructs the model, if that succeeds, and traces nothing.
    void construct(const std::function<void(Interpreter&, const Value&)>& use);
    /// Runs on in spite of errors.
    SourceTrace typed();

private:
    void run(const std::shared_ptr<GraphModule>& made);
    /// Runs the file. A constructor records nothing.
    void start(trace::Tracer& constructing);
    /// Python cannot import a file that raises.
    [[noreturn]] void stop();
    /// A GraphModule that the file made itself.
    bool takeTraced(const Value& target, GraphModule& made);
    void finishModules(const Module& root);
    /// Constructs a class, and traces what came of it or a function.
    void record(const Value& target, GraphModule& made);
    void useMachine();
    void computeWith(trace::Tracer& tracer);
    void finishComputing(const Module& root);
    void loadInto(GraphModule& made, bool isModule);
    /// Gives modules that are one node in the graph, and are quantised alone, the graphs of their traces.
    void traceStandalone(const GraphModule& made);
    std::shared_ptr<GraphModule> tracedAlone(Instance& called, const SourceOptions::Standalone& entry);
    /// torch.fx `autowrap_functions` and `autowrap_modules`.
    void wrapFunctions();
    /// A tracer that lives as long as the values that it made, which exceptions may hold.
    trace::Tracer& recording(Graph& graph, Module& root);
    /// `isOutside`: Lancet cannot follow the source, while Python itself may.
    Error failed(const Message& why, bool isOutside = false);
    /// The class or function with the name that was asked for, or the only nn.Module class, or the only function.
    Value find();
    /// The classes of modules that the file defines, or else its functions.
    std::vector<std::string> candidates();
    /// `net.py:make_net(depth=18)`: a call in the scope of the file.
    Value evaluated();
    /// The fixed inputs by name, those that are written as Python included; in these, `PH` is torch.fx's.
    Value concrete();
    Value construct(const Value& type);

    const SourceOptions& m_options;
    std::shared_ptr<TensorMachine> m_machine;
    Sources m_sources;
    TorchGenerator m_random;
    Interpreter m_in;
    std::vector<std::shared_ptr<GraphModule>> m_alone; ///< modules that were traced on their own
    std::vector<std::unique_ptr<trace::ModuleIndex>> m_indices;
    std::vector<std::unique_ptr<trace::Tracer>> m_tracers;
    std::shared_ptr<FxClasses> m_fx;
    SourceFile* m_file = nullptr;
    std::string m_name;
    std::string m_concreteText;
    std::unique_ptr<py::Parser> m_call, m_concrete;
    SourceTrace* m_typed = nullptr; ///< of an editor
    bool m_hasRun = false;          ///< the statements of the file
    bool m_isConstructed = false;
    bool m_isLoading = false; ///< weights, whose errors are those of their file
    bool m_computes = false;
    bool m_lacksConstants = false;   ///< the graph has constants that only `computing` gives values
    std::optional<Error> m_unloaded; ///< what loading failed at, if the trace went on
    Message m_why;
    Place m_failedAt;
};

} // namespace fx::python
