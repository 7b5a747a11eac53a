// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pt2/pt2_writer.h"

#include "core/files/replaced_file.h"
#include "core/io/pt2/pt2_form.h"
#include "core/io/pt2/pt2_payload_writer.h"
#include "core/io/pt2/pt2_signature_writer.h"
#include "core/io/zip/zip_writer.h"

#include <algorithm>
#include <filesystem>

namespace fx {
namespace {

void readAgain(const Pt2Origin& origin, GraphModule& before, Pt2Context& context) {
    const JsonValue module = origin.document->root().at("graph_module");
    for (const JsonValue spec : module.at("signature").at("input_specs"))
        context.inputNames.push_back(pt2SpecName(spec));
    Pt2GraphBuilder(before, context).build(module.at("graph"));
}

class Pt2Writer {
public:
    Pt2Writer(const GraphModule& model, const Pt2Origin& origin, const Progress& progress)
        : m_model(pt2Form(model)), m_origin(origin), m_progress(progress), m_weights(m_model, origin, true),
          m_constants(m_model, origin, false) {}

    Warnings write(const std::string& path) {
        m_record = "models/" + m_origin.modelName + ".json";
        m_samples = "data/sample_inputs/" + m_origin.modelName + ".pt";
        const std::string text = program();
        const std::string root = std::filesystem::path(path).stem().string() + "/";
        ReplacedFile file(path);
        ZipWriter zip([&file](std::string_view bytes) { file.write(bytes); });
        const auto& members = m_origin.archive.members();
        for (std::size_t i = 0; i < members.size(); ++i) {
            m_progress.report("writing", static_cast<double>(i) / static_cast<double>(members.size()));
            member(zip, root, members[i], text);
        }
        zip.finish();
        file.commit();
        return std::move(m_warnings);
    }

private:
    /// The JSON of the model.
    std::string program() {
        GraphModule before;
        Pt2Context context(m_progress);
        Pt2GraphsAsRead asRead;
        context.asRead = &asRead;
        const JsonValue root = m_origin.document->root(), module = root.at("graph_module");
        readAgain(m_origin, before, context);
        JsonWriter json;
        Pt2GraphWriter graph(json, m_model, before, asRead, m_warnings);
        Pt2SignatureWriter signature(json, graph, m_model, before, module, m_warnings);
        m_inputsChanged = signature.inputsChanged();
        json.beginObject();
        for (const JsonValue member : root) {
            json.key(member.key());
            if (member.key() == "graph_module") graphModule(json, member, graph, signature);
            else if (member.key() == "guards_code" && m_inputsChanged) json.beginArray().endArray();
            else copyJson(json, member);
        }
        json.endObject();
        return json.text();
    }

    void graphModule(JsonWriter& json, JsonValue module, Pt2GraphWriter& graph, Pt2SignatureWriter& signature) {
        json.beginObject().key("graph");
        graph.write();
        for (const JsonValue member : module) {
            if (member.key() == "graph") continue;
            json.key(member.key());
            if (member.key() == "signature") signature.write(member);
            else if (member.key() == "module_call_graph") signature.writeCallGraph(member);
            else copyJson(json, member);
        }
        json.endObject();
    }

    void member(ZipWriter& zip, const std::string& root, const ZipMember& member, const std::string& text) {
        m_progress.check();
        const std::string name = member.name.substr(m_origin.archive.root().size());
        if (name.ends_with('/')) return;
        if (name == m_record) return zip.add(root + name, text);
        if (m_inputsChanged && name == m_samples)
            return zip.add(root + name, ""); // as of a program with `example_inputs` None
        for (const Pt2PayloadWriter* payload : {&m_weights, &m_constants}) {
            if (!name.starts_with(payload->folder)) continue;
            const std::string inFolder = name.substr(payload->folder.size());
            if (payload->owned.contains(inFolder)) return; // with the configuration
            if (inFolder != payload->configuration) continue;
            for (const auto& record : payload->records) {
                m_progress.check();
                zip.add(root + payload->folder + record.name, *record.storage, record.storage->byteCount());
            }
            return zip.add(root + name, payload->text);
        }
        const auto storage = m_origin.archive.storage(member);
        zip.add(root + name, *storage, storage->byteCount());
    }

    GraphModule m_model;
    const Pt2Origin& m_origin;
    const Progress& m_progress;
    Pt2PayloadWriter m_weights, m_constants;
    std::string m_record, m_samples;
    bool m_inputsChanged = false; ///< the user's inputs are no longer those of the file
    Warnings m_warnings;
};

} // namespace

Graph pt2GraphAsRead(const GraphModule& model, const Progress& progress) {
    GraphModule before;
    if (const auto* origin = dynamic_cast<const Pt2Origin*>(model.origin.get())) {
        Pt2Context context(progress);
        readAgain(*origin, before, context);
    }
    return std::move(before.graph);
}

Warnings writePt2(const GraphModule& model, const std::string& path, const Progress& progress) {
    const auto* origin = dynamic_cast<const Pt2Origin*>(model.origin.get());
    if (!origin) throw Error(ErrorKind::Refused, Message("pt2.no_signature")).in(path);
    return Pt2Writer(model, *origin, progress).write(path);
}

} // namespace fx
