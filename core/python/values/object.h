// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/text_hash.h"
#include "core/diag/message.h"
#include "core/module/module.h"
#include "core/pysrc/source_tree.h"
#include "core/trace/allowance.h"
#include "core/trace/value.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

/// Python values with identity, as an interpreted program sees them. All objects live as long as their Heap.
namespace fx::python {

struct Object;
struct Opaque;

/// Any Python value: numbers and None by value, everything else by identity.
struct Value {
    /// How the value is stored.
    enum class Kind : std::uint8_t { Unset, None, Bool, Int, Float, Object };
    Kind kind = Kind::Unset;
    union {
        bool boolean;
        std::int64_t integer;
        double real;
        Object* object = nullptr;
    };

    /// Unset.
    Value() = default;
    /// A bool.
    Value(bool value) : kind(Kind::Bool), boolean(value) {}
    /// An int.
    Value(std::int64_t value) : kind(Kind::Int), integer(value) {}
    /// A float.
    Value(double value) : kind(Kind::Float), real(value) {}
    /// An object; unset for null.
    Value(Object* value) : kind(value ? Kind::Object : Kind::Unset), object(value) {}
    /// An object; unset for null.
    template<class T>
    requires std::is_base_of_v<Object, T> Value(T* value) : Value(static_cast<Object*>(value)) {}

    /// Returns None.
    static Value none() {
        Value value;
        value.kind = Kind::None;
        return value;
    }
    /// Returns an int.
    static Value integerOf(std::size_t count) { return {static_cast<std::int64_t>(count)}; }
    /// False for "no value", as opposed to None.
    bool isSet() const { return kind != Kind::Unset; }
    /// True for None.
    bool isNone() const { return kind == Kind::None; }
    /// True for int and bool.
    bool isInt() const { return kind == Kind::Int || kind == Kind::Bool; }
    /// True for int, bool and float.
    bool isNumber() const { return isInt() || kind == Kind::Float; }
    /// Returns the value of an int or bool. Throws PythonError (TypeError) for other values.
    std::int64_t asInt() const { return kind == Kind::Int ? integer : kind == Kind::Bool ? boolean : noInteger(); }
    /// Returns the value of a number. Throws like `asInt`.
    double asReal() const { return kind == Kind::Float ? real : static_cast<double>(asInt()); }
    bool sameAs(const Value& other) const; ///< Python's `is`
    /// Returns the object if it is a T, else null.
    template<class T> T* as() const;
    /// Returns the object. Throws PythonError (TypeError) if it is not a T.
    template<class T> T& get() const;

private:
    [[noreturn]] std::int64_t noInteger() const;
};
/// Positional arguments, or items.
using Values = std::vector<Value>;
/// Keyword arguments, in order.
using Keywords = std::vector<std::pair<std::string, Value>>;
/// Returns the value of a keyword, or null.
Value* keyword(Keywords& kwargs, std::string_view name);

/// Names with values in the order of their first binding.
class Names {
public:
    /// Returns the value of a name, or null.
    Value* find(std::string_view name);
    const Value* find(std::string_view name) const { return const_cast<Names*>(this)->find(name); }
    /// Binds a name.
    void set(std::string_view name, Value value);
    /// Returns false if the name is unknown.
    bool erase(std::string_view name);
    void clear() {
        m_items.clear();
        m_index.clear();
    }
    /// Names and values in order.
    const std::vector<std::pair<std::string, Value>>& items() const { return m_items; }

private:
    static constexpr std::size_t kFew = 12; ///< below this size a linear search is faster than a table
    std::vector<std::pair<std::string, Value>> m_items;
    std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> m_index;
};

/// Identifies the type of an object; comparing tags is faster than a dynamic_cast per check.
struct ObjectTag {
    const ObjectTag* above = nullptr; ///< tag of the base type, if `as` must find it
};
/// Base of all objects of an interpreted program, owned by the heap.
struct Object {
    virtual ~Object() = default;
    const ObjectTag* tag = nullptr; ///< set by the heap
};
/// Returns the tag of an object type.
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

    /// Creates an object and charges its size to the memory limit.
    template<class T, class... Arguments> T* make(Arguments&&... arguments) {
        T* made = new (m_memory.allocate(sizeof(T), alignof(T))) T(std::forward<Arguments>(arguments)...);
        made->tag = tagOf<T>();
        std::size_t bytes = sizeof(T) + sizeof(void*); // with its place in the list
        if constexpr (requires { made->heldBytes(); }) bytes += made->heldBytes();
        m_objects.push_back(made);
        trace::chargeBytes(bytes);
        return made;
    }
    /// Number of objects.
    std::size_t size() const { return m_objects.size(); }
    /// The objects that were made since there were `size`.
    std::span<Object* const> since(std::size_t size) const { return std::span(m_objects).subspan(size); }

private:
    std::pmr::monotonic_buffer_resource m_memory; ///< released as a whole at the end of the run
    std::vector<Object*> m_objects;
};

/// A Python str: UTF-8.
struct Str : Object {
    /// `value` is UTF-8.
    explicit Str(std::string value) : text(std::move(value)) {}
    std::string text;
    /// Bytes to charge in addition to the object itself.
    std::size_t heldBytes() const { return text.size(); }
};
/// A Python list.
struct List : Object {
    Values items;
    bool isShown = false; ///< its repr() is in progress; nested occurrences print as `[...]`
};
struct Class;
/// A Python tuple.
struct Tuple : Object {
    Values items;
    std::vector<std::string> fields = {}; ///< names of the fields of PyTorch's return types: "values", "indices"
    bool isSize = false;                  ///< a torch.Size
    bool isShown = false;                 ///< see `List::isShown`
};
/// Returns true for a torch.Size.
bool isSize(const Value& value);
/// Hash like Python's for plain values; by identity for objects.
std::size_t hashOf(const Value& value);
/// Equality like Python's. Objects of the program, proxies and tensors are asked through `keyMethods`.
bool equalValues(const Value& a, const Value& b);
/// `a is b or a == b`, by which containers find their items. Throws CannotFollow for two NaNs, which are equal only if
/// they are the same object.
bool isSameItem(const Value& a, const Value& b);
/// Like `isSameItem`, for keys of dicts: Python compares those whose hashes are equal, and so no two proxies or
/// tensors.
bool isSameKey(const Value& a, const Value& b);
/// Compares numbers exactly, also integers with floats: negative, zero or positive. Neither is NaN.
int orderOfNumbers(const Value& a, const Value& b);
/// Calls `__hash__` and `__eq__` of objects whose classes define them, and of proxies and tensors; nullopt for others.
struct KeyMethods {
    const void* owner = nullptr; ///< the interpreter
    /// Returns the hash of a key.
    std::function<std::optional<std::size_t>(const Value& key)> hash;
    /// Returns true if the keys are equal.
    std::function<std::optional<bool>(const Value& left, const Value& right)> equal;
};
/// The methods of the interpreter that runs on this thread.
KeyMethods& keyMethods();
/// Returns the value inside an instance of a class derived from int, str, list...; other values unchanged.
const Value& plain(const Value& value);

/// A dict in insertion order; also stores the members of a set.
class Dict : public Object {
public:
    /// Returns the value of a key, or null.
    Value* find(const Value& key);
    /// Returns the value of a str key, or null.
    Value* find(std::string_view key);
    /// Sets the value of a key. A new key goes to the end.
    void set(const Value& key, Value value);
    /// Returns false if the key is unknown.
    bool erase(const Value& key);
    /// Number of items.
    std::size_t size() const { return m_size; }
    /// Counts the keys that were added and erased so far.
    std::size_t changes() const { return m_changes; }
    void clear();
    /// Returns the first item at or after the place `at` and moves `at` behind it; the key is unset at the end.
    std::pair<Value, Value> nextItem(std::size_t& at) const;
    /// Calls `visit(key, value)` for all items, in order. `visit` may change the dict.
    template<class Visit> void forEach(Visit visit) const {
        trace::charge(m_items.size() / 8);
        for (std::size_t i = 0; i < m_items.size(); ++i) // NOLINT(modernize-loop-convert): see above
            if (const auto item = m_items[i]; item.first.isSet()) visit(item.first, item.second);
    }
    /// Returns the first or the last item; the key is unset if the dict is empty.
    std::pair<Value, Value> itemAtEnd(bool isLast);
    Value factory;                          ///< `default_factory` of a defaultdict
    bool isOrdered = false;                 ///< an OrderedDict
    mutable bool isShown = false;           ///< see `List::isShown`
    std::shared_ptr<Names> attributes = {}; ///< attributes of an OrderedDict, if any
    /// Called after each change, with the new value or null for an erased key. Views like `_modules` of a module use
    /// it.
    std::function<void(const Value& key, const Value* value)> changed = {};

private:
    /// A key with its value. A program's `__hash__` is called once for each key.
    struct Item : std::pair<Value, Value> {
        std::size_t hash = 0;
    };
    static constexpr std::size_t kFew = 8; ///< below this size a linear search is faster than a table
    static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
    std::size_t place(const Value& key, std::size_t hash);
    std::size_t search(const Value& key, std::size_t hash);
    void grow(); ///< makes room for keys where CPython does, and drops the places of erased ones
    void index();
    std::vector<Item> m_items;                                 ///< erased items have an unset key
    std::unordered_multimap<std::size_t, std::size_t> m_index; ///< places of the keys by their hashes
    bool m_isIndexed = false;
    std::size_t m_size = 0;
    std::size_t m_room = 0; ///< places before it grows, with those of erased keys
    std::size_t m_changes = 0;
    std::size_t m_first = 0;     ///< all items before it are erased
    bool m_holdsUnknown = false; ///< a key is an `Opaque` or holds one, which may equal any other key
};
struct Set;
/// The live view that `keys()`, `values()` or `items()` of a dict returns.
struct DictView : Object {
    /// The visible part of the items.
    enum class Kind : std::uint8_t { Keys, ValuesOnly, Items };
    Dict* dict = nullptr;
    Kind kind = Kind::Keys;
    mutable bool isShown = false; ///< see `List::isShown`
};
/// Returns the dict whose keys are the members of a set or of a keys view; null for other values.
Dict* membersOf(const Value& value);
/// A Python slice.
struct SliceObject : Object {
    Value start, stop, step;
};
/// A Python range.
struct RangeObject : Object {
    std::int64_t start = 0, stop = 0, step = 1;
    /// Number of elements.
    std::int64_t size() const {
        if (step > 0 ? stop <= start : start <= stop) return 0;
        const auto low = static_cast<std::uint64_t>(step > 0 ? start : stop),
                   high = static_cast<std::uint64_t>(step > 0 ? stop : start),
                   by = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
        return static_cast<std::int64_t>(std::min<std::uint64_t>((high - low - 1) / by + 1, INT64_MAX));
    }
    /// Returns the element at `place`, which must be less than `size`; the arithmetic then does not overflow.
    std::int64_t at(std::int64_t place) const {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(start) +
                                         static_cast<std::uint64_t>(place) * static_cast<std::uint64_t>(step));
    }
    /// Returns the index of a number; -1 if the range does not contain it.
    std::int64_t find(std::int64_t number) const {
        if (step > 0 ? number < start || number >= stop : number > start || number <= stop) return -1;
        const std::uint64_t away = step > 0 ? static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(start)
                                            : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(number),
                            by = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
        return away % by == 0 ? static_cast<std::int64_t>(away / by) : -1;
    }
};

/// Texts in sources, each as one object.
using TextObjects = std::unordered_map<std::string, Str*, TextHash, std::equal_to<>>;

struct Scope;
/// A Python file: its text, tree and globals.
struct SourceFile : Object {
    std::string name; ///< dotted name of the module
    std::string path; ///< empty for Lancet's own modules
    std::string text;
    std::unique_ptr<py::SourceTree> tree;
    std::vector<std::uint32_t> ends; ///< `bodyEnd` of each statement
    Scope* globals = nullptr;
    bool isPackage = false, started = false;
    bool isGenerated = false;        ///< generated code of a graph; unknown functions are recorded by name
    bool hasTextAnnotations = false; ///< `from __future__ import annotations`
    std::unordered_map<std::string, std::string>
        declared;                         ///< names imported under `if TYPE_CHECKING:`, with their modules
    std::vector<std::string> declaredAll; ///< modules from which that imports `*`
    std::vector<std::string> starSpaces;  ///< namespaces of Lancet's tables from which it imports `*`
    std::vector<std::string> wrapped;     ///< names given to torch.fx.wrap before the functions are defined
    bool wrapsLen = false;
    TextObjects texts; ///< constants that do not look like names
};
/// Names of a file, a function, a class body or a comprehension.
struct Scope : Object {
    Names names;
    Scope* parent = nullptr;
    SourceFile* file = nullptr;
    bool isClass = false;
    bool isKept = false;                                        ///< something that may outlive the call refers to it
    std::vector<std::pair<std::string_view, Scope*>> elsewhere; ///< global and nonlocal names

    /// Makes this scope and its parents outlive their calls.
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
    Values defaults; ///< by parameter; unset for parameters without a default
    Scope* closure = nullptr;
    Class* owner = nullptr; ///< the class whose body defines it
    bool yields = false, isContext = false;
    std::optional<Message>
        lostDecorator;    ///< why a decorator could not be interpreted, which makes the function unusable
    bool wrapped = false; ///< torch.fx.wrap
    std::uint8_t keptGradModes = 3, setGradModes = 0; ///< modes of autograd while it runs (`Gradients::modes`)
    Function* shown = nullptr;                        ///< functools.wraps: the function whose signature it shows
    std::unordered_map<std::string, bool, TextHash, std::equal_to<>> locals = {}; ///< names it was asked for
    Names attributes;
};
class Interpreter;
struct CallShape;
struct Class;
/// A function that Lancet implements.
struct Native : Object {
    /// Receives the arguments and returns the result. May change the arguments.
    using Body = std::function<Value(Interpreter&, Values&, Keywords&)>;
    Native(std::string called, Body what) : name(std::move(called)), body(std::move(what)) {}
    std::string name;
    Body body;
    Value self;                        ///< the object of a method of a built-in type
    const CallShape* shape = nullptr;  ///< how it may be called; null if `body` checks that
    const Class* constructs = nullptr; ///< the class of torch.nn of which it is `__init__`
    std::size_t heldBytes() const { return 64; }
};
/// A function bound to an object.
struct Method : Object {
    Value self, function;
};
/// A class: of the program, of torch, or built in.
struct Class : Object {
    std::string name;
    std::string qualifiedName; ///< "Outer.Inner"; empty if equal to `name`
    SourceFile* file = nullptr;
    std::size_t head = 0;             ///< its statement in the file
    std::vector<Class*> bases, order; ///< `order` is `__mro__`, starting with the class itself
    std::vector<Class*> derived;      ///< classes of the program with this one among their bases, by definition
    Names members;
    /// Built-in bases (dict, str, int...) whose value instances hold; unset until requested.
    std::optional<std::vector<Class*>> held = {};
    Class* metaclass = nullptr; ///< metaclass of the program, also inherited; null for `type`
    std::string torchPath;      ///< path of a module class of torch.nn: "torch.nn.modules.conv.Conv2d"
    bool isModule = false, isEnum = false, isException = false, isNamedTuple = false, isDataclass = false;
    bool isFrozenRecord = false, hasGetter = false;        ///< has `__getattribute__`
    bool isGeneric = false;                                ///< derives from `typing.Generic` or from a `list[int]`
    bool isProtocol = false;                               ///< has `typing.Protocol` as a base, itself
    bool isArrayNumber = false;                            ///< a number type of numpy: float32, int64, bool...
    Dict membersByValue = {};                              ///< members of an enum whose values are hashable
    bool checksAbstract = false;                           ///< the metaclass is ABCMeta
    std::vector<Class*> registered;                        ///< by `register` of an abstract class
    std::vector<std::string> abstract;                     ///< abstract methods without an implementation
    std::optional<std::vector<std::string>> slots = {};    ///< see `AttributeChanges::slotsOf`; unset until requested
    std::optional<std::vector<std::string>> compared = {}; ///< fields of a dataclass that `==` compares
    std::optional<Message> lostDecorator;                  ///< see `Function::lostDecorator`
    Opaque* unknownBase = nullptr;                         ///< a base class that is unknown, also of a base
    std::vector<std::string> fields;                       ///< fields of a dataclass or NamedTuple
    /// `name: type` in the class body, with types as written.
    std::vector<std::pair<std::string, std::string>> annotated;
    /// Returns a member of this class or a base, unset if none exists.
    Value* find(std::string_view member) const;
    /// True for the class itself and its bases.
    bool derivesFrom(const Class* other) const;
    /// Qualified name within the file.
    const std::string& pathInFile() const { return qualifiedName.empty() ? name : qualifiedName; }
};
/// The name of a class as messages of Python have it: "list", "collections.deque".
std::string nameInMessages(const Class& type);
/// An object of a class. `module` holds the parameters and children of a module of torch.nn.
struct Instance : Object {
    Class* type = nullptr;
    Names attributes;
    Value payload; ///< value of an instance of a class derived from dict, list, str, int or float
    std::shared_ptr<Module> module;
    /// The constructor call of a module of torch.nn, for drawing its weights again.
    struct Construction {
        Class* type = nullptr;
        Values args;
        Keywords kwargs;
    };
    std::unique_ptr<Construction> construction;
    bool awaitsInit = false; ///< a module whose class has not called `Module.__init__` yet
    bool isShown = false;    ///< see `List::isShown`
};
/// `property`.
struct Property : Object {
    Value getter, setter, deleter;
    Value document; ///< its `__doc__`, if it was given
};
/// `staticmethod`, `classmethod` or `functools.cached_property`.
struct Wrapper : Object {
    /// The kind of descriptor.
    enum class Kind : std::uint8_t { Static, Class, Cached };
    Kind kind = Kind::Static;
    Value function;
};
/// The result of `super()`: looks up members in the classes after `after` in the MRO of `self`.
struct Super : Object {
    Class* after = nullptr;
    Value self;
};
class GeneratorRun;
/// A function that returns the next value of an iterator, unset at the end. Nested draws are limited by the stack.
class Draw {
public:
    Draw& operator=(std::function<Value()> draw) {
        m_draw = std::move(draw);
        return *this;
    }
    /// Returns the next value. Throws if draws nest too deeply for the stack.
    Value operator()() const {
        trace::charge(1);
        trace::checkStack();
        return m_draw();
    }

private:
    std::function<Value()> m_draw;
};
/// An iterator: a generator, map, zip...
struct Iterator : Object {
    Draw next;
    std::size_t heldBytes() const { return 64; }
    std::shared_ptr<GeneratorRun> run = {}; ///< set for a generator
    std::string_view type = "generator";    ///< Python's name of its type: "zip", "list_iterator"
    Value returned = {};                    ///< value of the StopIteration that ended an object's own `__next__`
};
/// A value of the tracer: a proxy, a tensor, a function or constant of torch.
struct Traced : Object {
    explicit Traced(trace::Value what) : value(std::move(what)) {}
    trace::Value value;
    std::unique_ptr<Names> attributes = {}; ///< attributes that the program set on a proxy
};
/// An imported name that is resolved on first use.
struct LazyImport : Object {
    std::string module, name;
    SourceFile* from = nullptr;
    std::uint32_t offset = 0; ///< of the statement in `from`
    bool isPending = false;   ///< being resolved; detects circular imports
};
/// An unknown object of a module, or a value derived from one. Its attributes, items and results of calls are unknown
/// objects, too; every other use throws CannotFollow.
struct Opaque : Object {
    /// `what` is the dotted path.
    explicit Opaque(std::string what) : path(std::move(what)) {}
    std::string path;
    /// A part of an unknown object.
    Opaque(const Opaque& of, std::string_view part)
        : path(of.path + std::string(part)), lostBy(of.lostBy), importedBy(of.importedBy) {}
    std::size_t heldBytes() const {
        return path.size() + lostBy.size() + importedBy.size() + parts.size() * sizeof(Value);
    }
    /// Why it has no value: the failing line and its reason. Empty if its module was not found.
    std::string lostBy;
    std::string importedBy; ///< the import whose module was not found: "line 3 of net.py"; may be empty
    bool isAsync = false;   ///< an async function
    TypePtr type = {};      ///< of a type with arguments, `list[int]`, or a union: the annotation
    Value origin = {};      ///< `list` of `list[int]`; unset for `int | None` and what has no `type`
    Values parts = {};      ///< the arguments of the type; the types of a union
};
/// A namespace of Lancet's tables: torch and its submodules, math, operator.
struct Space : Object {
    explicit Space(std::string what) : path(std::move(what)) {}
    std::string path;
    std::size_t heldBytes() const { return path.size(); }
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

/// Throws PythonError (TypeError) for a value of another type than expected, CannotFollow for an unknown object.
[[noreturn]] void throwOtherType(const Value& value);

template<class T> T& Value::get() const {
    if (T* found = as<T>()) return *found;
    throwOtherType(*this);
}

/// Throws CannotFollow for an unknown object.
inline void requireKnown(const Value& value) {
    if (value.as<Opaque>()) throwOtherType(value);
}

/// Returns the items of a list or a tuple; null for other values.
inline const Values* itemsOf(const Value& value) {
    if (const auto* tuple = value.as<Tuple>()) return &tuple->items;
    const auto* list = value.as<List>();
    return list ? &list->items : nullptr;
}

/// A Python exception of the interpreted program, thrown as a C++ exception.
struct Raised {
    Value exception;
};

} // namespace fx::python
