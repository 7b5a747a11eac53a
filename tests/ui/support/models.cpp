// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/models.h"

namespace testing {

namespace {

fx::CallablePtr torchFunction(const std::string& name) {
    fx::Callable callable;
    callable.module = "torch";
    callable.name = name;
    callable.qualifiedName = "torch." + name;
    callable.repr = "<built-in method " + name + ">";
    callable.fromTorch = true;
    return std::make_shared<const fx::Callable>(callable);
}

std::shared_ptr<fx::Module> moduleOf(const std::string& className, const std::string& classModule) {
    auto module = std::make_shared<fx::Module>();
    module->className = className;
    module->classModule = classModule;
    return module;
}

fx::TensorPtr floats(std::vector<std::int64_t> sizes, std::vector<float> values) {
    auto tensor = std::make_shared<fx::TensorRef>();
    tensor->sizes = std::move(sizes);
    std::int64_t stride = 1;
    for (auto size = tensor->sizes.rbegin(); size != tensor->sizes.rend(); ++size) {
        tensor->strides.insert(tensor->strides.begin(), stride);
        stride *= *size;
    }
    const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
    tensor->storage = fx::Storage::inMemory({bytes, bytes + values.size() * sizeof(float)});
    tensor->isParameter = true;
    return tensor;
}

} // namespace

std::shared_ptr<fx::GraphModule> smallNet() {
    auto net = std::make_shared<fx::GraphModule>();
    net->className = "SmallNet";
    auto conv = moduleOf("Conv2d", "torch.nn.modules.conv");
    conv->parameters.push_back({"weight", floats({2, 1, 1, 2}, {-1, 0, 1, 2})});
    conv->parameters.push_back({"bias", nullptr});
    conv->attributes.emplace_back("stride", fx::Argument::tuple({1, 1}));
    auto block = moduleOf("Block", "net");
    block->children.push_back({"conv", conv});
    net->root->children.push_back({"first", block});
    net->root->children.push_back({"again", block});

    fx::Graph& graph = net->graph;
    const fx::NodeId x = graph.placeholder("x");
    const fx::NodeId made = graph.createNode(fx::Op::CallModule, "first.conv", {x});
    const fx::NodeId relu = graph.callFunction(torchFunction("relu"), {made});
    auto meta = std::make_shared<fx::NodeMeta>();
    fx::ValueInfo value;
    value.dtype = "torch.float32";
    value.sizes = {"1", "64", "56"};
    meta->values = {value};
    meta->stackTrace = "File \"net.py\", line 7, in forward\n    x = torch.relu(x) <b>";
    graph.setMeta(relu, meta);
    const fx::NodeId view = graph.createNode(fx::Op::CallMethod, "view", {relu, "<i>text</i>", -1});
    graph.output(view);
    net->warnings.push_back({fx::Message::received({}, {}, "unknown target"), "relu", "", ""});
    return net;
}

std::shared_ptr<fx::GraphModule> chain(int count) {
    auto net = std::make_shared<fx::GraphModule>();
    net->className = "Chain";
    auto blocks = moduleOf("ModuleList", "torch.nn.modules.container");
    net->root->children.push_back({"blocks", blocks});
    const fx::CallablePtr relu = torchFunction("relu");
    fx::NodeId last = net->graph.placeholder("x");
    for (int i = 1; i + 1 < count; ++i) {
        if (i % 2 == 1) {
            const std::string index = std::to_string(i / 2);
            auto block = moduleOf("Block", "net");
            block->children.push_back({"linear", moduleOf("Linear", "torch.nn.modules.linear")});
            blocks->children.push_back({index, block});
            last = net->graph.createNode(fx::Op::CallModule, "blocks." + index + ".linear", {last});
        } else {
            last = net->graph.callFunction(relu, {last});
        }
    }
    net->graph.output(last);
    return net;
}

std::shared_ptr<fx::GraphModule> matrixPower(int count) {
    auto net = std::make_shared<fx::GraphModule>();
    net->className = "MatrixPower";
    const fx::CallablePtr matmul = torchFunction("matmul");
    const fx::NodeId x = net->graph.placeholder("x");
    fx::NodeId last = x;
    for (int i = 0; i < count; ++i) last = net->graph.callFunction(matmul, {last, x});
    net->graph.output(last);
    return net;
}

} // namespace testing
