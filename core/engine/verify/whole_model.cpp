// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/whole_model.h"

#include "core/engine/machine.h"
#include "core/engine/verify/compare.h"
#include "core/engine/verify/float64_run.h"
#include "core/engine/verify/inputs/stimulus.h"

namespace fx::engine {

std::optional<WholeModel::Ran> WholeModel::run(const RunInputs& inputs, std::uint64_t seedOfRun, bool again,
                                               Refusal* refusal) {
    if (!m_interpreter) m_interpreter.emplace(m_side.model, m_side.tensors);
    if (!again) m_side.tensors->restore();
    return runWith(*m_interpreter, inputs, seedOfRun, refusal);
}

void WholeModel::prepareDouble() {
    if (!m_inDouble) m_inDouble.emplace(namingDouble(m_side), m_side.tensors);
}

std::optional<WholeModel::Ran> WholeModel::runInDouble(const RunInputs& inputs, std::uint64_t seedOfRun) {
    m_side.tensors->restore();
    return runWith(*m_inDouble, inDouble(inputs), seedOfRun, nullptr);
}

std::optional<WholeModel::Ran> WholeModel::runWith(Interpreter& interpreter, const RunInputs& inputs,
                                                   std::uint64_t seedOfRun, Refusal* refusal) {
    try {
        seed(seedOfRun);
        RunHooks hooks;
        hooks.before = m_options.atNode;
        if (m_reads || m_watch)
            hooks.after = [this](const Node& node, const Value& value) {
                if (m_reads) m_reads->note(node, value);
                if (m_watch) m_watch(node, value);
            };
        Ran ran{{}, copyOf(inputs)};
        ran.output = interpreter.run(ran.inputs, hooks);
        if (m_reads) m_reads->endRun();
        if (m_side.finish) ran.output = m_side.finish(ran.output);
        return ran;
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Run) throw;
        const std::string why = error.what();
        if (refusal) *refusal = {why.substr(0, why.find('\n')), m_side.callOf(error.node)};
        return std::nullopt;
    }
}

bool sameInputs(const RunInputs& x, const RunInputs& y) {
    if (x.positional.size() != y.positional.size() || x.named.size() != y.named.size()) return false;
    for (std::size_t i = 0; i < x.positional.size(); ++i)
        if (!compareValues(x.positional[i], y.positional[i], {}, false).close) return false;
    for (std::size_t i = 0; i < x.named.size(); ++i)
        if (!compareValues(x.named[i].second, y.named[i].second, {}, false).close) return false;
    return true;
}

} // namespace fx::engine
