// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/passes/pass_completion.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace ui {

namespace {

enum class Of { Node, Graph, Module, Fx, Root };

struct Entry {
    Of of;
    const char* text; ///< a name, or a name with its parameters
};

// What the interpreter of passes knows (core/textpasses).
constexpr Entry kEntries[] = {
    {Of::Node, "op"},
    {Of::Node, "target"},
    {Of::Node, "args"},
    {Of::Node, "kwargs"},
    {Of::Node, "name"},
    {Of::Node, "users"},
    {Of::Node, "meta"},
    {Of::Node, "type"},
    {Of::Node, "graph"},
    {Of::Node, "next"},
    {Of::Node, "prev"},
    {Of::Node, "all_input_nodes"},
    {Of::Node, "stack_trace"},
    {Of::Node, "append(x)"},
    {Of::Node, "prepend(x)"},
    {Of::Node, "format_node()"},
    {Of::Node, "is_impure()"},
    {Of::Node, "insert_arg(idx, arg)"},
    {Of::Node, "normalized_arguments(root, arg_types=None, kwarg_types=None, normalize_to_only_use_kwargs=False)"},
    {Of::Node, "replace_all_uses_with(replace_with, delete_user_cb=lambda user: True, *, propagate_meta=False)"},
    {Of::Node, "replace_input_with(old_input, new_input)"},
    {Of::Node, "update_arg(idx, arg)"},
    {Of::Node, "update_kwarg(key, arg)"},
    {Of::Graph, "nodes"},
    {Of::Graph, "owning_module"},
    {Of::Graph, "call_function(the_function, args=None, kwargs=None, type_expr=None, name=None)"},
    {Of::Graph, "call_method(method_name, args=None, kwargs=None, type_expr=None)"},
    {Of::Graph, "call_module(module_name, args=None, kwargs=None, type_expr=None)"},
    {Of::Graph, "create_node(op, target, args=None, kwargs=None, name=None, type_expr=None)"},
    {Of::Graph, "eliminate_dead_code(is_impure_node=None)"},
    {Of::Graph, "erase_node(to_erase)"},
    {Of::Graph, "find_nodes(*, op, target=None, sort=True)"},
    {Of::Graph, "get_attr(qualified_name, type_expr=None)"},
    {Of::Graph, "graph_copy(g, val_map, return_output_node=False)"},
    {Of::Graph, "inserting_after(n=None)"},
    {Of::Graph, "inserting_before(n=None)"},
    {Of::Graph, "lint()"},
    {Of::Graph, "node_copy(node, arg_transform=lambda x: x)"},
    {Of::Graph, "output(result, type_expr=None)"},
    {Of::Graph, "output_node()"},
    {Of::Graph, "placeholder(name, type_expr=None, default_value=inspect.Signature.empty)"},
    {Of::Graph, "print_tabular()"},
    {Of::Graph, "python_code(root_module)"},
    {Of::Module, "graph"},
    {Of::Module, "code"},
    {Of::Module, "training"},
    {Of::Module, "add_submodule(target, m)"},
    {Of::Module, "delete_all_unused_submodules()"},
    {Of::Module, "delete_submodule(target)"},
    {Of::Module, "get_buffer(target)"},
    {Of::Module, "get_parameter(target)"},
    {Of::Module, "get_submodule(target)"},
    {Of::Module, "named_buffers()"},
    {Of::Module, "named_children()"},
    {Of::Module, "named_modules()"},
    {Of::Module, "named_parameters()"},
    {Of::Module, "modules()"},
    {Of::Module, "parameters()"},
    {Of::Module, "print_readable()"},
    {Of::Module, "recompile()"},
    {Of::Module, "register_buffer(name, tensor, persistent=True)"},
    {Of::Module, "register_parameter(name, param)"},
    {Of::Module, "state_dict()"},
    {Of::Fx, "Graph()"},
    {Of::Fx, "GraphModule(root, graph, class_name='GraphModule')"},
    {Of::Fx, "Interpreter(module, garbage_collect_values=True, graph=None)"},
    {Of::Fx, "Node"},
    {Of::Fx, "Proxy(node, tracer=None)"},
    {Of::Fx, "Transformer(module)"},
    {Of::Fx, "map_arg(a, fn)"},
    {Of::Fx, "replace_pattern(gm, pattern, replacement)"},
    {Of::Fx, "symbolic_trace(root, concrete_args=None)"},
    {Of::Fx, "wrap(fn_or_name)"},
    {Of::Root, "PassBase"},
    {Of::Root, "PassResult(graph_module, modified)"},
    {Of::Root,
     "SubgraphMatcher(pattern, match_output=False, match_placeholder=False, remove_overlapping_matches=True)"},
    {Of::Root, "isinstance(object, type)"},
    {Of::Root, "reversed(sequence)"},
    {Of::Root, "enumerate(sequence, start=0)"},
    {Of::Root, "placeholder"},
    {Of::Root, "call_function"},
    {Of::Root, "call_method"},
    {Of::Root, "call_module"},
    {Of::Root, "get_attr"},
    {Of::Root, "output"},
};

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The word that ends at `end`.
QByteArray wordBefore(const QByteArray& line, qsizetype end) {
    qsizetype begin = end;
    while (begin > 0 && isWord(line[begin - 1])) --begin;
    return line.mid(begin, end - begin);
}

/// What a variable of that name holds, as passes are usually written.
std::vector<Of> kindsOf(const QByteArray& receiver) {
    const QByteArray name = receiver.toLower();
    if (name == "fx") return {Of::Fx};
    if (name == "torch" || name == "operator" || name == "nn" || name == "F") return {};
    if (name.endsWith("graph") || name == "g") return {Of::Graph};
    if (name == "gm" || name.endsWith("module") || name == "model" || name == "m" || name == "traced")
        return {Of::Module};
    if (name == "self") return {Of::Module};
    return {Of::Node};
}

QByteArray nameOf(const char* entry) {
    const QByteArray text(entry);
    return text.left(text.contains('(') ? text.indexOf('(') : text.size());
}

} // namespace

QByteArrayList completionsAt(const QByteArray& line, int& typed) {
    const QByteArray word = wordBefore(line, line.size());
    typed = static_cast<int>(word.size());
    const qsizetype dot = line.size() - word.size() - 1;
    std::vector<Of> kinds{Of::Root};
    if (dot >= 0 && line[dot] == '.') kinds = kindsOf(wordBefore(line, dot));
    else if (word.size() < 3) return {};
    QByteArrayList found;
    for (const Entry& entry : kEntries) {
        const QByteArray name = nameOf(entry.text);
        if (std::find(kinds.begin(), kinds.end(), entry.of) != kinds.end() && name.startsWith(word) && name != word)
            found << name;
    }
    std::sort(found.begin(), found.end());
    return found;
}

QByteArray signatureOf(const QByteArray& name) {
    for (const Entry& entry : kEntries)
        if (nameOf(entry.text) == name && QByteArray(entry.text).contains('(')) return entry.text;
    return {};
}

} // namespace ui
