// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/operator_profile.h"

#include "core/base/sha256.h"
#include "core/files/private_folder.h"
#include "core/timing/machine_load.h"

#include <map>

namespace fx::timing {
namespace {

using Layout = JsonWriter::Layout;

/// Dtypes that run in the library, and those that do not, with what ran instead.
struct Verdicts {
    std::vector<std::string> good;
    std::map<std::string, std::string> bad;
};

Verdicts verdictsOf(const ProfiledOperator& one) {
    Verdicts out;
    std::map<std::string, bool> good;
    for (const OperatorTrial& trial : one.trials) good[trial.dtype] |= trial.inProfile;
    for (const OperatorTrial& trial : one.trials) {
        if (!good[trial.dtype]) out.bad.emplace(trial.dtype, trial.ran);
        else if (out.good.empty() || out.good.back() != trial.dtype) out.good.push_back(trial.dtype);
    }
    return out;
}

/// One rule for each spelling.
void writeRules(JsonWriter& json, const ProfiledOperator& one, const std::vector<std::string>& dtypes,
                const std::string& reason) {
    const auto write = [&](const char* op, const char* key, const std::string& value) {
        json.beginObject().key("op").string(op).key(key).string(value);
        if (!dtypes.empty()) json.key("dtype").strings(dtypes);
        if (!reason.empty()) json.key("reason").string(reason);
        json.endObject();
    };
    for (const std::string& each : one.targets) write("call_function", "target", each);
    for (const std::string& each : one.methods) write("call_method", "target", each);
    for (const std::string& each : one.moduleTypes) write("call_module", "module_type", each);
}

void writeRules(JsonWriter& json, const OperatorProfile& profile) {
    constexpr const char* kDefault = "torch.float32";
    json.key("rules").beginObject(Layout::Lines).key("supported").beginArray(Layout::Lines);
    for (const ProfiledOperator& one : profile.operators) {
        const Verdicts verdicts = verdictsOf(one);
        if (verdicts.good.empty()) continue;
        writeRules(json, one, verdicts.bad.contains(kDefault) ? verdicts.good : std::vector<std::string>(), {});
    }
    json.endArray().key("unsupported").beginArray(Layout::Lines);
    for (const ProfiledOperator& one : profile.operators) {
        const Verdicts verdicts = verdictsOf(one);
        const std::string start = profile.name + " does not run " + one.name + " on this machine: ";
        if (verdicts.good.empty()) {
            const auto usual = verdicts.bad.find(kDefault);
            writeRules(json, one, {},
                       start + (usual == verdicts.bad.end() ? verdicts.bad.begin() : usual)->second + " ran instead");
        } else {
            for (const auto& [dtype, ran] : verdicts.bad)
                writeRules(json, one, {dtype}, start + ran + " ran instead for " + dtype);
        }
    }
    json.endArray().endObject();
}

} // namespace

std::string toJson(const OperatorProfile& profile) {
    JsonWriter json;
    json.beginObject(Layout::Lines).key("profile").string(profile.name).key("processor").string(profile.processor);
    json.key("library").string(profile.library).key("version").string(profile.version);
    writeRules(json, profile);
    json.key("operators").beginArray(Layout::Lines);
    for (const ProfiledOperator& one : profile.operators) {
        json.beginObject().key("name").string(one.name);
        json.key("targets").strings(one.targets), json.key("methods").strings(one.methods),
            json.key("module_types").strings(one.moduleTypes);
        json.key("trials").beginArray();
        for (const OperatorTrial& trial : one.trials)
            json.beginObject()
                .key("dtype")
                .string(trial.dtype)
                .key("layout")
                .string(trial.layout)
                .key("supported")
                .boolean(trial.inProfile)
                .key("ran")
                .string(trial.ran)
                .endObject();
        json.endArray().endObject();
    }
    return json.endArray().endObject().text() + "\n";
}

std::string cacheFolder() { return userFolder("XDG_CACHE_HOME", ".cache"); }

std::string profilePath(const std::string& name) {
    const std::string folder = cacheFolder();
    return folder.empty()
               ? folder
               : folder + "/profile-" + name + "-" + sha256(machineEnvironment().processor).substr(0, 16) + ".json";
}

} // namespace fx::timing
