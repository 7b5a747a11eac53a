// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/make/class_interpreter.h"
#include "core/make/new_module.h"
#include "core/ops/call_check.h"

#include <unordered_map>

namespace fx::trace {

/// Throws CannotFollow for `nn.ReLU(x)`: a class of torch.nn called on traced values.
void requireNotModuleClass(const Value& callee, const Values& args, const KeywordValues& kwargs);

/// Throws CannotFollow for a class or function that PyTorch would have, to go by its name: `nn.Relu6()`. Such a call
/// records nothing that `ops::callProblem` could judge.
void requireInPyTorch(const Value& callee, const ops::KnownFunction& isKnown);
/// What `ops::callProblem` asks of the modules below `root`, which must outlive it.
ops::ClassOfModule classesBelow(const Module& root);

/// Follows a body that a user wrote as a pattern or a replacement: calls that PyTorch would refuse are errors where
/// they stand, and modules that the body creates itself (`nn.ReLU6()(x)`) become calls of new modules.
class BodyTracer : public ClassInterpreter {
public:
    struct Settings {
        bool mayCreate = false;     ///< whether the body may create modules
        ops::KnownFunction isKnown; ///< as in `ops::callProblem`
    };
    BodyTracer(Tracer& tracer, const py::SourceTree& tree, Module& root, Settings settings)
        : ClassInterpreter(tracer, tree), m_root(root), m_settings(std::move(settings)) {}

    /// Modules that the body has created; their calls lead to children of the root, which have shapes but no weights.
    NewModules newModules;

protected:
    Value callValue(const Value& callee, Values args, KeywordValues kwargs) override;
    Value callMethod(std::string_view name, const Values& args, const KeywordValues& kwargs) override;

private:
    const std::string& pathOf(const Value& made);
    NewModule describe(const Construction& made);
    void give(NewModule& module, std::string_view name, const Value& value);
    void checkNewNodes();

    Module& m_root;
    Settings m_settings;
    std::unordered_map<const Construction*, std::pair<Value, std::string>> m_paths; ///< of the modules called so far
    std::size_t m_checked = 0; ///< nodes of the graph that are checked
};

} // namespace fx::trace
