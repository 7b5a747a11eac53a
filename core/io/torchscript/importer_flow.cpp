// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/joined_path.h"
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

std::shared_ptr<Module> scriptBlock(std::string text) {
    auto block = std::make_shared<Module>();
    block->className = kBlockClass, block->classModule = kBlockModule;
    block->training = false;
    block->attributes.emplace_back("graph", Argument(std::move(text)));
    return block;
}

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
    const bool warns = onlyWarns(m_program, node.blocks[0]) || onlyWarns(m_program, node.blocks[1]);
    if (warns && node.outputs.empty() && (node.blocks[0].nodes.empty() || node.blocks[1].nodes.empty())) return;
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
        slot(frame, body.inputs[i]) = std::move(given);
    }
    follow(frame, body);
    bind(frame, node, {value(frame, body.outputs[0])});
}

/// The result is the input.
void Importer::pass(Frame& frame, const Node& node) {
    Symbol same = value(frame, node.inputs.at(0));
    slot(frame, node.outputs.at(0)) = std::move(same);
}

void Importer::loop(Frame& frame, const Node& node) {
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
void Importer::keepInstead(Frame& frame, const Node& node, const Message& why) {
    try {
        keepAsBlock(frame, node);
    } catch (const Unsupported&) { throw Unsupported(why); }
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
        slot(frame, body.inputs.at(0)) = Symbol::of(Argument(turn));
        for (std::size_t i = 0; i < carried.size(); ++i) slot(frame, body.inputs.at(i + 1)) = carried[i];
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
    auto block = scriptBlock(std::move(text));
    auto& blocks = m_blocks[frame.self];
    const auto taken = [&](const std::string& wanted) {
        return frame.self->field(wanted) || std::any_of(blocks.begin(), blocks.end(),
                                                        [&](const auto& known) { return known.second.name == wanted; });
    };
    const std::string base = name;
    for (int number = 1; taken(name); ++number) name = base + "_" + std::to_string(number);
    const std::string path = joinedPath(frame.path, name);
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
    file->attributes.emplace_back(kDigest, Argument(m_options.digest));
    file->attributes.emplace_back("method", Argument(frame.method.name));
    addTotals(*file, m_root);
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

/// Lists and dicts that a block changes are those of the script alone, and nothing else holds what is in them: the
/// block gets copies and gives them back.
void Importer::checkChanges(const BlockText& block) const {
    for (const std::size_t changed : block.changed()) {
        const Symbol& symbol = block.inputs()[changed];
        const bool isOwn = symbol.isContainer() ? symbol.items && !symbol.ofModule : m_given.contains(Identity(symbol));
        const auto holds = [&](const Symbol& item) {
            return item.is == Symbol::Is::List || item.is == Symbol::Is::Dict;
        };
        if (!isOwn || m_shared.contains(Identity(symbol)) ||
            (symbol.isContainer() && std::any_of(symbol.items->begin(), symbol.items->end(), holds)))
            throw Unsupported(Message("script.changes_list"));
        std::vector<const Symbol*> left;
        for (std::size_t i = 0; i < block.inputs().size(); ++i)
            if (i != changed) left.push_back(&block.inputs()[i]);
        while (!left.empty()) {
            const Symbol* next = left.back();
            left.pop_back();
            if (!next->isContainer() || !next->items) continue;
            for (const Symbol& item : *next->items) {
                if (Identity(current(item)) == Identity(symbol)) throw Unsupported(Message("script.changes_list"));
                left.push_back(&item);
            }
        }
    }
}

/// A change of a list whose contents are not known: the operator alone is a block.
void Importer::keepChange(Frame& frame, const Node& node) {
    const bool givesItem =
        kindOf(node).is("aten::pop") || kindOf(node).is("aten::popitem") || kindOf(node).is("aten::setdefault");
    if (givesItem || node.outputs.empty()) return keepAsBlock(frame, node);
    keep(frame, node, {});
    Symbol list = value(frame, node.inputs[0]);
    slot(frame, node.outputs[0]) = std::move(list);
}

void Importer::keepAsBlock(Frame& frame, const Node& node) {
    std::vector<Symbol> made = keep(frame, node, node.outputs);
    for (std::size_t i = 0; i < made.size(); ++i) {
        made[i].type = &typeOf(frame, node.outputs[i]);
        made[i].maybeNone = made[i].type->isOptional();
        slot(frame, node.outputs[i]) = std::move(made[i]);
    }
}

/// One node of the script, with all that it contains, as the call of a block, which also gives the lists and dicts that
/// it changes. Returns its `outputs`.
std::vector<Symbol> Importer::keep(Frame& frame, const Node& node, const std::vector<std::uint32_t>& outputs) {
    BlockText block = newBlock();
    const auto outside = [&](std::uint32_t id) -> const Symbol& { return value(frame, id); };
    block.add(frame.method, {&node}, outputs, outside);
    checkChanges(block);
    std::string kind = kindOf(node).name;
    kind = kind == "prim::If"           ? "if_block"
           : kind == "prim::Loop"       ? "loop_block"
           : kind == "prim::CallMethod" ? node.name + "_block"
                                        : "script_block";
    std::vector<Argument> args;
    for (const Symbol& input : block.inputs()) args.push_back(tensorArgument(frame, input));
    const std::string path = addBlock(frame, kind, block.text());
    m_blockLeaves[path] = block.leaves();
    if (!block.hasEffects()) m_pureBlocks.insert(path);
    const NodeId id = m_module->graph.createNode(Op::CallModule, path, std::move(args), {}, nameFor(frame, node));
    const Symbol result = Symbol::of(Argument(finish(frame, &node, id)));
    const std::size_t count = outputs.size() + block.changed().size();
    std::vector<Symbol> made;
    for (std::size_t i = 0; i < count; ++i)
        made.push_back(count == 1 ? result : part(result, static_cast<std::int64_t>(i), false));
    std::size_t place = outputs.size();
    for (const std::size_t changed : block.changed()) {
        m_given.insert(Identity(made[place]));
        m_changed.insert_or_assign(Identity(block.inputs()[changed]), made[place++]);
    }
    noteShared(block);
    made.resize(outputs.size());
    return made;
}

/// A block that Lancet has written is that block again, at its place in the file. False if it cannot be.
bool Importer::callBlock(Frame& frame, const Node& node, const Symbol& self, const Method& method) {
    if (!self.object || plainClassName(self.object->className) != std::string(kBlockModule) + "." + kBlockClass)
        return false;
    BlockText block = newBlock();
    std::vector<Symbol> given;
    for (std::size_t i = 1; i < node.inputs.size(); ++i) given.push_back(value(frame, node.inputs[i]));
    std::vector<Argument> args;
    const Mark before = mark();
    try {
        block.addBlock(method, self, given);
        checkChanges(block);
        for (const std::size_t changed : block.changed()) (void)block.resultOf(changed); // it gives back all of them
        for (const Symbol& input : block.inputs()) args.push_back(tensorArgument(frame, input));
    } catch (const Unsupported&) { return rollBack(before), false; }
    const auto known = m_ownBlocks.try_emplace(self.object, self.path, scriptBlock(block.text())).first;
    if (*known->second.second->setting<std::string>("graph") != block.text()) return rollBack(before), false;
    if (!block.hasEffects()) m_pureBlocks.insert(self.path);
    const NodeId id = m_module->graph.createNode(Op::CallModule, self.path, std::move(args), {}, nameFor(frame, node));
    Symbol result = Symbol::of(Argument(finish(frame, &node, id)));
    for (const std::size_t changed : block.changed()) {
        const auto place = static_cast<std::int64_t>(block.resultOf(changed));
        const Symbol now = block.resultCount() == 1 ? result : part(result, place, false);
        m_given.insert(Identity(now));
        m_changed.insert_or_assign(Identity(block.inputs()[changed]), now);
    }
    noteShared(block);
    if (node.outputs.size() == 1) {
        result.type = &typeOf(frame, node.outputs[0]);
        result.maybeNone = result.type->isOptional();
        slot(frame, node.outputs[0]) = std::move(result);
    }
    return true;
}

/// Lists and dicts that results of a block may be, or hold.
void Importer::noteShared(const BlockText& block) {
    for (const std::size_t shared : block.shared())
        if (const Identity list(current(block.inputs()[shared])); list != Identity(Symbol())) m_shared.insert(list);
}

BlockText Importer::newBlock() {
    return BlockText(m_program, {[this](std::int32_t constant) { return constantPath(constant); },
                                 [this](const TensorPtr& tensor) { return constantPath(tensor); },
                                 [this](const Object& object, const std::string& path, const std::string& name) {
                                     noteMode(object, path, name);
                                     const auto known = m_set.find({&object, name});
                                     return known == m_set.end() ? nullptr : &known->second;
                                 }});
}

/// A whole method as one block.
void Importer::keepWhole(Frame& frame) {
    BlockText block = newBlock();
    const auto outside = [&](std::uint32_t id) -> const Symbol& { return value(frame, id); };
    block.addBody(frame.method, outside);
    if (!block.changed().empty()) throw Unsupported(Message("script.changes_list")); // of the caller
    std::vector<Argument> args;
    for (const Symbol& input : block.inputs()) args.push_back(tensorArgument(frame, input));
    const std::string path = addBlock(frame, frame.method.name + "_block", block.text());
    m_blockLeaves[path] = block.leaves();
    const NodeId id = m_module->graph.createNode(Op::CallModule, path, std::move(args));
    m_module->graph.output(finish(frame, nullptr, id));
}

} // namespace fx::script
