// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/inputs/input_spec.h"

#include "core/base/listed.h"
#include "core/base/plain_number.h"
#include "core/base/python_text.h"
#include "core/io/values/value_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace fx {
namespace {

constexpr std::array<std::string_view, 5> kGenerators = {"normal", "uniform", "integers", "constant", "file"};

std::string numberText(double value) {
    std::string text;
    appendPythonFloat(text, value);
    return text;
}

/// What the file's value has for this input.
const ValueTree& entryOf(const ValueTree& tree, const InputSpec& input) {
    if (tree.kind == ValueTree::Kind::Dict) {
        const std::string& key = input.entry.empty() ? input.name : input.entry;
        for (std::size_t i = 0; i + 1 < tree.items.size(); i += 2)
            if (tree.items[i].kind == ValueTree::Kind::Plain && tree.items[i].plain == Argument(key))
                return tree.items[i + 1];
        throw Error(ErrorKind::Usage, Message("inputs.unknown_entry", {{"key", key}, {"input", input.name}}))
            .in(input.file);
    }
    if (input.entry.empty()) return tree;
    const auto place = plainNumber<std::size_t>(input.entry);
    if (!place || *place >= tree.items.size())
        throw Error(ErrorKind::Usage,
                    Message("inputs.unknown_index", {{"key", input.entry}, {"count", tree.items.size()}}))
            .in(input.file);
    return tree.items[*place];
}

/// JSON has no infinities and NaN: those are text.
void writeReal(JsonWriter& json, std::string_view key, double value) {
    if (std::isfinite(value)) json.key(key).raw(numberText(value));
    else json.key(key).string(numberText(value));
}
double real(JsonValue object, std::string_view key, double otherwise) {
    const JsonValue value = object.find(key);
    if (!value.exists()) return otherwise;
    return value.isString() ? std::strtod(std::string(value.asText()).c_str(), nullptr) : value.asDouble();
}
std::int64_t whole(JsonValue object, std::string_view key, std::int64_t otherwise) {
    const JsonValue value = object.find(key);
    return value.exists() ? value.asInt() : otherwise;
}
std::string text(JsonValue object, std::string_view key) {
    const JsonValue value = object.find(key);
    return value.exists() ? std::string(value.asText()) : std::string();
}

} // namespace

std::string_view generatorName(Generator generator) { return kGenerators[static_cast<std::size_t>(generator)]; }

bool InputSpec::isInteger() const { return dtype.starts_with("torch.int") || dtype.starts_with("torch.uint"); }

std::string inputText(const InputSpec& input) {
    std::string out = joined(input.sizes, "×");
    if (out.empty()) out = "scalar";
    out += " " + (input.dtype.starts_with("torch.") ? input.dtype.substr(6) : input.dtype) + ", ";
    if (input.generator == Generator::Integers || (input.generator == Generator::Normal && input.isInteger()))
        return out + "integers " + std::to_string(input.low) + " to " + std::to_string(input.high - 1);
    if (input.generator == Generator::Uniform)
        return out + "uniform " + numberText(input.from) + " to " + numberText(input.to);
    if (input.generator == Generator::Constant) return out + "constant " + numberText(input.value);
    if (input.generator == Generator::File)
        return "from " + input.file + (input.entry.empty() ? "" : " [" + input.entry + "]");
    return out + "normal";
}

void writeInput(JsonWriter& json, const InputSpec& input) {
    json.beginObject()
        .key("name")
        .string(input.name)
        .key("sizes")
        .integers(input.sizes)
        .key("dtype")
        .string(input.dtype)
        .key("generator")
        .string(generatorName(input.generator));
    json.key("low").integer(input.low).key("high").integer(input.high);
    writeReal(json, "from", input.from), writeReal(json, "to", input.to), writeReal(json, "value", input.value);
    if (!input.file.empty()) json.key("file").string(input.file).key("entry").string(input.entry);
    json.key("batch_dim").integer(input.batchDim).endObject();
}

InputSpec readInput(JsonValue value) {
    InputSpec out;
    out.name = value.at("name").asText();
    out.sizes = value.at("sizes").integers();
    out.dtype = value.at("dtype").asText();
    out.high = whole(value, "high", 0), out.low = whole(value, "low", 0);
    out.from = real(value, "from", 0), out.to = real(value, "to", 1), out.value = real(value, "value", 0);
    out.file = text(value, "file"), out.entry = text(value, "entry");
    out.batchDim = static_cast<int>(
        std::clamp<std::int64_t>(whole(value, "batch_dim", -1), -1, static_cast<std::int64_t>(out.sizes.size()) - 1));
    if (const JsonValue word = value.find("generator"); word.exists()) {
        const auto found = std::find(kGenerators.begin(), kGenerators.end(), word.asText());
        if (found == kGenerators.end())
            throw word.error(Message("inputs.unknown_generator", {{"name", word.asText()}}));
        out.generator = static_cast<Generator>(found - kGenerators.begin());
    }
    return out;
}

std::string inputsJson(const InputDescription& description) {
    JsonWriter json;
    json.beginObject().key("seed").string(std::to_string(description.seed));
    if (description.mode != RunMode::AsSaved) json.key("training").boolean(description.mode == RunMode::Train);
    json.key("inputs").beginArray();
    for (const InputSpec& input : description.inputs) writeInput(json, input);
    return json.endArray().endObject().text();
}

InputDescription inputsFromJson(const std::string& text) {
    const auto document = JsonDocument::parse(text);
    InputDescription out;
    out.seed = std::strtoull(std::string(document->root().at("seed").asText()).c_str(), nullptr, 10);
    if (const JsonValue training = document->root().find("training"); training.exists())
        out.mode = training.asBool() ? RunMode::Train : RunMode::Eval;
    for (const JsonValue input : document->root().at("inputs").needArray()) out.inputs.push_back(readInput(input));
    return out;
}

std::optional<std::int64_t> batchSize(const InputDescription& description) {
    std::optional<std::int64_t> size;
    for (const InputSpec& input : description.inputs) {
        if (input.batchDim < 0 || static_cast<std::size_t>(input.batchDim) >= input.sizes.size()) continue;
        const std::int64_t own = input.sizes[static_cast<std::size_t>(input.batchDim)];
        if (size && *size != own) return std::nullopt;
        size = own;
    }
    return size;
}

void setBatchSize(InputDescription& description, std::int64_t size) {
    for (InputSpec& input : description.inputs)
        if (input.batchDim >= 0 && static_cast<std::size_t>(input.batchDim) < input.sizes.size())
            input.sizes[static_cast<std::size_t>(input.batchDim)] = size;
}

void readInputFiles(std::vector<InputSpec>& inputs, const Progress& progress) {
    std::map<std::string, ValueTree> files;
    for (InputSpec& input : inputs) {
        if (input.generator != Generator::File) continue;
        auto file = files.find(input.file);
        if (file == files.end()) file = files.emplace(input.file, readValueFile(input.file, progress)).first;
        input.given = entryOf(file->second, input);
    }
}

} // namespace fx
