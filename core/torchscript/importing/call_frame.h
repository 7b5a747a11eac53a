// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"
#include "core/torchscript/importing/mutable_values.h"
#include "core/torchscript/importing/symbol.h"

namespace fx::script {

/// A call of a method or function that is being interpreted, with the symbols of its values.
struct CallFrame {
    const Program& program;
    const MutableValues& mutables;
    const Method& method;
    std::string path;   ///< of the module that has the method; in functions, of the module that calls them
    const Object* self; ///< the module at `path`
    std::shared_ptr<const std::vector<ModuleFrame>> stack;
    int depth = 0;
    std::vector<Symbol> values = std::vector<Symbol>(method.values.size());

    /// Returns the current symbol of a value. Throws Unsupported if it is not set.
    const Symbol& value(std::uint32_t id) const;
    /// Returns the current symbols of `ids`, except the first `skipped`.
    std::vector<Symbol> valuesOf(const std::vector<std::uint32_t>& ids, std::size_t skipped = 0) const;
    Symbol& slot(std::uint32_t id) { return values[id]; } ///< Returns the place of a value, for setting it.
    /// Sets a value that a node gives, with its type.
    void setResult(std::uint32_t id, Symbol result) {
        result.type = &typeOf(id);
        result.maybeNone = result.type->isOptional();
        slot(id) = std::move(result);
    }
    const Kind& kindOf(const Node& node) const { return program.kindOf(node); }       ///< The operator of a node.
    const Type& typeOf(std::uint32_t id) const { return program.typeOf(method, id); } ///< The type of a value.
    /// Returns the name that a node's result had where the script was written; empty if it is a number.
    std::string_view nameFor(const Node& node) const;
};

} // namespace fx::script
