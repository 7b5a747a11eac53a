// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/importing/call_frame.h"

#include "core/base/python_text.h"

namespace fx::script {

const Symbol& CallFrame::value(std::uint32_t id) const {
    const Symbol& symbol = values[id];
    if (symbol.is == Symbol::Is::Unset) throw Unsupported(Message("script.index"));
    return mutables.current(symbol);
}

std::vector<Symbol> CallFrame::valuesOf(const std::vector<std::uint32_t>& ids, std::size_t skipped) const {
    std::vector<Symbol> out;
    for (std::size_t i = skipped; i < ids.size(); ++i) out.push_back(value(ids[i]));
    return out;
}

std::string_view CallFrame::nameFor(const Node& node) const {
    if (node.outputs.size() != 1) return {};
    const std::string& name = method.values[node.outputs[0]].name;
    std::string_view plain = std::string_view(name).substr(0, name.find('.'));
    // `conv0 = (conv).forward(x)`, with `conv = self.conv` before: a written node `conv`.
    if (kindOf(node).is("prim::CallMethod")) {
        const std::string& holder = method.values[node.inputs.at(0)].name;
        const std::string_view called = std::string_view(holder).substr(0, holder.find('.'));
        const std::string_view digits = plain.starts_with(called) ? plain.substr(called.size()) : std::string_view();
        if (!called.empty() && !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos) plain = called;
    }
    return isPythonIdentifier(plain) ? plain : std::string_view();
}

} // namespace fx::script
