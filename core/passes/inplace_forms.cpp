// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/inplace_forms.h"

#include "core/ir/graph.h"
#include "core/ir/print.h"
#include "core/ops/catalogue.h"
#include "core/ops/python_operators.h"

#include <algorithm>
#include <array>

namespace fx {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kViews = {
    {{"torch.ops.aten.diagonal_scatter.default", "torch.ops.aten.diagonal.default"},
     {"torch.ops.aten.select_scatter.default", "torch.ops.aten.select.int"},
     {"torch.ops.aten.slice_scatter.default", "torch.ops.aten.slice.Tensor"},
     {"torch.ops.aten.as_strided_scatter.default", "torch.ops.aten.as_strided.default"}}};

std::optional<ops::Operator> overloadOf(const Node& node) {
    const bool isOverload = node.callable() && node.callable()->kind == Callable::Kind::OpOverload;
    return isOverload ? ops::findOperator(node.target()) : std::nullopt;
}

/// `Tensor(a!)` is of the type `Tensor`.
std::string plainType(std::string_view type) {
    std::string out(type);
    for (auto open = out.find('('); open != out.npos; open = out.find('('))
        out.erase(open, out.find(')', open) - open + 1);
    return out;
}

bool sameTypes(const ops::Operator& a, const ops::Operator& b) {
    if (a.arguments().size() != b.arguments().size()) return false;
    for (std::size_t i = 0; i < a.arguments().size(); ++i)
        if (plainType(a.arguments()[i].type()) != plainType(b.arguments()[i].type())) return false;
    return true;
}

bool isView(const ops::Operator& op) {
    const auto arguments = op.arguments();
    return !arguments.empty() && arguments[0].type().find('(') != std::string_view::npos && !op.isMutable();
}

} // namespace

std::string inplaceForm(const Node& node) {
    const auto op = overloadOf(node);
    if (!op || isView(*op)) return {};
    std::vector<ops::Operator> matching;
    for (const ops::Operator& each : ops::overloads(std::string(op->name()) + "_"))
        if (sameTypes(*op, each)) matching.push_back(each);
    return matching.size() == 1 ? "torch.ops." + matching[0].qualifiedName() : std::string();
}

std::string_view augmentedOperator(const Node& node) {
    const bool isCall = node.op() == Op::CallFunction && node.callable()->module == "_operator";
    return isCall && node.args().size() == 2 ? ops::augmentedOperator(node.callable()->name) : std::string_view{};
}

bool takesTensorFirst(const Node& node) {
    const auto op = overloadOf(node);
    return op && !op->arguments().empty() && plainType(op->arguments()[0].type()) == "Tensor" && !node.args().empty() &&
           node.args()[0].isNode();
}

std::string_view viewUndoneBy(const Node& node) {
    const auto found =
        std::find_if(kViews.begin(), kViews.end(), [&](const auto& each) { return each.first == node.target(); });
    return found == kViews.end() ? std::string_view() : found->second;
}

std::vector<std::string> argumentTexts(const Node& node, std::size_t place) {
    std::vector<std::string> out;
    const auto op = overloadOf(node);
    for (std::size_t i = place; op && i < op->arguments().size(); ++i) {
        std::string text(op->arguments()[i].defaultValue());
        const Argument* given = node.argument(i, op->arguments()[i].name());
        if (given && given->isNode()) text = "%" + std::to_string(fx::index(given->node()));
        else if (given) text.clear(), appendRepr(text, Graph(), *given);
        out.push_back(text == "9223372036854775807" ? "None" : text); // slice: to the end
    }
    return out;
}

} // namespace fx
