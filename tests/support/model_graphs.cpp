// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/model_graphs.h"

namespace model_graphs {

using fx::Argument;
using fx::NodeId;

NodeId Builder::input(const std::string& name) { return graph().placeholder(name); }
NodeId Builder::call(const std::string& path, NodeId x) { return graph().createNode(fx::Op::CallModule, path, {x}); }
NodeId Builder::method(const std::string& name, std::vector<Argument> args) {
    return graph().createNode(fx::Op::CallMethod, name, std::move(args));
}
NodeId Builder::attribute(const std::string& path) { return graph().createNode(fx::Op::GetAttr, path); }
void Builder::output(Argument value) { graph().output(std::move(value)); }

NodeId Builder::function(const std::string& name, std::vector<Argument> args) {
    auto callable = std::make_shared<fx::Callable>();
    callable->name = name.substr(name.rfind('.') + 1);
    callable->module = name.substr(0, name.rfind('.'));
    callable->qualifiedName = name;
    return graph().callFunction(std::move(callable), std::move(args));
}

void Builder::type(const std::string& path, const std::string& className) {
    auto* at = &module->root;
    for (std::size_t begin = 0; begin <= path.size();) {
        const auto end = std::min(path.find('.', begin), path.size());
        const auto atom = path.substr(begin, end - begin);
        auto child =
            std::find_if((*at)->children.begin(), (*at)->children.end(), [&](const auto& c) { return c.name == atom; });
        if (child == (*at)->children.end())
            child = (*at)->children.insert(child, {atom, std::make_shared<fx::Module>()});
        at = &child->module;
        begin = end + 1;
    }
    (*at)->className = className;
}

ModulePtr resnet(int blocksPerLayer) {
    Builder b;
    auto x = b.input("x");
    for (const auto* name : {"conv1", "bn1", "relu", "maxpool"}) x = b.call(name, x);
    for (int layer = 1; layer <= 4; ++layer) {
        const auto path = "layer" + std::to_string(layer);
        b.type(path, "Sequential");
        for (int block = 0; block < blocksPerLayer; ++block) {
            const auto p = path + '.' + std::to_string(block);
            b.type(p, "BasicBlock");
            auto y = x, skip = x;
            for (const auto* name : {".conv1", ".bn1", ".relu", ".conv2", ".bn2"}) y = b.call(p + name, y);
            if (layer > 1 && block == 0) {
                b.type(p + ".downsample", "Sequential");
                skip = b.call(p + ".downsample.1", b.call(p + ".downsample.0", x));
            }
            x = b.call(p + ".relu", b.function("_operator.add", {y, skip}));
        }
    }
    x = b.function("torch.flatten", {b.call("avgpool", x), 1});
    b.output(b.call("fc", x));
    return b.module;
}

ModulePtr densenet(const std::vector<int>& layers) {
    Builder b;
    b.type("features", "Sequential");
    auto x = b.input("x");
    for (const auto* name : {"conv0", "norm0", "relu0", "pool0"}) x = b.call(std::string("features.") + name, x);
    for (std::size_t block = 0; block < layers.size(); ++block) {
        const auto path = "features.denseblock" + std::to_string(block + 1);
        b.type(path, "_DenseBlock");
        std::vector<Argument> features{x};
        for (int layer = 1; layer <= layers[block]; ++layer) {
            const auto p = path + ".denselayer" + std::to_string(layer);
            b.type(p, "_DenseLayer");
            auto y = b.function("torch.cat", {Argument::list(features), 1});
            for (const auto* name : {".norm1", ".relu1", ".conv1", ".norm2", ".relu2", ".conv2"})
                y = b.call(p + name, y);
            features.push_back(y);
        }
        x = b.function("torch.cat", {Argument::list(features), 1});
        if (block + 1 == layers.size()) break;
        const auto p = "features.transition" + std::to_string(block + 1);
        b.type(p, "_Transition");
        for (const auto* name : {".norm", ".relu", ".conv", ".pool"}) x = b.call(p + name, x);
    }
    x = b.function("torch.nn.functional.relu", {b.call("features.norm5", x)});
    x = b.function("torch.flatten",
                   {b.function("torch.nn.functional.adaptive_avg_pool2d", {x, Argument::tuple({1, 1})}), 1});
    b.output(b.call("classifier", x));
    return b.module;
}

ModulePtr unet(int depth) {
    Builder b;
    auto x = b.input("x");
    const auto convs = [&](const std::string& path) {
        b.type(path, "DoubleConv");
        for (const auto* name : {".conv1", ".bn1", ".relu1", ".conv2", ".bn2", ".relu2"}) x = b.call(path + name, x);
    };
    std::vector<NodeId> skips;
    for (int i = 0; i < depth; ++i) {
        convs("down" + std::to_string(i));
        skips.push_back(x);
        x = b.call("pool", x);
    }
    convs("bottom");
    for (int i = depth; i-- > 0;) {
        x = b.call("up" + std::to_string(i), x);
        x = b.function("torch.cat", {Argument::list({skips[static_cast<std::size_t>(i)], x}), 1});
        convs("conv" + std::to_string(i));
    }
    b.output(b.call("head", x));
    return b.module;
}

ModulePtr transformer(int layers) {
    Builder b;
    const auto ids = b.input("input_ids"), mask = b.input("attention_mask");
    b.type("h", "ModuleList");
    auto x = b.function("_operator.add", {b.call("wte", ids), b.attribute("pos")});
    const auto bias =
        b.function("_operator.mul", {b.function("_operator.sub", {1.0, b.method("unsqueeze", {mask, 1})}), -1e9});
    for (int layer = 0; layer < layers; ++layer) {
        const auto p = "h." + std::to_string(layer);
        b.type(p, "Block");
        b.type(p + ".attn", "Attention");
        b.type(p + ".mlp", "MLP");
        const auto n = b.call(p + ".ln_1", x);
        const auto heads = [&](const char* name) {
            const auto y = b.call(p + ".attn." + name, n);
            return b.method("transpose", {b.method("view", {y, 1, -1, 12, 64}), 1, 2});
        };
        const auto q = heads("q"), k = heads("k"), v = heads("v");
        auto a = b.function("torch.matmul", {q, b.method("transpose", {k, -2, -1})});
        a = b.function("torch.softmax",
                       {b.function("_operator.add", {b.function("_operator.truediv", {a, 8.0}), bias}), -1});
        a = b.function("torch.matmul", {b.call(p + ".attn.drop", a), v});
        a = b.method("reshape", {b.method("transpose", {a, 1, 2}), 1, -1, 768});
        x = b.function("_operator.add", {x, b.call(p + ".attn.proj", a)});
        auto y = b.call(p + ".mlp.fc1", b.call(p + ".ln_2", x));
        y = b.call(p + ".mlp.fc2", b.function("torch.nn.functional.gelu", {y}));
        x = b.function("_operator.add", {x, y});
    }
    b.output(b.call("head", b.call("ln_f", x)));
    return b.module;
}

ModulePtr inception(int blocks) {
    Builder b;
    auto x = b.call("stem", b.input("x"));
    for (int i = 0; i < blocks; ++i) {
        const auto p = "mixed" + std::to_string(i);
        b.type(p, "Mixed");
        std::vector<Argument> branches;
        for (int branch = 0; branch < 4; ++branch) {
            const auto path = p + ".branch" + std::to_string(branch);
            b.type(path, "ConvBranch");
            auto y = x;
            for (int k = 0; k <= branch; ++k)
                y = b.call(path + ".bn" + std::to_string(k), b.call(path + ".conv" + std::to_string(k), y));
            branches.emplace_back(y);
        }
        x = b.function("torch.cat", {Argument::list(branches), 1});
    }
    b.output(b.call("fc", x));
    return b.module;
}

ModulePtr chain(int nodes) {
    Builder b;
    auto x = b.input("x");
    for (int i = 0; i < nodes; ++i) x = b.function("torch.relu", {x});
    b.output(x);
    return b.module;
}

ModulePtr randomDag(int nodes, int reach, unsigned seed) {
    Builder b;
    std::mt19937 random(seed);
    std::vector<NodeId> made{b.input("x"), b.input("y")};
    for (int i = 0; i < nodes; ++i) {
        std::vector<Argument> args;
        const auto count = 1 + random() % 3;
        for (unsigned k = 0; k < count; ++k) {
            const auto back = 1 + random() % static_cast<unsigned>(
                                                 std::min<std::size_t>(static_cast<std::size_t>(reach), made.size()));
            args.emplace_back(made[made.size() - back]);
        }
        made.push_back(b.function("torch.add", {Argument::list(args)}));
    }
    b.output(made.back());
    return b.module;
}

ModulePtr wide(int width) {
    Builder b;
    const auto x = b.input("x");
    std::vector<Argument> branches;
    for (int i = 0; i < width; ++i) branches.emplace_back(b.function("torch.relu", {x, i}));
    b.output(b.function("torch.cat", {Argument::list(branches)}));
    return b.module;
}

ModulePtr disconnected(int parts) {
    Builder b;
    std::vector<Argument> results;
    for (int i = 0; i < parts; ++i) {
        const auto x = b.input("x");
        const auto y = b.function("torch.relu", {x});
        if (i % 3 != 0) b.function("torch.add", {y, b.function("torch.sigmoid", {x})});
    }
    b.output(Argument::tuple({}));
    return b.module;
}

ModulePtr siamese() {
    Builder b;
    b.type("encoder", "Encoder");
    b.type("mixer", "Mixer");
    const auto encode = [&](NodeId x) {
        return b.call("encoder.norm", b.call("encoder.act", b.call("encoder.conv", x)));
    };
    const auto mix = [&](NodeId x) { return b.call("mixer.b", b.call("mixer.a", x)); };
    b.output(mix(encode(mix(encode(b.input("x"))))));
    return b.module;
}

} // namespace model_graphs
