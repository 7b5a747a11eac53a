// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/python_interpreter.h"

namespace fx::python {

Interpreter::Interpreter(Sources& sources, TorchGenerator& random, Progress progress)
    : ObjectProtocol(*this), m_random(random), m_allowance(kMaxSteps, std::move(progress)), m_imports(*this, sources) {
    moduleRandom = &random;
    m_outer = std::exchange(running, {&m_stack.here, &m_stack.calls});
    m_builtins.addTypes();
    m_builtins.addExceptions();
    m_builtins.addBuiltins();
    m_builtins.addObjects();
    m_builtins.addIteration();
    m_library.addHelpers();
    m_library.addCopies();
    m_modules.addModuleHelpers();
    m_library.addArrays();
    m_library.addRegularExpressions();
    m_builtins.shapeBuiltins();
    m_imports.addLoaded();
    m_operators.giveKeyMethods();
}

Interpreter::~Interpreter() {
    running = m_outer;
    if (keyMethods().owner == this) keyMethods() = {};
}

void Interpreter::swapRecording(Recording& other) {
    m_stack.takeNotes();
    std::swap(m_tracer, other.tracer);
    std::swap(m_traces, other.traces);
    std::swap(m_stack.notes, other.notes);
    std::swap(scopes, other.scopes);
    std::swap(hooks, other.hooks);
    std::swap(shapesConstant, other.shapesConstant);
    std::swap(proxyAttribute, other.proxyAttribute);
    std::swap(m_stack.modulePath, other.modulePath);
    std::swap(m_stack.moduleStack, other.moduleStack);
    std::swap(m_stack.here, other.here);
}

} // namespace fx::python
