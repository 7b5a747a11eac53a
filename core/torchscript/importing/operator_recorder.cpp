// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/importing/operator_recorder.h"

#include "core/base/python_text.h"
#include "core/ops/catalogue.h"
#include "core/ops/python_functions.h"
#include "core/torchscript/folding.h"

#include <algorithm>

namespace fx::script {
namespace {

/// As the operator catalogue prints defaults.
void print(std::string& out, const Argument& value) {
    if (value.isNone()) out += "None";
    else if (const auto* flag = value.as<bool>()) out += *flag ? "True" : "False";
    else if (const auto* number = value.as<std::int64_t>()) out += std::to_string(*number);
    else if (const auto* real = value.as<double>()) appendPythonFloat(out, *real);
    else if (const auto* text = value.as<std::string>()) appendPythonString(out, *text);
    else if (const Sequence* list = value.asList()) {
        out += '[';
        for (const Argument& item : list->items) {
            if (&item != &list->items.front()) out += ", ";
            print(out, item);
        }
        out += ']';
    } else out += '?';
}

bool isDefault(const Argument& value, const ops::Argument& argument) {
    if (!argument.hasDefault()) return false;
    std::string text;
    print(text, value);
    const std::string_view otherwise = argument.defaultValue();
    if (text == otherwise) return true;
    const Sequence* list = value.asList(); // `SymInt[2] stride=1`
    return list && !list->items.empty() &&
           std::all_of(list->items.begin(), list->items.end(), [&](const Argument& item) {
               std::string one;
               print(one, item);
               return one == otherwise;
           });
}

/// Whether an operator finds a proxy here when the saved code is traced: itself, or first in a list.
bool showsProxy(const Argument& value) {
    const Sequence* sequence = value.asList() ? value.asList() : value.asTuple();
    return value.isNode() || (sequence && !sequence->items.empty() && sequence->items.front().isNode());
}

/// `zeros.default([4, n])` cannot be traced again: an operator finds no proxy behind a number. Python's function can.
std::string traceableName(const ops::Operator& known, const std::vector<Argument>& args, const Kwargs& kwargs) {
    const std::string name = "torch." + std::string(known.baseName());
    const auto function = known.nameSpace() == "aten" ? ops::findFunction(name) : std::nullopt;
    const bool makesTensor = function && function->factory() != ops::PythonFunction::Factory::None;
    bool hasNodes = false, isShown = false;
    const auto look = [&](const Argument& value) {
        forEachNode(value, [&](NodeId) { hasNodes = true; });
        isShown = isShown || showsProxy(value);
    };
    for (const Argument& value : args) look(value);
    for (const auto& [key, value] : kwargs) look(value);
    return makesTensor && hasNodes && !isShown ? name : "torch.ops." + known.qualifiedName();
}

/// The dtype, as a number, of a script's tensor of a list that may be empty: Python makes floats of nothing. None where
/// Python's is the same.
Argument dtypeOfList(const Symbol& list, std::string_view type) {
    constexpr std::int64_t kLong = 4, kBool = 11;
    const std::size_t element = type.find("[]");
    if (element == type.npos) return {};
    std::size_t depth = (type.size() - element) / 2;
    for (const Symbol* each = &list; depth > 0 && each->isContainer() && !each->items->empty(); --depth)
        each = &each->items->front();
    if (depth == 0) return {}; // it has a number
    type = type.substr(0, element);
    return type == "int" ? Argument(kLong) : type == "bool" ? Argument(kBool) : Argument();
}

constexpr std::string_view kMethods[] = {"size",           "dim",           "numel",        "stride",
                                         "storage_offset", "is_contiguous", "item",         "is_floating_point",
                                         "is_complex",     "get_device",    "element_size", "to",
                                         "tolist"};

/// Whether tensors of these integers have the result that Python's function of the integers has. Others are left to the
/// operators: a quotient has the default dtype, a power or a product with a fraction is rounded to it at each step.
bool staysInteger(const CallFrame& frame, const Node& node, std::string_view function,
                  const std::vector<Symbol>& inputs) {
    static constexpr std::string_view kFunctions[] = {"_operator.add",      "_operator.sub", "_operator.mul",
                                                      "_operator.floordiv", "_operator.mod", "_operator.neg"};
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (!inputs[i].as<std::int64_t>() &&
            !(inputs[i].isNode() && (inputs[i].asTensor || frame.typeOf(node.inputs[i]).text == "int")))
            return false;
    const auto* exponent = inputs.size() > 1 && function == "_operator.pow" ? inputs[1].as<std::int64_t>() : nullptr;
    return (exponent && *exponent >= 0) ||
           std::find(std::begin(kFunctions), std::end(kFunctions), function) != std::end(kFunctions);
}

/// Sets the values that a node of the script gives.
void setResults(CallFrame& frame, const Node& node, const Symbol& result) {
    if (node.outputs.size() == 1) return frame.setResult(node.outputs[0], result);
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
        frame.slot(node.outputs[i]) =
            partOf(result, static_cast<std::int64_t>(i), frame.typeOf(node.outputs[i]).isOptional());
}

} // namespace

bool OperatorRecorder::record(CallFrame& frame, const Node& node) {
    return recordIdentity(frame, node) || recordSize(frame, node) || recordNumbers(frame, node) ||
           recordOperator(frame, node) || recordScriptOnly(frame, node) || recordForeign(frame, node);
}

/// Conversions between numbers and what a script calls a tensor of one, and comparisons with None.
bool OperatorRecorder::recordIdentity(CallFrame& frame, const Node& node) {
    const std::string& name = frame.kindOf(node).name;
    if (node.inputs.empty() || node.outputs.size() != 1) return false;
    const Symbol& first = frame.value(node.inputs[0]);
    if (isConversion(name)) {
        const Type &from = frame.typeOf(node.inputs[0]), &to = frame.typeOf(node.outputs[0]);
        const bool same = first.asTensor ? name != "aten::Float" && name != "aten::Bool"
                                         : from.text == to.text || to.text == "Scalar";
        if (!(first.asTensor || from.isNumber()) || !same || first.as<double>()) return false;
        Symbol number = first;
        number.asTensor = false;
        return frame.slot(node.outputs[0]) = std::move(number), true;
    }
    if ((name == "aten::eq" || name == "aten::ne") && node.inputs.size() == 2 && first.enumMember()) {
        const Symbol& second = frame.value(node.inputs[1]);
        if (!second.enumMember()) return false;
        const bool same = first.enumMember()->repr == second.enumMember()->repr;
        return frame.slot(node.outputs[0]) = Symbol::of(Argument(same == (name == "aten::eq"))), true;
    }
    if ((name == "aten::__is__" || name == "aten::__isnot__") && node.inputs.size() == 2) {
        const Symbol& second = frame.value(node.inputs[1]);
        const auto isNone = [](const Symbol& symbol) { return symbol.literal() && symbol.value.isNone(); };
        const Symbol& other = isNone(first) ? second : first;
        if (!(isNone(first) || isNone(second)) || isNone(other)) return false;
        if (other.isNode() && other.maybeNone) return false;
        return frame.slot(node.outputs[0]) = Symbol::of(Argument(name == "aten::__isnot__")), true;
    }
    if (name == "aten::detach" && first.asTensor) return frame.slot(node.outputs[0]) = first, true;
    return false;
}

/// Sizes of the model's own tensors are known, as they are to a tracer.
bool OperatorRecorder::recordSize(CallFrame& frame, const Node& node) {
    const std::string& name = frame.kindOf(node).name;
    if (node.inputs.empty() || node.outputs.size() != 1) return false;
    const Symbol& symbol = frame.value(node.inputs[0]);
    const TensorPtr tensor = symbol.is == Symbol::Is::Tensor ? m_constants.tensorAt(symbol.path) : nullptr;
    if (!tensor) return false;
    const auto dimensions = static_cast<std::int64_t>(tensor->sizes.size());
    Symbol& result = frame.slot(node.outputs[0]);
    if (name == "aten::dim") return result = Symbol::of(Argument(dimensions)), true;
    if (name == "aten::numel") return result = Symbol::of(Argument(tensor->elementCount())), true;
    if (name == "aten::size" && node.inputs.size() == 1) {
        std::vector<Symbol> sizes;
        for (const std::int64_t size : tensor->sizes) sizes.push_back(Symbol::of(Argument(size)));
        return result = Symbol::listOf(std::move(sizes)), true;
    }
    std::int64_t dimension = 0;
    if (name == "aten::size") {
        const auto* given = frame.value(node.inputs[1]).as<std::int64_t>();
        if (!given) return false;
        dimension = *given < 0 ? *given + dimensions : *given;
    } else if (name != "aten::len") return false;
    if (dimension < 0 || dimension >= dimensions) return false; // left to the run, which raises
    return result = Symbol::of(Argument(tensor->sizes[static_cast<std::size_t>(dimension)])), true;
}

/// What Python's own functions do: arithmetic of numbers, comparisons, `len`, `x in list`, `list[i]`.
bool OperatorRecorder::recordNumbers(CallFrame& frame, const Node& node) {
    const std::string_view function = pythonFunction(frame.kindOf(node).name);
    if (function.empty() || node.outputs.size() != 1) return false;
    std::vector<Symbol> inputs = frame.valuesOf(node.inputs);
    const bool asTensor = std::any_of(inputs.begin(), inputs.end(), [](const Symbol& input) { return input.asTensor; });
    bool anyTensor = false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!frame.typeOf(node.inputs[i]).isTensor() || inputs[i].asTensor) continue;
        // Constants beside traced sizes are tensors without dimensions.
        if (const auto number =
                (asTensor || isConversion(frame.kindOf(node).name)) && inputs[i].is == Symbol::Is::Tensor
                    ? m_constants.numberAt(inputs[i].path)
                    : std::nullopt)
            inputs[i] = Symbol::of(*number);
        else anyTensor = true;
    }
    if (asTensor && frame.typeOf(node.outputs[0]).isTensor() && !staysInteger(frame, node, function, inputs))
        return false;
    const bool takesAny = isConversion(frame.kindOf(node).name) || function == "len" || function == "_operator.getitem";
    if (anyTensor && !takesAny) return false;
    const std::size_t operands =
        function.starts_with("_operator.") && inputs.size() > 2 ? 2 : inputs.size(); // add's alpha
    if (operands < inputs.size() && !(inputs[2].as<std::int64_t>() && *inputs[2].as<std::int64_t>() == 1)) return false;
    std::vector<Argument> args;
    for (std::size_t i = 0; i < operands; ++i) {
        args.push_back(m_recorder.argument(frame, inputs[i]));
        const bool isList = frame.typeOf(node.inputs[i]).text == "int[]" && function != "_operator.getitem";
        if (isList) args.back() = m_recorder.asInScript(frame, args.back());
    }
    if (!nameNumbers(m_graph, function, args))
        for (Argument& arg : args) arg = m_recorder.asInScript(frame, arg);
    if (frame.kindOf(node).is("aten::rsub")) std::reverse(args.begin(), args.end());
    const bool isRealPower = frame.kindOf(node).is("aten::pow") && frame.typeOf(node.outputs[0]).text == "float" &&
                             frame.typeOf(node.inputs[0]).text == "int";
    if (isRealPower) { // a script's power of integers is real, Python's is not
        const auto* base = args[0].as<std::int64_t>();
        args[0] = base ? Argument(static_cast<double>(*base))
                       : m_recorder.argument(frame, m_recorder.call(frame, node, "float", {args[0]}));
    }
    const bool known = std::none_of(args.begin(), args.end(), [](const Argument& arg) {
        bool anyNode = false;
        forEachNode(arg, [&](NodeId) { anyNode = true; });
        return anyNode;
    });
    Symbol& result = frame.slot(node.outputs[0]);
    if (const auto folded = known ? fold(function, args) : std::nullopt) result = Symbol::of(*folded);
    else if (known && !asTensor && function == "_operator.getitem") return false;
    else result = m_recorder.call(frame, node, function, std::move(args));
    result.asTensor = asTensor && frame.typeOf(node.outputs[0]).isTensor();
    return true;
}

/// The second operand, where LibTorch's executor takes a constant without dimensions as a number: `x * 0.5` of a trace,
/// whose result then has the dtype of x or the default one.
std::optional<Argument> OperatorRecorder::constantOperand(const CallFrame& frame, const Node& node) const {
    const Kind& kind = frame.kindOf(node);
    const bool isTaken = kind.overload == "Tensor" &&
                         (kind.is("aten::add") || kind.is("aten::sub") || kind.is("aten::mul") || kind.is("aten::div"));
    if (!isTaken || node.inputs.size() < 2) return std::nullopt;
    const Symbol& operand = frame.value(node.inputs[1]);
    return operand.is == Symbol::Is::Tensor ? m_constants.numberAt(operand.path) : std::nullopt;
}

/// An operator of the dispatcher: `torch.ops.aten.add.Tensor`, without arguments that equal the schema's defaults.
bool OperatorRecorder::recordOperator(CallFrame& frame, const Node& node) {
    const std::optional<Argument> number = constantOperand(frame, node);
    const auto known = ops::findOperator(number ? frame.kindOf(node).name + ".Scalar" : frame.kindOf(node).full());
    if (!known || known->isScriptOnly() || known->isVariadic() || known->arguments().size() != node.inputs.size())
        return false;
    const bool isMethod =
        std::find(std::begin(kMethods), std::end(kMethods), known->baseName()) != std::end(kMethods) &&
        known->baseName() != "to" && known->nameSpace() == "aten";
    std::vector<Argument> values;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const Symbol& input = frame.value(node.inputs[i]);
        const bool isTensor = known->arguments()[i].type().starts_with("Tensor");
        values.push_back(number && i == 1 ? *number
                         : isTensor       ? m_recorder.tensorArgument(frame, input)
                                          : m_recorder.argument(frame, input));
    }
    std::size_t positional = 0;
    std::vector<bool> otherwise(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const ops::Argument declared = known->arguments()[i];
        otherwise[i] = isDefault(values[i], declared);
        values[i] = torchConstantOr(values[i], declared.type());
        if (!otherwise[i] && !declared.isKeywordOnly()) positional = i + 1;
    }
    std::vector<Argument> args(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(positional));
    Kwargs kwargs;
    for (std::size_t i = positional; i < values.size(); ++i)
        if (!otherwise[i]) kwargs.emplace_back(known->arguments()[i].name(), values[i]);
    if (isMethod && kwargs.empty())
        return setResults(frame, node,
                          m_recorder.callMethod(frame, node, std::string(known->baseName()), std::move(args))),
               true;
    const std::string function = traceableName(*known, args, kwargs);
    setResults(frame, node, m_recorder.call(frame, node, function, std::move(args), std::move(kwargs)));
    return true;
}

/// An operator of another library than PyTorch: all arguments, for its defaults are not known here.
bool OperatorRecorder::recordForeign(CallFrame& frame, const Node& node) {
    const Kind& kind = frame.kindOf(node);
    const std::string space = kind.name.substr(0, kind.name.find("::"));
    if (!node.blocks.empty() || node.hasMore || space == "prim" || space == "aten" || ops::findOperator(kind.full()))
        return false;
    std::vector<Argument> args;
    for (const std::uint32_t id : node.inputs) args.push_back(m_recorder.tensorArgument(frame, frame.value(id)));
    const std::string target = "torch.ops." + space + "." + kind.name.substr(space.size() + 2) + "." +
                               (kind.overload.empty() ? "default" : kind.overload);
    setResults(frame, node, m_recorder.call(frame, node, target, std::move(args)));
    return true;
}

/// What only TorchScript knows by that name, but Python by another.
bool OperatorRecorder::recordScriptOnly(CallFrame& frame, const Node& node) {
    const Kind& kind = frame.kindOf(node);
    if (node.outputs.size() != 1 || node.inputs.empty()) return false;
    const std::string base = kind.name.substr(kind.name.find("::") + 2);
    const bool onTensor = frame.typeOf(node.inputs[0]).isTensor();
    if (kind.isPrim()) {
        static constexpr std::string_view kAttributes[] = {"dtype",   "device",       "layout", "requires_grad",
                                                           "is_cuda", "is_quantized", "ndim",   "is_sparse"};
        if (!onTensor || node.inputs.size() != 1 ||
            std::find(std::begin(kAttributes), std::end(kAttributes), base) == std::end(kAttributes))
            return false;
        frame.slot(node.outputs[0]) = m_recorder.call(
            frame, node, "getattr", {m_recorder.argument(frame, frame.value(node.inputs[0])), Argument(base)});
        return true;
    }
    const auto known = ops::findOperator(kind.full());
    if (!known || kind.name.substr(0, 6) != "aten::") return false;
    const bool isMethod = onTensor && std::find(std::begin(kMethods), std::end(kMethods), base) != std::end(kMethods);
    if (!isMethod && base != "tensor" && base != "split") return false;
    if (base == "split" && !onTensor) return false;
    std::vector<Argument> args;
    Kwargs kwargs;
    for (std::size_t i = 0; i < node.inputs.size() && i < known->arguments().size(); ++i) {
        const ops::Argument declared = known->arguments()[i];
        const bool isType = declared.name() == "dtype";
        Argument given = m_recorder.argument(frame, frame.value(node.inputs[i]));
        if (isType && base == "tensor" && given.isNone())
            given = dtypeOfList(frame.value(node.inputs[0]), frame.typeOf(node.inputs[0]).text);
        if (isDefault(given, declared)) continue;
        const Argument meant = torchConstantOr(given, isType ? "ScalarType" : declared.type());
        if (args.size() == i && !declared.isKeywordOnly()) args.push_back(meant);
        else kwargs.emplace_back(declared.name(), meant);
    }
    setResults(frame, node,
               isMethod ? m_recorder.callMethod(frame, node, base, std::move(args), std::move(kwargs))
                        : m_recorder.call(frame, node, "torch." + base, std::move(args), std::move(kwargs)));
    return true;
}

} // namespace fx::script
