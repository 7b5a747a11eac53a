// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/manager/pass_pipeline.h"

#include "core/base/listed.h"

#include <algorithm>
#include <initializer_list>

namespace fx {
namespace {

void checkKeys(JsonValue json, std::initializer_list<std::string_view> known) {
    for (const JsonValue member : json.needObject()) {
        if (std::find(known.begin(), known.end(), member.key()) != known.end()) continue;
        const std::string listed = joined(known);
        throw Error(ErrorKind::Refused, Message("passes.pipeline_key", {{"key", member.key()}, {"known", listed}}));
    }
}

std::size_t countOf(JsonValue json) {
    const std::int64_t count = json.asInt();
    if (count < 1 || count > static_cast<std::int64_t>(kMaxLoops))
        throw Error(ErrorKind::Refused, Message("passes.pipeline_count", {{"count", count}, {"most", kMaxLoops}}));
    return static_cast<std::size_t>(count);
}

void readTimes(JsonValue json, PassRequest& request) {
    if (const JsonValue times = json.find("times"); times.exists()) request.times = countOf(times);
    if (const JsonValue until = json.find("until_unchanged"); until.exists() && until.asBool()) request.times = 0;
}

PassRequest readOwn(JsonValue json, const OwnPassReader& own) {
    checkKeys(json, {"file", "text", "times", "until_unchanged"});
    const std::string file(json.at("file").asText());
    if (!own) throw Error(ErrorKind::Refused, Message("passes.pipeline_text", {{"file", file}}));
    PassRequest request = own(file, json.find("text"));
    readTimes(json, request);
    return request;
}

PassRequest readPass(JsonValue json, const OwnPassReader& own) {
    PassRequest request;
    if (json.isString()) {
        request.name = json.asText();
    } else {
        if (json.needObject().find("file").exists()) return readOwn(json, own);
        checkKeys(json, {"name", "settings", "times", "until_unchanged"});
        request.name = json.at("name").asText();
        if (const JsonValue settings = json.find("settings"); settings.exists())
            request.settings = settings.needObject();
        readTimes(json, request);
    }
    (void)passFor(request.name, request.settings);
    return request;
}

PassConstraint readConstraint(JsonValue json) {
    if (json.isArray() && json.size() == 2) {
        const auto first = json.begin();
        auto second = first;
        ++second;
        return thisBeforeThat(std::string((*first).asText()), std::string((*second).asText()));
    }
    checkKeys(json, {"before", "after", "loops"});
    const JsonValue loops = json.find("loops");
    return {std::string(json.at("before").asText()), std::string(json.at("after").asText()),
            loops.exists() && loops.asBool()};
}

} // namespace

PassManager readPipeline(JsonValue json, const OwnPassReader& own) {
    checkKeys(json, {"step", "passes", "constraints", "steps", "nodes", "result", "file"});
    PassManager manager;
    for (const JsonValue pass : json.at("passes").needArray()) manager.addPass(readPass(pass, own));
    if (const JsonValue nodes = json.find("nodes"); nodes.exists()) manager.selection = nodes.texts();
    if (const JsonValue constraints = json.find("constraints"); constraints.exists())
        for (const JsonValue each : constraints.needArray()) manager.addConstraint(readConstraint(each));
    if (const JsonValue steps = json.find("steps"); steps.exists()) manager.steps = countOf(steps);
    return manager;
}

} // namespace fx
