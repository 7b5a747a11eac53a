// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"
#include "core/torchscript/block_text.h"
#include "core/torchscript/importing/call_frame.h"

namespace fx::script {

/// The blocks of an import: modules that hold parts of the script as text. New ones become children of the module
/// whose method runs them; those that Lancet has written to the file keep their place.
class BlockRegistry {
public:
    /// A block and its path.
    using Placed = std::pair<std::string, Module::Child>;

    /// Adds a block of the frame's module and returns its path. A number is appended to `name` if it is taken.
    std::string add(const CallFrame& frame, std::string name, const BlockText& block);
    /// Adds the call of the whole file, and returns its path.
    std::string addFile(const Object& root, std::shared_ptr<Module> file);
    /// Adds a block that Lancet has written, an object of the file. Returns false if it is known with other text.
    bool addWritten(const Object& object, const std::string& path, const BlockText& block);
    /// Removes all new blocks.
    void forgetNew() { m_new.clear(), m_names.clear(), m_numbers.clear(); }

    /// Returns the new blocks that a module runs, in their order.
    const std::vector<Placed>& newOf(const Object& holder) const;
    /// Returns the block that an object of the file represents, or null.
    const std::pair<std::string, std::shared_ptr<Module>>* written(const Object& object) const;
    /// True for the path of a block without side effects, which can be erased if unused.
    bool isPure(const std::string& path) const { return m_pure.contains(path); }
    /// Returns the modules of torch.nn that the blocks at these paths run.
    std::set<const Object*> leavesIn(const std::set<std::string>& paths) const;

private:
    std::map<const Object*, std::vector<Placed>> m_new;             ///< by the module that runs them
    std::set<std::pair<const Object*, std::string>> m_names;        ///< in `m_new`
    std::map<std::pair<const Object*, std::string>, int> m_numbers; ///< to try first for the next block of a name
    std::map<const Object*, std::pair<std::string, std::shared_ptr<Module>>> m_written;
    std::map<std::string, std::set<const Object*>> m_leaves; ///< by path
    std::set<std::string> m_pure;
};

} // namespace fx::script
