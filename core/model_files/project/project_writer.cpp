// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/sha256.h"
#include "core/edit/steps/step_files.h"
#include "core/files/replaced_file.h"
#include "core/io/graphmodule/graphmodule_reader.h"
#include "core/io/ir_json/ir_json.h"
#include "core/io/pt2/pt2.h"
#include "core/io/zip/file_inside.h"
#include "core/io/zip/zip_writer.h"
#include "core/ir/print.h"
#include "core/json/json_writer.h"
#include "core/model_files/project/project.h"
#include "core/torchscript/called_file.h"
#include "core/torchscript/extra_files.h"

#include <filesystem>
#include <map>

namespace fx {
namespace {

/// The file that a model was read from, where it is one archive that can be read again.
const ZipArchive* archiveOf(const GraphModule& model) {
    if (const auto* saved = dynamic_cast<const GraphModuleOrigin*>(model.origin.get())) return saved->file->archive();
    if (const auto* exported = dynamic_cast<const Pt2Origin*>(model.origin.get())) return &exported->archive;
    return nullptr;
}

class ProjectWriter {
public:
    ProjectWriter(const Project& project, const GraphModule& current, const std::string& path, const Progress& progress)
        : m_project(project), m_current(current), m_original(project.original ? *project.original : current),
          m_archive(archiveOf(m_original)), m_path(path), m_progress(progress), m_file(path),
          m_zip([this](std::string_view bytes) {
              m_progress.check();
              m_file.write(bytes);
          }) {}

    void write() {
        m_json.beginObject(JsonWriter::Layout::Lines).key("lancet").integer(1);
        m_json.key("graph").string(sha256(graphText(m_current.graph)));
        original();
        edits();
        // Without the archive that the original would be, the model itself is all there is.
        if (m_project.isApart && (m_archive || m_project.original)) {
            m_json.key("current");
            describe(m_current, "current.json");
        }
        if (!m_project.view.empty()) m_zip.add("view.json", m_project.view);
        if (!m_project.inputs.empty()) m_zip.add("inputs.json", m_project.inputs);
        m_zip.add("lancet.json", m_json.endObject().text() + "\n");
        m_zip.finish();
        m_file.commit();
    }

private:
    void original() {
        m_json.key("original");
        if (!m_archive) return describe(m_original, "original.json");
        const std::string name =
            dynamic_cast<const Pt2Origin*>(m_original.origin.get()) ? "original.pt2" : "original.pt";
        m_progress.report("writing the original", 0);
        m_zip.add(name, *Storage::inFile(m_archive->file(), m_archive->start(), m_archive->byteCount()),
                  m_archive->byteCount());
        m_json.beginObject().key("archive").string(name);
        about(m_original);
        m_json.endObject();
    }

    void about(const GraphModule& model) {
        m_json.key("format")
            .string(formatName(model.format))
            .key("path")
            .string(model.path)
            .key("model_name")
            .string(model.modelName);
    }

    void describe(const GraphModule& model, const std::string& name) {
        const IrDescription ir = describeAsIr(script::withRelativePaths(model, m_path), m_progress);
        m_zip.add(name, ir.text);
        m_json.beginObject(JsonWriter::Layout::Lines).key("description").string(name);
        about(model);
        m_json.key("weights").beginArray(JsonWriter::Layout::Lines);
        for (const SafetensorsEntry& entry : ir.weights.entries) weight(entry);
        m_json.endArray();
        if (&model == &m_original) extraFiles();
        m_json.endObject();
    }

    void extraFiles() {
        const auto files = script::extraFilesOf(m_original);
        if (files.empty()) return;
        m_json.key("extra_files").beginArray(JsonWriter::Layout::Lines);
        for (const script::ExtraFile& file : files)
            m_json.beginObject().key("name").string(file.name).key("data").string(data(file.content)).endObject();
        m_json.endArray();
    }

    void weight(const SafetensorsEntry& entry) {
        m_json.beginObject()
            .key("name")
            .string(entry.name)
            .key("dtype")
            .string(entry.dtype)
            .key("shape")
            .integers(entry.shape);
        if (const auto place = placeInOriginal(*entry.storage))
            m_json.key("in_original").integer(static_cast<std::int64_t>(*place));
        else m_json.key("data").string(data(entry.storage));
        m_json.endObject();
    }

    std::optional<std::uint64_t> placeInOriginal(const Storage& storage) const {
        if (!m_archive || !storage.file() || storage.file() != m_archive->file()) return {};
        const std::uint64_t from = storage.fileOffset(), start = m_archive->start();
        if (from < start || from - start > m_archive->byteCount() ||
            storage.byteCount() > m_archive->byteCount() - (from - start))
            return {};
        return from - start;
    }

    std::string data(const std::shared_ptr<const Storage>& storage) {
        const auto [known, isNew] = m_data.emplace(storage, "data/" + std::to_string(m_data.size()));
        if (isNew) m_zip.add(known->second, *storage, storage->byteCount());
        return known->second;
    }

    /// The files that steps read go along.
    FilePaths carried(const StepList& steps) {
        FilePaths members;
        for (const std::string& path : filesInSteps(steps)) {
            const auto [known, isNew] = m_files.try_emplace(path);
            if (isNew) {
                known->second =
                    "files/" + std::to_string(m_files.size()) + std::filesystem::path(path).extension().string();
                std::shared_ptr<const DataFile> file;
                try {
                    file = openFileInside(path);
                } catch (const Error& error) {
                    throw Error(ErrorKind::Refused,
                                Message("project.missing_step_file",
                                        {{"reason", error.what()}, {"cause", error.message().code()}}))
                        .in(path);
                }
                m_zip.add(known->second, *Storage::inFile(file, 0, file->size()), file->size());
            }
            members.emplace_back(path, known->second);
        }
        return members;
    }

    void edits() {
        m_json.key("edits").beginArray(JsonWriter::Layout::Lines);
        std::size_t number = 0;
        for (const Project::Edit& edit : m_project.edits) {
            const std::string name = "edits/" + std::to_string(++number) + ".json";
            const auto time =
                std::chrono::duration_cast<std::chrono::milliseconds>(edit.time.time_since_epoch()).count();
            m_zip.add(name, withFiles(edit.steps, carried(edit.steps)).text());
            m_json.beginObject()
                .key("name")
                .string(edit.name)
                .key("time")
                .integer(time)
                .key("steps")
                .string(name)
                .endObject();
        }
        m_json.endArray().key("version").integer(static_cast<std::int64_t>(m_project.version));
    }

    const Project& m_project;
    const GraphModule &m_current, &m_original;
    const ZipArchive* const m_archive; ///< in the origin of m_original
    const std::string m_path;
    const Progress& m_progress;
    ReplacedFile m_file;
    ZipWriter m_zip;
    JsonWriter m_json;
    std::unordered_map<std::shared_ptr<const Storage>, std::string> m_data;
    std::map<std::string, std::string> m_files; ///< that steps read, and their members
};

} // namespace

void writeProject(const Project& project, const GraphModule& current, const std::string& path,
                  const Progress& progress) {
    ProjectWriter(project, current, path, progress).write();
}

} // namespace fx
