// SPDX-License-Identifier: GPL-3.0-or-later
// Passes over long graphs. One JSON line per figure; torch_fx.py measures PyTorch on the same graphs.
#include "core/passes/fusion/folded_weights.h"
#include "core/passes/manager/pass_manager.h"
#include "tests/bench/match/chain.h"

#include <cstring>

namespace {

fx::TensorPtr tensor(std::vector<std::int64_t> sizes, bool isParameter = true) {
    auto out = std::make_shared<fx::TensorRef>();
    out->sizes = std::move(sizes);
    out->strides.assign(out->sizes.size(), 1);
    for (std::size_t i = out->sizes.size(); i-- > 1;) out->strides[i - 1] = out->strides[i] * out->sizes[i];
    const std::vector<float> ones(static_cast<std::size_t>(out->elementCount()), 1.0F);
    std::vector<std::byte> bytes(ones.size() * sizeof(float));
    std::memcpy(bytes.data(), ones.data(), bytes.size());
    out->storage = fx::Storage::inMemory(std::move(bytes));
    out->isParameter = isParameter;
    return out;
}

/// Convolutions with normalisations, one after the other, all children of the root.
fx::GraphModule layers(int pairs) {
    fx::GraphModule net;
    fx::NodeId x = net.graph.placeholder("x");
    for (int i = 0; i < 2 * pairs; ++i) {
        auto module = std::make_shared<fx::Module>();
        const bool isNorm = i % 2 == 1;
        module->className = isNorm ? "BatchNorm2d" : "Conv2d";
        module->classModule = isNorm ? "torch.nn.modules.batchnorm" : "torch.nn.modules.conv";
        module->training = false;
        if (isNorm) {
            module->attributes.emplace_back("eps", fx::Argument(1e-5));
            module->buffers = {{"running_mean", tensor({4}, false)}, {"running_var", tensor({4}, false)}};
        }
        module->parameters = {{"weight", isNorm ? tensor({4}) : tensor({4, 4, 1, 1})}, {"bias", tensor({4})}};
        const std::string name = "l" + std::to_string(i);
        net.root->children.push_back({name, std::move(module)});
        x = net.graph.createNode(fx::Op::CallModule, name, {x});
    }
    net.graph.output(x);
    return net;
}

void passing(const char* name, const fx::GraphModule& net, const char* goal) {
    bench::measure("passes", name, net.graph.size(), goal, 5, [&] {
        fx::GraphModule copy = net;
        fx::Warnings warnings;
        return bench::millisOf([&] { (void)fx::runPasses(copy, {{name, {}}}, warnings); });
    });
}

} // namespace

/// With the name of a pass as argument: this one only.
int main(int count, char** arguments) {
    const std::string only = count > 1 ? arguments[1] : "";
    for (const int pairs : {500, 5000, 50'000}) {
        const fx::GraphModule net = layers(pairs);
        if (only.empty() || only == "conv_bn_fuse")
            passing("conv_bn_fuse", net, pairs == 5000 ? "15 ms beside the arithmetic" : "");
        const fx::Module& conv = *net.root->children[0].module;
        const fx::Module& norm = *net.root->children[1].module;
        const fx::NormTensors tensors{norm.buffers[0].tensor, norm.buffers[1].tensor, norm.parameters[0].tensor,
                                      norm.parameters[1].tensor, 1e-5};
        if (only.empty())
            bench::measure("passes", "its arithmetic", net.graph.size(), "", 5, [&] {
                return bench::millisOf([&] {
                    for (int i = 0; i < pairs; ++i)
                        (void)fx::foldNorm(fx::FoldableKind::Convolution, 1, conv.parameters[0].tensor,
                                           conv.parameters[1].tensor, tensors);
                });
            });
        for (const char* name : {"deduplicate", "fuse_patterns", "clean_views", "remove_identities", "annotate_types"})
            if (only.empty() || only == name) passing(name, net, "");
    }
}
