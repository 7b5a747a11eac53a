// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/torchscript/leaf_table.h"

#include <algorithm>
#include <utility>

namespace fx::script {
namespace {

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
    {"Linear NonDynamicallyQuantizableLinear", "aten::linear($0, weight, bias)",
     "in_features=weight.1 out_features=weight.0 bias=?bias"},
    {"Bilinear", "aten::bilinear($0, $1, weight, bias)",
     "in1_features=weight.1 in2_features=weight.2 out_features=weight.0 bias=?bias"},
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
    {"LayerNorm", "aten::layer_norm($0, {normalized_shape}, weight, bias, {eps}, _)",
     "elementwise_affine=?weight bias=?bias"},
    {"GroupNorm", "aten::group_norm($0, {num_groups}, weight, bias, {eps}, _)", "num_channels=weight.0 affine=?weight"},
    {"RMSNorm", "aten::rms_norm($0, {normalized_shape}, weight, {eps})", "elementwise_affine=?weight"},
    // embeddings
    {"Embedding", "aten::embedding(weight, $0, {padding_idx}, {scale_grad_by_freq}, {sparse})",
     "num_embeddings=weight.0 embedding_dim=weight.1"},
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
    {"ReLU", "aten::relu($0)"},
    {"ReLU6", "aten::hardtanh($0, 0., 6.)"},
    {"ReLU6", "aten::relu6($0)"},
    {"Hardtanh", "aten::hardtanh($0, {min_val}, {max_val})"},
    {"SiLU", "aten::silu($0)"},
    {"Mish", "aten::mish($0)"},
    {"Hardswish", "aten::hardswish($0)"},
    {"Hardsigmoid", "aten::hardsigmoid($0)"},
    {"ELU", "aten::elu($0, {alpha}, 1, 1)"},
    {"CELU", "aten::celu($0, {alpha})"},
    {"SELU", "aten::selu($0)"},
    {"GLU", "aten::glu($0, {dim})"},
    {"GELU", "aten::gelu($0, {approximate})"},
    {"LeakyReLU", "aten::leaky_relu($0, {negative_slope})"},
    {"Sigmoid", "aten::sigmoid($0)"},
    {"Tanh", "aten::tanh($0)"},
    {"LogSigmoid", "aten::log_sigmoid($0)"},
    {"Softplus", "aten::softplus($0, {beta}, {threshold})"},
    {"Softshrink", "aten::softshrink($0, {lambd})"},
    {"Hardshrink", "aten::hardshrink($0, {lambd})"},
    {"Threshold", "aten::threshold($0, {threshold}, {value})"},
    {"PReLU", "aten::prelu($0, weight)", "num_parameters=weight.0"},
    {"Softmax", "aten::softmax($0, {dim}, None)"},
    {"LogSoftmax", "aten::log_softmax($0, {dim}, None)"},
    {"Dropout", "aten::dropout($0, {p}, training)"},
    {"Dropout2d", "aten::feature_dropout($0, {p}, training)"},
    {"AlphaDropout", "aten::alpha_dropout($0, {p}, training)"},
    {"FeatureAlphaDropout", "aten::feature_alpha_dropout($0, {p}, training)"},
    {"Identity", "$0"},
    // pooling
    {"MaxPool1d", "aten::max_pool1d($0, {kernel_size}, {stride}, {padding}, {dilation}, {ceil_mode})"},
    {"MaxPool2d", "aten::max_pool2d($0, {kernel_size}, {stride}, {padding}, {dilation}, {ceil_mode})"},
    {"MaxPool3d", "aten::max_pool3d($0, {kernel_size}, {stride}, {padding}, {dilation}, {ceil_mode})"},
    {"MaxPool2d", "aten::max_pool2d_with_indices($0, {kernel_size}, {stride}, {padding}, {dilation}, {ceil_mode})",
     "return_indices=True", "0;1"},
    {"AvgPool1d", "aten::avg_pool1d($0, {kernel_size}, {stride}, {padding}, {ceil_mode}, {count_include_pad})"},
    {"AvgPool2d",
     "aten::avg_pool2d($0, {kernel_size}, {stride}, {padding}, {ceil_mode}, {count_include_pad}, {divisor_override})"},
    {"AvgPool3d",
     "aten::avg_pool3d($0, {kernel_size}, {stride}, {padding}, {ceil_mode}, {count_include_pad}, {divisor_override})"},
    {"AdaptiveAvgPool1d", "aten::adaptive_avg_pool1d($0, {output_size})"},
    {"AdaptiveAvgPool2d", "aten::adaptive_avg_pool2d($0, {output_size})"},
    {"AdaptiveAvgPool3d", "aten::adaptive_avg_pool3d($0, {output_size})"},
    {"AdaptiveMaxPool1d", "aten::adaptive_max_pool1d($0, {output_size})"},
    {"AdaptiveMaxPool2d", "aten::adaptive_max_pool2d($0, {output_size})"},
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
    {"ConstantPad*", "aten::pad($0, {padding}, 'constant', {value})"},
    {"ReflectionPad*", "aten::pad($0, {padding}, 'reflect', None)"},
    {"ReplicationPad*", "aten::pad($0, {padding}, 'replicate', None)"},
    {"CircularPad*", "aten::pad($0, {padding}, 'circular', None)"},
    {"Flatten", "aten::flatten($0, {start_dim}, {end_dim})"},
    {"Unflatten", "aten::unflatten($0, {dim}, {unflattened_size})"},
    {"PixelShuffle", "aten::pixel_shuffle($0, {upscale_factor})"},
    {"PixelUnshuffle", "aten::pixel_unshuffle($0, {downscale_factor})"},
    {"ChannelShuffle", "aten::channel_shuffle($0, {groups})"},
    {"Unfold", "aten::im2col($0, {kernel_size}, {dilation}, {padding}, {stride})"},
    {"Fold", "aten::col2im($0, {output_size}, {kernel_size}, {dilation}, {padding}, {stride})"},
    {"Upsample UpsamplingNearest2d", "aten::upsample_nearest2d($0, {size}, {scale_factor})"},
    {"Upsample", "aten::upsample_nearest1d($0, {size}, {scale_factor})"},
    {"Upsample", "aten::upsample_bilinear2d($0, {size}, {align_corners}, {scale_factor})", "mode='bilinear'"},
    {"UpsamplingBilinear2d", "aten::upsample_bilinear2d($0, {size}, True, {scale_factor})"},
    {"Upsample", "aten::upsample_bicubic2d($0, {size}, {align_corners}, {scale_factor})", "mode='bicubic'"},
    {"CosineSimilarity", "aten::cosine_similarity($0, $1, {dim}, {eps})"},
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

} // namespace

std::span<const LeafPattern> leafPatterns() { return kPatterns; }

std::string_view leafPart(std::string_view name) {
    const auto* found =
        std::find_if(std::begin(kParts), std::end(kParts), [&](auto& part) { return part.first == name; });
    return found == std::end(kParts) ? std::string_view("?") : found->second;
}

} // namespace fx::script
