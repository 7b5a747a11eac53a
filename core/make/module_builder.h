// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/make/class_interpreter.h"
#include "core/make/initial_weights.h"

namespace fx::trace {

/// The first half of tracing a class: runs constructors and creates modules, parameters and buffers with PyTorch's
/// weights.
class ModuleBuilder : public ClassInterpreter {
public:
    ModuleBuilder(Tracer& tracer, const py::SourceTree& tree, BuiltModules& built, std::uint64_t seed, bool needsValues)
        : ClassInterpreter(tracer, tree), m_built(built), m_random(seed), m_needsValues(needsValues) {}

    /// `Class(**arguments)`. Throws PythonError, CannotFollow, and Error{Refused} for modules that cannot be created.
    std::shared_ptr<Module> make(std::string_view className, KeywordValues arguments);

protected:
    Value attributeOf(const Value& object, std::string_view name) override;
    void setAttribute(const Value& object, std::string_view name, const Value& value) override;
    Value callValue(const Value& callee, Values args, KeywordValues kwargs) override;

private:
    Value construct(const Value& type, Values args, KeywordValues kwargs);
    Value makeTorchModule(std::string_view path, const Values& args, const KeywordValues& kwargs);
    const Module* addTree(const std::shared_ptr<Module>& root);
    void fillContainer(Module& module, std::string_view container, const Values& args);
    Value callOnModule(Module& module, const std::string& method, const Values& args, const KeywordValues& kwargs);
    Value makeParameter(const Values& args, const KeywordValues& kwargs) const;
    std::optional<Value> makeTensor(const FunctionValue& function, const Values& args, const KeywordValues& kwargs);
    std::optional<Value> initialise(std::string_view name, const Values& args, const KeywordValues& kwargs);
    void addChild(Module& module, const std::string& name, const Value& child);
    TensorPtr usable(const Value& value) const;
    std::shared_ptr<Module> shared(const Value& module);

    BuiltModules& m_built;
    TorchGenerator m_random;
    bool m_needsValues;
};

} // namespace fx::trace
