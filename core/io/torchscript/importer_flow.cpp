// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/torchscript/block_text.h"
#include "core/io/torchscript/importer.h"

#include <algorithm>

namespace fx::script {
namespace {

constexpr std::int64_t kMostTurns = 10'000; ///< of a loop that is unrolled

/// A branch that ends in an exception and gives nothing.
bool onlyRaises(const Program& program, const Block& block) {
    return !block.nodes.empty() && std::any_of(block.nodes.begin(), block.nodes.end(), [&](const Node& node) {
        return program.kindOf(node).is("prim::RaiseException");
    });
}

const bool* truth(const Symbol& symbol) { return symbol.as<bool>(); }

} // namespace

/// A branch on what is known takes one side. One that raises is left out: the other side is what a run can return.
void Importer::branch(Frame& frame, const Node& node) {
    if (node.blocks.size() != 2) throw Unsupported(Message("script.index"));
    const bool* condition = truth(value(frame, node.inputs.at(0)));
    const bool raises[] = {onlyRaises(m_program, node.blocks[0]), onlyRaises(m_program, node.blocks[1])};
    if (!condition && raises[0] == raises[1]) {
        noteDeciding(value(frame, node.inputs[0]));
        return keepAsBlock(frame, node);
    }
    if (condition) ++m_report.folded;
    else ++m_report.checks;
    const Block& taken = node.blocks[(condition ? *condition : raises[1]) ? 0 : 1];
    follow(frame, taken);
    std::vector<Symbol> results;
    for (const std::uint32_t id : taken.outputs) results.push_back(value(frame, id));
    bind(frame, node, std::move(results));
}

/// What another thread would run stands where it is started; `aten::wait` gives its result.
void Importer::fork(Frame& frame, const Node& node) {
    if (node.blocks.size() != 1 || node.blocks[0].inputs.size() != node.inputs.size() ||
        node.blocks[0].outputs.size() != 1)
        throw Unsupported(Message("script.index"));
    const Block& body = node.blocks[0];
    for (std::size_t i = 0; i < body.inputs.size(); ++i) {
        Symbol given = value(frame, node.inputs[i]);
        value(frame, body.inputs[i]) = std::move(given);
    }
    follow(frame, body);
    bind(frame, node, {value(frame, body.outputs[0])});
}

/// The result is the input.
void Importer::pass(Frame& frame, const Node& node) {
    Symbol same = value(frame, node.inputs.at(0));
    value(frame, node.outputs.at(0)) = std::move(same);
}

void Importer::loop(Frame& frame, const Node& node) {
    const Mark before = mark();
    try {
        if (unroll(frame, node)) return void(++m_report.folded);
    } catch (const Unsupported&) {} // a turn of it cannot be followed
    rollBack(before);
    keepAsBlock(frame, node);
}

/// prim::Loop(most turns, goes on, carried...), whose block gives (goes on, carried...). False if it is not known how
/// often it runs.
bool Importer::unroll(Frame& frame, const Node& node) {
    const Block& body = node.blocks.at(0);
    const auto* most = value(frame, node.inputs.at(0)).as<std::int64_t>();
    const bool* goesOn = truth(value(frame, node.inputs.at(1)));
    if (!goesOn) noteDeciding(value(frame, node.inputs[1]));
    if (!most || !goesOn) return false;
    std::vector<Symbol> carried;
    for (std::size_t i = 2; i < node.inputs.size(); ++i) carried.push_back(value(frame, node.inputs[i]));
    bool more = *goesOn;
    const std::int64_t turns = *most;
    for (std::int64_t turn = 0; more && turn < turns; ++turn) {
        if (turn >= kMostTurns) return false;
        value(frame, body.inputs.at(0)) = Symbol::of(Argument(turn));
        for (std::size_t i = 0; i < carried.size(); ++i) value(frame, body.inputs.at(i + 1)) = carried[i];
        follow(frame, body);
        const bool* again = truth(value(frame, body.outputs.at(0)));
        if (!again) return false;
        more = *again;
        for (std::size_t i = 0; i < carried.size(); ++i) carried[i] = value(frame, body.outputs.at(i + 1));
    }
    bind(frame, node, std::move(carried));
    return true;
}

std::string Importer::addBlock(const Frame& frame, std::string name, std::string text) {
    auto block = std::make_shared<Module>();
    block->className = kBlockClass, block->classModule = kBlockModule;
    block->training = false;
    block->attributes.emplace_back("graph", Argument(std::move(text)));
    auto& blocks = m_blocks[frame.self];
    const auto taken = [&](const std::string& wanted) {
        return frame.self->field(wanted) || std::any_of(blocks.begin(), blocks.end(),
                                                        [&](const auto& known) { return known.second.name == wanted; });
    };
    const std::string base = name;
    for (int number = 1; taken(name); ++number) name = base + "_" + std::to_string(number);
    const std::string path = frame.path.empty() ? name : frame.path + "." + name;
    blocks.emplace_back(path, Module::Child{name, std::move(block)});
    return path;
}

/// A method that no text of a block can hold either (objects of its own classes in a loop, changed attributes): one
/// call of the file. The graph has no other modules: edits of their weights would have no effect.
void Importer::keepFile(Frame& frame, const Message& reason) {
    auto file = std::make_shared<Module>();
    file->className = kFileClass, file->classModule = kBlockModule;
    file->training = false;
    file->attributes.emplace_back("path", Argument(m_options.path));
    file->attributes.emplace_back("method", Argument(frame.method.name));
    m_report = {};
    m_report.whole = reason;
    m_blocks[&m_root].emplace_back("script", Module::Child{"script", std::move(file)});
    try {
        std::vector<Argument> args;
        for (std::size_t i = 1; i < frame.method.body.inputs.size(); ++i)
            args.push_back(tensorArgument(frame, value(frame, frame.method.body.inputs[i])));
        m_module->graph.output(m_module->graph.createNode(Op::CallModule, "script", std::move(args)));
    } catch (const Unsupported&) {
        throw Error(ErrorKind::Refused,
                    Message("script.no_graph", {{"reason", reason.text()}, {"cause", reason.code()}}));
    }
}

/// One node of the script, with all that it contains, as the call of a block.
void Importer::keepAsBlock(Frame& frame, const Node& node) {
    BlockText block(m_program, [this](std::int32_t constant) { return constantPath(constant); });
    const auto outside = [&](std::uint32_t id) -> const Symbol& { return value(frame, id); };
    block.add(frame.method, {&node}, node.outputs, outside);
    std::string kind = kindOf(node).name;
    kind = kind == "prim::If"           ? "if_block"
           : kind == "prim::Loop"       ? "loop_block"
           : kind == "prim::CallMethod" ? node.name + "_block"
                                        : "script_block";
    std::vector<Argument> args;
    for (const Symbol& input : block.inputs()) args.push_back(tensorArgument(frame, input));
    const std::string path = addBlock(frame, kind, block.text());
    if (!block.hasEffects()) m_pureBlocks.insert(path);
    const NodeId id = m_module->graph.createNode(Op::CallModule, path, std::move(args), {}, nameFor(frame, node));
    results(frame, node, Symbol::of(Argument(finish(frame, &node, id))));
}

/// A whole method as one block.
void Importer::keepWhole(Frame& frame) {
    BlockText block(m_program, [this](std::int32_t constant) { return constantPath(constant); });
    const auto outside = [&](std::uint32_t id) -> const Symbol& { return value(frame, id); };
    std::vector<const Node*> nodes;
    for (const Node& node : frame.method.body.nodes) nodes.push_back(&node);
    block.add(frame.method, nodes, frame.method.body.outputs, outside);
    std::vector<Argument> args;
    for (const Symbol& input : block.inputs()) args.push_back(tensorArgument(frame, input));
    const std::string path = addBlock(frame, frame.method.name + "_block", block.text());
    const NodeId id = m_module->graph.createNode(Op::CallModule, path, std::move(args));
    m_module->graph.output(finish(frame, nullptr, id));
}

} // namespace fx::script
