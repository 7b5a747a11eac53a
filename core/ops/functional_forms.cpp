// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/functional_forms.h"

#include "core/ops/compositions.h"
#include "core/ops/semantics.h"

#include <array>
#include <cctype>

namespace fx::ops {
namespace {

struct FunctionalForm {
    std::string_view className, function;
};
/// What no composition tells: its forward is more than a call, or its call has another name.
constexpr std::array kForms = std::to_array<FunctionalForm>({
    {"BatchNorm1d", "batch_norm"},
    {"BatchNorm2d", "batch_norm"},
    {"BatchNorm3d", "batch_norm"},
    {"SyncBatchNorm", "batch_norm"},
    {"InstanceNorm1d", "instance_norm"},
    {"InstanceNorm2d", "instance_norm"},
    {"InstanceNorm3d", "instance_norm"},
    {"Conv1d", "conv1d"},
    {"Conv2d", "conv2d"},
    {"Conv3d", "conv3d"},
    {"ConvTranspose1d", "conv_transpose1d"},
    {"ConvTranspose2d", "conv_transpose2d"},
    {"ConvTranspose3d", "conv_transpose3d"},
    {"GRU", "gru"},
    {"GRUCell", "gru_cell"},
    {"LSTM", "lstm"},
    {"LSTMCell", "lstm_cell"},
    {"RNN", "rnn_tanh"},
    {"RNN", "rnn_relu"},
    {"RNNCell", "rnn_tanh_cell"},
    {"RNNCell", "rnn_relu_cell"},
    {"MultiheadAttention", "multi_head_attention_forward"},
    {"ReLU6", "relu6"}, // not every hardtanh
    {"UpsamplingBilinear2d", "upsample_bilinear"},
    {"UpsamplingNearest2d", "upsample_nearest"},
});

/// Whether a call has arguments that are neither inputs nor attributes: `pad($0, padding, 'reflect')`.
bool hasFixedArguments(std::string_view composition) {
    for (std::size_t i = 1; i < composition.size(); ++i) {
        if (composition[i - 1] != '(' && composition[i - 1] != ' ' && composition[i - 1] != '=') continue;
        if (composition[i] == '\'' || composition[i] == '-' || std::isdigit(static_cast<unsigned char>(composition[i])))
            return true;
    }
    return false;
}

} // namespace

std::vector<std::string> functionalForms(std::string_view className) {
    std::vector<std::string> forms;
    for (const FunctionalForm& form : kForms)
        if (form.className == className) forms.emplace_back(form.function);
    const char* composition = moduleComposition(className);
    if (!forms.empty() || !composition || hasFixedArguments(composition)) return forms;
    const std::string_view call(composition);
    std::string form = canonicalName(call.substr(0, call.find_first_of("!(")));
    form.erase(0, form.find_first_not_of('_')); // `threshold = _threshold` in torch.nn.functional
    return {form};
}

} // namespace fx::ops
