// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/listed.h"
#include "core/ops/compositions.h"
#include "core/torchscript/writing/script_attention.h"
#include "core/torchscript/writing/script_compositions.h"
#include "core/torchscript/writing/script_quantised.h"
#include "core/torchscript/writing/script_terms.h"

#include <cstdlib>

// Modules whose forward is one call are written from core/ops/compositions. The others stand here: their text differs
// from the forms of core/engine/modules in what is decided when, since a script keeps the mode and the batch open.
namespace fx::script {
namespace {

std::string listOf(const std::vector<std::string>& terms) { return "[" + joined(terms) + "]"; }

std::string settingTerm(const Module& module, const char* name) {
    const Argument* literal = module.setting(name);
    return literal ? literalTerm(*literal, {}) : std::string();
}

std::string tensorTerm(const Module& module, std::string_view name) {
    return module.tensor(name) ? "self." + std::string(name) : "None";
}

std::vector<std::int64_t> settingNumbers(const Module& module, const char* name) {
    const Argument* setting = module.setting(name);
    const auto* items = setting ? setting->as<Sequence>() : nullptr;
    std::vector<std::int64_t> out;
    for (const Argument& item : items ? items->items : std::vector<Argument>())
        if (const auto* number = item.as<std::int64_t>()) out.push_back(*number);
    return out;
}

/// The rows at the ends of a transposed convolution that its result has beyond the least one, for a result of
/// `wanted`: with or without batch and channels, as are its sizes.
std::string outputPadding(const Module& module, const std::string& input, const std::string& wanted) {
    const std::vector<std::int64_t> kernel = settingNumbers(module, "kernel_size"),
                                    stride = settingNumbers(module, "stride"),
                                    padding = settingNumbers(module, "padding"),
                                    dilation = settingNumbers(module, "dilation");
    const std::size_t dims = kernel.size();
    if (dims == 0 || stride.size() != dims || padding.size() != dims || dilation.size() != dims) return {};
    std::vector<std::string> terms;
    for (std::size_t i = 0; i < dims; ++i) {
        const std::string place = "-" + std::to_string(dims - i);
        const std::int64_t more = dilation[i] * (kernel[i] - 1) + 1 - 2 * padding[i];
        terms.push_back("(" + wanted + ")[" + place + "] - ((" + input + ".size(" + place + ") - 1) * " +
                        std::to_string(stride[i]) + " + " + std::to_string(more) + ")");
    }
    return listOf(terms);
}

/// As in Python, `self.training` decides when the script runs: train() and eval() have their effect.
std::string batchNorm(const Module& module, const std::vector<std::string>& inputs) {
    const bool tracks = settingTerm(module, "track_running_stats") == "True",
               hasMean = tensorTerm(module, "running_mean") != "None",
               counts = tracks && tensorTerm(module, "num_batches_tracked") != "None";
    const std::string setting = settingTerm(module, "momentum");
    const bool averages = setting == "None" && counts; // all batches weigh the same
    const auto call = [&](bool running, const char* statistics) {
        return "return torch.batch_norm(" + inputs[0] + ", " + tensorTerm(module, "weight") + ", " +
               tensorTerm(module, "bias") + ", " + (running ? tensorTerm(module, "running_mean") : "None") + ", " +
               (running ? tensorTerm(module, "running_var") : "None") + ", " + statistics + ", " +
               (averages            ? "momentum"
                : setting == "None" ? "0.0"
                                    : setting) +
               ", " + settingTerm(module, "eps") + ", True)";
    };
    std::string out = averages ? "momentum = 0.0\n    " : "";
    if (counts) out += "if self.training:\n        self.num_batches_tracked.add_(1)\n    ";
    if (averages) out.insert(out.size() - 4, "        momentum = 1.0 / float(self.num_batches_tracked)\n");
    if (hasMean && !tracks)
        return out + "if self.training:\n        " + call(false, "True") + "\n    " + call(true, "False");
    return out + call(true, hasMean ? "self.training" : "True");
}

/// LSTM, GRU and RNN, with or without a batch.
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
    const std::string batch = first ? "0" : "1", isBatched = inputs[0] + ".dim() == 3";
    const std::string zeros =
        "torch.zeros([" + std::to_string(layers * (bidirectional ? 2 : 1)) + ", x.size(" + batch + "), ";
    const std::string tail = "], dtype=x.dtype)";
    const auto state = [&](const std::string& term) {
        return "(" + term + " if " + isBatched + " else " + term + ".unsqueeze(1))";
    };
    const std::string hidden = setting("hidden_size"), projected = setting("proj_size");
    const std::string h = given ? state(lstm ? inputs[1] + "[0]" : inputs[1])
                                : zeros + (projected == "0" || projected.empty() ? hidden : projected) + tail;
    const std::string c = given ? state(inputs[1] + "[1]") : zeros + hidden + tail;
    const std::string op = lstm                                ? "lstm"
                           : module.className == "GRU"         ? "gru"
                           : setting("mode") == "\"RNN_RELU\"" ? "rnn_relu"
                                                               : "rnn_tanh";
    std::string dropout = setting("dropout");
    if (isIntegerTerm(dropout)) dropout += ".0";
    const std::string results = lstm ? "y, hy, cy" : "y, hy";
    const auto result = [&](const std::string& ofY, const std::string& ofState) {
        const std::string last = "hy" + ofState;
        return "return (y" + ofY + ", " + (lstm ? "(" + last + ", cy" + ofState + ")" : last) + ")";
    };
    return "x = " + inputs[0] + " if " + isBatched + " else " + inputs[0] + ".unsqueeze(" + batch + ")\n    " +
           results + " = torch." + op + "(x, " + (lstm ? "[" + h + ", " + c + "]" : h) + ", " + listOf(weights) + ", " +
           setting("bias") + ", " + setting("num_layers") + ", " + dropout + ", self.training, " +
           setting("bidirectional") + ", " + setting("batch_first") + ")\n    if " + isBatched + ":\n        " +
           result("", "") + "\n    " + result(".squeeze(" + batch + ")", ".squeeze(1)");
}

/// A step of one of them, with or without a batch.
std::string cell(const Module& module, const std::vector<std::string>& inputs) {
    const bool given = inputs.size() > 1 && inputs[1] != "None", lstm = module.className == "LSTMCell";
    const std::string op = lstm                                                ? "lstm_cell"
                           : module.className == "GRUCell"                     ? "gru_cell"
                           : settingTerm(module, "nonlinearity") == "\"relu\"" ? "rnn_relu_cell"
                                                                               : "rnn_tanh_cell";
    std::string weights;
    for (const char* name : {"weight_ih", "weight_hh", "bias_ih", "bias_hh"})
        weights += ", " + tensorTerm(module, name);
    const auto call = [&](const std::string& add) { // the batch
        const std::string x = inputs[0] + add;
        const std::string zeros =
            "torch.zeros([" + x + ".size(0), " + settingTerm(module, "hidden_size") + "], dtype=" + x + ".dtype)";
        const std::string h = !given ? zeros : lstm ? inputs[1] + "[0]" + add : inputs[1] + add;
        return "torch." + op + "(" + x + ", " +
               (lstm ? "[" + h + ", " + (given ? inputs[1] + "[1]" + add : zeros) + "]" : h) + weights + ")";
    };
    const std::string alone = "        " + std::string(lstm ? "hy, cy = " : "return ") + call(".unsqueeze(0)") +
                              (lstm ? "\n        return (hy.squeeze(0), cy.squeeze(0))" : ".squeeze(0)");
    return "if " + inputs[0] + ".dim() == 1:\n" + alone + "\n    return " + call("");
}

/// Whole channels of inputs with `dims` dimensions; those without a batch get one.
std::string featureDropout(const Module& module, const std::string& input, int dims) {
    std::string rate = settingTerm(module, "p");
    if (isIntegerTerm(rate)) rate += ".0";
    const auto call = [&](const std::string& x) {
        return "torch.feature_dropout(" + x + ", " + rate + ", self.training)";
    };
    return "if " + input + ".dim() == " + std::to_string(dims - 1) + ":\n        return " +
           call(input + ".unsqueeze(0)") + ".squeeze(0)\n    return " + call(input);
}

/// As torch.nn.functional computes it: a mean of squares over neighbouring channels.
std::string localResponseNorm(const Module& module, const std::string& x) {
    const auto real = [&](const char* name) {
        const std::string term = settingTerm(module, name);
        return isIntegerTerm(term) ? term + ".0" : term;
    };
    const std::string size = settingTerm(module, "size");
    const int width = std::atoi(size.c_str());
    if (width < 1) return {};
    const std::string ends = std::to_string(width / 2) + ", " + std::to_string((width - 1) / 2) + "])";
    return "squares = torch.mul(" + x + ", " + x + ")\n    if " + x + ".dim() == 3:\n" +
           "        squares = torch.pad(squares.unsqueeze(1), [0, 0, " + ends + "\n" +
           "        squares = torch.avg_pool2d(squares, [" + size + ", 1], [1]).squeeze(1)\n    else:\n" +
           "        squares = squares.view([" + x + ".size(0), 1, " + x + ".size(1), " + x + ".size(2), -1])\n" +
           "        squares = torch.pad(squares, [0, 0, 0, 0, " + ends + "\n" +
           "        squares = torch.avg_pool3d(squares, [" + size + ", 1, 1], [1]).squeeze(1).view(" + x +
           ".size())\n" + "    return torch.div(" + x + ", squares.mul(" + real("alpha") + ").add(" + real("k") +
           ").pow(" + real("beta") + "))";
}

/// Without offsets, each row of the indices is a bag.
std::string embeddingBag(const Module& module, const std::vector<std::string>& inputs) {
    const auto setting = [&](const char* name) { return settingTerm(module, name); };
    const auto given = [&](std::size_t i) { return i < inputs.size() ? inputs[i] : std::string("None"); };
    const std::string mode = setting("mode");
    if (setting("max_norm") != "None") return {};
    const bool rows = given(1) == "None";
    const std::string flat = rows ? ".reshape([-1])" : "", weights = given(2);
    const std::string offsets =
        rows ? "torch.arange(0, " + inputs[0] + ".numel(), " + inputs[0] + ".size(1))" : given(1);
    const std::string padding = setting("padding_idx");
    return "return torch.embedding_bag(self.weight, " + inputs[0] + flat + ", " + offsets + ", " +
           setting("scale_grad_by_freq") + ", " +
           (mode == "\"sum\""    ? "0"
            : mode == "\"mean\"" ? "1"
                                 : "2") +
           ", " + setting("sparse") + ", " + weights + (weights == "None" ? "" : flat) + ", " +
           setting("include_last_offset") + (padding == "None" ? "" : ", " + padding) + ")[0]";
}

/// Losses that are several operators in Python, up to their mean or sum.
std::string composedLoss(const Module& module, const std::vector<std::string>& inputs) {
    const std::string how = settingTerm(module, "reduction"), &x = inputs[0], &y = inputs[1];
    const std::string result = how == "\"none\"" ? "loss" : "loss." + how.substr(1, how.size() - 2) + "()";
    if (module.className == "MultiLabelSoftMarginLoss") {
        const bool weighs = module.tensor("weight") != nullptr;
        return "loss = -(" + y + " * torch.log_sigmoid(" + x + ") + (1 - " + y + ") * torch.log_sigmoid(-" + x +
               "))\n    " + (weighs ? "loss = loss * self.weight\n    " : "") + "loss = loss.sum([-1]) / " + x +
               ".size(-1)\n    return " + result;
    }
    if (inputs.size() < 3) return {};
    const std::string& var = inputs[2];
    return "assert not bool(torch.any(torch.lt(" + var +
           ", 0))), \"var has negative entry/entries\"\n    var = " + var + "\n    if var.size() != " + x +
           ".size() and " + x +
           ".size()[:-1] == var.size():\n        var = var.unsqueeze(-1)\n    var = torch.clamp(var, " +
           settingTerm(module, "eps") + ")\n    loss = 0.5 * (torch.log(var) + torch.pow(" + x + " - " + y +
           ", 2) / var)\n    " +
           (settingTerm(module, "full") == "True" ? "loss = loss + 0.5 * math.log(2 * 3.141592653589793)\n    " : "") +
           "return " + result;
}

} // namespace

std::string convolutionBody(const Module& module, const std::vector<std::string>& inputs, const std::string& weight,
                            bool padsByMode) {
    const bool transposed = module.className.starts_with("ConvTranspose");
    const std::string dims = module.className.substr(module.className.size() - 2);
    const auto setting = [&](const char* name) { return settingTerm(module, name); };
    const std::string weights = ", " + weight + ", " + tensorTerm(module, "bias") + ", " + setting("stride") + ", ";
    if (transposed) {
        const bool isSized = inputs.size() > 1 && inputs[1] != "None";
        const std::string more = isSized ? outputPadding(module, inputs[0], inputs[1]) : setting("output_padding");
        if (more.empty()) return {};
        return "return torch.conv_transpose" + dims + "(" + inputs[0] + weights + setting("padding") + ", " + more +
               ", " + setting("groups") + ", " + setting("dilation") + ")";
    }
    std::string input = inputs[0], padding = setting("padding");
    if (padsByMode && setting("padding_mode") != "\"zeros\"") {
        input = "torch.pad(" + input + ", " + setting("_reversed_padding_repeated_twice") + ", " +
                setting("padding_mode") + ")";
        padding = std::string("[0") + (dims == "1d" ? "]" : dims == "2d" ? ", 0]" : ", 0, 0]");
    }
    return "return torch.conv" + dims + "(" + input + weights + padding + ", " + setting("dilation") + ", " +
           setting("groups") + ")";
}

std::string moduleBody(const Module& module, const Terms& given) {
    const std::string& name = module.className;
    std::vector<std::string> inputs = given.positional;
    for (const auto& [key, term] : given.named) inputs.push_back(term); // in the order of the call
    if (inputs.empty()) return {};
    if (!module.classModule.starts_with("torch.nn.modules.")) return quantisedBody(module, inputs);
    if (auto body = attentionBody(module, given)) return *body;
    if (name.starts_with("Conv")) return convolutionBody(module, inputs, tensorTerm(module, "weight"));
    if (name.starts_with("BatchNorm")) return batchNorm(module, inputs);
    if (name == "Identity") return "return " + inputs[0];
    if (name == "LSTM" || name == "GRU" || name == "RNN") return recurrent(module, inputs);
    if (name.ends_with("Cell")) return cell(module, inputs);
    if (name == "EmbeddingBag") return embeddingBag(module, inputs);
    if (name == "LocalResponseNorm") return localResponseNorm(module, inputs[0]);
    if (name == "Dropout1d" || name == "Dropout3d") return featureDropout(module, inputs[0], name[7] == '1' ? 3 : 5);
    if ((name == "MultiLabelSoftMarginLoss" || name == "GaussianNLLLoss") && inputs.size() > 1)
        return composedLoss(module, inputs);
    if (name == "KLDivLoss" && inputs.size() == 2) {
        const std::string how = settingTerm(module, "reduction");
        return "return torch.kl_div(" + inputs[0] + ", " + inputs[1] + ", " +
               (how == "\"none\""   ? "0"
                : how == "\"mean\"" ? "1"
                                    : "2") +
               ", log_target=" + settingTerm(module, "log_target") + ")" +
               (how == "\"batchmean\"" ? ".div(" + inputs[0] + ".size(0))" : "");
    }
    if (name.starts_with("InstanceNorm")) {
        const std::string momentum = settingTerm(module, "momentum");
        const bool tracks = settingTerm(module, "track_running_stats") == "True";
        const auto call = [&](const std::string& x) {
            return "torch.instance_norm(" + x + ", " + tensorTerm(module, "weight") + ", " +
                   tensorTerm(module, "bias") + ", " + tensorTerm(module, "running_mean") + ", " +
                   tensorTerm(module, "running_var") + (tracks ? ", self.training, " : ", True, ") +
                   (momentum == "None" ? "0.0" : momentum) + ", " + settingTerm(module, "eps") + ", True)";
        };
        const std::string &x = inputs[0], dims(1, name[12]);
        return "if " + x + ".dim() == " + dims + " + 1:\n        return " + call(x + ".unsqueeze(0)") +
               ".squeeze(0)\n    return " + call(x);
    }
    const char* composition = ops::moduleComposition(name);
    if (!composition) return {};
    Names names;
    for (std::size_t i = 0; i < 4; ++i) names["$" + std::to_string(i)] = i < inputs.size() ? inputs[i] : "None";
    names["training"] = "self.training";
    for (const auto& [attribute, value] : module.attributes)
        if (const auto* literal = std::get_if<Argument>(&value))
            if (!literal->as<OpaqueObject>() && !literal->as<CallableValue>())
                names[attribute] = literalTerm(*literal, {});
    for (const auto* slots : {&module.parameters, &module.buffers})
        for (const Module::Slot& slot : *slots) names[slot.name] = tensorTerm(module, slot.name);
    adjustNames("", names);
    const std::string call = expandedComposition(composition, names, 0);
    return call.empty() ? call : "return " + call;
}

} // namespace fx::script
