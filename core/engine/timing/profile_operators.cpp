// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/timing/profile_operators.h"

#include "core/engine/calls.h"
#include "core/engine/machine.h"
#include "core/engine/timing/verbose_capture.h"
#include "core/timing/machine_load.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <sstream>

namespace fx::engine {
namespace {

using Sizes = std::vector<std::int64_t>;
using Call = Value (*)(const Values& tensors);

/// An operator to try: tensors are made of `shapes`, and given to the function of that name, before `more`, or to
/// `call`.
struct Case {
    const char* name;
    const char* function; ///< null: `call`
    std::vector<Sizes> shapes;
    Values more;
    const char* targets; ///< lists of words
    const char* methods = "";
    const char* modules = "";
    Call call = nullptr;
};

Value ints(std::initializer_list<int> values) { return Value::tuple(Values(values.begin(), values.end())); }

Value lstm(const Values& t) {
    return callFunction("torch.lstm", Values{t[0], Value::tuple({t[1], t[2]}), Value::list({t[3], t[4], t[5], t[6]}),
                                             true, 1, 0.0, false, false, false});
}
Value gru(const Values& t) {
    return callFunction("torch.gru",
                        Values{t[0], t[1], Value::list({t[2], t[3], t[4], t[5]}), true, 1, 0.0, false, false, false});
}
Value cat(const Values& t) { return callFunction("torch.cat", Values{Value::list(t), 1}); }
Value batchNorm(const Values& t) {
    return callFunction("torch.nn.functional.batch_norm", Values{t[0], t[1], callMethod("abs", {t[2]}), t[3], t[4]});
}
Value layerNorm(const Values& t) {
    return callFunction("torch.nn.functional.layer_norm", Values{t[0], ints({64}), t[1], t[2]});
}
Value embedding(const Values& t) {
    return callFunction("torch.nn.functional.embedding", Values{randomInput({4, 16}, at::kLong, 100), t[0]});
}

const Sizes kImage{4, 16, 28, 28}, kRows{64, 64}, kTokens{4, 32, 64};

std::vector<Case> cases() {
    std::vector<Case> out = {
        {"conv1d",
         "torch.nn.functional.conv1d",
         {{4, 16, 128}, {32, 16, 3}, {32}},
         {},
         "torch.conv1d torch.nn.functional.conv1d aten.conv1d.*",
         "",
         "torch.nn.Conv1d"},
        {"conv2d",
         "torch.nn.functional.conv2d",
         {kImage, {32, 16, 3, 3}, {32}},
         {},
         "torch.conv2d torch.nn.functional.conv2d aten.conv2d.* aten.convolution.*",
         "",
         "torch.nn.Conv2d"},
        {"conv3d",
         "torch.nn.functional.conv3d",
         {{4, 8, 8, 16, 16}, {16, 8, 3, 3, 3}, {16}},
         {},
         "torch.conv3d torch.nn.functional.conv3d aten.conv3d.*",
         "",
         "torch.nn.Conv3d"},
        {"conv_transpose2d",
         "torch.nn.functional.conv_transpose2d",
         {kImage, {16, 32, 3, 3}, {32}},
         {},
         "torch.conv_transpose2d torch.nn.functional.conv_transpose2d aten.conv_transpose2d.*",
         "",
         "torch.nn.ConvTranspose2d"},
        {"linear",
         "torch.nn.functional.linear",
         {kTokens, kRows, {64}},
         {},
         "torch.nn.functional.linear torch._C._nn.linear aten.linear.*",
         "",
         "torch.nn.Linear"},
        {"matmul", "torch.matmul", {kTokens, {4, 64, 32}}, {}, "torch.matmul operator.matmul aten.matmul.*", "matmul"},
        {"mm", "torch.mm", {kRows, kRows}, {}, "torch.mm aten.mm.*", "mm"},
        {"bmm", "torch.bmm", {kTokens, {4, 64, 32}}, {}, "torch.bmm aten.bmm.*", "bmm"},
        {"addmm", "torch.addmm", {{64}, kRows, kRows}, {}, "torch.addmm aten.addmm.*", "addmm"},
        {"baddbmm",
         "torch.baddbmm",
         {{4, 32, 32}, kTokens, {4, 64, 32}},
         {},
         "torch.baddbmm aten.baddbmm.*",
         "baddbmm"},
        {"scaled_dot_product_attention",
         "torch.nn.functional.scaled_dot_product_attention",
         {{2, 4, 32, 16}, {2, 4, 32, 16}, {2, 4, 32, 16}},
         {},
         "torch.nn.functional.scaled_dot_product_attention torch._C._nn.scaled_dot_product_attention "
         "aten.scaled_dot_product_attention.*"},
        {"lstm",
         nullptr,
         {{8, 4, 16}, {1, 4, 32}, {1, 4, 32}, {128, 16}, {128, 32}, {128}, {128}},
         {},
         "torch.lstm aten.lstm.*",
         "",
         "torch.nn.LSTM",
         lstm},
        {"gru",
         nullptr,
         {{8, 4, 16}, {1, 4, 32}, {96, 16}, {96, 32}, {96}, {96}},
         {},
         "torch.gru aten.gru.*",
         "",
         "torch.nn.GRU",
         gru},
        {"batch_norm",
         nullptr,
         {kImage, {16}, {16}, {16}, {16}},
         {},
         "torch.batch_norm torch.nn.functional.batch_norm aten.batch_norm.* "
         "aten._native_batch_norm_legit_no_training.*",
         "",
         "torch.nn.BatchNorm1d torch.nn.BatchNorm2d torch.nn.BatchNorm3d",
         batchNorm},
        {"layer_norm",
         nullptr,
         {kTokens, {64}, {64}},
         {},
         "torch.layer_norm torch.nn.functional.layer_norm aten.layer_norm.* aten.native_layer_norm.*",
         "",
         "torch.nn.LayerNorm",
         layerNorm},
        {"group_norm",
         "torch.nn.functional.group_norm",
         {kImage},
         {4},
         "torch.group_norm torch.nn.functional.group_norm aten.group_norm.*",
         "",
         "torch.nn.GroupNorm"},
        {"max_pool2d",
         "torch.nn.functional.max_pool2d",
         {kImage},
         {2},
         "torch.max_pool2d torch.nn.functional.max_pool2d aten.max_pool2d*",
         "",
         "torch.nn.MaxPool2d"},
        {"avg_pool2d",
         "torch.nn.functional.avg_pool2d",
         {kImage},
         {2},
         "torch.nn.functional.avg_pool2d torch._C._nn.avg_pool2d aten.avg_pool2d.*",
         "",
         "torch.nn.AvgPool2d"},
        {"adaptive_avg_pool2d",
         "torch.nn.functional.adaptive_avg_pool2d",
         {kImage},
         {1},
         "torch.nn.functional.adaptive_avg_pool2d aten.*adaptive_avg_pool2d.*",
         "",
         "torch.nn.AdaptiveAvgPool2d"},
        {"cat", nullptr, {kImage, kImage}, {}, "torch.cat aten.cat.*", "", "", cat},
        {"embedding",
         nullptr,
         {{100, 64}},
         {},
         "torch.embedding torch.nn.functional.embedding aten.embedding.*",
         "",
         "torch.nn.Embedding",
         embedding},
        {"flatten", "torch.flatten", {kImage}, {1}, "torch.flatten aten.flatten.*", "flatten", "torch.nn.Flatten"},
        {"softmax",
         "torch.softmax",
         {kTokens},
         {-1},
         "torch.softmax torch.nn.functional.softmax aten.softmax.* aten._softmax.*",
         "softmax",
         "torch.nn.Softmax"},
        {"log_softmax",
         "torch.log_softmax",
         {kTokens},
         {-1},
         "torch.log_softmax torch.nn.functional.log_softmax aten.log_softmax.*",
         "log_softmax",
         "torch.nn.LogSoftmax"},
        {"mean", "torch.mean", {kTokens}, {-1}, "torch.mean aten.mean.*", "mean"},
        {"sum", "torch.sum", {kTokens}, {-1}, "torch.sum aten.sum.*", "sum"},
        {"gelu",
         "torch.nn.functional.gelu",
         {kTokens},
         {},
         "torch.nn.functional.gelu torch._C._nn.gelu aten.gelu.*",
         "",
         "torch.nn.GELU"},
        {"silu", "torch.nn.functional.silu", {kImage}, {}, "torch.nn.functional.silu aten.silu*", "", "torch.nn.SiLU"},
        {"hardswish",
         "torch.nn.functional.hardswish",
         {kImage},
         {},
         "torch.nn.functional.hardswish aten.hardswish*",
         "",
         "torch.nn.Hardswish"},
        {"leaky_relu",
         "torch.nn.functional.leaky_relu",
         {kImage},
         {},
         "torch.nn.functional.leaky_relu aten.leaky_relu*",
         "",
         "torch.nn.LeakyReLU"},
        {"relu",
         "torch.relu",
         {kImage},
         {},
         "torch.relu torch.relu_ torch.nn.functional.relu aten.relu.* aten.relu_.*",
         "relu relu_",
         "torch.nn.ReLU"},
        {"dropout",
         "torch.nn.functional.dropout",
         {kImage},
         {0.5, false},
         "torch.dropout torch.nn.functional.dropout aten.dropout.*",
         "",
         "torch.nn.Dropout"},
    };
    static const char* const kBinary[] = {"add", "sub", "mul", "div"};
    static const std::string kBinaryTargets[] = {"torch.add operator.add operator.iadd aten.add.* aten.add_.*",
                                                 "torch.sub operator.sub operator.isub aten.sub.*",
                                                 "torch.mul operator.mul operator.imul aten.mul.* aten.mul_.*",
                                                 "torch.div operator.truediv aten.div.*"};
    static const char* const kBinaryFunctions[] = {"torch.add", "torch.sub", "torch.mul", "torch.div"};
    for (std::size_t i = 0; i < 4; ++i)
        out.push_back({kBinary[i], kBinaryFunctions[i], {kImage, kImage}, {}, kBinaryTargets[i].c_str(), kBinary[i]});
    static const char* const kUnary[] = {"sigmoid", "tanh", "exp", "sqrt", "abs", "neg"};
    static const std::string kUnaryFunctions[] = {"torch.sigmoid", "torch.tanh", "torch.exp",
                                                  "torch.sqrt",    "torch.abs",  "torch.neg"};
    static const std::string kUnaryTargets[] = {"torch.sigmoid torch.nn.functional.sigmoid aten.sigmoid.*",
                                                "torch.tanh torch.nn.functional.tanh aten.tanh.*",
                                                "torch.exp aten.exp.*",
                                                "torch.sqrt aten.sqrt.*",
                                                "torch.abs operator.abs aten.abs.*",
                                                "torch.neg operator.neg aten.neg.*"};
    static const char* const kUnaryModules[] = {"torch.nn.Sigmoid", "torch.nn.Tanh", "", "", "", ""};
    for (std::size_t i = 0; i < 6; ++i)
        out.push_back({kUnary[i],
                       kUnaryFunctions[i].c_str(),
                       {kImage},
                       {},
                       kUnaryTargets[i].c_str(),
                       kUnary[i],
                       kUnaryModules[i]});
    return out;
}

std::vector<std::string> words(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> out;
    for (std::string word; in >> word;) out.push_back(word);
    return out;
}

/// What ran, in words; true when oneDNN computed it.
bool describe(const std::vector<timing::Primitive>& primitives, std::string& ran) {
    bool computed = false;
    for (const timing::Primitive& each : primitives) {
        if (each.isReorder()) continue;
        const bool isOneDnn = each.library == "oneDNN";
        if (isOneDnn && !computed) ran.clear();
        if (isOneDnn == computed && !ran.empty()) continue;
        if (isOneDnn || !computed)
            ran = isOneDnn ? each.kind + " " + each.implementation + " (" + each.formats + ")"
                           : each.library + " " + each.kind;
        computed = computed || isOneDnn;
    }
    if (ran.empty()) ran = "ATen's own kernel";
    return computed;
}

timing::OperatorTrial tried(const Case& one, at::ScalarType type, bool channelsLast) {
    timing::OperatorTrial out;
    out.dtype = scalarTypeName(type), out.layout = channelsLast ? "channels_last" : "contiguous";
    try {
        Values tensors;
        for (const Sizes& shape : one.shapes) {
            Value tensor = callMethod("to", {randomInput(shape, at::kFloat, 0), type});
            if (channelsLast && shape.size() == 4)
                tensor =
                    callMethod("contiguous", Arguments{{tensor}, {{"memory_format", at::MemoryFormat::ChannelsLast}}});
            tensors.push_back(tensor);
        }
        VerboseCapture capture;
        if (one.call) {
            one.call(tensors);
        } else {
            tensors.insert(tensors.end(), one.more.begin(), one.more.end());
            callFunction(one.function, std::move(tensors));
        }
        out.inProfile = describe(capture.take().primitives, out.ran);
    } catch (const std::exception&) { out.ran = "nothing (LibTorch has no kernel for it)"; }
    return out;
}

} // namespace

timing::OperatorProfile profileOperators(const Progress& progress) {
    const c10::InferenceMode inference;
    timing::OperatorProfile out;
    out.processor = timing::machineEnvironment().processor;
    out.library = libraryDescription();
    out.version = oneDnnDescription().version;
    const std::vector<Case> all = cases();
    for (const Case& one : all) {
        progress.check();
        progress.report("trying " + std::string(one.name),
                        static_cast<double>(&one - all.data()) / static_cast<double>(all.size()));
        timing::ProfiledOperator& entry = out.operators.emplace_back();
        entry.name = one.name, entry.targets = words(one.targets), entry.methods = words(one.methods),
        entry.moduleTypes = words(one.modules);
        const bool isImage =
            std::any_of(one.shapes.begin(), one.shapes.end(), [](const Sizes& shape) { return shape.size() == 4; });
        for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kHalf, at::kDouble})
            for (int layout = 0; layout <= int(isImage); ++layout)
                entry.trials.push_back(tried(one, type, layout == 1));
    }
    return out;
}

} // namespace fx::engine
