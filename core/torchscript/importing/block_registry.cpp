// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/importing/block_registry.h"

#include "core/base/joined_path.h"
#include "core/torchscript/torchscript.h"

namespace fx::script {
namespace {

std::shared_ptr<Module> scriptBlock(std::string text) {
    auto block = std::make_shared<Module>();
    block->className = kBlockClass, block->classModule = kBlockModule;
    block->training = false;
    block->attributes.emplace_back("graph", Argument(std::move(text)));
    return block;
}

} // namespace

std::string BlockRegistry::add(const CallFrame& frame, std::string name, const BlockText& block) {
    const auto isFree = [&](const std::string& wanted) {
        return !frame.self->field(wanted) && m_names.emplace(frame.self, wanted).second;
    };
    const std::string base = name;
    for (int& number = m_numbers[{frame.self, base}]; !isFree(name);) name = base + "_" + std::to_string(++number);
    const std::string path = joinedPath(frame.path, name);
    m_new[frame.self].emplace_back(path, Module::Child{name, scriptBlock(block.text())});
    m_leaves[path] = block.leaves();
    if (!block.hasEffects()) m_pure.insert(path);
    return path;
}

std::string BlockRegistry::addFile(const Object& root, std::shared_ptr<Module> file) {
    m_new[&root].emplace_back("script", Module::Child{"script", std::move(file)});
    return "script";
}

bool BlockRegistry::addWritten(const Object& object, const std::string& path, const BlockText& block) {
    const std::string text = block.text();
    const auto known = m_written.try_emplace(&object, path, scriptBlock(text)).first;
    if (*known->second.second->setting<std::string>("graph") != text) return false;
    if (!block.hasEffects()) m_pure.insert(path);
    return true;
}

const std::vector<BlockRegistry::Placed>& BlockRegistry::newOf(const Object& holder) const {
    static const std::vector<Placed> none;
    const auto blocks = m_new.find(&holder);
    return blocks == m_new.end() ? none : blocks->second;
}

const std::pair<std::string, std::shared_ptr<Module>>* BlockRegistry::written(const Object& object) const {
    const auto known = m_written.find(&object);
    return known == m_written.end() ? nullptr : &known->second;
}

std::set<const Object*> BlockRegistry::leavesIn(const std::set<std::string>& paths) const {
    std::set<const Object*> out;
    for (const auto& [path, leaves] : m_leaves)
        if (paths.contains(path)) out.insert(leaves.begin(), leaves.end());
    return out;
}

} // namespace fx::script
