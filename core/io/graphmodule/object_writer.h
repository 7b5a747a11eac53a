// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/graphmodule/graphmodule_reader.h"
#include "core/io/graphmodule/graphmodule_writer.h"
#include "core/io/pickle/pickler.h"

#include <array>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace fx {

/// Pickles a model: the current modules and tensors, and everything else from the original file. Uses a work list
/// instead of recursion.
class ObjectWriter {
public:
    /// Keeps references to all arguments, which must outlive the writer.
    ObjectWriter(const GraphModule& model, const GenerateCode& generate, const Progress& progress);

    /// Returns the whole pickle. Throws Error{Refused} with the module or tensor that cannot be written.
    std::string run();
    /// Returns a pickle of one module, like `torch.save(module)`.
    std::string runModule(const Module& module);
    /// Returns a pickle of an OrderedDict of plain tensors, like `torch.save(model.state_dict())`.
    std::string runTensors(const std::vector<std::pair<std::string, TensorPtr>>& tensors);
    /// Storages that the pickle refers to, with their sizes in bytes; the index in the list is the key.
    const std::vector<std::pair<std::shared_ptr<const Storage>, std::uint64_t>>& storages() const { return m_storages; }
    /// Warnings from writing.
    Warnings warnings;

private:
    using Task = std::function<void()>;
    std::string finish();
    /// Schedules `tasks` next, in order.
    void next(std::vector<Task> tasks);
    Task op(void (Pickler::*write)()) {
        return [this, write] { (m_pickler.*write)(); };
    }
    Task text(std::string value) {
        return [this, value = std::move(value)] { m_pickler.text(value); };
    }
    /// Adds a step that schedules no others. Runs it at once unless earlier steps wait.
    template<class Work> void flat(std::vector<Task>& tasks, Work work) {
        if (tasks.empty()) work();
        else tasks.push_back(std::move(work));
    }
    void flatOp(std::vector<Task>& tasks, void (Pickler::*write)()) {
        if (tasks.empty()) (m_pickler.*write)();
        else tasks.push_back(op(write));
    }
    void flatText(std::vector<Task>& tasks, std::string_view value) {
        if (tasks.empty()) m_pickler.text(value);
        else tasks.push_back(text(std::string(value)));
    }
    /// Writes the name of a field or attribute.
    void flatName(std::vector<Task>& tasks, std::string_view value) {
        if (tasks.empty()) m_pickler.name(value);
        else tasks.push_back([this, name = std::string(value)] { m_pickler.name(name); });
    }
    /// Adds a tensor. Only a tensor that is an object of the file schedules further steps.
    void addTensor(std::vector<Task>& tasks, const TensorPtr& each) {
        if (each && objectOf(each->origin) != kNoPickle) tasks.push_back([this, &each] { tensor(each); });
        else flat(tasks, [this, &each] { tensor(each); });
    }
    Task remember(PickleRef ref) {
        return [this, ref] { m_objects[ref] = m_pickler.put(); };
    }
    Task copy(PickleRef ref) {
        return [this, ref] { object(ref); };
    }
    void addCopy(std::vector<Task>& tasks, PickleRef ref);
    bool isEmptyTuple(PickleRef ref) const;
    bool isEmptyOrderedDict(PickleRef ref) const;
    const PickleArena& arena() const { return m_origin->file->arena(); }
    /// Returns the object of the original file; kNoPickle if it is new or comes from another file.
    PickleRef objectOf(const FileObject& place) const { return m_origin ? m_origin->file->objectAt(place) : kNoPickle; }

    void object(PickleRef ref);
    void container(PickleRef ref);
    void contents(std::vector<Task>& tasks, PickleRef ref);
    void call(PickleRef ref);
    void storageReference(PickleRef persistent);
    void module(const Module& module);
    void newModule(const Module& module);
    void standardFields(std::vector<Task>& tasks, const Module& module);
    void hookFields(std::vector<Task>& tasks, const Module& module);
    void newHooks(const Argument& hooks);
    void graphModule(const Module& module, const GraphModule& graphModule, PickleRef object);
    /// Writes the fields of a module's dictionary. A GraphModule has `code` and `tracer`.
    void fields(std::vector<Task>& tasks, const Module& module, PickleRef state, const std::string* code,
                const std::string& tracer = {});
    void flatWeights(std::vector<Task>& tasks, const Module& module);
    void keptField(std::vector<Task>& tasks, const Module& module, std::string_view name, PickleRef value);
    /// The fields that define the members of a module, in the order of a new module.
    enum class Own : std::uint8_t { Training, Parameters, Buffers, NonPersistent, Modules };
    static constexpr std::array<std::string_view, 5> kOwnFields{"training", "_parameters", "_buffers",
                                                                "_non_persistent_buffers_set", "_modules"};
    static std::optional<Own> ownNamed(std::string_view name);
    void ownField(std::vector<Task>& tasks, const Module& module, Own field, PickleRef before);
    void nonPersistentNames(const Module& module);
    void slots(std::vector<Task>& tasks, const Module& module, const std::vector<Module::Slot>& all, PickleRef before);
    void secondNames(std::vector<Task>& tasks, const Module& module, PickleRef before);
    void tensor(const TensorPtr& tensor);
    void newTensor(const TensorRef& tensor);
    void quantizedTensor(const TensorRef& tensor);
    void scriptObject(std::vector<Task>& tasks, const Module& module, const std::string& type);
    void packedParams(std::vector<Task>& tasks, const Module& module);
    void argument(const Argument& argument);
    void addArgument(std::vector<Task>& tasks, const Argument& value);
    void plainArgument(const Argument& argument);
    void made(std::string_view module, std::string_view name, const std::vector<Argument>& args);
    std::size_t storageKey(const std::shared_ptr<const Storage>& storage, std::uint64_t bytes);

    const GraphModule& m_model;
    const GenerateCode& m_generate;
    const Progress& m_progress;
    const GraphModuleOrigin* m_origin = nullptr; ///< null if the model has a different origin
    Pickler m_pickler;
    Pickler::Recurring m_noHooks, m_emptySet;
    std::vector<Task> m_left; ///< in reverse order
    std::unordered_map<PickleRef, std::uint32_t> m_objects;
    std::unordered_map<PickleRef, bool> m_open; ///< tuples being written
    std::unordered_map<const Module*, std::uint32_t> m_modules;
    std::unordered_map<const TensorRef*, std::uint32_t> m_tensors;
    std::unordered_map<PickleRef, const Module*> m_modulesOf; ///< modules of the tree by their origin
    std::unordered_set<PickleRef> m_tensorsOf;                ///< origins of the tensors in the tree
    std::vector<std::pair<std::shared_ptr<const Storage>, std::uint64_t>> m_storages;
    std::unordered_map<const Storage*, std::size_t> m_storageKeys;
};

/// Writes the archive of a pickle and its storages, like torch.save.
void writeTorchFile(const std::string& path, std::string_view pickle,
                    const std::vector<std::pair<std::shared_ptr<const Storage>, std::uint64_t>>& storages,
                    const Progress& progress);

} // namespace fx
