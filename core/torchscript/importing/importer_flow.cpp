// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/importing/importer.h"

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

/// A branch that warns and notes that it has: nothing of it is in a graph.
bool onlyWarns(const Program& program, const Block& block) {
    const auto is = [&](const Node& node, std::string_view kind) { return program.kindOf(node).is(kind); };
    return block.outputs.empty() &&
           std::any_of(block.nodes.begin(), block.nodes.end(),
                       [&](const Node& node) { return is(node, "aten::warn"); }) &&
           std::all_of(block.nodes.begin(), block.nodes.end(), [&](const Node& node) {
               return is(node, "aten::warn") || is(node, "prim::Constant") || is(node, "prim::SetAttr");
           });
}

const bool* truth(const Symbol& symbol) { return symbol.as<bool>(); }

Argument numbersOf(const TensorTotals& totals) {
    return Argument::list({Argument(totals.tensors), Argument(totals.elements), Argument(totals.bytes)});
}

/// How many parameters and buffers a file has, for its call, which is all that the graph has of it.
void addTotals(Module& file, const Object& root) {
    TensorTotals parameters, buffers;
    std::set<const void*> seen = {&root};
    for (std::vector<const Object*> open = {&root}; !open.empty();) {
        const Object& object = *open.back();
        open.pop_back();
        for (const auto& [name, field] : object.fields) {
            const auto* inner = std::get_if<const Object*>(&field);
            if (inner && *inner && seen.insert(*inner).second) open.push_back(*inner);
            const auto* tensor = std::get_if<TensorPtr>(&field);
            const auto* declared = tensor && *tensor && object.type ? object.type->attribute(name) : nullptr;
            if (!declared || !seen.insert(tensor->get()).second) continue;
            if (declared->kind != Class::Attribute::Kind::Parameter && declared->kind != Class::Attribute::Kind::Buffer)
                continue;
            TensorTotals& into = declared->kind == Class::Attribute::Kind::Parameter ? parameters : buffers;
            into.tensors += 1, into.elements += (*tensor)->elementCount(), into.bytes += (*tensor)->byteCount();
        }
    }
    file.attributes.emplace_back("parameters", numbersOf(parameters));
    file.attributes.emplace_back("buffers", numbersOf(buffers));
}

} // namespace

/// A branch on what is known takes one side. One that raises is left out: the other side is what a run can return.
void Importer::branch(CallFrame& frame, const Node& node) {
    if (node.blocks.size() != 2) throw Unsupported(Message("script.index"));
    const bool* condition = truth(frame.value(node.inputs.at(0)));
    const bool raises[] = {onlyRaises(m_program, node.blocks[0]), onlyRaises(m_program, node.blocks[1])};
    if (!condition && raises[0] == raises[1]) {
        m_inputs.noteDeciding(frame.value(node.inputs[0]));
        return keepAsBlock(frame, node);
    }
    if (condition) ++m_report.folded;
    else ++m_report.checks;
    const bool warns = onlyWarns(m_program, node.blocks[0]) || onlyWarns(m_program, node.blocks[1]);
    if (warns && node.outputs.empty() && (node.blocks[0].nodes.empty() || node.blocks[1].nodes.empty())) return;
    const Block& taken = node.blocks[(condition ? *condition : raises[1]) ? 0 : 1];
    follow(frame, taken);
    bind(frame, node, frame.valuesOf(taken.outputs));
}

/// What another thread would run stands where it is started; `aten::wait` gives its result.
void Importer::fork(CallFrame& frame, const Node& node) {
    if (node.blocks.size() != 1 || node.blocks[0].inputs.size() != node.inputs.size() ||
        node.blocks[0].outputs.size() != 1)
        throw Unsupported(Message("script.index"));
    const Block& body = node.blocks[0];
    for (std::size_t i = 0; i < body.inputs.size(); ++i) {
        Symbol given = frame.value(node.inputs[i]);
        frame.slot(body.inputs[i]) = std::move(given);
    }
    follow(frame, body);
    bind(frame, node, {frame.value(body.outputs[0])});
}

/// The result is the input.
void Importer::pass(CallFrame& frame, const Node& node) {
    Symbol same = frame.value(node.inputs.at(0));
    frame.slot(node.outputs.at(0)) = std::move(same);
}

void Importer::loop(CallFrame& frame, const Node& node) {
    const Mark before = mark();
    std::optional<Message> why;
    try {
        if (unroll(frame, node)) return void(++m_report.folded);
    } catch (const Unsupported& unsupported) { // a turn of it cannot be followed
        why = unsupported.reason;
    }
    rollBack(before);
    if (why) keepInstead(frame, node, *why);
    else keepAsBlock(frame, node);
}

/// What cannot be followed is a block. If no text can hold it either, what could not be followed is the reason.
void Importer::keepInstead(CallFrame& frame, const Node& node, const Message& why) {
    try {
        keepAsBlock(frame, node);
    } catch (const Unsupported&) { throw Unsupported(why); }
}

/// prim::Loop(most turns, goes on, carried...), whose block gives (goes on, carried...). False if it is not known how
/// often it runs.
bool Importer::unroll(CallFrame& frame, const Node& node) {
    const Block& body = node.blocks.at(0);
    const auto* most = frame.value(node.inputs.at(0)).as<std::int64_t>();
    const bool* goesOn = truth(frame.value(node.inputs.at(1)));
    if (!goesOn) m_inputs.noteDeciding(frame.value(node.inputs[1]));
    if (!most || !goesOn) return false;
    std::vector<Symbol> carried = frame.valuesOf(node.inputs, 2);
    bool more = *goesOn;
    const std::int64_t turns = *most;
    for (std::int64_t turn = 0; more && turn < turns; ++turn) {
        if (turn >= kMostTurns) return false;
        frame.slot(body.inputs.at(0)) = Symbol::of(Argument(turn));
        for (std::size_t i = 0; i < carried.size(); ++i) frame.slot(body.inputs.at(i + 1)) = carried[i];
        follow(frame, body);
        const bool* again = truth(frame.value(body.outputs.at(0)));
        if (!again) return false;
        more = *again;
        for (std::size_t i = 0; i < carried.size(); ++i) carried[i] = frame.value(body.outputs.at(i + 1));
    }
    bind(frame, node, std::move(carried));
    return true;
}

/// A method that no text of a block can hold either (objects of its own classes in a loop, changed attributes): one
/// call of the file. The graph has no other modules: edits of their weights would have no effect.
void Importer::keepFile(CallFrame& frame, const Message& reason) {
    auto file = std::make_shared<Module>();
    file->className = kFileClass, file->classModule = kBlockModule;
    file->training = false;
    file->attributes.emplace_back("path", Argument(m_options.path));
    file->attributes.emplace_back(kDigest, Argument(m_options.digest));
    file->attributes.emplace_back("method", Argument(frame.method.name));
    addTotals(*file, m_root);
    m_report = {};
    m_report.whole = reason;
    const std::string path = m_blocks.addFile(m_root, std::move(file));
    try {
        std::vector<Argument> args;
        for (std::size_t i = 1; i < frame.method.body.inputs.size(); ++i)
            args.push_back(m_recorder.tensorArgument(frame, frame.value(frame.method.body.inputs[i])));
        m_module->graph.output(m_module->graph.createNode(Op::CallModule, path, std::move(args)));
    } catch (const Unsupported&) {
        throw Error(ErrorKind::Refused,
                    Message("script.no_graph", {{"reason", reason.text()}, {"cause", reason.code()}}));
    }
}

/// A change of a list whose contents are not known: the operator alone is a block.
void Importer::keepChange(CallFrame& frame, const Node& node) {
    const bool givesItem = frame.kindOf(node).is("aten::pop") || frame.kindOf(node).is("aten::popitem") ||
                           frame.kindOf(node).is("aten::setdefault");
    if (givesItem || node.outputs.empty()) return keepAsBlock(frame, node);
    keep(frame, node, {});
    Symbol list = frame.value(node.inputs[0]);
    frame.slot(node.outputs[0]) = std::move(list);
}

void Importer::keepAsBlock(CallFrame& frame, const Node& node) {
    std::vector<Symbol> made = keep(frame, node, node.outputs);
    for (std::size_t i = 0; i < made.size(); ++i) frame.setResult(node.outputs[i], std::move(made[i]));
}

/// One node of the script, with all that it contains, as the call of a block, which also gives the lists and dicts that
/// it changes. Returns its `outputs`.
std::vector<Symbol> Importer::keep(CallFrame& frame, const Node& node, const std::vector<std::uint32_t>& outputs) {
    BlockText block = newBlock();
    const auto outside = [&](std::uint32_t id) -> const Symbol& { return frame.value(id); };
    block.add(frame.method, {&node}, outputs, outside);
    m_mutables.checkMutation(block.inputs(), block.changed());
    std::string kind = frame.kindOf(node).name;
    kind = kind == "prim::If"           ? "if_block"
           : kind == "prim::Loop"       ? "loop_block"
           : kind == "prim::CallMethod" ? node.name + "_block"
                                        : "script_block";
    std::vector<Argument> args = inputsOf(frame, block);
    const std::string path = m_blocks.add(frame, kind, block);
    const NodeId id = m_module->graph.createNode(Op::CallModule, path, std::move(args), {}, frame.nameFor(node));
    const Symbol result = Symbol::of(Argument(m_recorder.finish(frame, &node, id)));
    const std::size_t count = outputs.size() + block.changed().size();
    std::vector<Symbol> made;
    for (std::size_t i = 0; i < count; ++i)
        made.push_back(count == 1 ? result : partOf(result, static_cast<std::int64_t>(i), false));
    std::size_t place = outputs.size();
    for (const std::size_t changed : block.changed()) m_mutables.replace(block.inputs()[changed], made[place++]);
    m_mutables.alias(block.inputs(), block.shared());
    made.resize(outputs.size());
    return made;
}

/// A block that Lancet has written is that block again, at its place in the file. False if it cannot be.
bool Importer::callBlock(CallFrame& frame, const Node& node, const Symbol& self, const Method& method) {
    if (!self.object || plainClassName(self.object->className) != std::string(kBlockModule) + "." + kBlockClass)
        return false;
    BlockText block = newBlock();
    const std::vector<Symbol> given = frame.valuesOf(node.inputs, 1);
    std::vector<Argument> args;
    const Mark before = mark();
    try {
        block.addBlock(method, self, given);
        m_mutables.checkMutation(block.inputs(), block.changed());
        for (const std::size_t changed : block.changed()) (void)block.resultOf(changed); // it gives back all of them
        args = inputsOf(frame, block);
    } catch (const Unsupported&) { return rollBack(before), false; }
    if (!m_blocks.addWritten(*self.object, self.path, block)) return rollBack(before), false;
    const NodeId id = m_module->graph.createNode(Op::CallModule, self.path, std::move(args), {}, frame.nameFor(node));
    Symbol result = Symbol::of(Argument(m_recorder.finish(frame, &node, id)));
    for (const std::size_t changed : block.changed()) {
        const auto place = static_cast<std::int64_t>(block.resultOf(changed));
        const Symbol now = block.resultCount() == 1 ? result : partOf(result, place, false);
        m_mutables.replace(block.inputs()[changed], now);
    }
    m_mutables.alias(block.inputs(), block.shared());
    if (node.outputs.size() == 1) frame.setResult(node.outputs[0], std::move(result));
    return true;
}

std::vector<Argument> Importer::inputsOf(const CallFrame& frame, const BlockText& block) {
    std::vector<Argument> args;
    for (const Symbol& input : block.inputs()) args.push_back(m_recorder.tensorArgument(frame, input));
    return args;
}

BlockText Importer::newBlock() {
    return BlockText(m_program, {[this](std::int32_t constant) { return m_constants.pathOf(constant); },
                                 [this](const TensorPtr& tensor) { return m_constants.pathOf(tensor); },
                                 [this](const Object& object, const std::string& path, const std::string& name) {
                                     noteMode(object, path, name);
                                     return m_mutables.attribute(object, name);
                                 }});
}

/// A whole method as one block.
void Importer::keepWhole(CallFrame& frame) {
    BlockText block = newBlock();
    const auto outside = [&](std::uint32_t id) -> const Symbol& { return frame.value(id); };
    block.addBody(frame.method, outside);
    if (!block.changed().empty()) throw Unsupported(Message("script.changes_list")); // of the caller
    std::vector<Argument> args = inputsOf(frame, block);
    const std::string path = m_blocks.add(frame, frame.method.name + "_block", block);
    const NodeId id = m_module->graph.createNode(Op::CallModule, path, std::move(args));
    m_module->graph.output(m_recorder.finish(frame, nullptr, id));
}

} // namespace fx::script
