// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/run_message.h"

#include "core/remote/message_fields.h"

namespace fx::remote {
namespace {

std::shared_ptr<const JsonDocument> parse(const Frame& frame) { return JsonDocument::parse(frame.json); }

std::string textOf(JsonValue object, std::string_view key) {
    const JsonValue value = object.find(key);
    return value.exists() && value.isString() ? std::string(value.asText()) : std::string();
}

void writeInputs(JsonWriter& json, TreeWriter& trees, const RunRequest& request) {
    json.key("seed")
        .string(std::to_string(request.seed))
        .key("threads")
        .integer(request.threads)
        .key("any_guess")
        .boolean(request.anyGuess)
        .key("random")
        .beginArray();
    for (const RandomInput& input : request.random) writeInput(json, input);
    json.endArray().key("given").beginArray(); // of each of them: null, or [what was read for it]
    for (const RandomInput& input : request.random) {
        if (!input.given) json.null();
        else trees.write(json.beginArray(), *input.given), json.endArray();
    }
    json.endArray();
    if (request.inputs) trees.write(json.key("inputs"), *request.inputs);
}

void readInputs(JsonValue root, const TreeReader& trees, RunRequest& request) {
    request.seed = std::strtoull(std::string(root.at("seed").asText()).c_str(), nullptr, 10);
    request.threads = static_cast<int>(root.at("threads").asInt());
    if (const JsonValue any = root.find("any_guess"); any.exists()) request.anyGuess = any.asBool();
    for (const JsonValue input : root.at("random").needArray()) request.random.push_back(readInput(input));
    if (const JsonValue given = root.find("given"); given.exists()) {
        std::size_t place = 0;
        for (const JsonValue value : given.needArray()) {
            if (place < request.random.size() && value.isArray() && value.size() == 1)
                request.random[place].given = trees.read(*value.begin());
            ++place;
        }
    }
    if (const JsonValue inputs = root.find("inputs"); inputs.exists()) request.inputs = trees.read(inputs);
}

} // namespace

Frame toFrame(const RunRequest& request, std::uint32_t number, bool local, std::string_view verb,
              const std::function<void(JsonWriter&, Frame&)>& more) {
    TreeWriter trees(local ? TreeWriter::Files::ByPlace : TreeWriter::Files::AsBytes);
    Frame frame{FrameKind::Request, number, {}, {}, {}};
    JsonWriter json;
    writeModel(json.beginObject().key("verb").string(verb).key("model"), request.model, frame);
    if (more) more(json, frame);
    writeInputs(json, trees, request);
    trees.writeTables(json);
    frame.json = json.endObject().text();
    frame.blob = trees.blob();
    for (std::string& file : trees.files()) frame.files.push_back(std::move(file));
    return frame;
}

RunRequest runRequest(const Frame& frame) {
    const auto document = parse(frame);
    const JsonValue root = document->root();
    const TreeReader trees(root, frame.blob, TreeWriter::Files::ByPlace);
    RunRequest out;
    out.model = readModel(root.at("model"));
    readInputs(root, trees, out);
    return out;
}

template<class Archive> void fields(Archive& field, RunResult& result) {
    field("output", result.output).micros("micros", result.millis)("guessed", result.guessed);
    field("warnings", result.warnings)("mode", result.mode);
}

Frame toFrame(const RunResult& result, std::uint32_t number) { return resultFrame<Tensors::Some>(result, number); }
RunResult runResult(const Frame& frame) { return resultOf<RunResult, Tensors::Some>(frame); }

Frame toFrame(const Error& error, std::uint32_t number) {
    JsonWriter json;
    json.beginObject().key("kind").integer(static_cast<std::int64_t>(error.kind())).key("what").string(error.what());
    writeMessageData(json, error.message());
    const std::pair<const char*, const std::string&> fields[] = {{"file", error.file},
                                                                 {"where", error.where},
                                                                 {"node", error.node},
                                                                 {"module_path", error.modulePath},
                                                                 {"source", error.source},
                                                                 {"hint", error.hint},
                                                                 {"command_line_hint", error.commandLineHint}};
    for (const auto& [key, text] : fields) json.key(key).string(text);
    json.key("line").integer(static_cast<std::int64_t>(error.textPlace.line));
    json.key("column").integer(static_cast<std::int64_t>(error.textPlace.column));
    json.key("side").integer(static_cast<std::int64_t>(error.side));
    json.endObject();
    return {FrameKind::Error, number, json.text(), {}, {}};
}

Error errorOf(const Frame& frame) {
    const auto document = parse(frame);
    const JsonValue root = document->root();
    const std::int64_t kind = root.at("kind").asInt();
    const bool known = kind >= 0 && kind <= static_cast<std::int64_t>(ErrorKind::Cancelled);
    Error error(known ? static_cast<ErrorKind>(kind) : ErrorKind::Run, readMessage(root, "what"));
    error.file = textOf(root, "file"), error.where = textOf(root, "where"), error.node = textOf(root, "node");
    error.modulePath = textOf(root, "module_path"), error.source = textOf(root, "source"),
    error.hint = textOf(root, "hint"), error.commandLineHint = textOf(root, "command_line_hint");
    const auto number = [&root](const char* key) {
        return static_cast<std::size_t>(std::max<std::int64_t>(root.at(key).asInt(), 0));
    };
    error.textPlace = {number("line"), number("column")};
    const std::int64_t side = root.at("side").asInt();
    if (side > 0 && side <= static_cast<std::int64_t>(Side::B)) error.side = static_cast<Side>(side);
    return error;
}

std::string verbOf(const Frame& frame) { return std::string(parse(frame)->root().at("verb").asText()); }

} // namespace fx::remote
