// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/comparison.h"

#include "core/diag/sides.h"
#include "core/engine/verify/compare.h"
#include "core/engine/verify/float64_run.h"
#include "core/engine/verify/inputs/alter.h"
#include "core/engine/verify/lockstep_run.h"
#include "core/engine/verify/rounding.h"

namespace fx::engine {
namespace {

constexpr double kNanScale = 10;     ///< times the inputs: no overflow explains NaN then
constexpr double kUsualScale = 3;    ///< times the inputs: larger ones saturate, so that
constexpr double kSaturation = 0.05; ///< only errors larger than that count, against the scale, and no integers
constexpr int kNudgedRuns = 2;
constexpr std::size_t kOutput = 0, kInputs = 1, kBuffers = 2; ///< places among the parts of a run
constexpr double kGrossly = 4; ///< times what rounding may make of an error, where nothing shows how large it is

bool isGrossly(const ValueDifference& difference) {
    return !difference.close && difference.relativeToScale() > kGrossly * mostOfRounding(difference);
}

} // namespace

Message Comparison::difference(const FurtherInputs& further, bool& ran) {
    refused.reset();
    const std::uint64_t drawn = m_random();
    const auto a = m_a.run(further.inputs, drawn, false);
    ran = a.has_value();
    if (!ran) return {};
    Refusal refusal;
    const auto b = m_b.run(forB(further.inputs), drawn, false, &refusal);
    if (!b && (further.otherSizes || further.isNamed)) refused = refusal;
    if (!b) return {};
    Results results{further, drawn, changedTensors(m_sideA, m_sideB), {}, {}, {}};
    results.a = partsOf(false, *a, results.buffers), results.b = partsOf(true, *b, results.buffers);
    std::vector<std::size_t> open; // places of parts that differ
    std::vector<RoundingNoise> noise(results.a.begin(), results.a.end());
    for (std::size_t i = 0; i < results.a.size(); ++i)
        if (!compareValues(results.a[i], results.b[i], m_options.tolerances).close) open.push_back(i);
    for (int i = 0; i < kNudgedRuns && !open.empty(); ++i) {
        const auto moved = m_a.run(nudgedInputs(further.inputs), drawn, false);
        if (!moved) return {}; // nudged inputs are refused: nothing is known of rounding
        const Values parts = partsOf(false, *moved, results.buffers);
        for (const std::size_t part : open) noise[part].learn(parts[part]);
    }
    for (const std::size_t part : open) {
        const Message seen = differenceIn(results, part, noise[part]);
        if (part == kOutput && !seen.text().empty()) return seen;
        if (seen.text().empty()) continue;
        const MessageArgument difference("difference", seen.text());
        const Message where =
            part == kInputs
                ? Message("verify.left_inputs", {difference})
                : Message("verify.left_state", {{"buffer", results.buffers[part - kBuffers].path}, difference});
        return containing(where, "difference", seen);
    }
    return {};
}

/// The difference of a part beyond rounding, of which float64 has the last word.
Message Comparison::differenceIn(Results& results, std::size_t part, const RoundingNoise& noise) {
    const FurtherInputs& further = results.further;
    const bool isLarge = further.scale > kUsualScale; // which of the same numbers is taken, is open
    const Counted counted{further.scale <= kNanScale, false, !isLarge && !further.repeats, isLarge ? kSaturation : 0};
    const Value &a = results.a[part], &b = results.b[part];
    const Excess excess = noise.excess(b, m_options.tolerances, counted);
    if (!excess.reason.text().empty()) return excess.reason;
    if (!excess.any && isLarge) return {};
    if (results.exact.empty())
        for (const bool inB : {false, true}) results.exact.push_back(exactParts(inB, results));
    const Values &exactA = results.exact[0], &exactB = results.exact[1];
    const bool isKnown = !exactA.empty() && !exactB.empty();
    if (excess.any) {
        const bool rounds = isKnown && bothRound(a, b, exactA[part], exactB[part], m_options.tolerances);
        return rounds ? Message() : largestError(excess.largest);
    }
    if (!isKnown || !differExactly(a, exactA[part], exactB[part])) return {};
    return largestError(compareValues(a, b, m_options.tolerances).maxAbs);
}

std::size_t Comparison::callThatDiffers(const std::vector<RunInputs>& calls, std::size_t first) {
    for (std::size_t call = 1; call <= calls.size(); ++call) {
        const std::uint64_t drawn = m_random();
        const RunInputs& inputs = calls[call - 1];
        const auto a = m_a.run(inputs, drawn, call > 1), b = m_b.run(forB(inputs), drawn, call > 1);
        if (!a || !b || (call == 1 && !changesAnyState())) return 0;
        if (call < first) continue;
        if (isGrossly(compareValues(a->output, b->output, m_options.tolerances))) return call;
        if (call > 1 && !compareStates(m_sideA, m_sideB, m_options.tolerances).differs.text().empty()) return call;
    }
    return 0;
}

bool Comparison::differsFrom(const TensorPtr& bufferA, const TensorPtr& bufferB, double number) {
    m_sideA.tensors->restore(), m_sideB.tensors->restore();
    m_sideA.tensors->tensor(bufferA).fill_(number);
    m_sideB.tensors->tensor(bufferB).fill_(number);
    const std::uint64_t drawn = m_random();
    const auto a = m_a.run(m_sideA.inputs, drawn, true), b = m_b.run(m_sideB.inputs, drawn, true);
    return a && b && isGrossly(compareValues(a->output, b->output, m_options.tolerances));
}

bool Comparison::changesAnyState() const { return changesState(m_sideA) || changesState(m_sideB); }

bool Comparison::run(bool inB, bool again) {
    const VerifySide& side = inB ? m_sideB : m_sideA;
    return (inB ? m_b : m_a).run(side.inputs, m_random(), again).has_value();
}

Values Comparison::partsOf(bool inB, const WholeModel::Ran& ran, const std::vector<SharedTensor>& buffers) const {
    Values parts = {denseCopyOf(ran.output), Value::list(valuesOf(inB ? ran.inputs : forB(ran.inputs)))};
    for (const SharedTensor& buffer : buffers)
        parts.emplace_back((inB ? m_sideB.tensors->tensor(buffer.ofB) : m_sideA.tensors->tensor(buffer.ofA)).clone());
    return parts;
}

Values Comparison::exactParts(bool inB, const Results& results) {
    const VerifySide& side = inB ? m_sideB : m_sideA;
    WholeModel& model = inB ? m_b : m_a;
    model.prepareDouble();
    const InDouble exact(*side.model, *side.tensors);
    const RunInputs& inputs = results.further.inputs;
    const auto ran = model.runInDouble(inB ? forB(inputs) : inputs, results.drawn);
    return ran ? partsOf(inB, *ran, results.buffers) : Values();
}

RunInputs Comparison::nudgedInputs(const RunInputs& inputs) {
    const std::uint64_t salt = m_random();
    return mapInputs(inputs, [&](const at::Tensor& tensor) { return nudged(tensor, salt).tensor(); });
}

/// The same inputs by the names that B has, or else by place.
RunInputs Comparison::forB(const RunInputs& inputs) const {
    const auto ofA = namedInputs(*m_sideA.model, inputs);
    const auto find = [&](const std::string& name, std::size_t place) -> const Value* {
        for (const auto& [given, value] : ofA)
            if (given == name && value) return value;
        return place < inputs.positional.size() ? &inputs.positional[place] : nullptr;
    };
    RunInputs out = copyOf(m_sideB.inputs);
    const auto ofB = namedInputs(*m_sideB.model, m_sideB.inputs);
    for (std::size_t i = 0; i < out.positional.size(); ++i)
        if (const Value* value = find(i < ofB.size() ? ofB[i].first : std::string(), i)) out.positional[i] = *value;
    for (auto& [name, own] : out.named)
        if (const Value* value = find(name, inputs.positional.size())) own = *value;
    for (const auto& [name, value] : inputs.named) // optional ones, which B was not given
        for (const auto& [known, given] : ofB)
            if (known == name && !given) out.named.emplace_back(name, value);
    return out;
}

} // namespace fx::engine
