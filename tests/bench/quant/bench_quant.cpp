// SPDX-License-Identifier: GPL-3.0-or-later
// prepare and convert of long graphs, without the arithmetic of the worker. One JSON line per figure;
// prepare_speed.py measures torch.ao on the same graphs.
#include "core/quant/convert.h"
#include "core/trace/callables.h"
#include "tests/bench/match/chain.h"

#include <cstring>

namespace {

fx::TensorPtr ones(std::vector<std::int64_t> sizes, bool isParameter) {
    auto out = std::make_shared<fx::TensorRef>();
    out->sizes = std::move(sizes);
    out->strides.assign(out->sizes.size(), 1);
    for (std::size_t i = out->sizes.size(); i-- > 1;) out->strides[i - 1] = out->strides[i] * out->sizes[i];
    const std::vector<float> values(static_cast<std::size_t>(out->elementCount()), 1.0F);
    std::vector<std::byte> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    out->storage = fx::Storage::inMemory(std::move(bytes));
    out->isParameter = isParameter;
    return out;
}

std::shared_ptr<fx::Module> conv() {
    auto module = std::make_shared<fx::Module>();
    module->className = "Conv2d", module->classModule = "torch.nn.modules.conv", module->training = false;
    module->parameters = {{"weight", ones({4, 4, 1, 1}, true)}, {"bias", ones({4}, true)}};
    const auto pair = [](std::int64_t value) {
        return fx::Argument::tuple({fx::Argument(value), fx::Argument(value)});
    };
    module->attributes = {{"in_channels", fx::Argument(4)},
                          {"out_channels", fx::Argument(4)},
                          {"kernel_size", pair(1)},
                          {"stride", pair(1)},
                          {"padding", pair(0)},
                          {"dilation", pair(1)},
                          {"transposed", fx::Argument(false)},
                          {"output_padding", pair(0)},
                          {"groups", fx::Argument(1)},
                          {"padding_mode", fx::Argument("zeros")}};
    return module;
}

std::shared_ptr<fx::Module> norm() {
    auto module = std::make_shared<fx::Module>();
    module->className = "BatchNorm2d", module->classModule = "torch.nn.modules.batchnorm", module->training = false;
    module->attributes = {{"num_features", fx::Argument(4)},
                          {"eps", fx::Argument(1e-5)},
                          {"momentum", fx::Argument(0.1)},
                          {"affine", fx::Argument(true)},
                          {"track_running_stats", fx::Argument(true)}};
    module->parameters = {{"weight", ones({4}, true)}, {"bias", ones({4}, true)}};
    module->buffers = {{"running_mean", ones({4}, false)}, {"running_var", ones({4}, false)}};
    return module;
}

/// Residual blocks of seven nodes, all layers children of the root: x + norm(conv(relu(norm(conv(x))))), relu.
fx::GraphModule blocks(int count) {
    fx::GraphModule net;
    net.root->className = "GraphModule", net.root->classModule = "torch.fx.graph_module";
    net.root->training = false;
    const fx::CallablePtr relu = fx::resolveCallable("torch.relu"), add = fx::resolveCallable("operator.add");
    fx::NodeId x = net.graph.placeholder("x");
    int number = 0;
    const auto layer = [&](fx::NodeId input) {
        const std::string suffix = std::to_string(number++);
        net.root->children.push_back({"conv" + suffix, conv()});
        net.root->children.push_back({"norm" + suffix, norm()});
        const fx::NodeId made = net.graph.createNode(fx::Op::CallModule, "conv" + suffix, {input});
        return net.graph.createNode(fx::Op::CallModule, "norm" + suffix, {made});
    };
    for (int i = 0; i < count; ++i) {
        const fx::NodeId inner = layer(net.graph.callFunction(relu, {layer(x)}));
        x = net.graph.callFunction(relu, {net.graph.callFunction(add, {inner, x})});
    }
    net.graph.output(x);
    return net;
}

} // namespace

int main() {
    const fx::quant::QConfigMapping mapping = fx::quant::defaultMapping(fx::quant::Backend::X86, false);
    for (const int count : {714, 7140}) {
        const fx::GraphModule net = blocks(count);
        const char* goal = count == 714 ? "200" : "2000";
        bench::measure("quant", "prepare", net.graph.size(), goal, 5,
                       [&] { return bench::millisOf([&] { (void)fx::quant::prepare(net, mapping); }); });
        bench::measure("quant", "prepare and convert", net.graph.size(), goal, 5, [&] {
            return bench::millisOf([&] { (void)fx::quant::convert(fx::quant::prepare(net, mapping), {}, nullptr); });
        });
    }
    return 0;
}
