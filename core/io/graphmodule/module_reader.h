// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/graphmodule/torch_file.h"
#include "core/io/graphmodule/value_reader.h"
#include "core/module/graph_module.h"

#include <array>

namespace fx {

/// Builds the module tree of a pickle iteratively. Each object becomes one Module, so shared modules stay shared.
///
/// Reads any class: the fields of torch.nn.Module (`_parameters`, `_buffers`, `_modules`, `training`) become slots and
/// children, everything else becomes attributes. Hooks, cycles and unexpected states cause warnings.
class ModuleReader {
public:
    explicit ModuleReader(TorchFile& file) : m_file(file), m_arena(file.arena()), m_values(file) {}

    /// A GraphModule inside the tree whose code must still be traced.
    struct Traced {
        std::shared_ptr<Module> module;
        PickleRef body = kNoPickle;
        std::string_view importBlock, code; ///< in the file's arena
        std::string path;
    };

    /// True for `reduce_graph_module(body, import_block)`, the pickled form of a GraphModule.
    static bool isGraphModule(const PickleArena& arena, PickleRef ref);
    /// Reads the tree below the object. Throws Error{File}.
    std::shared_ptr<Module> read(PickleRef ref);
    /// All GraphModules found by `read`, outer before inner; the first is the root if it is a GraphModule.
    std::vector<Traced>& graphModules() { return m_graphModules; }
    /// Warnings from reading, for the caller to move.
    Warnings& warnings() { return m_warnings; }

private:
    /// The first location of a module: its name and its parent's location. Paths are formatted only for messages.
    struct Place {
        std::size_t above;
        std::string_view name;
        int depth;
    };
    struct Task {
        PickleRef ref;
        std::shared_ptr<Module> module;
        std::size_t place;
    };
    std::shared_ptr<Module> moduleOf(PickleRef ref, Place place);
    void fill(const Task& task);
    void fillGraphModule(const Task& task);
    void fillState(const Task& task, PickleRef state);
    void fillConvState(const Task& task, PickleRef state);
    /// How a field of a module's dictionary is read.
    enum class Field : std::uint8_t {
        Training,
        Parameters,
        Buffers,
        Modules,
        NonPersistent,
        Hooks,
        Ignored,
        Attribute
    };
    static Field fieldOf(std::string_view name);
    Field knownField(std::string_view name);
    void readField(const Task& task, std::string_view name, PickleRef value);
    void readNonPersistent(Module& module, PickleRef value) const;
    bool readTensorHooks(Module& module, std::string_view field, PickleRef hooks);
    void warnOfHooks(const Task& task, std::string_view field);
    void readChildren(const Task& task, PickleRef dict);
    TensorPtr tensorNamed(const std::string& name, PickleRef value, std::size_t place);
    void readSlots(std::vector<Module::Slot>& slots, PickleRef dict, const Task& task);
    void readAttribute(const Task& task, std::string_view name, PickleRef value);
    void checkTree(const std::shared_ptr<Module>& root);
    std::string nameText(std::string_view name);
    std::string pathOf(std::size_t place) const;
    void warn(const Message& what, std::size_t place);
    [[noreturn]] void tooDeep() const;

    TorchFile& m_file;
    const PickleArena& m_arena;
    ValueReader m_values;
    std::unordered_map<PickleRef, std::shared_ptr<Module>> m_modules;
    struct KnownField {
        std::string_view name;
        Field field = Field::Attribute;
    };
    std::array<KnownField, 256> m_fields; ///< by index of the name in the file
    std::vector<Place> m_places;
    std::vector<Task> m_tasks;
    std::vector<Traced> m_graphModules;
    Warnings m_warnings;
    PickleRef m_hooked = kNoPickle; ///< the module whose hooks were reported last
    std::size_t m_nameBytes = 0, m_suppressed = 0;
};

} // namespace fx
