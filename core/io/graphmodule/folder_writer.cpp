// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/graphmodule/folder_writer.h"

#include "core/base/listed.h"
#include "core/files/replaced_file.h"
#include "core/files/replaced_folder.h"
#include "core/io/graphmodule/object_writer.h"
#include "core/module/module_paths.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace fx {
namespace {

namespace fs = std::filesystem;

Error refused(const Message& what) { return Error(ErrorKind::Refused, what); }

/// A tensor that the code computes when the folder is imported is not stored.
bool isStored(const TensorPtr& tensor) { return tensor && !(tensor->storage && tensor->storage->isExpression()); }

/// `state_dict()` of the model: modules with several names count under each. Throws Error{Refused} for too many paths.
std::vector<std::pair<std::string, TensorPtr>> stateDict(const Module& root, const Progress& progress) {
    progress.check();
    requireFewPaths(root);
    std::vector<std::pair<std::string, TensorPtr>> entries;
    std::vector<std::pair<std::string, const Module*>> open{{"", &root}};
    while (!open.empty()) {
        progress.check();
        const auto [prefix, module] = open.back();
        open.pop_back();
        for (const auto& slot : module->parameters)
            if (isStored(slot.tensor)) entries.emplace_back(prefix + slot.name, slot.tensor);
        for (const auto& slot : module->buffers)
            if (isStored(slot.tensor) && (slot.persistent || module == &root))
                entries.emplace_back(prefix + slot.name, slot.tensor); // module.py makes the root's persistent
        for (auto child = module->children.rbegin(); child != module->children.rend(); ++child)
            if (child->module) open.emplace_back(prefix + child->name + ".", child->module.get());
    }
    return entries;
}

std::string listText(const std::vector<std::int64_t>& sizes) { return "[" + joined(sizes) + "]"; }

/// torch.fx `_addindent(text, 4)`.
std::string indented(const std::string& text) {
    std::string out;
    for (const char c : text) {
        out += c;
        if (c == '\n') out += "    ";
    }
    return out;
}

/// Whether the code of a folder may have it between single quotes.
bool isQuotable(std::string_view name) {
    return std::none_of(name.begin(), name.end(),
                        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\'' || c == '\\'; });
}

/// Text of a comment.
std::string oneLine(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    return text;
}

void requireQuotableSlots(const std::vector<Module::Slot>& slots) {
    for (const auto& slot : slots)
        if (!isQuotable(slot.name))
            throw refused(Message("folder.bad_name", {{"name", slot.name}})).onModule(slot.name);
}

/// The children that get a file each, in order. Throws for one that cannot have a file.
std::vector<const Module::Child*> childrenToWrite(const Module& root) {
    std::vector<const Module::Child*> children;
    std::set<const Module*> met;
    for (const auto& child : root.children) {
        if (!child.module) continue;
        if (!met.insert(child.module.get()).second)
            throw refused(Message("folder.two_names", {{"name", child.name}})).onModule(child.name);
        if (child.name == "state_dict" || child.name.find('/') != std::string::npos || !isQuotable(child.name))
            throw refused(Message("folder.bad_name", {{"name", child.name}})).onModule(child.name);
        children.push_back(&child);
    }
    return children;
}

/// That of the graph as it is; tied tensors may have another name in the code of the file that it came from.
SavedCode codeOf(const GraphModule& model, const GenerateCode& generate) {
    try {
        return generate(model);
    } catch (const Error&) {
        if (auto kept = keptCode(model)) return *kept;
        throw;
    }
}

/// That all in a folder is of this kind. `folder`: the path that the user knows it by.
void checkContent(const std::string& path, const std::string& folder) {
    std::error_code failed;
    if (!fs::is_empty(path, failed) && !fs::exists(fs::path(path) / "module.py", failed))
        throw refused(Message("folder.not_a_model_folder")).in(folder);
    for (const auto& entry : fs::directory_iterator(path, failed)) {
        const std::string name = entry.path().filename().string();
        if (!name.ends_with(".pt") && name != "module.py" && name != "__init__.py" && name != "__pycache__")
            throw refused(Message("folder.would_lose", {{"name", name}})).in(folder);
    }
}

FolderCheck contentCheck(const std::string& folder) {
    return [folder](const std::string& path) { checkContent(path, folder); };
}

class FolderWriter {
public:
    FolderWriter(const GraphModule& model, std::string folder, const GenerateCode& generate, const Progress& progress,
                 const std::function<void()>& check)
        : m_model(model), m_folder(withoutSlash(std::move(folder))), m_generate(generate), m_progress(progress),
          m_check(check) {}

    Warnings write() {
        checkFolderTarget(m_folder);
        const SavedCode code = codeOf(m_model, m_generate);
        m_beside.emplace(m_folder, contentCheck(m_folder));
        m_beside->fill([&] { fill(code); });
        m_beside->commit(m_check);
        return std::move(m_warnings);
    }

private:
    void fill(const SavedCode& code) {
        std::string source = "\n" + std::string(code.imports) +
                             "\n\nfrom torch.nn import *\nclass FxModule(torch.nn.Module):\n    def __init__(self):\n  "
                             "      super().__init__()\n";
        source += children() + tensors();
        source += "        self.load_state_dict(torch.load(r'" + m_folder + "/state_dict.pt'))\n" +
                  indented(code.text) + "\n";
        ObjectWriter state(m_model, m_generate, m_progress);
        writeTorchFile(m_beside->path() + "/state_dict.pt", state.runTensors(stateDict(*m_model.root, m_progress)),
                       state.storages(), m_progress);
        text("module.py", source);
        text("__init__.py", "from .module import *");
    }

    std::string children() {
        std::string source;
        for (const Module::Child* child : childrenToWrite(*m_model.root)) {
            ObjectWriter writer(m_model, m_generate, m_progress);
            const std::string pickle = writer.runModule(*child->module);
            writeTorchFile(m_beside->path() + "/" + child->name + ".pt", pickle, writer.storages(), m_progress);
            m_warnings.insert(m_warnings.end(), writer.warnings.begin(), writer.warnings.end());
            source += "        setattr(self, '" + child->name + "', torch.load(r'" + m_folder + "/" + child->name +
                      ".pt', weights_only=False)) # " + oneLine(child->module->className) + "()\n";
        }
        return source;
    }

    std::string tensors() {
        requireQuotableSlots(m_model.root->buffers);
        requireQuotableSlots(m_model.root->parameters);
        std::string source;
        for (const auto& slot : m_model.root->buffers) {
            if (!isStored(slot.tensor)) continue;
            if (!slot.persistent)
                m_warnings.push_back({Message("folder.becomes_persistent", {{"name", slot.name}}), {}, {}, {}});
            source += "        self.register_buffer('" + slot.name + "', torch.empty(" + listText(slot.tensor->sizes) +
                      ", dtype=" + std::string(dtypeName(slot.tensor->dtype)) + "))\n";
        }
        for (const auto& slot : m_model.root->parameters)
            if (slot.tensor)
                source += "        setattr(self, '" + slot.name + "', torch.nn.Parameter(torch.empty(" +
                          listText(slot.tensor->sizes) + ", dtype=" + std::string(dtypeName(slot.tensor->dtype)) +
                          ")))\n";
        return source;
    }

    void text(const std::string& name, const std::string& content) {
        ReplacedFile file(m_beside->path() + "/" + name);
        file.write(content);
        file.commit();
    }

    const GraphModule& m_model;
    std::string m_folder;
    std::optional<ReplacedFolder> m_beside;
    const GenerateCode& m_generate;
    const Progress& m_progress;
    const std::function<void()>& m_check;
    Warnings m_warnings;
};

} // namespace

std::string lostInFolder(const Module& root) {
    std::unordered_map<const void*, std::pair<std::string, const Module*>>
        places; // the first place, and the child it is in
    std::string found;
    for (const auto* slots : {&root.parameters, &root.buffers})
        for (const auto& slot : *slots) {
            if (!slot.tensor) continue;
            places.try_emplace(slot.tensor.get(), slot.name, nullptr);
            if (slots == &root.parameters && !slot.tensor->requiresGrad)
                found = slot.name + " becomes trainable in a folder";
        }
    for (const auto& child : root.children) {
        if (!child.module) continue;
        const auto meet = [&](const void* what, const std::string& path) {
            const auto [place, isNew] = places.try_emplace(what, path, child.module.get());
            if (!isNew && place->second.second != child.module.get() && found.empty())
                found = place->second.first + " and " + path +
                        " are one; a folder keeps its children in files of their own and makes two of them";
        };
        forEachModule(*child.module, [&](const std::string& path, const Module& module) {
            const std::string prefix = child.name + (path.empty() ? "" : "." + path);
            meet(&module, prefix);
            for (const auto* slots : {&module.parameters, &module.buffers})
                for (const auto& slot : *slots)
                    if (slot.tensor) meet(slot.tensor.get(), prefix + "." + slot.name);
        });
    }
    return found;
}

void checkFolder(const GraphModule& model, const GenerateCode& generate, const Progress& progress) {
    (void)codeOf(model, generate);
    for (const Module::Child* child : childrenToWrite(*model.root))
        (void)ObjectWriter(model, generate, progress).runModule(*child->module);
    (void)ObjectWriter(model, generate, progress).runTensors(stateDict(*model.root, progress));
}

/// Only a folder of this kind, or nothing, may be replaced.
void checkFolderTarget(const std::string& path) {
    const std::string folder = withoutSlash(path);
    checkFolderPlace(folder, contentCheck(folder));
}

Warnings writeFolder(const GraphModule& model, const std::string& folder, const GenerateCode& generate,
                     const Progress& progress, const std::function<void()>& check) {
    return FolderWriter(model, folder, generate, progress, check).write();
}

} // namespace fx
