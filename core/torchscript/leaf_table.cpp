// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/leaf_table.h"

#include "core/ops/catalogue.h"
#include "core/ops/compositions.h"
#include "core/ops/nn_modules.h"
#include "core/torchscript/writing/script_compositions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

// Classes whose forward is one operator have no pattern here: it is made from their call. Those of several operators
// (attention, cells) are written down as torch.jit.trace records them: with the operators of the Python code's path
// that the trace took, which no other description of them names.
namespace fx::script {
namespace {

using TensorKind = ops::NnModule::Attribute::Kind;

constexpr std::string_view kOwnCall = "="; ///< the pattern of the class's own call
constexpr std::string_view kConvSettings =
    "in_channels=weight.1*groups out_channels=weight.0 kernel_size=weight.2: bias=?bias";
constexpr std::string_view kTransposed =
    "in_channels=weight.0 out_channels=weight.1*groups kernel_size=weight.2: bias=?bias";
constexpr std::string_view kPadded =
    "padding=pad.half padding_mode=mode in_channels=weight.1*groups out_channels=weight.0 "
    "kernel_size=weight.2: bias=?bias";
constexpr std::string_view kRnn = "input_size=weight_ih_l0.1 bias=has_biases";
constexpr std::string_view kCell = "input_size=weight_ih.1 hidden_size=weight_hh.1 bias=?bias_ih";
constexpr std::string_view kAttention = "embed_dim=in_proj_weight.1|q_proj_weight.0 kdim=k_proj_weight.1 "
                                        "vdim=v_proj_weight.1 bias=?in_proj_bias";
constexpr std::string_view kBatchFirst = "embed_dim=in_proj_weight.1|q_proj_weight.0 kdim=k_proj_weight.1 "
                                         "vdim=v_proj_weight.1 bias=?in_proj_bias batch_first=True";
constexpr std::string_view kWithWeights = "0;1|0;2|1|0;key_padding_mask=3;attn_mask=4";
constexpr std::string_view kEachHead = "0;1|0;2|1|0;key_padding_mask=3;attn_mask=4;average_attn_weights=False";
constexpr std::string_view kWithoutWeights = "0;1|0;2|1|0;key_padding_mask=3;need_weights=False;attn_mask=4";
constexpr std::string_view kBag = "num_embeddings=weight.0 embedding_dim=weight.1 mode=mode.bag";

constexpr std::pair<std::string_view, std::string_view> kParts[] = {
    {"@from_x", "aten::linear($0, weight_ih, bias_ih)"},
    {"@from_h", "aten::linear($1, weight_hh, bias_hh)"},
    {"@lstm", "aten::unsafe_chunk(aten::add_(@from_h, @from_x, 1), 4, 1)"},
    {"@lstm_c",
     "aten::add_(aten::mul(aten::sigmoid_(@lstm#1), $2), aten::mul(aten::sigmoid_(@lstm#0), aten::tanh_(@lstm#2)), 1)"},
    {"@zeros", "aten::zeros([_, _], ...)"},
    {"@lstm0", "aten::unsafe_chunk(aten::add_(aten::linear(@zeros, weight_hh, bias_hh), @from_x, 1), 4, 1)"},
    {"@lstm0_c", "aten::add_(aten::mul(aten::sigmoid_(@lstm0#1), @zeros), aten::mul(aten::sigmoid_(@lstm0#0), "
                 "aten::tanh_(@lstm0#2)), 1)"},
    {"@gru_x", "aten::unsafe_chunk(@from_x, 3, 1)"},
    {"@gru_h", "aten::unsafe_chunk(@from_h, 3, 1)"},
    {"@gru_r", "aten::sigmoid_(aten::add_(@gru_h#0, @gru_x#0, 1))"},
    {"@gru_z", "aten::sigmoid_(aten::add_(@gru_h#1, @gru_x#1, 1))"},
    {"@gru_n", "aten::tanh_(aten::add(@gru_x#2, aten::mul_(@gru_h#2, @gru_r), 1))"},
    // multi_head_attention_forward: of $0, $1 and $2, which may be the same, with the masks $3 and $4
    {"@query", "<aten::transpose($0, 1, 0)|$0>"},
    {"@key", "<aten::transpose($1, 1, 0)|$1>"},
    {"@value", "<aten::transpose($2, 1, 0)|$2>"},
    {"@qkv", "aten::contiguous(aten::squeeze(aten::transpose(aten::unsqueeze(aten::unflatten(aten::linear(@query, "
             "in_proj_weight, in_proj_bias), _, _), 0), 0, _), _), _)"},
    {"@w2", "aten::split_with_sizes(in_proj_weight, _, 0)"},
    {"@b2", "aten::split_with_sizes(in_proj_bias, _, 0)"},
    {"@kv", "aten::contiguous(aten::squeeze(aten::transpose(aten::unsqueeze(aten::unflatten(aten::linear(@key, @w2#1, "
            "<@b2#1|in_proj_bias>), _, _), 0), 0, _), _), _)"},
    {"@w3", "aten::chunk(in_proj_weight, 3, 0)"},
    {"@b3", "aten::chunk(in_proj_bias, 3, 0)"},
    {"@q", "<aten::select(@qkv, 0, 0)|aten::linear(@query, <@w2#0|@w3#0|q_proj_weight>, <@b2#0|@b3#0|in_proj_bias>)>"},
    {"@k", "<aten::select(@qkv, 0, 1)|aten::select(@kv, 0, 0)|aten::linear(@key, <@w3#1|k_proj_weight>, "
           "<@b3#1|in_proj_bias>)>"},
    {"@v", "<aten::select(@qkv, 0, 2)|aten::select(@kv, 0, 1)|aten::linear(@value, <@w3#2|v_proj_weight>, "
           "<@b3#2|in_proj_bias>)>"},
    {"@q_heads", "aten::transpose(aten::view(@q, [_, aten::Int(aten::mul(_, {num_heads})), _]), 0, 1)"},
    {"@k_heads", "aten::transpose(aten::view(@k, [_, aten::Int(aten::mul(_, {num_heads})), _]), 0, 1)"},
    {"@v_heads", "aten::transpose(aten::view(@v, [_, aten::Int(aten::mul(_, {num_heads})), _]), 0, 1)"},
    {"@mask", "<aten::masked_fill_(aten::zeros_like($4, ...), $4, _)|$4>"},
    {"@padding", "aten::reshape(aten::expand(aten::view(<aten::masked_fill_(aten::zeros_like($3, ...), $3, _)|$3>, _), "
                 "_, _), _)"},
    {"@masks", "<aten::add(<aten::unsqueeze(@mask, 0)|@mask>, @padding, 1)|@padding|aten::unsqueeze(@mask, 0)|@mask>"},
    {"@scores", "aten::softmax(<aten::baddbmm(@masks, aten::mul(@q_heads, _), aten::transpose(@k_heads, _, _), ...)|"
                "aten::bmm(aten::mul(@q_heads, _), aten::transpose(@k_heads, _, _))>, _, None)"},
    {"@weights", "<aten::dropout(@scores, {dropout}, True)|@scores>"},
    {"@all_heads", "aten::view(@weights, [_, {num_heads}, _, _])"},
    {"@mean_head", "aten::mean(@all_heads, [1], False, None)"},
    {"@attended", "aten::view(aten::linear(aten::reshape(aten::transpose(aten::bmm(@weights, @v_heads), 0, 1), _), "
                  "out_proj.weight, out_proj.bias), _)"},
    {"@attention",
     "aten::view(aten::linear(aten::reshape(aten::permute(aten::scaled_dot_product_attention(aten::view(@q_heads, _), "
     "aten::view(@k_heads, _), aten::view(@v_heads, _), <None|aten::unsqueeze(@masks, 0)|aten::view(@masks, _)>, "
     "{dropout}, False, ...), [2, 0, 1, 3]), _), out_proj.weight, out_proj.bias), _)"},
};

constexpr LeafPattern kPatterns[] = {
    {"Linear NonDynamicallyQuantizableLinear", kOwnCall, "in_features=weight.1 out_features=weight.0 bias=?bias"},
    {"Bilinear", kOwnCall, "in1_features=weight.1 in2_features=weight.2 out_features=weight.0 bias=?bias"},
    // convolutions
    {"Conv*", "aten::_convolution($0, weight, bias, {stride}, {padding}, {dilation}, False, _, {groups}, ...)",
     kConvSettings},
    {"Conv*",
     "aten::_convolution(aten::pad($0, {pad}, {mode}, None), weight, bias, {stride}, _, {dilation}, False, _, "
     "{groups}, ...)",
     kPadded},
    {"Conv*", "aten::_convolution_mode($0, weight, bias, {stride}, {padding}, {dilation}, {groups})", kConvSettings},
    {"Conv1d", "aten::conv1d($0, weight, bias, {stride}, {padding}, {dilation}, {groups})", kConvSettings},
    {"Conv2d", "aten::conv2d($0, weight, bias, {stride}, {padding}, {dilation}, {groups})", kConvSettings},
    {"Conv3d", "aten::conv3d($0, weight, bias, {stride}, {padding}, {dilation}, {groups})", kConvSettings},
    {"ConvTranspose*",
     "aten::_convolution($0, weight, bias, {stride}, {padding}, {dilation}, True, {output_padding}, {groups}, ...)",
     kTransposed},
    // normalisation
    {"BatchNorm*", "aten::batch_norm($0, weight, bias, running_mean, running_var, training, {momentum}, {eps}, _)",
     "num_features=running_mean.0 affine=?weight track_running_stats=?running_mean"},
    {"InstanceNorm*", "aten::instance_norm($0, weight, bias, running_mean, running_var, _, {momentum}, {eps}, _)",
     "num_features=weight.0 affine=?weight track_running_stats=?running_mean"},
    {"LayerNorm", kOwnCall, "elementwise_affine=?weight bias=?bias"},
    {"GroupNorm", kOwnCall, "num_channels=weight.0 affine=?weight"},
    {"RMSNorm", kOwnCall, "elementwise_affine=?weight"},
    // embeddings
    {"Embedding", kOwnCall, "num_embeddings=weight.0 embedding_dim=weight.1"},
    {"EmbeddingBag",
     "aten::embedding_bag(weight, $0, $1, {scale_grad_by_freq}, {mode}, {sparse}, None, {include_last_offset}, "
     "{padding_idx})",
     kBag},
    {"EmbeddingBag",
     "aten::embedding_bag(weight, $0, $1, {scale_grad_by_freq}, {mode}, {sparse}, $2, {include_last_offset}, "
     "{padding_idx})",
     kBag},
    {"EmbeddingBag",
     "aten::embedding_bag(weight, aten::reshape($0, _), aten::arange(0, ...), {scale_grad_by_freq}, {mode}, {sparse}, "
     "None, _, {padding_idx})",
     kBag},
    // activations
    {"ReLU6", "aten::hardtanh($0, 0., 6.)"},
    {"ReLU6", "aten::relu6($0)"},
    {"PReLU", kOwnCall, "num_parameters=weight.0"},
    {"Identity", "$0"},
    // pooling
    {"MaxPool2d", kOwnCall},
    {"MaxPool2d", "aten::max_pool2d_with_indices($0, {kernel_size}, {stride}, {padding}, {dilation}, {ceil_mode})",
     "return_indices=True", "0;1"},
    // attention
    {"MultiheadAttention", "@attention", kAttention, "0", kWithoutWeights},
    {"MultiheadAttention", "aten::transpose(@attention, 1, 0)", kBatchFirst, "0", kWithoutWeights},
    {"MultiheadAttention", "(@attended; @mean_head)", kAttention, "0;1", kWithWeights},
    {"MultiheadAttention", "(aten::transpose(@attended, 1, 0); @mean_head)", kBatchFirst, "0;1", kWithWeights},
    {"MultiheadAttention", "(@attended; @all_heads)", kAttention, "0;1", kEachHead},
    {"MultiheadAttention", "(aten::transpose(@attended, 1, 0); @all_heads)", kBatchFirst, "0;1", kEachHead},
    {"MultiheadAttention",
     "aten::_native_multi_head_attention($0, $0, $0, {embed_dim}, {num_heads}, in_proj_weight, in_proj_bias, "
     "out_proj.weight, out_proj.bias, None, {need_weights}, {average_attn_weights}, None)",
     "batch_first=True", "0;1", "0;0;0;need_weights={need_weights};average_attn_weights={average_attn_weights}"},
    // shapes
    {"ZeroPad*", "aten::pad($0, {padding}, 'constant', _)"},
    {"Upsample UpsamplingNearest2d", "aten::upsample_nearest2d($0, {size}, {scale_factor})"},
    {"Upsample", "aten::upsample_nearest1d($0, {size}, {scale_factor})"},
    {"Upsample", "aten::upsample_bilinear2d($0, {size}, {align_corners}, {scale_factor})", "mode='bilinear'"},
    {"UpsamplingBilinear2d", "aten::upsample_bilinear2d($0, {size}, True, {scale_factor})"},
    {"Upsample", "aten::upsample_bicubic2d($0, {size}, {align_corners}, {scale_factor})", "mode='bicubic'"},
    // recurrent networks
    {"LSTM",
     "aten::lstm($0, [$1, $2], weights, {has_biases}, {num_layers}, {dropout}, training, {bidirectional}, "
     "{batch_first})",
     kRnn, "0;1.0;1.1", "0;1,2"},
    {"LSTM",
     "aten::lstm($0, [aten::zeros([_, _, {proj_size}], ...), aten::zeros([_, _, {hidden_size}], ...)], weights, "
     "{has_biases}, {num_layers}, {dropout}, training, {bidirectional}, {batch_first})",
     kRnn, "0;1.0;1.1"},
    {"GRU",
     "aten::gru($0, aten::zeros([_, _, {hidden_size}], ...), weights, {has_biases}, {num_layers}, {dropout}, training, "
     "{bidirectional}, {batch_first})",
     kRnn, "0;1"},
    {"GRU",
     "aten::gru($0, $1, weights, {has_biases}, {num_layers}, {dropout}, training, {bidirectional}, {batch_first})",
     kRnn, "0;1"},
    {"RNN",
     "aten::rnn_tanh($0, aten::zeros([_, _, {hidden_size}], ...), weights, {has_biases}, {num_layers}, {dropout}, "
     "training, {bidirectional}, {batch_first})",
     kRnn, "0;1"},
    // their cells, also as the operators that tracing records
    {"LSTMCell", "aten::lstm_cell($0, [$1, $2], weight_ih, weight_hh, bias_ih, bias_hh)", kCell, "0;1", "0;1,2"},
    {"LSTMCell", "(aten::mul(aten::sigmoid_(@lstm#3), aten::tanh(@lstm_c)); @lstm_c)", kCell, "0;1", "0;1,2"},
    {"LSTMCell", "(aten::mul(aten::sigmoid_(@lstm0#3), aten::tanh(@lstm0_c)); @lstm0_c)", kCell, "0;1", "0"},
    {"GRUCell", "aten::gru_cell($0, $1, weight_ih, weight_hh, bias_ih, bias_hh)", kCell},
    {"GRUCell", "aten::add_(aten::mul_(aten::sub($1, @gru_n, 1), @gru_z), @gru_n, 1)", kCell},
    {"RNNCell", "aten::rnn_tanh_cell($0, $1, weight_ih, weight_hh, bias_ih, bias_hh)", kCell},
    {"RNNCell", "aten::tanh(aten::add_(@from_h, @from_x, 1))", kCell},
    {"RNNCell", "aten::relu(aten::add_(@from_h, @from_x, 1))",
     "input_size=weight_ih.1 hidden_size=weight_hh.1 bias=?bias_ih nonlinearity='relu'"},
};

bool isOneOf(std::string_view classes, std::string_view name) {
    for (const std::string_view one : ops::split(classes, " ")) {
        if (one == name) return true;
        if (one.ends_with('*') && name.size() == one.size() + 1 && name.starts_with(one.substr(0, one.size() - 1)) &&
            name.ends_with('d') && name[name.size() - 2] >= '1' && name[name.size() - 2] <= '3')
            return true;
    }
    return false;
}

// ── patterns of classes whose forward is one operator (ops::moduleComposition) ──

/// A term of a script as a pattern; empty for a call.
std::string patternOf(std::string_view term) {
    if (term == "True" || term.starts_with('[')) return "_"; // whether cuDNN is enabled
    if (term.starts_with('"')) return "'" + std::string(term.substr(1, term.size() - 2)) + "'";
    return term.find_first_of("( ") == term.npos ? std::string(term) : std::string();
}

/// `torch.gelu($0, approximate={approximate})` with the arguments in the order of the operator's schema, and defaults
/// for those that it lacks, as a trace has them; empty if it is not one operator.
std::string inSchemaOrder(std::string_view call) {
    const std::size_t open = call.find('('), dot = call.find('.');
    if (open == call.npos) return {};
    const std::string kind = "aten::" + std::string(call.substr(dot + 1, open - dot - 1));
    const auto given = ops::parseCallArguments(call.substr(open + 1, call.rfind(')') - open - 1));
    std::optional<ops::Operator> least;
    for (const ops::Operator& one : ops::overloads(kind)) {
        const std::size_t size = one.arguments().size();
        if (size >= given.size() && (!least || size < least->arguments().size())) least = one;
    }
    if (!least) return {};
    std::string out;
    for (std::size_t i = 0; i < least->arguments().size(); ++i) {
        const ops::Argument argument = least->arguments()[i];
        const auto found = std::find_if(given.begin(), given.end(), [&](const ops::CallArgument& one) {
            return one.keyword.empty() ? &one - given.data() == static_cast<std::ptrdiff_t>(i)
                                       : one.keyword == argument.name();
        });
        const std::string term = patternOf(found == given.end() ? argument.defaultValue() : found->expression);
        if (term.empty()) return {};
        out += (out.empty() ? "" : ", ") + term;
    }
    return kind + "(" + out + ")";
}

/// The call of a class as a script has it, with settings in braces. Empty if it takes what no constructor is given.
std::string layerPattern(const ops::NnModule& type) {
    const char* composition = ops::moduleComposition(type.name());
    if (!composition || !type.path().starts_with("torch.nn.modules.")) return {};
    Names names = {{"training", "training"}, {"max_norm", "None"}, {"return_indices", "False"}};
    for (std::size_t i = 0, inputs = type.forwardParameters().size(); i < inputs; ++i)
        names["$" + std::to_string(i)] = "$" + std::to_string(i);
    for (const ops::NnModule::Attribute& attribute : type.attributes())
        if (attribute.kind == TensorKind::Parameter || attribute.kind == TensorKind::Buffer)
            names.emplace(attribute.name, attribute.name);
    for (const ops::NnModule::Setting& setting : type.settings())
        if (!setting.isPresence && setting.parameter != "reduction") // a number in a trace
            names.emplace(setting.attribute, "{" + std::string(setting.parameter) + "}");
    const std::string_view call = composition;
    const std::size_t open = call.find('(');
    for (const ops::CallArgument& one : ops::parseCallArguments(call.substr(open + 1, call.size() - open - 2)))
        if (!names.contains(one.expression) && one.expression.find_first_of("'-0123456789") != 0) return {};
    return inSchemaOrder(expandedComposition(call, names, 0));
}

const std::map<std::string_view, std::string>& layerPatterns() {
    static const std::map<std::string_view, std::string> kKnown = [] {
        std::map<std::string_view, std::string> out;
        for (std::uint32_t row = 0; row < ops::moduleCount(); ++row)
            if (std::string pattern = layerPattern(ops::moduleAt(row)); !pattern.empty())
                out.emplace(ops::moduleAt(row).name(), std::move(pattern));
        return out;
    }();
    return kKnown;
}

} // namespace

std::vector<LeafPattern> leafPatterns(std::string_view className) {
    std::vector<LeafPattern> out;
    for (const LeafPattern& pattern : kPatterns)
        if (isOneOf(pattern.classes, className)) out.push_back(pattern);
    if (out.empty()) out.push_back({className, kOwnCall});
    const auto own = layerPatterns().find(className);
    for (LeafPattern& pattern : out)
        if (pattern.body == kOwnCall) pattern.body = own == layerPatterns().end() ? std::string_view() : own->second;
    std::erase_if(out, [](const LeafPattern& pattern) { return pattern.body.empty(); });
    return out;
}

std::string_view leafPart(std::string_view name) {
    const auto* found =
        std::find_if(std::begin(kParts), std::end(kParts), [&](auto& part) { return part.first == name; });
    return found == std::end(kParts) ? std::string_view("?") : found->second;
}

} // namespace fx::script
