// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/interpreter.h"

namespace fx::trace {

/// Objects created by constructors of classes in a source, besides the module tree itself.
class BuiltModules {
public:
    struct Made {
        std::shared_ptr<Module> module;
        Value type;                                        ///< the class in the source; None for classes of torch.nn
        std::vector<std::pair<std::string, Value>> values; ///< plain attributes
    };

    Made& add(std::shared_ptr<Module> module, Value type);
    Made& made(const Module& module) { return m_made.at(&module); }
    /// A plain attribute, or null.
    const Value* value(const Module& module, std::string_view name) const;
    /// A member of the module's class, bound to `self`, or nullopt.
    std::optional<Value> member(const Module& module, std::string_view name, const Value& self) const;
    const SourceFunction* method(const Module& module, std::string_view name) const;
    /// "Sequential", "ModuleList" or "ModuleDict" if the module is or derives from one; else empty.
    std::string_view container(const Module& module) const;

private:
    const SourceClass* classOf(const Module& module) const;

    std::unordered_map<const Module*, Made> m_made;
};

/// An interpreter that supports classes of the source, `super()`, and iteration over containers of modules.
class ClassInterpreter : public Interpreter {
public:
    ClassInterpreter(Tracer& tracer, const py::SourceTree& tree);

protected:
    Value attributeOf(const Value& object, std::string_view name) override;
    Value callValue(const Value& callee, Values args, KeywordValues kwargs) override;
    Values iterate(const Value& value) override;

private:
    Value superValue() const;
};

/// The torch.nn class that a value refers to: "torch.nn.modules.linear.Linear"; empty for others.
std::string_view torchClass(const Value& type);
/// "Sequential", "ModuleList" or "ModuleDict" for the path of such a class, else empty.
std::string_view containerName(std::string_view path);

} // namespace fx::trace
