// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/sha256.h"
#include "core/edit/steps/step_files.h"
#include "core/edit/steps/step_memory.h"
#include "core/edit/steps/steps.h"
#include "core/io/ir_json/ir_json.h"
#include "core/io/zip/file_inside.h"
#include "core/ir/print.h"
#include "core/model_files/project/project.h"
#include "core/torchscript/called_file.h"
#include "core/torchscript/extra_files.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace fx {
namespace {

constexpr std::uint64_t kMaxText = std::uint64_t{2} << 30;

/// `milliseconds` since 1970; nothing that does not fit into a clock.
std::chrono::system_clock::time_point timeOf(std::int64_t milliseconds) {
    constexpr std::int64_t kYear2170 = 6'311'433'600'000;
    return std::chrono::system_clock::time_point(
        std::chrono::milliseconds(std::clamp<std::int64_t>(milliseconds, 0, kYear2170)));
}

class ProjectReader {
public:
    /// Without `readers` no edits are repeated.
    ProjectReader(const ZipArchive& archive, const OpenArchive& openOriginal, const Progress& progress,
                  const Readers* readers)
        : m_archive(archive), m_open(openOriginal), m_progress(progress), m_readers(readers) {}

    OpenedProject read() {
        const auto document = JsonDocument::parse(text("lancet.json"), m_progress, JsonDocument::Positions::Keep);
        const JsonValue root = document->root(), version = root.needObject().at("lancet");
        if (version.kind() != JsonValue::Kind::Int || version.asInt() != 1)
            throw version.error(Message("project.version"));
        Project project;
        const auto original = model(root.at("original"));
        original->modelNames.clear(); // the others are in the original file
        project.original = original;
        std::set<std::string_view> parts; // many edits could name one long part, and each would hold its steps
        for (const JsonValue edit : root.at("edits").needArray()) {
            if (!parts.insert(edit.at("steps").asText()).second)
                throw edit.at("steps").error(Message("project.steps_twice"));
            project.edits.push_back({std::string(edit.at("name").asText()), carried(edit.at("steps").asText()),
                                     timeOf(edit.at("time").asInt())});
        }
        const std::int64_t count = root.at("version").asInt();
        if (count < 0 || static_cast<std::size_t>(count) > project.edits.size())
            throw root.at("version").error(Message("project.edit_count"));
        project.version = static_cast<std::size_t>(count);
        if (m_archive.find("view.json")) project.view = text("view.json");
        if (m_archive.find("inputs.json")) project.inputs = text("inputs.json");
        const JsonValue apart = root.find("current");
        project.isApart = apart.exists();
        const bool mayRepeat = m_readers || project.version == 0;
        auto current = project.isApart ? model(apart) : mayRepeat ? repeated(project) : nullptr;
        if (!current) return {std::move(project), nullptr};
        if (!current->origin && dynamic_cast<const script::ExtraFiles*>(project.original->origin.get()))
            current->origin = project.original->origin;
        if (sha256(graphText(current->graph)) != root.at("graph").asText())
            current->warnings.push_back({Message("project.other_graph"), {}, {}, {}});
        current->modelNames.clear();
        current->format = Format::Lancet;
        current->path = m_archive.file()->path();
        return {std::move(project), std::move(current)};
    }

private:
    const ZipMember& member(std::string_view name) const {
        const ZipMember* found = m_archive.find(name);
        if (!found) throw Error(ErrorKind::File, Message("project.no_part", {{"name", name}}));
        return *found;
    }
    std::string text(std::string_view name) const { return m_archive.readText(member(name), kMaxText); }

    /// Files of the project get paths under which they can be opened. Steps read no others: the project comes from
    /// anywhere, and what they read is part of the model.
    StepList carried(std::string_view name) const {
        const StepList steps = StepList::parse(text(name));
        FilePaths paths;
        for (const std::string& file : filesInSteps(steps)) {
            if (file.find(kInside) != std::string::npos)
                throw Error(ErrorKind::File, Message("project.no_part", {{"name", file}}));
            paths.emplace_back(file,
                               std::filesystem::absolute(m_archive.file()->path()).string() + "!/" + member(file).name);
        }
        for (const PassFile& pass : passFilesInSteps(steps)) // their result is kept; below a file there is nothing
            paths.emplace_back(pass.file, std::filesystem::absolute(m_archive.file()->path()).string() + "/" +
                                              std::filesystem::path(pass.file).filename().string());
        return withFiles(steps, paths);
    }

    std::shared_ptr<GraphModule> model(JsonValue value) {
        std::shared_ptr<GraphModule> model;
        if (const JsonValue name = value.needObject().find("archive"); name.exists()) {
            const ZipMember& inner = member(name.asText());
            if (!inner.stored) throw Error(ErrorKind::File, Message("project.compressed")).at(inner.name);
            OpenOptions options;
            options.modelName = value.at("model_name").asText();
            m_original.emplace(ZipArchive::open(m_archive.file(), m_archive.dataOffset(inner), inner.size));
            model = m_open(*m_original, options, m_progress);
        } else {
            IrDescription ir;
            ir.text = text(value.at("description").asText());
            for (const JsonValue weight : value.at("weights").needArray()) ir.weights.entries.push_back(entry(weight));
            model = readIrDescription(ir, m_archive.file()->path(), m_progress);
            script::findCalledFiles(*model, m_archive.file()->path());
            for (const Format format : {Format::GraphModule, Format::Folder, Format::Pt2, Format::TorchScript,
                                        Format::Python, Format::Ir, Format::Lancet, Format::CompileGraph})
                if (formatName(format) == value.at("format").asText()) model->format = format;
            if (const JsonValue files = value.find("extra_files"); files.exists() && !model->origin)
                model->origin = extraFiles(files);
        }
        model->path = value.at("path").asText();
        return model;
    }

    std::shared_ptr<const Origin> extraFiles(JsonValue list) const {
        auto out = std::make_shared<script::ExtraFiles>();
        for (const JsonValue file : list.needArray())
            out->files.push_back(
                {std::string(file.at("name").asText()), m_archive.storage(member(file.at("data").asText()))});
        return out;
    }

    SafetensorsEntry entry(JsonValue value) const {
        SafetensorsEntry entry{
            std::string(value.at("name").asText()), std::string(value.at("dtype").asText()), {}, nullptr};
        const auto dtype = dtypeFromSafetensors(entry.dtype);
        if (!dtype) throw value.at("dtype").error(Message("project.element_type"));
        std::uint64_t bytes = elementSize(*dtype);
        for (const JsonValue size : value.at("shape").needArray()) {
            if (size.asInt() < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size.asInt()), &bytes))
                throw size.error(Message("project.size"));
            entry.shape.push_back(size.asInt());
        }
        const JsonValue place = value.find("in_original");
        if (place.exists() && (!m_original || place.asInt() < 0)) throw place.error(Message("project.no_original"));
        entry.storage = place.exists() ? inOriginal(static_cast<std::uint64_t>(place.asInt()), bytes)
                                       : m_archive.storage(member(value.at("data").asText()));
        if (entry.storage->byteCount() != bytes) throw value.error(Message("project.byte_count"));
        return entry;
    }

    std::shared_ptr<const Storage> inOriginal(std::uint64_t place, std::uint64_t bytes) const {
        if (place > m_original->byteCount() || bytes > m_original->byteCount() - place)
            throw Error(ErrorKind::File, Message("project.past_end"));
        return Storage::inFile(m_original->file(), m_original->start() + place, bytes);
    }

    /// The current model. Versions before it are not needed, so that a long history costs what its steps cost.
    std::shared_ptr<GraphModule> repeated(const Project& project) const {
        auto model = std::make_shared<GraphModule>(*project.original);
        StepMemory memory;
        for (std::size_t i = 0; i < project.version; ++i) {
            m_progress.check();
            try {
                for (const JsonValue step : project.edits[i].steps)
                    applyStep(*model, step, model->warnings, m_progress, NewWeights::Drawn, &memory, nullptr,
                              *m_readers);
            } catch (const Error& error) {
                if (error.kind() == ErrorKind::Cancelled) throw;
                throw Error(ErrorKind::File, Message("project.edit", {{"number", i + 1}, {"reason", error.what()}}))
                    .at("edits/" + std::to_string(i + 1) + ".json")
                    .hinting(error.hint);
            }
        }
        return model;
    }

    const ZipArchive& m_archive;
    const OpenArchive& m_open;
    const Progress& m_progress;
    const Readers* m_readers;
    std::optional<ZipArchive> m_original;
};

} // namespace

OpenedProject readProject(const ZipArchive& archive, const OpenArchive& openOriginal, const Progress& progress,
                          const Readers& readers) {
    return ProjectReader(archive, openOriginal, progress, &readers).read();
}

OpenedProject readStoredProject(const ZipArchive& archive, const OpenArchive& openOriginal, const Progress& progress) {
    return ProjectReader(archive, openOriginal, progress, nullptr).read();
}

} // namespace fx
