// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/graphmodule/folder_reader.h"

#include "core/files/file_below.h"
#include "core/files/read_text.h"
#include "core/io/graphmodule/folder_modules.h"
#include "core/io/graphmodule/folder_source.h"
#include "core/io/graphmodule/graphmodule_reader.h"
#include "core/io/graphmodule/loaded_root.h"
#include "core/io/graphmodule/module_reader.h"
#include "core/trace/allowance.h"

#include <algorithm>

namespace fx {

namespace {

constexpr std::uint64_t kMaxSource = 256 << 20;

std::string readSource(const std::string& folder, const std::string& name) {
    const auto file = openBelow(folder, name);
    if (file->size() > kMaxSource) throw Error(ErrorKind::File, Message("folder.too_large")).in(file->path());
    return readText(*file, kMaxSource);
}

std::shared_ptr<TorchFile> openTorchFile(std::shared_ptr<const DataFile> file, const Progress& progress) {
    if (!ZipArchive::looksLikeZip(*file))
        throw Error(ErrorKind::File, Message("folder.not_torch_save")).in(file->path());
    return TorchFile::open(ZipArchive::open(std::move(file)), progress);
}

class FolderReader {
public:
    FolderReader(const std::string& folder, const Progress& progress, bool keepsContent)
        : m_folder(folder), m_progress(progress), m_keepsContent(keepsContent) {}

    std::shared_ptr<GraphModule> read(const Retrace& follow, const Retrace& retrace) {
        trace::Allowance allowance(trace::Allowance::kMostStatements, m_progress); // of all GraphModules in the folder
        const trace::Spending spending(allowance);
        const std::string path = m_folder + "/module.py";
        FolderSource source = parseFolderSource(readSource(m_folder, "module.py"), path);
        m_state = addFile("state_dict.pt");
        auto result = std::make_shared<GraphModule>();
        m_model = result.get();
        m_retrace = &retrace;
        result->format = Format::Folder;
        result->path = m_folder;
        result->className = result->root->className = source.className;
        result->root->classModule = "torch.fx.graph_module";
        if (source.unquotedText) note(Message("folder.bare_word"));
        for (const FolderSource::Entry& entry : source.entries) add(entry);
        m_origin->code = source.code;
        m_origin->importBlock = source.importBlock;
        result->origin = m_origin;
        follow(*result, source.importBlock, source.code, m_progress);
        applyLoad(*result);
        for (const auto& file : m_origin->files)
            for (Warning& warning : file->warnings) result->warnings.push_back(std::move(warning));
        return result;
    }

private:
    std::shared_ptr<TorchFile> addFile(const std::string& name) {
        auto file = openBelow(m_folder, name);
        if (m_keepsContent && file->keepContent(m_mayKeep)) m_mayKeep -= std::min(m_mayKeep, file->size());
        m_origin->files.push_back(openTorchFile(std::move(file), m_progress));
        return m_origin->files.back();
    }

    void note(const Message& what, const std::string& path = {}) {
        m_model->warnings.push_back({what, {}, path, "module.py"});
        m_model->notLoadable = true;
    }

    void add(const FolderSource::Entry& entry) {
        using Kind = FolderSource::Entry::Kind;
        Module& root = *m_model->root;
        switch (entry.kind) {
        case Kind::Buffer: root.buffers.push_back({entry.name, tensor(entry, false)}); break;
        case Kind::Parameter: root.parameters.push_back({entry.name, tensor(entry, true)}); break;
        case Kind::PickledModule: root.children.push_back({entry.name, pickled(entry)}); break;
        case Kind::Module: {
            auto module = folderModule(entry);
            if (!module)
                throw Error(ErrorKind::File, Message("folder.unknown_class", {{"name", entry.className}}))
                    .in(m_folder + "/module.py")
                    .at(TextPlace{entry.line});
            fillSlots(*module, entry.name);
            root.children.push_back({entry.name, std::move(module)});
        }
        }
    }

    std::shared_ptr<Module> pickled(const FolderSource::Entry& entry) {
        const auto file = addFile(entry.file);
        ModuleReader reader(*file);
        auto module = reader.read(file->arena().root());
        traceGraphModules(reader.graphModules(), entry.name, *m_model, file->arena(), *m_retrace, m_progress);
        for (Warning& warning : reader.warnings()) {
            warning.modulePath = entry.name + (warning.modulePath.empty() ? "" : "." + warning.modulePath);
            m_model->warnings.push_back(std::move(warning));
        }
        return module;
    }

    /// The tensor of the state dict; a parameter of ours if it is one of the module.
    TensorPtr fromState(const std::string& key, bool isParameter) {
        const PickleRef ref = m_state->arena().find(m_state->arena().root(), key);
        const TensorPtr found = ref == kNoPickle ? nullptr : m_state->tensor(ref);
        if (!found || !isParameter) return found;
        TensorRef parameter = *found;
        parameter.isParameter = true;
        parameter.requiresGrad = parameter.dtype <= DType::BFloat16 || parameter.dtype == DType::Complex64 ||
                                 parameter.dtype == DType::Complex128;
        return std::make_shared<const TensorRef>(std::move(parameter));
    }

    TensorPtr tensor(const FolderSource::Entry& entry, bool isParameter) {
        if (TensorPtr found = fromState(entry.name, isParameter)) {
            if (found->sizes != entry.sizes) note(Message("folder.size_mismatch", {{"name", entry.name}}));
            return found;
        }
        note(Message("folder.no_values", {{"name", entry.name}}));
        TensorRef empty;
        const auto dtype = dtypeFromName(entry.dtype);
        empty.dtype = dtype.value_or(DType::Other);
        if (!dtype) empty.dtypeText = entry.dtype;
        empty.sizes = entry.sizes;
        empty.strides.assign(entry.sizes.size(), 0);
        empty.device = "meta";
        empty.isParameter = isParameter;
        if (const std::string problem = empty.geometryProblem(); !problem.empty())
            throw Error(ErrorKind::File, Message("graphmodule.tensor_geometry", {{"problem", problem}}))
                .in(m_folder + "/module.py")
                .at(TextPlace{entry.line});
        return std::make_shared<const TensorRef>(std::move(empty));
    }

    void fillSlots(Module& module, const std::string& name) {
        for (auto* slots : {&module.parameters, &module.buffers})
            for (Module::Slot& slot : *slots)
                slot.tensor = fromState(name + "." + slot.name, slots == &module.parameters);
    }

    const std::string& m_folder;
    const Progress& m_progress;
    const bool m_keepsContent;
    std::uint64_t m_mayKeep = DataFile::kMostInMemory; ///< of all files together
    std::shared_ptr<FolderOrigin> m_origin = std::make_shared<FolderOrigin>();
    std::shared_ptr<TorchFile> m_state;
    const Retrace* m_retrace = nullptr;
    GraphModule* m_model = nullptr;
};

} // namespace

std::shared_ptr<GraphModule> readFolder(const std::string& folder, const Retrace& read, const Retrace& retrace,
                                        const Progress& progress, bool keepsContent) {
    return FolderReader(folder, progress, keepsContent).read(read, retrace);
}

} // namespace fx
