// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/quant/recurrent_cells.h"

#include "core/engine/dispatch.h"
#include "core/engine/quant/packed_weights.h"

#include <map>

namespace fx::engine {
namespace {

/// A cell's parameters as the operators take them, packed with biases of its own, or as the file holds them.
Value cellParams(const ModuleCall& cell) {
    if (cell.module().child("param"))
        return packedCell(ModuleCall(cell.childModule("param"), cell.tensors(), cell.arguments()));
    const Value ih = packedPart(cell, "weight_ih", "bias_ih"), hh = packedPart(cell, "weight_hh", "bias_hh");
    if (isHalfPart(cell, "weight_ih"))
        return callOperator("quantized::make_quantized_cell_params_fp16", {{ih, hh}, {}});
    return callOperator("quantized::make_quantized_cell_params_dynamic",
                        {{ih, hh, cell["bias_ih"], cell["bias_hh"], true}, {}});
}

Value allParams(const ModuleCall& m) {
    Values out;
    const Arguments none;
    for (const Module::Child& child : m.childModule("_all_weight_values").children)
        if (child.module) out.push_back(cellParams(ModuleCall(*child.module, m.tensors(), none)));
    return Value::list(std::move(out));
}

Value zeroState(const ModuleCall& m, const at::Tensor& input) {
    const std::int64_t layers = m.integer("num_layers") * (m.flag("bidirectional") ? 2 : 1);
    return input.new_zeros({layers, input.size(m.flag("batch_first") ? 0 : 1), m.integer("hidden_size")});
}

template<bool kLstm> Value recurrent(const ModuleCall& m) {
    const at::Tensor input = m.tensor("$0");
    Value state = m.input(1, "hx");
    if (state.isNone()) state = kLstm ? Value::tuple({zeroState(m, input), zeroState(m, input)}) : zeroState(m, input);
    Arguments call{{input, kLstm ? Value::list(iterate(state)) : state, allParams(m), m["bias"], m["num_layers"],
                    m["dropout"], m.training(), m["bidirectional"], m["batch_first"]},
                   {}};
    if (kLstm) call.named = {{"dtype", m["dtype"]}, {"use_dynamic", true}};
    const Values results =
        iterate(callOperator(kLstm ? "aten::quantized_lstm.input" : "aten::quantized_gru.input", call));
    if (!kLstm) return Value::tuple({results[0], results[1]});
    return Value::tuple({results[0], Value::tuple({results[1], results[2]})});
}

template<bool kLstm> Value cell(const ModuleCall& m, const std::string& op) {
    const at::Tensor input = m.tensor("$0");
    Value state = m.input(1, "hx");
    if (state.isNone()) {
        const Value zeros = input.new_zeros({input.size(0), m.integer("hidden_size")});
        state = kLstm ? Value::tuple({zeros, zeros}) : zeros;
    }
    return callOperator("quantized::quantized_" + op + "_cell_dynamic",
                        {{input, kLstm ? Value::list(iterate(state)) : state, packedPart(m, "weight_ih", "bias_ih"),
                          packedPart(m, "weight_hh", "bias_hh"), m["bias_ih"], m["bias_hh"]},
                         {}});
}

Value lstmCell(const ModuleCall& m) {
    const Value out = cell<true>(m, "lstm");
    return Value::tuple(iterate(out));
}
Value gruCell(const ModuleCall& m) { return cell<false>(m, "gru"); }
Value rnnCell(const ModuleCall& m) {
    return cell<false>(m, m.text("nonlinearity") == "relu" ? "rnn_relu" : "rnn_tanh");
}

} // namespace

Value packedCell(const ModuleCall& m) {
    const auto part = [&](std::string_view name) {
        return packedLinear(ModuleCall(m.childModule(name), m.tensors(), m.arguments()));
    };
    const Value ih = part("weight_ih"), hh = part("weight_hh");
    if (!m.has("bias_ih")) return callOperator("quantized::make_quantized_cell_params_fp16", {{ih, hh}, {}});
    return callOperator("quantized::make_quantized_cell_params_dynamic",
                        {{ih, hh, m["bias_ih"], m["bias_hh"], m["reduce_range"]}, {}});
}

ModuleForm dynamicRecurrentForm(std::string_view className) {
    static const std::map<std::string_view, ModuleForm> kTable = {{"LSTM", recurrent<true>},
                                                                  {"GRU", recurrent<false>},
                                                                  {"LSTMCell", lstmCell},
                                                                  {"GRUCell", gruCell},
                                                                  {"RNNCell", rnnCell}};
    const auto found = kTable.find(className);
    return found == kTable.end() ? nullptr : found->second;
}

} // namespace fx::engine
