// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/make/initial_weights.h"
#include "core/python/attributes/attribute_changes.h"
#include "core/python/attributes/attributes.h"
#include "core/python/builtins/builtin_methods.h"
#include "core/python/builtins/builtins.h"
#include "core/python/builtins/representation.h"
#include "core/python/classes/classes.h"
#include "core/python/classes/enums.h"
#include "core/python/classes/functions.h"
#include "core/python/classes/instances.h"
#include "core/python/classes/type_arguments.h"
#include "core/python/classes/types.h"
#include "core/python/execution/constant_sets.h"
#include "core/python/execution/exceptions.h"
#include "core/python/execution/expressions.h"
#include "core/python/execution/matching.h"
#include "core/python/execution/python_calls.h"
#include "core/python/execution/statements.h"
#include "core/python/execution/targets.h"
#include "core/python/imports/imports.h"
#include "core/python/library/library.h"
#include "core/python/object_protocol.h"
#include "core/python/run_settings.h"
#include "core/python/torch/bridge.h"
#include "core/python/torch/meta_device.h"
#include "core/python/torch/modules.h"
#include "core/python/torch/python_tensors.h"
#include "core/python/values/items.h"
#include "core/python/values/iteration.h"
#include "core/python/values/nested.h"
#include "core/python/values/operators.h"
#include "core/python/values/set_order.h"
#include "core/trace/allowance.h"

namespace fx::python {

/// Interprets Python programs: files with their imports, classes, functions and objects. Operations on proxies go to a
/// Tracer; modules of torch.nn are created with PyTorch's weights.
///
/// Limits: `kMaxSteps` statements, loop rounds and calls, or as much work inside built-in functions; memory as in
/// `trace::Allowance`; `kMaxCalls` nested calls and `trace::Deeper` levels of nested values. Throws trace::PythonError
/// for unhandled exceptions of the program, trace::CannotFollow for results that only running the program could give,
/// and Error{Cancelled}. Not thread-safe.
///
/// It owns the parts that do the work and the objects of the program. Each part is one class with a header. The
/// folders:
///
///  - `values`: operators, items and iteration
///  - `attributes`: attribute lookup
///  - `classes`: classes and functions
///  - `execution`: statements, expressions and calls
///  - `imports`: files and modules
///  - `builtins`: Python's types and functions
///  - `torch`: modules, tensors and conversion to and from the tracer
///  - `library`: modules that Lancet provides, mostly as Python
///  - `tracing`: whole traces
class Interpreter : public ObjectProtocol, public RunSettings {
public:
    /// Limits, see above.
    static constexpr std::size_t kMaxSteps = trace::Allowance::kMostStatements, kMaxCalls = 220;

    /// Keeps references to `sources` and `random`, which must outlive the interpreter.
    Interpreter(Sources& sources, TorchGenerator& random, Progress progress);
    ~Interpreter();
    Interpreter(const Interpreter&) = delete;
    Interpreter& operator=(const Interpreter&) = delete;

    /// Resource limits of the program. The caller that runs a whole program activates them.
    trace::Allowance& allowance() { return m_allowance; }
    /// Records all later operations with this tracer. `traces` is true for a symbolic trace as torch.fx performs it.
    void recordWith(trace::Tracer& tracer, bool traces) {
        m_tracer = &tracer;
        m_traces = traces;
        tracer.setGradients(&gradients);
    }
    /// State of one trace. `symbolic_trace` in a program starts a nested trace.
    struct Recording {
        trace::Tracer* tracer = nullptr;
        bool traces = true;
        std::unique_ptr<NodeNotes> notes = nullptr;
        SourceScopes* scopes = nullptr;
        const TracerHooks* hooks = nullptr;
        bool shapesConstant = false;
        /// See `RunSettings::proxyAttribute`.
        std::function<Value(const trace::Value& proxy, std::string_view name)> proxyAttribute = {};
        std::vector<std::string> modulePath = {};
        std::vector<ModuleFrame> moduleStack = {};
        Place here = {};
    };
    /// Exchanges the state of the current trace with `other`.
    void swapRecording(Recording& other);
    /// The generator that draws weights and random numbers.
    TorchGenerator& random() { return m_random; }

    // ── parts ──
    Calls& calls() { return m_calls; }
    Expressions& expressions() { return m_expressions; }
    ConstantSets& constantSets() { return m_constantSets; }
    Statements& statements() { return m_statements; }
    Targets& targets() { return m_targets; }
    Matching& matching() { return m_matching; }
    Exceptions& exceptions() { return m_exceptions; }
    Imports& imports() { return m_imports; }
    Attributes& attributes() { return m_attributes; }
    AttributeChanges& attributeChanges() { return m_attributeChanges; }
    BuiltinMethods& builtinMethods() { return m_builtinMethods; }
    Classes& classes() { return m_classes; }
    Functions& functions() { return m_functions; }
    Enums& enums() { return m_enums; }
    Instances& instances() { return m_instances; }
    Types& types() { return m_types; }
    TypeArguments& typeArguments() { return m_typeArguments; }
    Builtins& builtins() { return m_builtins; }
    Library& library() { return m_library; }
    Representation& representation() { return m_representation; }
    Bridge& bridge() { return m_bridge; }
    Modules& modules() { return m_modules; }
    Tensors& tensors() { return m_tensors; }
    MetaDevice& metaDevice() { return m_metaDevice; }
    Items& items() { return m_items; }
    Iteration& iteration() { return m_iteration; }
    Operators& operators() { return m_operators; }

private:
    friend class ObjectProtocol;

    Heap m_heap;
    CallStack m_stack;
    TorchGenerator& m_random;
    trace::Allowance m_allowance;
    trace::Tracer* m_tracer = nullptr;
    bool m_traces = false;
    Running m_outer; ///< `running` before this program started
    Imports m_imports;
    Calls m_calls{*this};
    Expressions m_expressions{*this};
    ConstantSets m_constantSets{*this};
    Statements m_statements{*this};
    Targets m_targets{*this};
    Matching m_matching{*this};
    Exceptions m_exceptions{*this};
    Attributes m_attributes{*this};
    AttributeChanges m_attributeChanges{*this};
    BuiltinMethods m_builtinMethods{*this};
    Classes m_classes{*this};
    Functions m_functions{*this};
    Enums m_enums{*this};
    Instances m_instances{*this};
    Types m_types{*this};
    TypeArguments m_typeArguments{*this};
    Builtins m_builtins{*this};
    Library m_library{*this};
    Representation m_representation{*this};
    Bridge m_bridge{*this};
    Modules m_modules{*this};
    Tensors m_tensors{*this};
    MetaDevice m_metaDevice{*this};
    Items m_items{*this};
    Iteration m_iteration{*this};
    Operators m_operators{*this};
};

/// Returns the plain value of a member of an IntEnum or a str Enum, or of a numpy number; other values unchanged.
inline Value plainValue(const Value& value) {
    const auto* instance = value.as<Instance>();
    const bool isPlain = instance && (instance->type->isEnum || instance->type->isArrayNumber);
    return isPlain && instance->payload.isSet() ? instance->payload : value;
}
/// True for names like `__name`, which Python mangles inside classes.
inline bool isPrivate(std::string_view name) { return name.starts_with("__") && !name.ends_with("__"); }
/// True for proxies of the tracer.
inline bool isProxy(const Value& value) {
    const auto* traced = value.as<Traced>();
    return traced && traced->value.isProxy();
}
/// Returns true if a value is or contains a proxy, as `trace::holdsProxy` does for the tracer's values.
inline bool holdsProxy(const Value& value) { return anyInside(value, isProxy); }
/// True for what a method returns to leave an operator to the other operand.
inline bool isNotImplemented(const Value& value) {
    const auto* instance = value.as<Instance>();
    return instance && !instance->type->file && instance->type->name == "NotImplementedType";
}
/// Returns the tensor in a value, or null.
inline const trace::TensorValue* tensorIn(const Value& value) {
    const auto* traced = value.as<Traced>();
    return traced ? traced->value.as<trace::TensorValue>() : nullptr;
}

} // namespace fx::python

#include "core/python/object_protocol_parts.h" // inline definitions
