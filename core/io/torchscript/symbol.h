// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include "core/io/torchscript/script_objects.h"
#include "core/io/torchscript/script_program.h"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace fx::script {

/// What a value of a script's graph is while the graph is followed: known now, or the result of a node.
struct Symbol {
    enum class Is : std::uint8_t {
        Unset,
        Value,  ///< a literal or a node
        Object, ///< a module or other object of the file
        List,   ///< shared, as in Python: what is appended is seen everywhere
        Tuple,
        Dict,     ///< key, value, key, value ...
        Tensor,   ///< a tensor of the model, read when it is needed: `path`
        Part,     ///< `value[index]`, taken when it is needed
        Function, ///< `index` in the program
        Instance, ///< made by the script: its class is `index` in the program, its attributes are `items`, shared
    };
    Is is = Is::Unset;
    Argument value;
    const Object* object = nullptr;
    std::string path; ///< of an object or tensor
    std::shared_ptr<std::vector<Symbol>> items;
    std::int64_t index = 0;
    bool maybeNone = false;     ///< of a node whose value may be None
    bool asTensor = false;      ///< a number that the script holds as a tensor
    bool ofModule = false;      ///< a container that is an attribute of a module, and stays when the script has run
    const Type* type = nullptr; ///< of a node, if known: where a script has another type in mind, such as a union
    int depth = 0;              ///< of containers in containers

    static Symbol of(Argument literal) {
        Symbol out;
        out.is = Is::Value, out.value = std::move(literal);
        return out;
    }
    static Symbol listOf(std::vector<Symbol> items) {
        Symbol out;
        out.is = Is::List, out.depth = 1;
        out.items = std::make_shared<std::vector<Symbol>>(std::move(items));
        return out;
    }
    static Symbol ofObject(const Object& object) {
        Symbol out;
        out.is = Is::Object, out.object = &object;
        return out;
    }
    bool isContainer() const { return is == Is::List || is == Is::Tuple || is == Is::Dict; }
    bool isNode() const { return (is == Is::Value && value.isNode()) || is == Is::Part || is == Is::Tensor; }
    const Argument* literal() const { return is == Is::Value && !value.isNode() ? &value : nullptr; }
    template<class T> const T* as() const { return literal() ? value.as<T>() : nullptr; }
    const OpaqueObject* enumMember() const {
        const auto* member = as<OpaqueObject>();
        return member && member->typeName == kEnum ? member : nullptr;
    }
    /// The same literal, or the result of the same node.
    bool isSame(const Symbol& other) const {
        return is == Is::Value && other.is == Is::Value && (literal() || value.isNode()) && value == other.value;
    }
};

/// Which list or dict a symbol is: shared by all that hold it.
struct Identity {
    std::shared_ptr<std::vector<Symbol>> items; ///< of one that is known
    std::int64_t node = -1, part = -1;          ///< of the result of a node
    explicit Identity(const Symbol& symbol) {
        if (symbol.is == Symbol::Is::List || symbol.is == Symbol::Is::Dict) items = symbol.items;
        else if (symbol.value.isNode() && (symbol.is == Symbol::Is::Value || symbol.is == Symbol::Is::Part)) {
            node = static_cast<std::int64_t>(index(symbol.value.node()));
            if (symbol.is == Symbol::Is::Part) part = symbol.index;
        }
    }
    auto operator<=>(const Identity&) const = default;
};

/// Whether a value that a script holds as type `held` is of type `asked`; nullopt if the types do not tell.
std::optional<bool> isOfType(std::string_view held, std::string_view asked);
/// Whether a value is of any type that an `isinstance` asks for; `is` tells it of one, nullopt where that is not known.
template<typename Is> std::optional<bool> isOfAnyType(const Program& program, const Node& asks, const Is& is) {
    std::optional<bool> answer = false;
    for (const std::uint32_t type : asks.types) {
        const std::optional<bool> one = is(program.types[type].text);
        if (one == true) return true;
        if (!one) answer.reset();
    }
    return answer;
}

/// A list attribute of an object at `path`. Its tensors are attributes, too (`_flat_weights` of an LSTM), or constants
/// that `constantPath` gives a place.
Symbol tensorList(const Object& object, const std::string& path, const std::vector<TensorPtr>& tensors,
                  const std::function<std::string(const TensorPtr&)>& constantPath);

/// Part of a script that a graph cannot express; what contains it is kept as a block of script.
class Unsupported : public std::runtime_error {
public:
    explicit Unsupported(Message message) : std::runtime_error(message.text()), reason(std::move(message)) {}
    Message reason;
};

} // namespace fx::script
