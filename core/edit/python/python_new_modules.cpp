// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/python/python_steps.h"
#include "core/edit/steps/pattern_step.h"

namespace fx {
namespace {

/// As deep as the source nests, which its parser bounds.
std::string expressionOf(const NewModule& module, const PythonStep& step) {
    std::string arguments = step.script.callKeywords(module.values, step.before.graph);
    for (const auto& [name, inner] : module.modules)
        arguments += (arguments.empty() ? "" : ", ") + (module.isContainer() ? std::string() : name + "=") +
                     expressionOf(inner, step);
    const bool takesList = module.isContainer() && !module.type.ends_with("Sequential");
    return step.script.moduleClass(module.type) + (takesList ? "([" : "(") + arguments + (takesList ? "])" : ")");
}

} // namespace

bool writePythonNewModules(const PythonStep& step) {
    const auto what = readPatternStep(step.json, step.before, {}, step.readers);
    if (what->newModules.empty()) return false;
    if (what->options.replacementIsModule) throw inexpressible(step, Message("python_script.more"));
    GraphModule again = step.before; // replaced once more, to see which module goes where and in which order
    TorchGenerator shapes(what->seed, NewWeights::ShapesOnly);
    makeNewModules(what->options, what->newModules, shapes);
    step.script.line("torch.manual_seed(" + std::to_string(what->seed) + ")");
    what->options.makeModule = [&, make = what->options.makeModule](const std::string& called,
                                                                    const std::string& path) {
        for (const auto& [name, module] : what->newModules)
            if (name == called)
                step.script.line("gm.add_submodule(" + PythonScript::quoted(path) + ", " + expressionOf(module, step) +
                                 ")");
        if (const Module* made = resolvePath(*step.after.root, path).module; made && !made->training)
            step.script.line("gm.get_submodule(" + PythonScript::quoted(path) + ").eval()");
        return make(called, path);
    };
    (void)replacePattern(again, what->pattern, what->replacement, what->options);
    writePythonNodeChanges(step);
    return true;
}

} // namespace fx
