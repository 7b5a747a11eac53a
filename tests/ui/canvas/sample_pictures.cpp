// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/canvas/sample_pictures.h"

#include <cmath>
#include <map>

namespace sample {
namespace {

using fx::Op;

/// Adds nodes and edges to graph and picture together.
class Builder {
public:
    Builder() : m_module(std::make_shared<fx::GraphModule>()), m_picture(std::make_shared<fx::Picture>()) {}

    std::uint32_t group(const std::string& path, const std::string& title, const std::string& type, fx::Rect rect,
                        bool open, std::uint32_t nodeCount) {
        fx::GroupItem item;
        item.path = path, item.title = title, item.type = type, item.rect = rect, item.expanded = open,
        item.nodeCount = nodeCount;
        m_picture->groups.push_back(item);
        return std::uint32_t(m_picture->groups.size() - 1);
    }
    fx::NodeId create(Op op, const std::string& target, std::vector<fx::NodeId> inputs, const std::string& name) {
        std::vector<fx::Argument> args(inputs.begin(), inputs.end());
        if (op == Op::CallFunction) {
            fx::Callable function;
            function.name = target.substr(target.rfind('.') + 1);
            function.qualifiedName = target;
            return m_module->graph.callFunction(std::make_shared<const fx::Callable>(function), args, {}, name);
        }
        if (op == Op::Output) return m_module->graph.createNode(op, "output", {fx::Argument::tuple(args)}, {}, name);
        return m_module->graph.createNode(op, target, op == Op::Placeholder ? std::vector<fx::Argument>{} : args, {},
                                          name);
    }
    std::uint32_t place(fx::NodeId id, double x, double y, std::uint32_t group, const std::string& shape,
                        std::uint32_t copy = 0) {
        const fx::Node& node = m_module->graph.node(id);
        fx::NodeItem item;
        item.node = id, item.copy = copy, item.group = group,
        item.rect = {x, y, 216, copy > 0 ? fx::kCopyHeight : fx::kNodeHeight};
        item.title = node.name(), item.shape = shape;
        item.what = node.op() == Op::CallModule ? "self." + node.target() : node.target();
        m_picture->nodes.push_back(item);
        return std::uint32_t(m_picture->nodes.size() - 1);
    }
    void edge(std::uint32_t from, std::uint32_t to, std::vector<fx::Point> between = {}, bool stub = false) {
        m_edges.push_back({from, to, std::move(between), stub, stub ? 1u : 0u, 1});
    }
    Sample finish() {
        auto& p = *m_picture;
        fx::Rect all = p.nodes.front().rect;
        const auto include = [&all](const fx::Rect& r) {
            const double x = std::min(all.x, r.x), y = std::min(all.y, r.y);
            all = {x, y, std::max(all.right(), r.right()) - x, std::max(all.bottom(), r.bottom()) - y};
        };
        for (const auto& node : p.nodes) include(node.rect);
        for (const auto& group : p.groups) include(group.rect);
        p.bounds = all;
        for (fx::EdgeItem edge : m_edges) {
            const auto rectOf = [&p](std::uint32_t i) {
                return i < p.nodes.size() ? p.nodes[i].rect : p.groups[i - p.nodes.size()].rect;
            };
            const fx::Rect a = rectOf(edge.from), b = rectOf(edge.to);
            edge.points.insert(edge.points.begin(), {a.center().x, a.bottom()});
            edge.points.push_back({b.center().x, b.y});
            if (edge.stub) {
                // Two points at each end; the labels stand where the line breaks off.
                const fx::Point down{edge.points[0].x, edge.points[0].y + 10},
                    up{edge.points[1].x, edge.points[1].y - 10};
                edge.points.insert(edge.points.begin() + 1, {down, up});
                const auto index = std::uint32_t(p.edges.size());
                p.stubLabels.push_back({index, false, {down.x + 4, down.y, 80, 16}, "→ " + p.nodes[edge.to].title});
                p.stubLabels.push_back({index, true, {up.x + 4, up.y - 16, 80, 16}, "→ " + p.nodes[edge.from].title});
            }
            p.edges.push_back(edge);
        }
        return {m_module, m_picture};
    }
    fx::Picture& picture() { return *m_picture; }

private:
    std::shared_ptr<fx::GraphModule> m_module;
    std::shared_ptr<fx::Picture> m_picture;
    std::vector<fx::EdgeItem> m_edges;
};

} // namespace

Sample small(bool open) {
    Builder b;
    const auto x = b.create(Op::Placeholder, "x", {}, "x");
    const auto mask = b.create(Op::GetAttr, "mask", {}, "mask");
    const auto weight = b.create(Op::GetAttr, "weight", {}, "weight");
    const auto conv = b.create(Op::CallModule, "conv", {x}, "conv");
    const auto relu = b.create(Op::CallFunction, "torch.relu", {conv}, "relu");
    const auto conv1 = b.create(Op::CallModule, "layer1.conv1", {relu}, "layer1_conv1");
    const auto bn1 = b.create(Op::CallModule, "layer1.bn1", {conv1}, "layer1_bn1");
    const auto relu1 = b.create(Op::CallModule, "layer1.relu", {bn1}, "layer1_relu");
    const auto conv2 = b.create(Op::CallModule, "layer1.conv2", {relu1}, "layer1_conv2");
    const auto add = b.create(Op::CallFunction, "operator.add", {conv2, relu}, "add");
    const auto pool = b.create(Op::CallMethod, "mean", {add, mask}, "mean");
    const auto out = b.create(Op::Output, "output", {pool, x}, "output");

    const auto ix = b.place(x, 100, 0, fx::kNoGroup, "3×224×224");
    const auto iconv = b.place(conv, 100, 76, fx::kNoGroup, "64×112×112");
    fx::NodeItem& withChip = b.picture().nodes[iconv];
    withChip.rect.h += fx::kChipRowHeight, withChip.chips = {"weight"}, withChip.chipNodes = {weight};
    const auto irelu = b.place(relu, 100, 152, fx::kNoGroup, "64×112×112");
    const double shift = open ? 0 : -320;
    if (open) {
        const auto g = b.group("layer1", "layer1", "BasicBlock", {40, 230, 400, 424}, true, 5);
        std::uint32_t last = irelu;
        double y = 276;
        for (fx::NodeId id : {conv1, bn1, relu1, conv2}) {
            const auto item = b.place(id, 60, y, g, "64×56×56");
            b.edge(last, item);
            last = item, y += 76;
        }
        const auto iadd = b.place(add, 150, y + 8, g, "64×56×56");
        b.edge(last, iadd);
        b.edge(irelu, iadd, {{370, 276}, {370, 540}});
        last = iadd;
        const auto ipool = b.place(pool, 150, 690, fx::kNoGroup, "64");
        b.edge(last, ipool);
    } else {
        b.group("layer1", "layer1", "BasicBlock", {100, 230, 216, 64}, false, 5);
    }
    const std::uint32_t ipool =
        open ? std::uint32_t(b.picture().nodes.size() - 1) : b.place(pool, 150, 690 + shift, fx::kNoGroup, "64");
    const auto imask = b.place(mask, -160, 0, fx::kNoGroup, "1×1");
    const auto icopy = b.place(mask, 420, 614 + shift + (open ? 0 : 30), fx::kNoGroup, "1×1", 1);
    const auto iout = b.place(out, 150, 766 + shift, fx::kNoGroup, "");
    (void)imask;
    b.edge(ix, iconv);
    b.edge(iconv, irelu);
    b.edge(icopy, ipool);
    b.edge(ipool, iout);
    b.edge(ix, iout, {}, true);
    if (!open) {
        const auto group = std::uint32_t(b.picture().nodes.size());
        b.edge(irelu, group);
        b.edge(group, ipool);
    }
    return b.finish();
}

Sample large(std::size_t count) {
    Builder b;
    const std::size_t blocks = (count + 9) / 10;
    const auto columns = std::size_t(std::ceil(std::sqrt(double(blocks) * 2.4)));
    std::map<std::size_t, std::uint32_t> lastOfBlock;
    constexpr Op kOps[] = {Op::CallModule,   Op::CallModule, Op::CallFunction, Op::CallMethod,   Op::CallModule,
                           Op::CallFunction, Op::GetAttr,    Op::CallModule,   Op::CallFunction, Op::CallFunction};
    std::vector<fx::NodeId> made;
    for (std::size_t block = 0; block < blocks; ++block) {
        const double left = double(block % columns) * 300, top = double(block / columns) * 860;
        const std::string path = "layers." + std::to_string(block);
        const auto group = b.group(path, std::to_string(block), "EncoderLayer", {left, top, 264, 800}, true, 10);
        std::uint32_t previous = 0, firstOfBlock = 0;
        for (std::size_t i = 0; i < 10 && made.size() < count; ++i) {
            const std::size_t n = made.size();
            const Op op = n == 0 ? Op::Placeholder : kOps[i];
            const std::vector<fx::NodeId> inputs =
                n == 0 ? std::vector<fx::NodeId>{} : std::vector<fx::NodeId>{made.back()};
            const std::string target = op == Op::CallModule ? path + ".linear" : "torch.add";
            const auto id = b.create(op, target, inputs, "layers_" + std::to_string(block) + "_op" + std::to_string(i));
            made.push_back(id);
            const auto item = b.place(id, left + 20, top + 46 + double(i) * 74, group, "8×128×512");
            if (i > 0) b.edge(previous, item);
            if (i == 0) firstOfBlock = item;
            if (i == 9) b.edge(firstOfBlock, item, {{left + 250, top + 150}, {left + 250, top + 640}});
            previous = item;
        }
        if (block >= columns) b.edge(lastOfBlock[block - columns], firstOfBlock);
        lastOfBlock[block] = previous;
    }
    return b.finish();
}

} // namespace sample
