// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/make/initial_weights.h"
#include "core/python/imports/sources.h"
#include "core/python/torch/known_numbers.h"
#include "core/python/torch/tensor_machine.h"
#include "core/python/tracing/node_notes.h"
#include "core/python/tracing/tracer_hooks.h"
#include "core/python/values/object.h"
#include "core/python/values/pointer_map.h"
#include "core/trace/tracer.h"

#include <exception>
#include <optional>
#include <unordered_set>

namespace fx {
class SourceScopes;
}

namespace fx::python {

/// Follows Python programs: files with their imports, classes, functions and objects. What it does to proxies goes to a
/// Tracer; modules of torch.nn are created with PyTorch's weights.
///
/// Bounded: kMaxSteps statements, loops and calls, kMaxCalls calls inside of calls. Throws trace::PythonError for what
/// Python would raise and the program does not handle, trace::CannotFollow for what cannot be known without running it,
/// Error{Cancelled}. Not thread-safe.
///
/// The folders show its parts: `values` has operators, items and iteration; `attributes` where names of objects are
/// found; `classes` classes and functions; `execution` statements, expressions and calls; `imports` files; `builtins`
/// Python's types and functions; `torch` modules, tensors and what crosses to the tracer; `library` the modules that
/// Lancet brings, mostly as Python; `tracing` whole traces.
class Interpreter {
public:
    static constexpr std::size_t kMaxSteps = 5'000'000, kMaxCalls = 220;

    Interpreter(Sources& sources, TorchGenerator& random, Progress progress);
    ~Interpreter();
    Interpreter(const Interpreter&) = delete;
    Interpreter& operator=(const Interpreter&) = delete;

    Heap& heap() { return m_heap; }
    /// What runs from now on is recorded by this tracer; `traces`: as torch.fx's symbolic trace does.
    void recordWith(trace::Tracer& tracer, bool traces) {
        m_tracer = &tracer;
        m_traces = traces;
    }
    bool traces() const { return m_traces; }
    /// What belongs to one trace: `symbolic_trace` in a program begins another one inside of what runs.
    struct Recording {
        trace::Tracer* tracer = nullptr;
        bool traces = true;
        std::unique_ptr<NodeNotes> notes = nullptr;
        SourceScopes* scopes = nullptr;
        const TracerHooks* hooks = nullptr;
        bool shapesConstant = false;
        std::function<Value(const trace::Value& proxy, std::string_view name)> proxyAttribute = {};
        std::vector<std::string> modulePath = {};
        std::vector<ModuleFrame> moduleStack = {};
        Place here = {};
    };
    void swapRecording(Recording& other);
    /// The globals of a text that is no file: what `exec` makes of generated code.
    Scope& runText(const std::string& name, std::string text);
    trace::Tracer& tracer() { return *m_tracer; }
    TorchGenerator& random() { return m_random; }

    // ── files ──
    /// The globals of a file; runs it first if that has not happened yet.
    Scope& run(SourceFile& file);
    Value importModule(const std::string& name, bool mustExist);
    /// A module that Lancet brings itself; null if there is none.
    SourceFile* ownFile(const std::string& name);
    Value importName(const SourceFile& from, const std::string& module, const std::string& name, bool mustExist);
    Value forced(Value value);

    // ── operations, in Python's terms ──
    Value call(const Value& callee, Values args, Keywords kwargs = {});
    Value attribute(const Value& object, std::string_view name);
    /// Unset if there is none.
    Value findAttribute(const Value& object, std::string_view name);
    /// Likewise, also unset when a property raises AttributeError.
    Value softAttribute(const Value& object, std::string_view name);
    void setAttribute(const Value& object, std::string_view name, const Value& value);
    Value binary(std::string_view op, const Value& left, const Value& right);
    Value recordBinary(std::string_view op, const Value& left, const Value& right);
    Value unary(std::string_view op, const Value& operand);
    Value compare(std::string_view sign, const Value& left, const Value& right);
    Value comparedByMethod(std::string_view op, const Value& left, const Value& right);
    bool equal(const Value& left, const Value& right);
    /// `hash(value)`, as CPython computes it for numbers and tuples of them.
    std::int64_t hash(const Value& value);
    bool contains(const Value& container, const Value& item);
    Value item(const Value& object, const Value& key);
    void setItem(const Value& object, const Value& key, const Value& value);
    void deleteItem(const Value& object, const Value& key);
    bool truth(const Value& value);
    Values list(const Value& iterable);
    Iterator* iterate(const Value& iterable);
    /// The next value, or StopIteration with the generator's result.
    Value next(Iterator& iterator);
    /// Refuses if a generator was left inside of a `finally` or `with`, of which Python would run the rest.
    void checkGenerators();
    Value length(const Value& value);
    std::string str(const Value& value);
    std::string repr(const Value& value);
    std::string format(const Value& value, std::string_view spec);
    std::string percentFormat(const std::string& text, const Value& given);
    Value typeOf(const Value& value);
    bool isInstance(const Value& value, const Value& type);
    bool isSubclass(Class* type, const Value& of);

    // ── making ──
    Value text(std::string value) { return m_heap.make<Str>(std::move(value)); }
    Tuple* tuple(Values items);
    List* listOf(Values items);
    Set* setOf(const Value& iterable);   ///< itself if it is a set
    Values viewed(const DictView& view); ///< what is in it now
    static std::string viewName(const DictView& view);
    Value native(std::string name, Native::Body body) { return m_heap.make<Native>(std::move(name), std::move(body)); }
    Iterator* iterator(std::function<Value()> next);
    Class* builtinClass(std::string_view name);
    /// Whether `hasattr` on it is answered for all public names.
    static bool namesAreKnown(const Space& space);
    const Value* builtin(std::string_view name) const { return m_builtins.find(name); }
    /// A class of torch.nn by any of its paths, or null.
    Class* torchClass(const std::string& path);
    Value resolve(const std::string& dotted); ///< a name of Lancet's tables
    Value instantiate(Class* type, Values args, Keywords kwargs);
    Instance* bare(Class& type);
    Value wrapModule(const std::shared_ptr<Module>& module);
    Instance* instanceOf(const Module* module);
    /// Whether the program asked for the hooks of a module.
    bool hasHooks() const { return m_hasHooks; }
    /// Tensors that the program left on the device "meta" are on the CPU from now on: a warning names their modules.
    void leaveMeta(const Module& root);
    /// Plain attributes of all modules as data, for ModuleIndex and for saving.
    void syncModules();

    // ── to the tracer and back ──
    trace::Value toTrace(const Value& value) { return toOperand(value, true); }
    /// An operand: a call that is recorded keeps members of enums, one that is computed takes what they stand for.
    trace::Value toOperand(const Value& value, bool records);
    Value fromTrace(const trace::Value& value);
    /// A class of the program as the target of a call and as a type.
    static CallablePtr callableOf(const Class& type);
    Value traced(trace::Value value) { return m_heap.make<Traced>(std::move(value)); }
    TypePtr annotationType(const py::Expr& expr, Scope& scope);
    TypePtr annotationOf(const Value& value);
    TypePtr textAnnotation(std::string text);
    static std::string sourceOf(const py::Expr& expr, const SourceFile& file);

    /// Calls a module as `module(...)`: a leaf is recorded, another is followed.
    Value callModule(Instance& module, Values args, Keywords kwargs);
    /// Follows the `forward` of a module at `path` of the root.
    Value followModule(Instance& module, const std::string& path, Values args, Keywords kwargs);
    bool isLeaf(const Instance& module) const;
    /// Whether a module is of the class with this name, with or without its module.
    static bool isOfClass(const Instance& module, const std::string& name);
    std::vector<std::string> leafTypes, leafPaths;
    /// Gets the scopes of recorded nodes; null: nobody wants them.
    SourceScopes* scopes = nullptr;
    /// Tells the scopes which modules below `root` derive from FloatFunctional.
    void noteFloatFunctionals(const Module& root);
    /// torch.ao `_swap_ff_with_fxff`.
    void swapFloatFunctionals(Instance& module);
    std::vector<std::string> followedTypes; ///< that are no leaf modules, though torch.fx has them as such
    /// Whether a module class has a `forward` that can be followed.
    static bool canFollow(Class& type);
    /// Takes notes of what is recorded from now on; null: no notes.
    std::unique_ptr<NodeNotes> notes;
    /// What is recorded next is made there.
    void standAt(const SourceFile* file, std::size_t offset) {
        takeNotes();
        m_here = {file, offset, {}};
    }
    /// Notes what was recorded where the program is now, before it goes elsewhere.
    void takeNotes() {
        if (notes && notes->isDue()) notes->note(m_calls, m_here, m_moduleStack);
    }
    /// Where the last function was left.
    Place leftAt;
    /// Set: the main file is text that somebody is typing. Its syntax errors come here, and the rest of it runs.
    std::vector<py::SourceError>* syntaxErrors = nullptr;
    /// What the tracer of the program does in its own way; null: it is torch.fx's.
    const TracerHooks* hooks = nullptr;
    bool shapesConstant = false; ///< torch.fx `param_shapes_constant`
    /// Attributes that a proxy has for a pass ("node"); what it does not know, or if it is unset, is recorded.
    std::function<Value(const trace::Value& proxy, std::string_view name)> proxyAttribute;

    /// Takes what the program prints; unset: nobody.
    std::function<void(const std::string& line)> printed;
    /// Hands over what was printed without a line's end.
    void finishLine();
    /// Called before each round of a `for` loop, with its item, and when the loop ends, without one; `offset` is the
    /// loop's place in its file. May throw.
    std::function<void(const Value& item, std::size_t offset)> looped;
    /// Computes with tensors; null: only what Lancet itself can work out is known of them.
    TensorMachine* machine = nullptr;

    /// Calls of a function, or of all functions of a file, are recorded from now on: torch.fx `autowrap_functions` and
    /// `autowrap_modules`. `wrapped` gets those that were not so far.
    void autowrap(const Value& what, std::vector<Function*>& wrapped);
    /// Runs a function with its parameters bound to values as they are, `*args` too.
    Value callBound(Function& function, const Keywords& bindings);
    Value evaluate(const py::Expr& expr, Scope& scope);
    Values defaultsOf(std::span<const py::Parameter> parameters, Scope& scope);
    const std::vector<Place>& calls() const { return m_calls; }
    Place here() const { return m_here; }
    /// Whether a function that runs is inside of a `try`.
    bool isTrying() const;
    const std::vector<std::string>& modulePath() const { return m_modulePath; }
    /// The chain of calls at the exception that is on its way.
    std::vector<Place> failedIn;
    ModuleFrame failedModule; ///< empty: outside of modules
    Warnings warnings;
    /// Whether the program asked for values of weights that were not drawn.
    bool missedValues = false;
    /// Whether it wrote to tensors, or put others in their places, while it was traced.
    bool writesTensors = false;

    [[noreturn]] void raise(std::string_view type, const std::string& message);
    std::string describe(const Raised& raised);

private:
    enum class Flow : std::uint8_t { Next, Return, Break, Continue };
    struct Frame {
        Scope* scope = nullptr;
        Scope* named = nullptr; ///< of a comprehension: where `:=` binds, in the function around it
        SourceFile* file = nullptr;
        Function* function = nullptr;
        Value self, result;
        Value sent; ///< what the `yield` gives at which a generator goes on
        std::size_t tries = 0;
        Value handled; ///< the exception of the handler that runs
        Frame* caller = nullptr;
    };
    struct TryParts {
        std::vector<std::size_t> handlers;
        std::optional<std::size_t> otherwise, finally;
    };
    friend struct FrameGuard;
    friend class GeneratorRun;

    // execution/
    Flow runBlock(std::size_t begin, std::size_t end);
    Flow runStatement(std::size_t& at, std::size_t end);
    std::optional<std::size_t> chosenBranch(std::size_t& at, std::size_t end);
    Flow runTry(std::size_t& at, std::size_t end);
    TryParts tryParts(std::size_t& at, std::size_t end) const;
    Flow runGuarded(std::size_t head, const TryParts& parts);
    std::optional<std::size_t> handlerFor(const std::vector<std::size_t>& handlers, const Value& exception);
    Flow runWith(std::size_t head, std::size_t first);
    Value enter(std::size_t head, std::size_t number);
    bool leave(const Value& context, const Value& exception);
    std::optional<std::size_t> elseOfLoop(std::size_t head, std::size_t& at, std::size_t end) const;
    Flow runLoop(std::size_t head, std::size_t& at, std::size_t end);
    std::optional<std::size_t> matchedCase(std::size_t head);
    bool matches(const py::Expr& pattern, const Value& value);
    bool matchesSequence(const py::Expr& pattern, const Value& value);
    bool matchesMapping(const py::Expr& pattern, const Value& value);
    bool matchesClass(const py::Expr& pattern, const Value& value);
    Flow runBody(std::size_t head);
    void runModuleLevel(SourceFile& file);
    SourceFile* addFile(const Sources::Found& found);
    void import(const py::Stmt& statement);
    void declare(SourceFile& file);
    Value declaredName(SourceFile& file, const std::string& name);
    SourceFile* definingPart(const SourceFile& file, const std::vector<std::string>& modules, const std::string& name);
    void importAll(const std::string& module, const SourceFile& from);
    void define(std::size_t head);
    Value defineFunction(std::size_t head);
    Value defineClass(std::size_t head);
    void step(std::size_t offset);
    void assign(const py::Expr& target, const Value& value);
    void assignMany(const py::Expr& targets, const Value& value);
    void bind(std::string_view name, const Value& value);
    void remove(const py::Expr& target);
    void augment(const py::Stmt& statement);
    void raiseStatement(const py::Stmt& statement);
    const py::SourceTree& tree() const { return *m_frame->file->tree; }
    std::size_t bodyEnd(std::size_t head) const { return m_frame->file->ends[head]; }
    Value exceptionOf(const trace::PythonError& error);
    Value exceptionIn(const std::exception_ptr& error);

    // execution/expressions.cpp
    Value evaluateIn(const py::Expr& expr);
    Value name(std::string_view text);
    Value forcedIn(Scope& scope, std::string_view name, Value found);
    Value calleeOf(const py::Expr& called, Values& args);
    Value callExpression(const py::Expr& expr);
    void arguments(const py::Expr& call, Values& args, Keywords& kwargs);
    Values items(const py::Expr& expr);
    Value comprehension(const py::Expr& expr);
    Value dictionary(const py::Expr& expr);
    Value sliceOf(const py::Expr& expr);
    Value joined(const py::Expr& expr);
    Value superValue(const Values& args);
    std::string written(std::string_view name) const;
    friend class ComprehensionDraw;

    // execution/calls.cpp
    Value callFunction(Function& function, Values args, Keywords kwargs);
    void bindArguments(Function& function, Values args, Keywords& kwargs, Scope& scope);
    void noteOwnMember(const Function& function, const Value& self);
    Value runFunction(Function& function, Frame& frame);
    Scope* newScope(SourceFile* file, Scope* parent);
    void release(Scope* scope);
    Value callClass(Class& type, Values args, Keywords kwargs);
    Value callTorch(const Traced& callee, Values args, Keywords kwargs);
    Value calledByTracer(const Traced& callee, Values args, Keywords kwargs);
    Value callOperator(std::string_view name, const Values& args);

    // attributes/
    Value tracedAttribute(const Traced& traced, const Value& object, std::string_view name);
    Value hookedAttribute(Instance& instance, std::string_view name, const Value& object);
    Value fileAttribute(SourceFile& file, std::string_view name);
    Value functionAttribute(Function& function, std::string_view name);
    Value propertyAttribute(const Property& property, std::string_view name);
    Value operatorAttribute(const Callable& callable, std::string_view name);
    Value bound(const Value& member, const Value& self, Class* type);
    Value instanceAttribute(Instance& instance, std::string_view name, const Value& self);
    Value moduleAttribute(Instance& instance, std::string_view name);
    Value tensorAttribute(Instance& instance, const TensorPtr& tensor, std::string_view name, bool isParameter);
    Value constantShape(const trace::Value& proxy, std::string_view name);
    Value classAttribute(Class& type, std::string_view name);
    Value superAttribute(Super& super, std::string_view name);
    Value spaceAttribute(Space& space, std::string_view name);
    Value builtinMethod(const Value& object, std::string_view name);
    Value libraryMethod(const Value& object, std::string_view name);
    Value unboundMethod(const Class& type, std::string_view name);
    void setModuleAttribute(Instance& instance, std::string_view name, const Value& value);
    void removeAttribute(const Value& object, const std::string& name);
    void setClass(Instance& instance, const Value& value);
    void setDict(Instance& instance, const Value& value);
    std::string extraRepr(const Value& module);
    void noteTensorSet();
    void setModuleEntry(Instance& instance, std::string_view kind, const std::string& name, const Value* value);

    // classes/
    Value decorated(const Value& decorator, const Value& made);
    static bool onlyDocuments(const Value& decorator);
    Value documentation(const Function& function);
    static const std::string* docstring(const py::SourceTree& tree, std::size_t head, std::size_t end);
    std::string qualified(std::string_view name) const;
    void findAbstract(Class& type, const py::Stmt& statement);
    void subclassed(Class& type, const py::Stmt& statement);
    void finishByMetaclass(Class& type, const Keywords& keywords);
    Value superOfClass(Class& type, std::string_view name);
    void giveKeyMethods();
    Value starName(const SourceFile& file, std::string_view name);
    Value objectMember(const Value& self, Class& type, std::string_view name);
    void fillPayload(Instance& instance, const Values& args, const Keywords& kwargs);
    void inherit(Class& type);
    static void nameClass(Module& module, const Class& type);
    void orderBases(Class& type);
    void finishEnum(Class& type);
    Value automaticValue(Class& type, const std::string& name, const Values& before);
    Instance* memberOf(Class& type, const Value& value);
    Instance* enumMember(Class& type, const Value& name, const Value& value);
    Instance* joinedFlag(Class& type, std::int64_t bits);
    Class* enumOf(Class& base, const std::string& name, const Value& given);
    Value makeNamedTuple(Class& type, Values args, Keywords kwargs);
    void nameFields(Class& type);
    void initialise(Instance& self, Class& type, Values args, Keywords kwargs);
    const std::vector<Class*>& heldBy(Class& type);
    Value specialMethod(const Value& object, std::string_view name);

    // builtins/, torch/
    void addBuiltins();
    void addTypes();
    void addRecordMethods(Class& record);
    void addExceptions();
    void addObjects();
    void addIteration();
    void addHelpers();
    void addModuleHelpers();
    void addArrays();
    void addRandomNumbers();
    void unwrapArray(std::string_view function, Values& args, Keywords& kwargs);
    void addRegularExpressions();
    Value textMethod(Str& self, std::string_view name);
    Value listMethod(List& self, std::string_view name);
    Value dictMethod(Dict& self, std::string_view name);
    Value setMethod(Set& self, std::string_view name);
    Value iteratorMethod(Iterator& self, std::string_view name);
    Value moduleMethod(Instance& self, std::string_view name);
    void constructTorchModule(Instance& self, Class& type, const Values& args, const Keywords& kwargs);
    void resetTorchModule(Instance& self);
    Value callForward(Instance& module, Values args, Keywords kwargs);
    void fillContainer(Instance& self, std::string_view container, const Values& args, const Keywords& kwargs);
    std::shared_ptr<Module> childOf(const Value& child);
    void addChildren(Module& module, const Values& more);
    Value makeParameter(const Values& args, const Keywords& kwargs);
    Argument plainArgument(const Value& value);
    TensorPtr tensorOf(const Value& value);
    Value numbersOf(const TensorPtr& tensor);
    Value numberOf(const Value& tensor);
    Value elementOf(const TensorRef& tensor, std::int64_t at);
    bool hasNumbers(const TensorRef& tensor) const;
    Value partOf(const TensorPtr& tensor, std::int64_t at);
    Value tensorMethod(const Value& tensor, std::string_view name);
    std::optional<Value> constructorTensor(const trace::FunctionValue& function, trace::Values args,
                                           trace::KeywordValues kwargs);
    trace::Value calledWithoutDrawing(const trace::Value& target, const trace::Values& args,
                                      const trace::KeywordValues& kwargs);
    std::optional<Value> fillMethod(const trace::BoundMethod& method, const Values& args, const Keywords& kwargs);
    Value initFunction(std::string_view name, Values& args, Keywords& kwargs);
    bool isOnMeta(const Traced& callee, const Values& args, const Keywords& kwargs) const;
    Value calledOnMeta(const Traced& callee, Values args, Keywords kwargs);
    bool enterDevice(const Value& context);
    void leaveDevice(const Value& context);
    void addDeviceHelpers();

    Heap m_heap;
    std::vector<Scope*> m_freeScopes; ///< of calls that have ended
    Sources& m_sources;
    TorchGenerator& m_random;
    std::vector<TorchGenerator::State> m_randomStates; ///< of torch.get_rng_state
    Progress m_progress;
    trace::Tracer* m_tracer = nullptr;
    bool m_traces = false;
    KnownNumbers m_numbers;
    std::size_t m_steps = 0, m_depth = 0;
    std::string m_unfinished; ///< printed with an `end` that ends no line
    Names m_builtins;
    Frame* m_frame = nullptr;
    Place m_here;
    std::vector<Place> m_calls;
    std::vector<std::string> m_modulePath;
    std::vector<ModuleFrame> m_moduleStack;
    std::unordered_map<std::string, SourceFile*> m_files;
    std::unordered_map<std::string, Class*> m_torchClasses;
    std::unordered_map<std::string, Value> m_resolved;
    PointerMap<Module, Instance*> m_instances;
    std::vector<Instance*> m_modules;
    std::vector<const py::Expr*> m_decorators;
    std::vector<std::weak_ptr<GeneratorRun>> m_generators;
    Dict* m_loaded = nullptr;                                           ///< `sys.modules`
    std::shared_ptr<const bool> m_alive = std::make_shared<bool>(true); ///< as long as this is
    Class* m_object = nullptr;
    Class* m_moduleClass = nullptr;
    Class* m_enumClass = nullptr;
    /// `torch.set_default_device`, and on it what `with torch.device(...)` has entered.
    std::vector<std::string> m_defaultDevices{"cpu"};
    Class* m_building = nullptr;  ///< the class whose body runs
    Class* m_finishing = nullptr; ///< the class that `type.__new__` gives to the metaclass that calls it
    bool m_hasHooks = false;      ///< a module may have hooks
};

/// What a member of an IntEnum or a str Enum, or a number of numpy, stands for in a computation; other values as they
/// are.
inline Value plainValue(const Value& value) {
    const auto* instance = value.as<Instance>();
    const bool isPlain = instance && (instance->type->isEnum || instance->type->isArrayNumber);
    return isPlain && instance->payload.isSet() ? instance->payload : value;
}
/// `__name`, which Python keeps under another name inside of classes.
inline bool isPrivate(std::string_view name) { return name.starts_with("__") && !name.ends_with("__"); }
inline bool isProxy(const Value& value) {
    const auto* traced = value.as<Traced>();
    return traced && traced->value.isProxy();
}
inline const trace::TensorValue* tensorIn(const Value& value) {
    const auto* traced = value.as<Traced>();
    return traced ? traced->value.as<trace::TensorValue>() : nullptr;
}

} // namespace fx::python
