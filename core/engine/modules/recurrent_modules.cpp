// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dispatch.h"
#include "core/engine/modules/module_call.h"

namespace fx::engine {
namespace {

/// The weights in the order of the operators: for each layer and direction w_ih, w_hh, b_ih, b_hh, w_hr.
Value flatWeights(const ModuleCall& m) {
    Values out;
    const std::int64_t directions = m.flag("bidirectional") ? 2 : 1;
    for (std::int64_t layer = 0; layer < m.integer("num_layers"); ++layer)
        for (std::int64_t direction = 0; direction < directions; ++direction) {
            const std::string suffix = "_l" + std::to_string(layer) + (direction ? "_reverse" : "");
            for (const char* name : {"weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr"})
                if (m.has(name + suffix)) out.push_back(m[name + suffix]);
        }
    return Value::list(std::move(out));
}

Value zeroState(const ModuleCall& m, const at::Tensor& input, std::int64_t batch, std::int64_t width) {
    const std::int64_t layers = m.integer("num_layers") * (m.flag("bidirectional") ? 2 : 1);
    return callFunction("torch.zeros", Arguments{{layers, batch, width}, {{"dtype", input.scalar_type()}}});
}

Value withBatch(const Value& state) { return callMethod("unsqueeze", {state, 1}); }
Value withoutBatch(const Value& state) { return callMethod("squeeze", {state, 1}); }

/// rnn, gru (one state) and lstm (two).
Value recurrent(const ModuleCall& m, const char* op, bool lstm) {
    if (m.input(0, "input").items()) throw runError(Message("engine.packed_sequence"));
    Value input = m.input(0, "input"), state = m.input(1, "hx");
    const bool batched = input.tensor().dim() == 3, batchFirst = m.flag("batch_first");
    if (!batched) input = callMethod("unsqueeze", {input, batchFirst ? 0 : 1});
    const std::int64_t batch = input.tensor().size(batchFirst ? 0 : 1);
    const std::int64_t hidden = m.integer("hidden_size"), projected = m.integer("proj_size");
    Values states;
    if (state.isNone()) {
        states.push_back(zeroState(m, input.tensor(), batch, projected > 0 ? projected : hidden));
        if (lstm) states.push_back(zeroState(m, input.tensor(), batch, hidden));
    } else {
        states = lstm ? iterate(state) : Values{state};
        if (!batched)
            for (Value& each : states) each = withBatch(each);
    }
    const Value out = callOperator(op, {{input, lstm ? Value::list(states) : states[0], flatWeights(m), m["bias"],
                                         m["num_layers"], m["dropout"], m.training(), m["bidirectional"], batchFirst},
                                        {}});
    Values results = out.items()->items;
    if (!batched) {
        results[0] = callMethod("squeeze", {results[0], batchFirst ? 0 : 1});
        for (std::size_t i = 1; i < results.size(); ++i) results[i] = withoutBatch(results[i]);
    }
    if (!lstm) return Value::tuple(results);
    return Value::tuple({results[0], Value::tuple({results[1], results[2]})});
}

Value lstm(const ModuleCall& m) { return recurrent(m, "aten::lstm.input", true); }
Value gru(const ModuleCall& m) { return recurrent(m, "aten::gru.input", false); }
Value rnn(const ModuleCall& m) {
    const std::string mode = m.has("mode") ? m.text("mode") : "RNN_TANH";
    return recurrent(m, mode == "RNN_RELU" ? "aten::rnn_relu.input" : "aten::rnn_tanh.input", false);
}

/// One step; inputs without a batch get one for the while.
Value cell(const ModuleCall& m, const char* function, bool lstm) {
    Value input = m.input(0, "input"), state = m.input(1, "hx");
    const bool batched = input.tensor().dim() == 2;
    if (!batched) input = callMethod("unsqueeze", {input, 0});
    Values states;
    if (state.isNone()) {
        const Value zeros = callFunction("torch.zeros", Arguments{{input.tensor().size(0), m["hidden_size"]},
                                                                  {{"dtype", input.tensor().scalar_type()}}});
        states = lstm ? Values{zeros, zeros} : Values{zeros};
    } else {
        states = lstm ? iterate(state) : Values{state};
        if (!batched)
            for (Value& each : states) each = callMethod("unsqueeze", {each, 0});
    }
    const Value out = callFunction(function, {input, lstm ? Value::list(states) : states[0], m["weight_ih"],
                                              m["weight_hh"], m["bias_ih"], m["bias_hh"]});
    if (batched) return out;
    if (!lstm) return callMethod("squeeze", {out, 0});
    return Value::tuple(
        {callMethod("squeeze", {out.items()->items.at(0), 0}), callMethod("squeeze", {out.items()->items.at(1), 0})});
}

Value lstmCell(const ModuleCall& m) { return cell(m, "torch.lstm_cell", true); }
Value gruCell(const ModuleCall& m) { return cell(m, "torch.gru_cell", false); }
Value rnnCell(const ModuleCall& m) {
    return cell(m, m.text("nonlinearity") == "relu" ? "torch.rnn_relu_cell" : "torch.rnn_tanh_cell", false);
}

} // namespace

ModuleForm recurrentForm(std::string_view className) {
    if (className == "LSTM") return lstm;
    if (className == "GRU") return gru;
    if (className == "RNN") return rnn;
    if (className == "LSTMCell") return lstmCell;
    if (className == "GRUCell") return gruCell;
    if (className == "RNNCell") return rnnCell;
    return nullptr;
}

} // namespace fx::engine
