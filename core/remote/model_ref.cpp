// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/model_ref.h"

#include <map>
#include <mutex>

namespace fx::remote {
namespace {

/// Numbers that stand for shared objects. An object keeps its number while anyone holds it; no number is given twice.
template<class T> class Numbering {
public:
    std::uint64_t of(const std::shared_ptr<const T>& object) {
        const std::lock_guard lock(m_mutex);
        if (m_numbers.size() >= m_purgeAt) {
            std::erase_if(m_numbers, [](const auto& entry) { return entry.first.expired(); });
            m_purgeAt = 2 * m_numbers.size() + 1024;
        }
        const auto [known, isNew] = m_numbers.emplace(object, m_next);
        if (isNew) ++m_next;
        return known->second;
    }

private:
    std::mutex m_mutex;
    std::map<std::weak_ptr<const T>, std::uint64_t, std::owner_less<std::weak_ptr<const T>>> m_numbers;
    std::uint64_t m_next = 1;
    std::size_t m_purgeAt = 1024;
};

} // namespace

std::uint64_t handleOf(const std::shared_ptr<const Storage>& storage) {
    static Numbering<Storage> numbers;
    return numbers.of(storage);
}

ModelRef::ModelRef(std::shared_ptr<const GraphModule> version) : snapshot(std::move(version)) {
    static Numbering<GraphModule> numbers;
    if (snapshot) handle = numbers.of(snapshot);
}

void writeModel(JsonWriter& json, const ModelRef& model, Frame& frame) {
    if (!model.snapshot && !model.path.empty()) frame.files.push_back(model.path);
    if (!model.snapshot && model.mode == RunMode::AsSaved) return void(json.string(model.path));
    json.beginObject();
    if (model.snapshot) json.key("handle").integer(static_cast<std::int64_t>(model.handle));
    else json.key("path").string(model.path);
    if (model.mode != RunMode::AsSaved) json.key("training").boolean(model.mode == RunMode::Train);
    json.endObject();
    if (model.snapshot) frame.models.push_back(model.snapshot);
}

ModelRef readModel(JsonValue value) {
    if (value.isString()) return std::string(value.asText());
    ModelRef out;
    if (const JsonValue path = value.find("path"); path.exists()) out.path = std::string(path.asText());
    else out.handle = static_cast<std::uint64_t>(value.at("handle").asInt());
    if (const JsonValue training = value.find("training"); training.exists())
        out.mode = training.asBool() ? RunMode::Train : RunMode::Eval;
    return out;
}

} // namespace fx::remote
