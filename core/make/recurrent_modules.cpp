// SPDX-License-Identifier: GPL-3.0-or-later
// LSTM, GRU, RNN and their cells.
#include "core/make/module_maker.h"

#include <cmath>

namespace fx::make {
namespace {

/// How many times the hidden size the gates of a class have.
std::int64_t gatesOf(std::string_view name) { return name.starts_with("LSTM") ? 4 : name.starts_with("GRU") ? 3 : 1; }

double boundOf(const ModuleMaker& m) { return 1 / std::sqrt(static_cast<double>(m.positive("hidden_size"))); }

std::string modeOf(const ModuleMaker& m) {
    if (m.type().name() != "RNN") return std::string(m.type().name());
    const std::string nonlinearity = m.text("nonlinearity");
    if (nonlinearity != "tanh" && nonlinearity != "relu")
        throw refused(Message("make.unknown_nonlinearity", {{"name", nonlinearity}}));
    return nonlinearity == "tanh" ? "RNN_TANH" : "RNN_RELU";
}

/// Makes the weights of one layer and direction and returns their names.
std::vector<Argument> layer(ModuleMaker& m, std::int64_t inputs, std::int64_t projected, const std::string& suffix) {
    const std::int64_t hidden = m.integer("hidden_size"), gates = gatesOf(m.type().name()) * hidden;
    std::vector<Argument> names;
    const auto add = [&](const std::string& name, const Sizes& sizes) {
        m.parameter(name + suffix, m.within(sizes, boundOf(m)));
        names.emplace_back(name + suffix);
    };
    add("weight_ih", {gates, inputs});
    add("weight_hh", {gates, projected ? projected : hidden});
    if (m.flag("bias")) add("bias_ih", {gates}), add("bias_hh", {gates});
    if (projected) add("weight_hr", {projected, hidden});
    return names;
}

void recurrent(ModuleMaker& m) {
    const std::int64_t hidden = m.positive("hidden_size"),
                       layers = m.positive("num_layers") > 0 ? m.layers("num_layers") : 0,
                       projected = m.has("proj_size") ? m.integer("proj_size") : 0;
    if (projected >= hidden) throw refused(Message("make.proj_size"));
    if (m.has("nonlinearity")) m.keep("nonlinearity");
    m.keep("mode", modeOf(m));
    m.keep("input_size", m.positive("input_size"));
    for (const char* name : {"hidden_size", "num_layers", "bias", "batch_first"}) m.keep(name);
    m.keep("dropout", m.real("dropout"));
    m.keep("bidirectional");
    m.keep("proj_size", projected);
    const bool both = m.flag("bidirectional");
    std::vector<Argument> flat, nested;
    for (std::int64_t i = 0; i < layers; ++i)
        for (const char* direction : {"", "_reverse"}) {
            if (*direction && !both) continue;
            const std::int64_t inputs =
                i == 0 ? m.integer("input_size") : (projected ? projected : hidden) * (both ? 2 : 1);
            const auto names = layer(m, inputs, projected, "_l" + std::to_string(i) + direction);
            flat.insert(flat.end(), names.begin(), names.end());
            nested.push_back(Argument::list(names));
        }
    m.keep("_flat_weights_names", Argument::list(flat));
    m.keep("_all_weights", Argument::list(nested));
    // The parameters themselves once more: the writer puts them there by their names.
    m.keep("_flat_weights",
           Argument::list(std::vector<Argument>(flat.size(), Argument(OpaqueObject{"torch.Tensor", "<tensor>", {}}))));
}

void cell(ModuleMaker& m) {
    const std::int64_t hidden = m.positive("hidden_size"), gates = gatesOf(m.type().name()) * hidden;
    for (const char* name : {"input_size", "hidden_size", "bias"}) m.keep(name);
    if (m.has("nonlinearity")) m.keep("nonlinearity");
    m.parameter("weight_ih", m.within({gates, m.integer("input_size")}, boundOf(m)));
    m.parameter("weight_hh", m.within({gates, hidden}, boundOf(m)));
    for (const char* name : {"bias_ih", "bias_hh"})
        m.parameter(name, m.flag("bias") ? m.within({gates}, boundOf(m)) : nullptr);
}

} // namespace

const std::vector<Recipe>& recurrentRecipes() {
    static const std::vector<Recipe> kRecipes = {{"LSTM GRU RNN", recurrent}, {"LSTMCell GRUCell RNNCell", cell}};
    return kRecipes;
}

} // namespace fx::make
