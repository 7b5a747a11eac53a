// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/torchscript/script_objects.h"
#include "core/module/module.h"

#include <map>
#include <optional>
#include <variant>

namespace fx::script {

class LeafMatch;

/// A call of a module of torch.nn that a script's module stands for.
struct LeafCall {
    std::shared_ptr<Module> module;
    /// Inputs of the method (without self) in the order of the module's forward; a group of several is a tuple.
    std::vector<std::vector<std::uint32_t>> inputs;
    /// Inputs that are given by name: one of the method's, or a literal.
    std::vector<std::pair<std::string, std::variant<std::uint32_t, Argument>>> named = {};
    /// For each value that the method returns: where it is in the module's result ({} for the result itself).
    std::vector<std::vector<std::int64_t>> outputs;
};

/// Recognises modules of torch.nn in a script: scripted ones have their settings as attributes and constants, in traced
/// ones only the operators of the body know them.
class LeafModules {
public:
    explicit LeafModules(const Program& program) : m_program(program) {}

    /// Whether torch.fx's Tracer does not enter modules of this class: those of torch.nn but containers,
    /// and quantised layers with packed weights.
    static bool isLeafType(const std::string& plainName);
    /// The call that `method` of `object` makes; nullopt if it is not known to be one. `own`: see LeafMatch.
    std::optional<LeafCall> recognise(const Object& object, const Method& method, const std::vector<std::string>& own);
    /// Whether a graph reads the packed weights of a quantised convolution by this name. Its object has no such field.
    bool packsAs(const Object& object, std::string_view name);
    /// The module that stands for an object, once one of its calls was recognised; else null.
    std::shared_ptr<Module> module(const Object& object) const;

private:
    std::optional<LeafCall> byAttributes(const Object& object, const Method& method);
    static bool giveInputs(LeafCall& call, std::string_view rules, const LeafMatch& match);
    std::optional<LeafCall> byBody(const Object& object, const Method& method, const std::vector<std::string>& own);
    std::shared_ptr<Module> make(const Object& object, const std::vector<std::pair<std::string, Argument>>& settings);

    const Program& m_program;
    std::map<const Object*, std::shared_ptr<Module>> m_modules; ///< null: not recognised
    std::map<std::pair<const Object*, std::string>, std::optional<LeafCall>> m_calls;
};

} // namespace fx::script
