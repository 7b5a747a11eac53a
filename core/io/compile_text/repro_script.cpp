// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compile_text/repro_script.h"

#include "core/io/compile_text/printed_arguments.h"
#include "core/ir/print.h"
#include "core/pysrc/parser.h"
#include "core/pysrc/source_error.h"
#include "core/trace/value_source.h"

#include <algorithm>

namespace fx {
namespace {
/// Calls `each` for the statements of a function up to its end. Lines that are not Python (`self.body = <lambda>()`)
/// are skipped.
template<class Each> void forEachStatement(std::string_view text, Each each) {
    std::optional<std::uint32_t> indent;
    for (std::size_t from = 0; from < text.size();) {
        const std::string_view source = text.substr(from);
        py::Parser parser(source);
        try {
            for (py::Stmt statement; parser.next(statement);) {
                if (!indent) indent = statement.indent; // the def itself
                else if (statement.indent <= *indent) return;
                else each(statement, source);
            }
            return;
        } catch (const py::SourceError& error) {
            const std::size_t end = source.find('\n', error.offset);
            if (end == std::string_view::npos) return;
            from += end + 1;
        }
    }
}

/// `self.register_buffer('name', value)`, `self.name = torch.nn.Parameter(value)`.
struct Registration {
    std::string name;
    std::string_view value;
    bool isParameter = false;
};
std::optional<Registration> registrationOf(const py::Stmt& statement, std::string_view source) {
    const py::Expr* value = statement.value;
    if (!value || value->kind != py::ExprKind::Call) return std::nullopt;
    const std::string_view called = value->items[0]->text;
    if (statement.kind == py::StmtKind::Expression && called == "register_buffer" && value->arguments.size() >= 2) {
        const py::Expr& name = *value->arguments[0].value;
        const std::string* text = name.kind == py::ExprKind::Constant ? name.constant->as<std::string>() : nullptr;
        if (text) return Registration{*text, textOf(*value->arguments[1].value, source), false};
    }
    if (statement.kind == py::StmtKind::Assign && called == "Parameter" && !value->arguments.empty() &&
        statement.targets[0]->kind == py::ExprKind::Attribute)
        return Registration{std::string(statement.targets[0]->text), textOf(*value->arguments[0].value, source), true};
    return std::nullopt;
}

/// The tensor of `tensor([1., 2.], dtype=torch.float64)`, as an expression; null if its shape is unknown.
TensorPtr tensorOf(std::string_view expression) {
    try {
        ExpressionEvaluator in({"import torch", "from torch import device, tensor", "from math import inf, nan"});
        const trace::Value value = in.evaluate(expression);
        const auto* tensor = value.as<trace::TensorValue>();
        return tensor && tensor->shapeKnown ? tensor->tensor : nullptr;
    } catch (const trace::Stop&) { return nullptr; } catch (const Error&) {
        return nullptr;
    }
}

/// The calls of `load_args`, in order: `reader.tensor(buf0, (2, 3), dtype=torch.int64)`.
class ReproInputs {
public:
    explicit ReproInputs(GraphModule& module) : m_module(module) {
        for (const Node& node : module.graph.nodes())
            if (node.op() == Op::Placeholder) m_inputs.push_back(node.id());
    }

    void statement(const py::Stmt& statement, std::string_view source) {
        const py::Expr* call = statement.value;
        if (!call || call->kind != py::ExprKind::Call || call->items[0]->kind != py::ExprKind::Attribute) return;
        const std::string_view what = call->items[0]->text;
        if (what == "storage" && statement.kind == py::StmtKind::Assign)
            return m_devices.insert_or_assign(statement.targets[0]->text, device(*call, source)), void();
        if (m_next == m_inputs.size()) return;
        if (what == "tensor") setTensor(*call, source);
        else if (what == "symint") setNumber(*call, source);
        ++m_next; // const, unsupported, generator, opaque: nothing is known of the input
    }

private:
    static constexpr std::size_t kKeywordOnly = ~std::size_t(0);

    static const py::Expr* find(const py::Expr& call, std::string_view keyword, std::size_t position) {
        for (std::size_t i = 0; i < call.arguments.size(); ++i)
            if (call.arguments[i].name == keyword || (call.arguments[i].name.empty() && i == position))
                return call.arguments[i].value;
        return nullptr;
    }

    static std::string device(const py::Expr& call, std::string_view source) {
        const py::Expr* given = find(call, "device", kKeywordOnly);
        if (!given) return "cpu";
        try {
            const Argument value = valueFromSource(textOf(*given, source));
            if (const Device* device = value.as<Device>())
                return device->index < 0 ? device->type : device->type + ":" + std::to_string(device->index);
        } catch (const Error&) {} // not a device: unknown
        return {};
    }

    static std::vector<std::string> sizes(const py::Expr* tuple, std::string_view source) {
        std::vector<std::string> out;
        if (tuple && tuple->kind == py::ExprKind::Tuple)
            for (const py::Expr* item : tuple->items) out.emplace_back(textOf(*item, source));
        return out;
    }

    void setTensor(const py::Expr& call, std::string_view source) {
        ValueInfo info;
        info.sizes = sizes(find(call, "shape", 1), source);
        info.strides = sizes(find(call, "stride", 2), source);
        const py::Expr* dtype = find(call, "dtype", kKeywordOnly);
        info.dtype = dtype ? textOf(*dtype, source) : std::string_view("torch.float32");
        const py::Expr* storage = find(call, "storage", 0);
        if (storage)
            if (const auto known = m_devices.find(storage->text); known != m_devices.end()) info.device = known->second;
        set(std::move(info), {});
    }

    void setNumber(const py::Expr& call, std::string_view source) {
        const py::Expr* value = find(call, "val", 0);
        const py::Expr* expression = find(call, "expr", kKeywordOnly);
        if (!value) return;
        ValueInfo info;
        info.isTensor = false;
        info.dtype = "int";
        const std::string* text = expression && expression->kind == py::ExprKind::Constant
                                      ? expression->constant->as<std::string>()
                                      : nullptr;
        info.sizes = {text ? *text : std::string(textOf(*value, source))};
        set(std::move(info), textOf(*value, source));
    }

    /// An annotation of the graph says more than the script, but not the hint.
    void set(ValueInfo info, std::string_view hint) {
        auto meta = std::make_shared<NodeMeta>(m_module.graph.node(m_inputs[m_next]).meta());
        if (meta->values.empty()) meta->values.push_back(std::move(info));
        if (!hint.empty()) meta->other.emplace_back("hint", hint);
        m_module.graph.setMeta(m_inputs[m_next], std::move(meta));
    }

    GraphModule& m_module;
    std::vector<NodeId> m_inputs;
    std::size_t m_next = 0;
    std::unordered_map<std::string_view, std::string> m_devices; ///< of the storages
};
} // namespace

void readReproInit(GraphModule& module, std::string_view text, std::size_t start, std::size_t end) {
    const std::size_t init = text.substr(0, end).find("def __init__(", start);
    if (init == std::string_view::npos) return;
    const std::size_t line = text.rfind('\n', init) + 1;
    forEachStatement(text.substr(line, end - line), [&](const py::Stmt& statement, std::string_view source) {
        const auto found = registrationOf(statement, source);
        const TensorPtr tensor = found ? tensorOf(found->value) : nullptr;
        if (!tensor) return;
        TensorRef kept = *tensor;
        kept.isParameter = kept.requiresGrad = found->isParameter;
        const bool isWritten = found->value.starts_with("tensor(");
        if (!isWritten) kept.storage = nullptr; // random numbers in place of the values
        auto& slots = found->isParameter ? module.root->parameters : module.root->buffers;
        slots.push_back({found->name, std::make_shared<const TensorRef>(std::move(kept)), true});
    });
}

void readReproInputs(GraphModule& module, std::string_view text) {
    const std::size_t start = text.find("\ndef load_args(");
    if (start == std::string_view::npos) return;
    ReproInputs inputs(module);
    forEachStatement(text.substr(start + 1),
                     [&](const py::Stmt& statement, std::string_view source) { inputs.statement(statement, source); });
}

std::string reproProducer(std::string_view text) {
    constexpr std::string_view kVersion = "\n# torch version: ";
    const std::size_t at = text.find(kVersion);
    if (at == std::string_view::npos) return {};
    const std::size_t start = at + kVersion.size();
    const std::string_view version = text.substr(start, text.find_first_of("\r\n", start) - start);
    return std::string(version.substr(0, 40));
}

} // namespace fx
