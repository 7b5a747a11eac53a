// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/rehearsal.h"

#include "core/edit/steps/step.h"

namespace fx {
namespace {

constexpr std::size_t kLongValue = 60; ///< bytes of a value that are shown

std::string shortened(std::string text) {
    if (text.size() <= kLongValue) return text;
    std::size_t end = kLongValue;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end; // not within a character
    return text.substr(0, end) + "…";
}

/// Of a source, the line that says what it gives.
std::string lastLine(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n";
    text = text.substr(0, text.find_last_not_of(kBlank) + 1);
    text = text.substr(text.rfind('\n') == text.npos ? 0 : text.rfind('\n') + 1);
    const auto start = text.find_first_not_of(kBlank);
    return std::string(start == text.npos ? std::string_view() : text.substr(start));
}

std::string scalarWords(const JsonValue& value) {
    using Kind = JsonValue::Kind;
    switch (value.kind()) {
    case Kind::Null: return "None";
    case Kind::Bool: return value.asBool() ? "True" : "False";
    case Kind::Int: return std::to_string(value.asInt());
    case Kind::BigInt: return std::string(value.digits());
    case Kind::String: return lastLine(value.asText());
    case Kind::Array: return "[…]";
    case Kind::Object:
        for (const char* key : {"node", "type", "repr"})
            if (const JsonValue named = value.find(key); named.exists() && named.isString())
                return std::string(named.asText());
        return "{…}";
    default: break;
    }
    std::string number = std::to_string(value.asDouble());
    number.erase(number.find_last_not_of('0') + 1);
    return number.ends_with('.') ? number + "0" : number;
}

std::string valueWords(const JsonValue& value) {
    if (!value.isArray()) return shortened(scalarWords(value));
    std::string text;
    for (const JsonValue item : value) {
        text += (text.empty() ? "" : ", ") + scalarWords(item);
        if (text.size() > kLongValue) break;
    }
    return "[" + shortened(text) + "]";
}

} // namespace

std::string stepWords(const JsonValue& step) {
    if (!step.isObject()) return valueWords(step);
    std::string text(textIn(step, "step"));
    if (text.empty()) text = "?";
    bool isFirst = true;
    for (const JsonValue member : step) {
        if (member.key() == "step" || (member.isArray() && member.size() == 0) ||
            (member.isObject() && member.size() == 0))
            continue;
        // What a step is about stands first, without its key.
        const bool named = isFirst && (member.key() == "node" || member.key() == "path" || member.key() == "name");
        text += (isFirst ? " " : ", ") + (named ? std::string() : std::string(member.key()) + " ") + valueWords(member);
        isFirst = false;
    }
    return text;
}

Rehearsal rehearse(const GraphModule& model, const StepList& steps, const Progress& progress, const Readers& readers) {
    Rehearsal rehearsal;
    for (const JsonValue step : steps)
        rehearsal.steps.push_back({stepWords(step), TriedStep::State::NotTried, 0, 0, 0});
    std::size_t done = 0;
    const auto note = [&](const GraphModule& before, const GraphModule& after) {
        TriedStep& step = rehearsal.steps[done++];
        const EditEffect effect = compareVersions(before.graph, after.graph);
        step.state = TriedStep::State::Done;
        step.created = effect.created.size(), step.changed = effect.changed.size(), step.erased = effect.erased.size();
    };
    auto after = std::make_shared<GraphModule>(model);
    try {
        const EditEffect effect = applyStepsNoting(*after, steps, note, progress, NewWeights::Drawn, nullptr, readers);
        after->warnings.insert(after->warnings.end(), effect.warnings.begin(), effect.warnings.end());
        rehearsal.after = std::move(after);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        rehearsal.refusal = error;
        if (done < rehearsal.steps.size()) rehearsal.steps[done].state = TriedStep::State::Refused;
    }
    return rehearsal;
}

} // namespace fx
