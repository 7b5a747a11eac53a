// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"
#include "core/torchscript/script_objects.h"

#include <map>
#include <optional>
#include <variant>

namespace fx::script {

class LeafMatch;

/// A call of a module of torch.nn that a script's module represents.
struct LeafCall {
    std::shared_ptr<Module> module;
    /// Inputs of the method (without self) in the order of the module's forward; a group of several inputs is a tuple.
    std::vector<std::vector<std::uint32_t>> inputs;
    /// Keyword inputs: an input of the method, or a literal.
    std::vector<std::pair<std::string, std::variant<std::uint32_t, Argument>>> named = {};
    /// Path of each value that the method returns in the module's result ({} for the result itself).
    std::vector<std::vector<std::int64_t>> outputs;
};

/// Recognises modules of torch.nn in a script. Scripted modules have their settings as attributes and constants; in
/// traced modules only the operators of the body contain them.
class LeafModules {
public:
    /// Keeps a reference to `program`, which must outlive this object.
    explicit LeafModules(const Program& program) : m_program(program) {}

    /// Returns true if torch.fx's Tracer does not enter modules of this class: modules of torch.nn except containers,
    /// and quantised layers with packed weights.
    static bool isLeafType(const std::string& plainName);
    /// Returns the call that `method` of `object` makes; nullopt if it is not recognised. `own` is as in `LeafMatch`.
    std::optional<LeafCall> recognise(const Object& object, const Method& method, const std::vector<std::string>& own);
    /// Returns true if a graph reads the packed weights of a quantised convolution by this name, which is not a field
    /// of its object.
    bool packsAs(const Object& object, std::string_view name);
    /// Returns the module that represents an object, or null before one of its calls is recognised.
    std::shared_ptr<Module> module(const Object& object) const;

private:
    std::optional<LeafCall> byAttributes(const Object& object, const Method& method);
    static bool giveInputs(LeafCall& call, std::string_view rules, const LeafMatch& match);
    std::optional<LeafCall> byBody(const Object& object, const Method& method, const std::vector<std::string>& own);
    std::shared_ptr<Module> make(const Object& object, const std::vector<std::pair<std::string, Argument>>& settings);

    const Program& m_program;
    std::map<const Object*, std::shared_ptr<Module>> m_modules; ///< null if not recognised
    std::map<std::pair<const Object*, std::string>, std::optional<LeafCall>> m_calls;
};

} // namespace fx::script
