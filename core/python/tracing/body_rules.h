// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/make/new_module.h"
#include "core/ops/call_check.h"
#include "core/python/python_interpreter.h"

#include <unordered_set>

namespace fx::python {

/// Rules for source that a user writes as a pattern or a replacement, in addition to those of files:
///
///  - Functions of modules that Lancet does not find are recorded by name.
///  - Calls that PyTorch rejects whatever the values (`ops::callProblem`) are errors.
///  - Modules that the body creates and calls, which torch.fx cannot trace, become children of the root.
class BodyRules {
public:
    /// `known` lists functions and methods that are accepted although PyTorch lacks them. If `mayCreate` is false,
    /// calls of created modules are errors.
    BodyRules(const std::vector<std::string>& known, bool mayCreate);

    /// Returns true for a function or method in `known`, and for a module or operator that contains one.
    bool knows(std::string_view name) const { return m_known.contains(std::string(name)); }
    /// Throws CannotFollow if PyTorch rejects a call that was recorded since the last check.
    void check(trace::Tracer& tracer);
    /// Returns the path of a module that the body creates. Adds it to the root, without weights, if it is new. Throws
    /// CannotFollow if it cannot be created again.
    const std::string& pathOf(Interpreter& in, Instance& module);

    /// The modules that the body calls, by path.
    NewModules newModules;

private:
    std::unordered_set<std::string> m_known;
    bool m_mayCreate;
    std::unordered_map<const Instance*, std::string> m_paths;
    const trace::Tracer* m_tracer = nullptr; ///< of the text; a body may trace functions by itself
    std::size_t m_checked = 0;               ///< number of its node ids already checked
};

/// Returns the classes of the modules below `root` for `ops::callProblem`; `root` must outlive the result.
ops::ClassOfModule classesBelow(const Module& root);

} // namespace fx::python
