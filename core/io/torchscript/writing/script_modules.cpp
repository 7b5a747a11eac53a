// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/torchscript/writing/script_attention.h"
#include "core/io/torchscript/writing/script_compositions.h"
#include "core/io/torchscript/writing/script_quantised.h"
#include "core/io/torchscript/writing/script_terms.h"
#include "core/ops/compositions.h"

#include <cstdlib>

namespace fx::script {
namespace {

std::string listOf(const std::vector<std::string>& terms) {
    std::string out;
    for (const std::string& term : terms) out += (out.empty() ? "" : ", ") + term;
    return "[" + out + "]";
}

std::string settingTerm(const Module& module, const char* name) {
    const Argument* literal = module.setting(name);
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
    if (isIntegerTerm(dropout)) dropout += ".0";
    const std::string results = lstm ? "y, hy, cy" : "y, hy";
    return results + " = torch." + op + "(" + inputs[0] + ", " + (lstm ? "[" + h + ", " + c + "]" : h) + ", " +
           listOf(weights) + ", " + setting("bias") + ", " + setting("num_layers") + ", " + dropout +
           ", self.training, " + setting("bidirectional") + ", " + setting("batch_first") + ")\n    return " +
           (lstm ? "(y, (hy, cy))" : "(y, hy)");
}

std::string cell(const Module& module, const std::vector<std::string>& inputs) {
    const bool given = inputs.size() > 1 && inputs[1] != "None";
    const std::string zeros = "torch.zeros([" + inputs[0] + ".size(0), " + settingTerm(module, "hidden_size") +
                              "], dtype=" + inputs[0] + ".dtype)";
    const bool lstm = module.className == "LSTMCell";
    const std::string op = lstm                                                ? "lstm_cell"
                           : module.className == "GRUCell"                     ? "gru_cell"
                           : settingTerm(module, "nonlinearity") == "\"relu\"" ? "rnn_relu_cell"
                                                                               : "rnn_tanh_cell";
    std::string out = "return torch." + op + "(" + inputs[0] + ", " +
                      (!given ? lstm ? "[" + zeros + ", " + zeros + "]" : zeros
                       : lstm ? "[" + inputs[1] + "[0], " + inputs[1] + "[1]]"
                              : inputs[1]);
    for (const char* name : {"weight_ih", "weight_hh", "bias_ih", "bias_hh"}) out += ", " + tensorTerm(module, name);
    return out + ")";
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

} // namespace

std::string moduleBody(const Module& module, const Terms& given) {
    const std::string& name = module.className;
    std::vector<std::string> inputs = given.positional;
    for (const auto& [key, term] : given.named) inputs.push_back(term); // in the order of the call
    if (inputs.empty()) return {};
    if (!module.classModule.starts_with("torch.nn.modules.")) return quantisedBody(module, inputs);
    if (auto body = attentionBody(module, given)) return *body;
    if (name.starts_with("Conv")) return convolution(module, inputs);
    if (name.starts_with("BatchNorm")) return batchNorm(module, inputs);
    if (name == "Identity") return "return " + inputs[0];
    if (name == "LSTM" || name == "GRU" || name == "RNN") return recurrent(module, inputs);
    if (name.ends_with("Cell")) return cell(module, inputs);
    if (name == "EmbeddingBag") return embeddingBag(module, inputs);
    if (name == "Unflatten")
        return "return torch.unflatten(" + inputs[0] + ", " + settingTerm(module, "dim") + ", " +
               settingTerm(module, "unflattened_size") + ")";
    if (name.starts_with("InstanceNorm")) {
        const std::string momentum = settingTerm(module, "momentum");
        const bool tracks = settingTerm(module, "track_running_stats") == "True";
        return "return torch.instance_norm(" + inputs[0] + ", " + tensorTerm(module, "weight") + ", " +
               tensorTerm(module, "bias") + ", " + tensorTerm(module, "running_mean") + ", " +
               tensorTerm(module, "running_var") + (tracks ? ", self.training, " : ", True, ") +
               (momentum == "None" ? "0.0" : momentum) + ", " + settingTerm(module, "eps") + ", True)";
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
    adjustNames(name.starts_with("Upsampl") ? "interpolate" : name.find("Pool") != name.npos ? "pool" : "", names);
    const std::string call = expandedComposition(composition, names, 0);
    return call.empty() ? call : "return " + call;
}

} // namespace fx::script
