// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/text_hash.h"
#include "core/diag/message.h"
#include "core/module/module.h"
#include "core/pysrc/source_tree.h"
#include "core/trace/value.h"

#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

/// Python values with identity, as a program that is followed sees them. All objects live as long as their Heap.
namespace fx::python {

struct Object;

/// Any Python value: numbers and None by value, all else by identity.
struct Value {
    enum class Kind : std::uint8_t { Unset, None, Bool, Int, Float, Object };
    Kind kind = Kind::Unset;
    union {
        bool boolean;
        std::int64_t integer;
        double real;
        Object* object = nullptr;
    };

    Value() = default;
    Value(bool value) : kind(Kind::Bool), boolean(value) {}
    Value(std::int64_t value) : kind(Kind::Int), integer(value) {}
    Value(double value) : kind(Kind::Float), real(value) {}
    Value(Object* value) : kind(value ? Kind::Object : Kind::Unset), object(value) {}
    template<class T>
    requires std::is_base_of_v<Object, T> Value(T* value) : Value(static_cast<Object*>(value)) {}

    static Value none() {
        Value value;
        value.kind = Kind::None;
        return value;
    }
    static Value integerOf(std::size_t count) { return {static_cast<std::int64_t>(count)}; }
    bool isSet() const { return kind != Kind::Unset; }
    bool isNone() const { return kind == Kind::None; }
    bool isInt() const { return kind == Kind::Int || kind == Kind::Bool; }
    bool isNumber() const { return isInt() || kind == Kind::Float; }
    std::int64_t asInt() const { return kind == Kind::Bool ? boolean : integer; }
    double asReal() const { return kind == Kind::Float ? real : static_cast<double>(asInt()); }
    bool sameAs(const Value& other) const; ///< `is`
    /// The object if it is a T, else null.
    template<class T> T* as() const;
};
using Values = std::vector<Value>;
using Keywords = std::vector<std::pair<std::string, Value>>;
/// Null if the call has no such keyword.
Value* keyword(Keywords& kwargs, std::string_view name);

/// Names with values in the order of their first binding.
class Names {
public:
    Value* find(std::string_view name);
    const Value* find(std::string_view name) const { return const_cast<Names*>(this)->find(name); }
    void set(std::string_view name, Value value);
    bool erase(std::string_view name);
    void clear() {
        m_items.clear();
        m_index.clear();
    }
    const std::vector<std::pair<std::string, Value>>& items() const { return m_items; }

private:
    static constexpr std::size_t kFew = 12; ///< up to here looking through them all is quicker than a table
    std::vector<std::pair<std::string, Value>> m_items;
    std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> m_index;
};

/// What kind of object something is: quicker to compare than by dynamic_cast, which asks for it at each step.
struct ObjectTag {
    const ObjectTag* above = nullptr; ///< of the type that it derives from, if objects of that are asked for
};
/// What the interpreter's heap owns: the base of all objects of a followed program.
struct Object {
    virtual ~Object() = default;
    const ObjectTag* tag = nullptr; ///< set by the heap
};
template<class T> constexpr const ObjectTag* tagOf();

/// Owns all objects of a run, cycles included.
class Heap {
public:
    Heap() = default;
    ~Heap() {
        for (Object* each : m_objects) each->~Object();
    }
    Heap(const Heap&) = delete;
    Heap& operator=(const Heap&) = delete;

    template<class T, class... Arguments> T* make(Arguments&&... arguments) {
        T* made = new (m_memory.allocate(sizeof(T), alignof(T))) T(std::forward<Arguments>(arguments)...);
        made->tag = tagOf<T>();
        m_objects.push_back(made);
        return made;
    }
    std::size_t size() const { return m_objects.size(); }

private:
    std::pmr::monotonic_buffer_resource m_memory; ///< given back as a whole: objects end only with the run
    std::vector<Object*> m_objects;
};

/// A Python str: UTF-8.
struct Str : Object {
    explicit Str(std::string value) : text(std::move(value)) {}
    std::string text;
};
/// A Python list.
struct List : Object {
    Values items;
};
struct Class;
/// A Python tuple.
struct Tuple : Object {
    Values items;
    std::vector<std::string> fields = {}; ///< of what PyTorch returns: "values", "indices"
    bool isSize = false;                  ///< a torch.Size
};
/// Equality and hashes as Python's for plain values; by identity for objects.
std::size_t hashOf(const Value& value);
bool equalValues(const Value& a, const Value& b);
/// What objects whose classes define `__hash__` and `__eq__` say themselves; nullopt for others. Of the interpreter
/// that runs on this thread.
struct KeyMethods {
    const void* owner = nullptr; ///< the interpreter
    std::function<std::optional<std::size_t>(const Value& key)> hash;
    std::function<std::optional<bool>(const Value& left, const Value& right)> equal;
};
KeyMethods& keyMethods();
/// What an instance of a class derived from int, str, list... holds; other values themselves.
const Value& plain(const Value& value);

/// A dict in the order of insertion; also what a set is made of.
class Dict : public Object {
public:
    Value* find(const Value& key);
    Value* find(std::string_view key);
    void set(const Value& key, Value value);
    bool erase(const Value& key);
    std::size_t size() const { return m_size; }
    void clear();
    template<class Visit> void forEach(Visit visit) const {
        for (std::size_t i = 0; i < m_items.size(); ++i)
            if (m_items[i].first.isSet()) visit(m_items[i].first, m_items[i].second);
    }
    Value factory;                          ///< of a defaultdict
    bool isOrdered = false;                 ///< an OrderedDict
    std::shared_ptr<Names> attributes = {}; ///< of an OrderedDict that has some
    /// Called after each change, with the new value or, where a key went, null: `_modules` of a module is such a view.
    std::function<void(const Value& key, const Value* value)> changed = {};

private:
    struct Equal {
        bool operator()(const Value& a, const Value& b) const { return equalValues(a, b); }
    };
    struct Hash {
        std::size_t operator()(const Value& value) const { return hashOf(value); }
    };
    static constexpr std::size_t kFew = 8; ///< up to here looking through them all is quicker than a table
    std::pair<Value, Value>* place(const Value& key);
    void dropErased();                            ///< so that a dict used as a queue does not grow
    std::vector<std::pair<Value, Value>> m_items; ///< an unset key where one was erased
    std::unordered_map<Value, std::size_t, Hash, Equal> m_index;
    std::size_t m_size = 0;
};
/// A Python set or frozenset, in order of insertion.
struct Set : Object {
    Dict items;
    bool isFrozen = false;
};
/// What `keys()`, `values()` and `items()` of a dict give: what is in it whenever somebody looks.
struct DictView : Object {
    enum class Kind : std::uint8_t { Keys, ValuesOnly, Items };
    Dict* dict = nullptr;
    Kind kind = Kind::Keys;
};
/// The dict whose keys are the members of a set or of a view of keys; null for other values.
Dict* membersOf(const Value& value);
/// A Python slice.
struct SliceObject : Object {
    Value start, stop, step;
};
/// A Python range.
struct RangeObject : Object {
    std::int64_t start = 0, stop = 0, step = 1;
    std::int64_t size() const {
        if (step > 0) return stop > start ? (stop - start + step - 1) / step : 0;
        return start > stop ? (start - stop - step - 1) / -step : 0;
    }
};

struct Scope;
/// A Python file: its text, tree and globals.
struct SourceFile : Object {
    std::string name; ///< dotted name as a module
    std::string path; ///< empty for what Lancet brings itself
    std::string text;
    std::unique_ptr<py::SourceTree> tree;
    std::vector<std::uint32_t> ends; ///< `bodyEnd` of each statement
    Scope* globals = nullptr;
    bool isPackage = false, started = false;
    bool isGenerated = false;        ///< code of a graph: what it calls and does not find is recorded by name
    bool hasTextAnnotations = false; ///< `from __future__ import annotations`
    std::unordered_map<std::string, std::string> declared; ///< names that `if TYPE_CHECKING:` imports, and from where
    std::vector<std::string> declaredAll;                  ///< modules of which it imports `*`
    std::vector<std::string> starSpaces;                   ///< modules of Lancet's tables of which it imports `*`
    bool wrapsLen = false;
};
/// Names of a file, a function, a class body or a comprehension.
struct Scope : Object {
    Names names;
    Scope* parent = nullptr;
    SourceFile* file = nullptr;
    bool isClass = false;
    bool isKept = false; ///< something refers to it that may live longer than the call
    std::vector<std::pair<std::string_view, Scope*>> elsewhere; ///< global and nonlocal names

    /// It and the scopes around it outlive their calls.
    Scope* keep() {
        for (Scope* scope = this; scope && !scope->isKept; scope = scope->parent) scope->isKept = true;
        return this;
    }
};

/// A function or lambda of a source, with what it closes over.
struct Function : Object {
    std::string name, qualifiedName;
    SourceFile* file = nullptr;
    std::size_t head = 0;
    const py::Expr* lambda = nullptr;
    std::span<const py::Parameter> parameters;
    Values defaults; ///< by parameter; unset without one
    Scope* closure = nullptr;
    Class* owner = nullptr; ///< the class whose body defines it
    bool yields = false, isContext = false;
    std::optional<Message> lostDecorator; ///< why a decorator of it could not be followed: it cannot be used
    bool wrapped = false;                 ///< torch.fx.wrap
    Function* shown = nullptr;            ///< functools.wraps: whose signature it has
    Names attributes;
};
class Interpreter;
/// A function that Lancet implements.
struct Native : Object {
    using Body = std::function<Value(Interpreter&, Values&, Keywords&)>;
    Native(std::string called, Body what) : name(std::move(called)), body(std::move(what)) {}
    std::string name;
    Body body;
};
/// A function bound to an object.
struct Method : Object {
    Value self, function;
};
/// A class: of the program, of torch, or built in.
struct Class : Object {
    std::string name;
    std::string qualifiedName; ///< "Outer.Inner"; empty if it is the name
    SourceFile* file = nullptr;
    std::size_t head = 0;             ///< its statement in the file
    std::vector<Class*> bases, order; ///< `order`: `__mro__`, itself first
    Names members;
    std::optional<std::vector<Class*>> held = {}; ///< dict, str, int... of which instances hold one; unset: not asked
    Class* metaclass = nullptr;                   ///< of the program, its own or a base's; null for `type`
    std::string torchPath;                        ///< a module class of torch.nn: "torch.nn.modules.conv.Conv2d"
    bool isModule = false, isEnum = false, isException = false, isNamedTuple = false, isDataclass = false;
    bool isFrozenRecord = false, hasGetter = false;             ///< has `__getattribute__`
    bool isArrayNumber = false;                                 ///< of numpy: float32, int64, bool...
    Dict membersByValue = {};                                   ///< of an enum, those whose values have a hash
    bool checksAbstract = false;                                ///< its metaclass is ABCMeta
    std::vector<std::string> abstract;                          ///< abstract methods that it leaves open
    std::optional<std::vector<std::string>> compared = {};      ///< of a dataclass: the fields that `==` compares
    std::optional<Message> lostDecorator;                       ///< as of a Function
    std::vector<std::string> fields;                            ///< of a dataclass or NamedTuple
    std::vector<std::pair<std::string, std::string>> annotated; ///< `name: type` of its body, the types as written
    Value* find(std::string_view member) const;
    bool derivesFrom(const Class* other) const;
    const std::string& pathInFile() const { return qualifiedName.empty() ? name : qualifiedName; }
};
/// An object of a class; a module of torch.nn has its parameters and children in `module`.
struct Instance : Object {
    Class* type = nullptr;
    Names attributes;
    Value payload; ///< of a class derived from dict, list, str, int or float
    std::shared_ptr<Module> module;
    /// How a module of torch.nn was made, to draw its weights again.
    struct Construction {
        Class* type = nullptr;
        Values args;
        Keywords kwargs;
    };
    std::unique_ptr<Construction> construction;
    bool awaitsInit = false; ///< a module before `Module.__init__`, which its class has to call
};
/// `property`.
struct Property : Object {
    Value getter, setter;
};
/// `staticmethod`, `classmethod` or `functools.cached_property`.
struct Wrapper : Object {
    enum class Kind : std::uint8_t { Static, Class, Cached };
    Kind kind = Kind::Static;
    Value function;
};
/// What `super()` returns: looks members up in the classes after `after`.
struct Super : Object {
    Class* after = nullptr;
    Value self;
};
class GeneratorRun;
/// A generator, map, zip, iterator.
struct Iterator : Object {
    std::function<Value()> next;            ///< unset at the end
    std::shared_ptr<GeneratorRun> run = {}; ///< of a generator
};
/// A value of the tracer: a proxy, a tensor, a function or constant of torch.
struct Traced : Object {
    explicit Traced(trace::Value what) : value(std::move(what)) {}
    trace::Value value;
    std::unique_ptr<Names> attributes = {}; ///< of a proxy on which the program set some
};
/// What an import refers to until it is used.
struct LazyImport : Object {
    std::string module, name;
    SourceFile* from = nullptr;
    bool isPending = false; ///< being looked up: circular imports end here
};
/// Something of a module that is not known, and what was made of it.
struct Opaque : Object {
    explicit Opaque(std::string what) : path(std::move(what)) {}
    std::string path;
    bool isLost = false; ///< its statement failed; `path` says why
};
/// A namespace of Lancet's tables: torch and what is below it, math, operator.
struct Space : Object {
    explicit Space(std::string what) : path(std::move(what)) {}
    std::string path;
};

template<class T> inline constexpr ObjectTag kTag{
    std::is_base_of_v<Instance, T> && !std::is_same_v<Instance, T> ? tagOf<Instance>() : nullptr};
template<class T> constexpr const ObjectTag* tagOf() { return &kTag<T>; }

template<class T> T* Value::as() const {
    if (kind != Kind::Object) return nullptr;
    for (const ObjectTag* tag = object->tag; tag; tag = tag->above)
        if (tag == tagOf<T>()) return static_cast<T*>(object);
    return nullptr;
}

/// What a list or a tuple holds; null for other values.
inline const Values* itemsOf(const Value& value) {
    if (const auto* tuple = value.as<Tuple>()) return &tuple->items;
    const auto* list = value.as<List>();
    return list ? &list->items : nullptr;
}

/// An exception of the followed program.
struct Raised {
    Value exception;
};

} // namespace fx::python
