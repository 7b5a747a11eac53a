// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include "core/torchscript/script_objects.h"
#include "core/torchscript/script_program.h"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace fx::script {

/// The abstract value of a script's value during interpretation: known, or the result of a node.
struct Symbol {
    /// The kind of value.
    enum class Is : std::uint8_t {
        Unset,
        Value,  ///< a literal or a node
        Object, ///< a module or another object of the file
        List,   ///< shared as in Python, so that a mutation is visible through all references
        Tuple,
        Dict,     ///< key, value, key, value ...
        Tensor,   ///< a tensor of the model at `path`, read on first use
        Part,     ///< `value[index]`, read on first use
        Function, ///< function number `index` of the program
        Instance, ///< created by the script: `index` is its class in the program, `items` are its attributes, shared
    };
    Is is = Is::Unset;
    Argument value;
    const Object* object = nullptr;
    std::string path; ///< path of an object or tensor
    std::shared_ptr<std::vector<Symbol>> items;
    std::int64_t index = 0;
    bool maybeNone = false; ///< the value of the node may be None
    bool asTensor = false;  ///< an integer that the script holds as a tensor
    bool ofModule = false;  ///< an attribute of a module, which outlives the run
    /// Type of a node, if known. A function that receives the value may declare a different type, such as a union.
    const Type* type = nullptr;
    int depth = 0; ///< nesting depth of containers

    /// Creates a literal or a reference to a node.
    static Symbol of(Argument literal) {
        Symbol out;
        out.is = Is::Value, out.value = std::move(literal);
        return out;
    }
    /// Creates a list.
    static Symbol listOf(std::vector<Symbol> items) {
        Symbol out;
        out.is = Is::List, out.depth = 1;
        out.items = std::make_shared<std::vector<Symbol>>(std::move(items));
        return out;
    }
    /// Creates a reference to an object of the file.
    static Symbol ofObject(const Object& object) {
        Symbol out;
        out.is = Is::Object, out.object = &object;
        return out;
    }
    /// True for lists, tuples and dicts.
    bool isContainer() const { return is == Is::List || is == Is::Tuple || is == Is::Dict; }
    /// True for values that become a node.
    bool isNode() const { return (is == Is::Value && value.isNode()) || is == Is::Part || is == Is::Tensor; }
    /// Returns the literal, or null.
    const Argument* literal() const { return is == Is::Value && !value.isNode() ? &value : nullptr; }
    /// Returns the literal if it is a T, or null.
    template<class T> const T* as() const { return literal() ? value.as<T>() : nullptr; }
    /// Returns the literal if it is a member of an enum, or null.
    const OpaqueObject* enumMember() const {
        const auto* member = as<OpaqueObject>();
        return member && member->typeName == kEnum ? member : nullptr;
    }
    /// Returns true for the same literal, or the result of the same node.
    bool isSame(const Symbol& other) const {
        return is == Is::Value && other.is == Is::Value && (literal() || value.isNode()) && value == other.value;
    }
};

/// Identifies a list or dict, which several symbols may share.
struct Identity {
    std::shared_ptr<std::vector<Symbol>> items; ///< items of a known container
    std::int64_t node = -1, part = -1;          ///< node whose result the container is
    /// Leaves all members empty for symbols that are not a list or dict.
    explicit Identity(const Symbol& symbol) {
        if (symbol.is == Symbol::Is::List || symbol.is == Symbol::Is::Dict) items = symbol.items;
        else if (symbol.value.isNode() && (symbol.is == Symbol::Is::Value || symbol.is == Symbol::Is::Part)) {
            node = static_cast<std::int64_t>(index(symbol.value.node()));
            if (symbol.is == Symbol::Is::Part) part = symbol.index;
        }
    }
    auto operator<=>(const Identity&) const = default;
};

inline constexpr std::size_t kMostItems = 1'000'000; ///< of one list, and of all that are kept for rolling back

/// Returns the nesting depth of the deepest container among `items`; 0 without containers.
int deepest(const std::vector<Symbol>& items);
/// Returns a literal with a symbol for each item, because a script can change lists and dicts.
Symbol containerWith(const Argument& literal);
/// Returns an item of a container, or of the result of a node, which may then be None. Throws Unsupported if `whole` is
/// neither, or lacks the item.
Symbol partOf(const Symbol& whole, std::int64_t index, bool maybeNone);

/// Returns "list" of "int[]" and of "list"; empty for unions, optional types and classes, which tell too little.
std::string_view familyOf(std::string_view type);
/// Returns true if a value of type `held` is of type `asked`; nullopt if the types do not determine it.
std::optional<bool> isOfType(std::string_view held, std::string_view asked);
/// The same for what is known of a value.
std::optional<bool> isOfType(const Symbol& symbol, std::string_view asked);
/// Returns true if a value is of any type that an `isinstance` tests for. `is` decides about one type, nullopt if
/// unknown.
template<typename Is> std::optional<bool> isOfAnyType(const Program& program, const Node& asks, const Is& is) {
    std::optional<bool> answer = false;
    for (const std::uint32_t type : asks.types) {
        const std::optional<bool> one = is(program.types[type].text);
        if (one == true) return true;
        if (!one) answer.reset();
    }
    return answer;
}

/// Returns a list attribute of an object at `path`. Its tensors are attributes as well (`_flat_weights` of an LSTM), or
/// constants to which `constantPath` assigns a path.
Symbol tensorList(const Object& object, const std::string& path, const std::vector<TensorPtr>& tensors,
                  const std::function<std::string(const TensorPtr&)>& constantPath);

/// Thrown for a part of a script that a graph cannot express; the enclosing part becomes a block of script.
class Unsupported : public std::runtime_error {
public:
    explicit Unsupported(Message message) : std::runtime_error(message.text()), reason(std::move(message)) {}
    Message reason;
};

} // namespace fx::script
