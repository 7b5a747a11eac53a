// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/torchscript/script_terms.h"

#include "core/base/python_text.h"
#include "core/diag/error.h"
#include "core/io/torchscript/folding.h"
#include "core/ops/catalogue.h"
#include "core/ops/compositions.h"
#include "core/ops/python_functions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace fx::script {
namespace {

constexpr int kMostExpansions = 6;

using Names = std::map<std::string, std::string, std::less<>>;

std::string realTerm(double value) {
    if (std::isnan(value)) return "float(\"nan\")";
    if (std::isinf(value)) return value > 0 ? "float(\"inf\")" : "float(\"-inf\")";
    std::string out;
    appendPythonFloat(out, value);
    return out;
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n') out += "\\n";
        else out += c;
    }
    return out + "\"";
}

/// The numbers that TorchScript has for dtypes, layouts and memory formats.
std::optional<std::string> numberOf(const Argument& constant) {
    for (std::int64_t number = 0; number < 40; ++number)
        if (constant == dtypeNumbered(number) || constant == layoutNumbered(number) ||
            constant == memoryFormatNumbered(number))
            return std::to_string(number);
    return std::nullopt;
}

bool isInteger(std::string_view text) {
    if (!text.empty() && text.front() == '-') text.remove_prefix(1);
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool isTrue(const Names& names, std::string_view name) {
    const auto found = names.find(name);
    return found != names.end() && found->second == "True";
}

std::string joined(const Terms& terms) {
    std::string out;
    for (const std::string& term : terms.positional) out += (out.empty() ? "" : ", ") + term;
    for (const auto& [name, term] : terms.named) out += (out.empty() ? "" : ", ") + name + "=" + term;
    return out;
}

} // namespace

std::string literalTerm(const Argument& value, const std::function<std::string(NodeId)>& node) {
    const auto items = [&](const std::vector<Argument>& all) {
        std::string out;
        for (const Argument& item : all) out += (&item == &all.front() ? "" : ", ") + literalTerm(item, node);
        return out;
    };
    if (value.isNone()) return "None";
    if (value.isNode()) return node(value.node());
    if (const auto* flag = value.as<bool>()) return *flag ? "True" : "False";
    if (const auto* number = value.as<std::int64_t>()) return std::to_string(*number);
    if (const auto* real = value.as<double>()) return realTerm(*real);
    if (const auto* text = value.as<std::string>()) return quoted(*text);
    if (const auto* device = value.as<Device>())
        return "torch.device(\"" + device->type + (device->index >= 0 ? ":" + std::to_string(device->index) : "") +
               "\")";
    if (value.as<TorchConstant>())
        if (const auto number = numberOf(value)) return *number;
    if (const Sequence* list = value.asList())
        return list->items.empty() ? "annotate(List[int], [])" : "[" + items(list->items) + "]";
    if (const Sequence* tuple = value.asTuple())
        return "(" + items(tuple->items) + (tuple->items.size() == 1 ? ",)" : ")");
    if (const auto* dict = value.as<Dict>()) {
        std::string out;
        for (const auto& [key, item] : dict->items)
            out += (out.empty() ? "" : ", ") + literalTerm(key, node) + ": " + literalTerm(item, node);
        return "{" + out + "}";
    }
    throw Error(ErrorKind::Refused, Message("script.no_literal"));
}

std::string operatorTerm(const std::string& function, std::string_view kind, Terms terms) {
    const std::vector<ops::Operator> known = ops::overloads(kind);
    const auto isReal = [&](auto hasName, std::size_t place) {
        return !known.empty() && std::all_of(known.begin(), known.end(), [&](const ops::Operator& one) {
            for (std::size_t i = 0; i < one.arguments().size(); ++i)
                if (hasName(one.arguments()[i], i, place)) return one.arguments()[i].type().starts_with("float");
            return false;
        });
    };
    for (std::size_t i = 0; i < terms.positional.size(); ++i)
        if (isInteger(terms.positional[i]) &&
            isReal([](const auto&, std::size_t at, std::size_t place) { return at == place; }, i))
            terms.positional[i] += ".0";
    for (auto& [name, term] : terms.named)
        if (isInteger(term) &&
            isReal([&name = name](const auto& argument, std::size_t, std::size_t) { return argument.name() == name; },
                   0))
            term += ".0";
    return function + "(" + joined(terms) + ")";
}

// ── functions ──

namespace {

std::string expanded(std::string_view composition, const Names& names, int depth);

/// Functions of torch.nn.functional that are more than one call in Python, for the arguments with which they are one.
const char* formOf(std::string_view name, const Names& names) {
    const auto is = [&](const char* key, std::string_view value) {
        const auto found = names.find(key);
        return found != names.end() && found->second == value;
    };
    const bool dim = !is("dim", "None");
    if (name == "softmax" && dim) return "torch.softmax(input, dim, dtype)";
    if (name == "log_softmax" && dim) return "torch.log_softmax(input, dim, dtype)";
    if (name == "adaptive_avg_pool2d") return "torch.adaptive_avg_pool2d(input, output_size)";
    if (name == "adaptive_avg_pool3d") return "torch.adaptive_avg_pool3d(input, output_size)";
    if (name.starts_with("max_pool") && is("return_indices", "False"))
        return name == "max_pool1d"   ? "torch.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)"
               : name == "max_pool2d" ? "torch.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)"
               : name == "max_pool3d" ? "torch.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode)"
                                      : nullptr;
    if (name == "max_pool2d")
        return "torch.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)";
    if (name.starts_with("adaptive_max_pool") && name.size() == 19) {
        if (is("return_indices", "True"))
            return name[17] == '1'   ? "torch.adaptive_max_pool1d(input, output_size)"
                   : name[17] == '2' ? "torch.adaptive_max_pool2d(input, output_size)"
                                     : "torch.adaptive_max_pool3d(input, output_size)";
        return name[17] == '1'   ? "torch.adaptive_max_pool1d(input, output_size)[0]"
               : name[17] == '2' ? "torch.adaptive_max_pool2d(input, output_size)[0]"
                                 : "torch.adaptive_max_pool3d(input, output_size)[0]";
    }
    if (name == "embedding" && is("max_norm", "None"))
        return "torch.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)";
    if (name == "softsign") return "torch.div(input, torch.abs(input) + 1)";
    if (name == "tanhshrink") return "torch.sub(input, torch.tanh(input))";
    if (name == "interpolate" && is("antialias", "False") && !is("recompute_scale_factor", "True")) {
        if (is("mode", "\"nearest\"")) return "torch.upsample_nearest2d(input, size, scale_factor)";
        if (is("mode", "\"bilinear\"")) return "torch.upsample_bilinear2d(input, size, align_corners, scale_factor)";
        if (is("mode", "\"bicubic\"")) return "torch.upsample_bicubic2d(input, size, align_corners, scale_factor)";
    }
    return nullptr;
}

/// Python's literal of a default as a script's.
std::string defaultTerm(std::string_view text) {
    if (text.size() >= 2 && text.front() == '\'') return quoted(std::string(text.substr(1, text.size() - 2)));
    return std::string(text);
}

/// The parameters of a Python function with the terms that a call gives; nullopt if they do not fit.
std::optional<Names> bound(const ops::PythonFunction& function, const Terms& terms) {
    Names out;
    std::size_t position = 0, named = 0;
    for (const ops::Parameter& parameter : function.parameters()) {
        using Kind = ops::Parameter::Kind;
        if (parameter.kind == Kind::VarPositional || parameter.kind == Kind::VarKeyword) return std::nullopt;
        const auto given = std::find_if(terms.named.begin(), terms.named.end(),
                                        [&](const auto& one) { return one.first == parameter.name; });
        if (parameter.kind != Kind::KeywordOnly && position < terms.positional.size())
            out[std::string(parameter.name)] = terms.positional[position++];
        else if (given != terms.named.end()) ++named, out[std::string(parameter.name)] = given->second;
        else if (!parameter.defaultValue.empty())
            out[std::string(parameter.name)] = defaultTerm(parameter.defaultValue);
        else return std::nullopt;
    }
    return position == terms.positional.size() && named == terms.named.size() ? std::optional(out) : std::nullopt;
}

/// What some operators take otherwise than the functions in Python.
void adjust(std::string_view name, Names& names) {
    const auto repeat = [&](const char* key, std::size_t times) {
        if (const auto found = names.find(key); found != names.end() && found->second.find_first_of("[(N") != 0) {
            std::string list = "[";
            for (std::size_t i = 0; i < times; ++i) list += (i > 0 ? ", " : "") + found->second;
            found->second = list + "]";
        }
    };
    if (names.contains("padding_idx") && names["padding_idx"] == "None") names["padding_idx"] = "-1";
    if (name.find("pool") != name.npos && names.contains("stride") && names["stride"] == "None")
        names["stride"] = "annotate(List[int], [])";
    if (name == "interpolate") {
        repeat("size", 2), repeat("scale_factor", 2);
        std::string& factors = names["scale_factor"];
        if (factors != "None") { // floats in a script
            std::string reals;
            for (const std::string_view one :
                 ops::splitTopLevel(std::string_view(factors).substr(1, factors.size() - 2)))
                if (!one.empty())
                    reals += (reals.empty() ? "" : ", ") + std::string(one) + (isInteger(one) ? ".0" : "");
            factors = "[" + reals + "]";
        }
        if (names["align_corners"] == "None") names["align_corners"] = "False";
    }
}

std::string ofFunctional(std::string_view qualifiedName, const Terms& terms, int depth) {
    const std::string_view name = qualifiedName.substr(std::string_view("torch.nn.functional.").size());
    const auto function = ops::findFunction(qualifiedName);
    auto names = function ? bound(*function, terms) : std::nullopt;
    if (!names) return {};
    adjust(name, *names);
    const char* composition = ops::functionComposition(name);
    if (!composition) composition = formOf(name, *names);
    return composition ? expanded(composition, *names, depth + 1) : std::string();
}

std::string call(std::string_view qualifiedName, Terms terms, int depth) {
    if (depth > kMostExpansions) return {};
    if (qualifiedName.starts_with("torch.nn.functional.")) return ofFunctional(qualifiedName, terms, depth);
    std::string name(qualifiedName);
    for (const std::string_view prefix : {"torch._C._nn.", "torch.functional.", "torch.special.", "torch."})
        if (name.starts_with(prefix)) {
            name = name.substr(prefix.size());
            if (prefix == "torch.special.") name = "special_" + name;
            break;
        }
    const std::string kind = "aten::" + name;
    if (name.find('.') != name.npos || ops::overloads(kind).empty()) return {};
    // Python's functions call the first argument `input`, schemas `self`.
    for (auto& [key, term] : terms.named)
        if (key == "input") key = "self";
    return operatorTerm("torch." + name, kind, std::move(terms));
}

/// A composition with names replaced by what they stand for.
std::string expanded(std::string_view composition, const Names& names, int depth) {
    const std::size_t open = composition.find('('), close = composition.rfind(')');
    std::string function(composition.substr(0, open));
    if (function.back() == '!') {
        function.pop_back();
        if (isTrue(names, "inplace")) function += '_';
    }
    const std::string rest(composition.substr(close + 1)); // `[0]`
    const auto termOf = [&](std::string_view word) -> std::optional<std::string> {
        if (const auto found = names.find(word); found != names.end()) return found->second;
        if (word == "@reduction") {
            const auto how = names.find("reduction");
            if (how == names.end()) return std::nullopt;
            return how->second == "\"none\"" ? "0" : how->second == "\"mean\"" ? "1" : "2";
        }
        const std::size_t inner = word.find('('); // `torch.abs(input) + 1`
        if (inner != word.npos && word.front() != '(') {
            const std::size_t end = word.find(')', inner);
            const auto argument = names.find(word.substr(inner + 1, end - inner - 1));
            if (argument == names.end()) return std::nullopt;
            return std::string(word.substr(0, inner + 1)) + argument->second + std::string(word.substr(end));
        }
        return defaultTerm(word);
    };
    Terms terms;
    for (const ops::CallArgument& argument : ops::parseCallArguments(composition.substr(open + 1, close - open - 1))) {
        const auto term = argument.starred ? std::nullopt : termOf(argument.expression);
        if (!term) return {};
        if (argument.keyword.empty()) terms.positional.push_back(*term);
        else terms.named.emplace_back(argument.keyword, *term);
    }
    const std::string out = call(function, std::move(terms), depth);
    return out.empty() ? out : out + rest;
}

} // namespace

std::string functionTerm(std::string_view qualifiedName, Terms terms) {
    return call(qualifiedName, std::move(terms), 0);
}

// ── modules ──

namespace {

std::string listOf(const std::vector<std::string>& terms) {
    std::string out;
    for (const std::string& term : terms) out += (out.empty() ? "" : ", ") + term;
    return "[" + out + "]";
}

std::string settingTerm(const Module& module, const char* name) {
    const auto* attribute = module.attribute(name);
    const auto* literal = attribute ? std::get_if<Argument>(attribute) : nullptr;
    return literal ? literalTerm(*literal, {}) : std::string();
}

std::string tensorTerm(const Module& module, std::string_view name) {
    const Module::Slot* slot = module.parameter(name);
    if (!slot) slot = module.buffer(name);
    return slot && slot->tensor ? "self." + std::string(name) : "None";
}

std::string convolution(const Module& module, const std::vector<std::string>& inputs) {
    const bool transposed = module.className.starts_with("ConvTranspose");
    const std::string dims = module.className.substr(module.className.size() - 2);
    const auto setting = [&](const char* name) { return settingTerm(module, name); };
    const std::string weights =
        ", " + tensorTerm(module, "weight") + ", " + tensorTerm(module, "bias") + ", " + setting("stride") + ", ";
    if (transposed) {
        if (inputs.size() > 1 && inputs[1] != "None") return {};
        return "return torch.conv_transpose" + dims + "(" + inputs[0] + weights + setting("padding") + ", " +
               setting("output_padding") + ", " + setting("groups") + ", " + setting("dilation") + ")";
    }
    std::string input = inputs[0], padding = setting("padding");
    if (setting("padding_mode") != "\"zeros\"") {
        input = "torch.pad(" + input + ", " + setting("_reversed_padding_repeated_twice") + ", " +
                setting("padding_mode") + ")";
        padding = std::string("[0") + (dims == "1d" ? "]" : dims == "2d" ? ", 0]" : ", 0, 0]");
    }
    return "return torch.conv" + dims + "(" + input + weights + padding + ", " + setting("dilation") + ", " +
           setting("groups") + ")";
}

std::string batchNorm(const Module& module, const std::vector<std::string>& inputs) {
    const bool tracks = settingTerm(module, "track_running_stats") == "True",
               hasMean = tensorTerm(module, "running_mean") != "None";
    const bool statistics = module.training || !hasMean, running = !module.training || tracks;
    const std::string momentum = settingTerm(module, "momentum");
    if (momentum == "None" && module.training && tracks) return {};
    std::string out;
    if (module.training && tracks && hasMean) out = "self.num_batches_tracked.add_(1)\n    ";
    return out + "return torch.batch_norm(" + inputs[0] + ", " + tensorTerm(module, "weight") + ", " +
           tensorTerm(module, "bias") + ", " + (running ? tensorTerm(module, "running_mean") : "None") + ", " +
           (running ? tensorTerm(module, "running_var") : "None") + (statistics ? ", True, " : ", False, ") +
           (momentum == "None" ? "0.0" : momentum) + ", " + settingTerm(module, "eps") + ", True)";
}

/// LSTM, GRU and RNN on inputs with a batch.
std::string recurrent(const Module& module, const std::vector<std::string>& inputs) {
    const auto setting = [&](const char* name) { return settingTerm(module, name); };
    const bool lstm = module.className == "LSTM", bidirectional = setting("bidirectional") == "True",
               first = setting("batch_first") == "True";
    const bool given = inputs.size() > 1 && inputs[1] != "None";
    std::vector<std::string> weights;
    const int layers = std::atoi(setting("num_layers").c_str());
    for (int layer = 0; layer < layers; ++layer)
        for (int direction = 0; direction < (bidirectional ? 2 : 1); ++direction) {
            const std::string suffix = "_l" + std::to_string(layer) + (direction ? "_reverse" : "");
            for (const char* name : {"weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr"})
                if (const std::string term = tensorTerm(module, name + suffix); term != "None") weights.push_back(term);
        }
    const std::string zeros = "torch.zeros([" + std::to_string(layers * (bidirectional ? 2 : 1)) + ", " + inputs[0] +
                              ".size(" + (first ? "0" : "1") + "), ";
    const std::string tail = "], dtype=" + inputs[0] + ".dtype)";
    const std::string hidden = setting("hidden_size"), projected = setting("proj_size");
    const std::string h = given ? lstm ? inputs[1] + "[0]" : inputs[1]
                                : zeros + (projected == "0" || projected.empty() ? hidden : projected) + tail;
    const std::string c = given ? inputs[1] + "[1]" : zeros + hidden + tail;
    const std::string op = lstm                                ? "lstm"
                           : module.className == "GRU"         ? "gru"
                           : setting("mode") == "\"RNN_RELU\"" ? "rnn_relu"
                                                               : "rnn_tanh";
    std::string dropout = setting("dropout");
    if (isInteger(dropout)) dropout += ".0";
    const std::string results = lstm ? "y, hy, cy" : "y, hy";
    return results + " = torch." + op + "(" + inputs[0] + ", " + (lstm ? "[" + h + ", " + c + "]" : h) + ", " +
           listOf(weights) + ", " + setting("bias") + ", " + setting("num_layers") + ", " + dropout + ", " +
           (module.training ? "True, " : "False, ") + setting("bidirectional") + ", " + setting("batch_first") +
           ")\n    return " + (lstm ? "(y, (hy, cy))" : "(y, hy)");
}

std::string cell(const Module& module, const std::vector<std::string>& inputs) {
    if (inputs.size() < 2 || inputs[1] == "None") return {};
    const bool lstm = module.className == "LSTMCell";
    const std::string op = lstm                                                ? "lstm_cell"
                           : module.className == "GRUCell"                     ? "gru_cell"
                           : settingTerm(module, "nonlinearity") == "\"relu\"" ? "rnn_relu_cell"
                                                                               : "rnn_tanh_cell";
    std::string out = "return torch." + op + "(" + inputs[0] + ", " +
                      (lstm ? "[" + inputs[1] + "[0], " + inputs[1] + "[1]]" : inputs[1]);
    for (const char* name : {"weight_ih", "weight_hh", "bias_ih", "bias_hh"}) out += ", " + tensorTerm(module, name);
    return out + ")";
}

} // namespace

std::string moduleBody(const Module& module, const std::vector<std::string>& inputs) {
    const std::string& name = module.className;
    if (!module.classModule.starts_with("torch.nn.modules.") || inputs.empty()) return {};
    if (name.starts_with("Conv")) return convolution(module, inputs);
    if (name.starts_with("BatchNorm")) return batchNorm(module, inputs);
    if (name == "Identity") return "return " + inputs[0];
    if (name == "LSTM" || name == "GRU" || name == "RNN") return recurrent(module, inputs);
    if (name.ends_with("Cell")) return cell(module, inputs);
    if (name == "Unflatten")
        return "return torch.unflatten(" + inputs[0] + ", " + settingTerm(module, "dim") + ", " +
               settingTerm(module, "unflattened_size") + ")";
    if (name.starts_with("InstanceNorm")) {
        const std::string momentum = settingTerm(module, "momentum");
        const bool own = module.training || settingTerm(module, "track_running_stats") != "True";
        return "return torch.instance_norm(" + inputs[0] + ", " + tensorTerm(module, "weight") + ", " +
               tensorTerm(module, "bias") + ", " + tensorTerm(module, "running_mean") + ", " +
               tensorTerm(module, "running_var") + (own ? ", True, " : ", False, ") +
               (momentum == "None" ? "0.0" : momentum) + ", " + settingTerm(module, "eps") + ", True)";
    }
    const char* composition = ops::moduleComposition(name);
    if (!composition) return {};
    Names names;
    for (std::size_t i = 0; i < 4; ++i) names["$" + std::to_string(i)] = i < inputs.size() ? inputs[i] : "None";
    names["training"] = module.training ? "True" : "False";
    for (const auto& [attribute, value] : module.attributes)
        if (const auto* literal = std::get_if<Argument>(&value))
            if (!literal->as<OpaqueObject>() && !literal->as<CallableValue>())
                names[attribute] = literalTerm(*literal, {});
    for (const auto* slots : {&module.parameters, &module.buffers})
        for (const Module::Slot& slot : *slots) names[slot.name] = tensorTerm(module, slot.name);
    adjust(name.starts_with("Upsampl") ? "interpolate" : name.find("Pool") != name.npos ? "pool" : "", names);
    const std::string call = expanded(composition, names, 0);
    return call.empty() ? call : "return " + call;
}

} // namespace fx::script
