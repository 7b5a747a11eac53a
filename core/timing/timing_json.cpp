// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/timing_json.h"

#include "core/base/python_text.h"
#include "core/json/message_json.h"

#include <cmath>

namespace fx::timing {
namespace {

using Layout = JsonWriter::Layout;

/// Writes members; the same list of fields, read by Reader, gives them back.
class Writer {
public:
    explicit Writer(JsonWriter& json) : m_json(json) {}
    void operator()(const char* key, const std::string& value) { m_json.key(key).string(value); }
    void operator()(const char* key, bool value) { m_json.key(key).boolean(value); }
    void operator()(const char* key, int value) { m_json.key(key).integer(value); }
    void operator()(const char* key, std::size_t value) { m_json.key(key).integer(static_cast<std::int64_t>(value)); }
    void operator()(const char* key, double value) { number(m_json.key(key), value); }
    void operator()(const char* key, const std::optional<double>& value) {
        if (value) (*this)(key, *value);
        else m_json.key(key).null();
    }
    void operator()(const char* key, const std::vector<double>& values) {
        m_json.key(key).beginArray();
        for (const double each : values) number(m_json, each);
        m_json.endArray();
    }

private:
    static void number(JsonWriter& json, double value) {
        std::string text;
        appendPythonFloat(text, value);
        if (std::isfinite(value)) json.raw(text);
        else json.null();
    }
    JsonWriter& m_json;
};

class Reader {
public:
    explicit Reader(JsonValue object) : m_object(object) {}
    void operator()(const char* key, std::string& value) { value = m_object.at(key).asText(); }
    void operator()(const char* key, bool& value) { value = m_object.at(key).asBool(); }
    void operator()(const char* key, int& value) { value = static_cast<int>(m_object.at(key).asInt()); }
    void operator()(const char* key, std::size_t& value) { value = static_cast<std::size_t>(m_object.at(key).asInt()); }
    void operator()(const char* key, double& value) { value = number(m_object.at(key)); }
    void operator()(const char* key, std::optional<double>& value) {
        if (const JsonValue found = m_object.at(key); !found.isNull()) value = found.asDouble();
    }
    void operator()(const char* key, std::vector<double>& values) {
        for (const JsonValue each : m_object.at(key).needArray()) values.push_back(number(each));
    }

private:
    static double number(JsonValue value) { return value.isNull() ? NAN : value.asDouble(); }
    JsonValue m_object;
};

constexpr auto visitCeiling = [](auto& visit, auto& v) {
    visit("gflops", v.gflops), visit("gbytes_per_second", v.gbytes), visit("threads", v.threads),
        visit("cached", v.cached);
};

constexpr auto visitEnvironment = [](auto& visit, auto& v) {
    visit("processor", v.processor), visit("processors", v.processors), visit("threads", v.threads),
        visit("isa", v.isa);
    visit("onednn", v.oneDnn), visit("onednn_isa", v.oneDnnIsa), visit("blas", v.blas), visit("library", v.library),
        visit("system", v.system);
    visit("denormals_flushed", v.denormalsFlushed), visit("governor", v.governor),
        visit("frequency_mhz", v.frequencyMhz);
    visit("load_average", v.loadAverage), visit("other_load", v.otherLoad), visit("steal_share", v.stealShare),
        visit("noise_floor", v.noiseFloor);
};

constexpr auto visitVariant = [](auto& visit, auto& v) {
    visit("model", v.model), visit("median_ms", v.medianMs), visit("q1_ms", v.q1Ms), visit("q3_ms", v.q3Ms),
        visit("min_ms", v.minMs);
    visit("cold_ms", v.coldMs), visit("runs_per_block", v.runsPerBlock), visit("warmup_runs", v.warmupRuns),
        visit("settled", v.settled);
    visit("samples_ms", v.samplesMs), visit("mode", v.mode);
};

constexpr auto visitPrimitive = [](auto& visit, auto& v) {
    visit("library", v.library), visit("kind", v.kind), visit("implementation", v.implementation),
        visit("formats", v.formats), visit("problem", v.problem);
};

constexpr auto visitNode = [](auto& visit, auto& v) {
    visit("name", v.name), visit("op", v.op), visit("target", v.target), visit("ms", v.ms), visit("iqr_ms", v.iqrMs),
        visit("share", v.share);
    visit("flops", v.flops), visit("bytes", v.bytes), visit("ceiling_share", v.ceilingShare),
        visit("memory_bound", v.memoryBound);
    visit("reorders", v.reorders), visit("memory_format", v.memoryFormat);
};

constexpr auto visitType = [](auto& visit, auto& v) {
    visit("target", v.target), visit("count", v.count), visit("ms", v.ms), visit("share", v.share),
        visit("flops", v.flops);
};

constexpr auto visitReport = [](auto& visit, auto& v) {
    visit("variant", v.variant), visit("whole_ms", v.wholeMs), visit("sum_ms", v.sumMs), visit("runs", v.runs),
        visit("reorders", v.reorders);
};

/// An object whose members `fields` lists, left open for more.
template<class Fields, class Value> JsonWriter& beginObject(JsonWriter& json, Fields fields, const Value& value) {
    json.beginObject();
    Writer writer(json);
    fields(writer, value);
    return json;
}

void writeNodes(JsonWriter& json, const std::vector<NodeTiming>& nodes) {
    json.beginArray(Layout::Lines);
    for (const NodeTiming& node : nodes) {
        beginObject(json, visitNode, node).key("primitives").beginArray();
        for (const Primitive& each : node.primitives) beginObject(json, visitPrimitive, each).endObject();
        json.endArray().endObject();
    }
    json.endArray();
}

void writeReport(JsonWriter& json, const NodeReport& report) {
    beginObject(json, visitReport, report).key("types").beginArray(Layout::Lines);
    for (const TypeTotal& each : report.types) beginObject(json, visitType, each).endObject();
    writeNodes(json.endArray().key("nodes"), report.nodes);
    json.endObject();
}

void writeRatio(JsonWriter& json, const RatioTiming& ratio, const std::vector<VariantTiming>& variants) {
    json.beginObject()
        .key("a")
        .integer(static_cast<std::int64_t>(ratio.a))
        .key("b")
        .integer(static_cast<std::int64_t>(ratio.b));
    Writer writer(json);
    const double before = variants[ratio.a].medianMs;
    writer("ratio", before > 0 ? variants[ratio.b].medianMs / before : ratio.ratio);
    writer("paired_ratio", ratio.ratio);
    writer("ci95", std::vector{ratio.ci95.low, ratio.ci95.high});
    writer("verdict", std::string(verdictName(ratio.verdict)));
    json.key("why").string(ratio.why.text());
    writeMessageData(json, ratio.why);
    json.endObject();
}

template<class Value, class Fields> Value readObject(JsonValue json, Fields fields) {
    Value out;
    Reader reader(json.needObject());
    fields(reader, out);
    return out;
}

RatioTiming readRatio(JsonValue json) {
    RatioTiming out;
    Reader reader(json);
    std::vector<double> interval;
    std::string verdict;
    reader("a", out.a), reader("b", out.b), reader("paired_ratio", out.ratio), reader("ci95", interval),
        reader("verdict", verdict);
    out.why = readMessage(json, "why");
    if (interval.size() != 2) throw json.at("ci95").error(Message("timing.interval"));
    out.ci95 = {interval[0], interval[1]};
    for (const Verdict each : {Verdict::Faster, Verdict::Slower, Verdict::Same})
        if (verdict == verdictName(each)) out.verdict = each;
    return out;
}

NodeReport readReport(JsonValue json) {
    NodeReport out = readObject<NodeReport>(json, visitReport);
    for (const JsonValue each : json.at("types").needArray())
        out.types.push_back(readObject<TypeTotal>(each, visitType));
    for (const JsonValue each : json.at("nodes").needArray()) {
        out.nodes.push_back(readObject<NodeTiming>(each, visitNode));
        for (const JsonValue primitive : each.at("primitives").needArray())
            out.nodes.back().primitives.push_back(readObject<Primitive>(primitive, visitPrimitive));
    }
    return out;
}

void appendCsv(std::string& out, std::string_view text) {
    const bool quoted = text.find_first_of(",\"\n") != text.npos;
    if (quoted) out += '"';
    for (const char c : text) out.append(c == '"' ? 2 : 1, c);
    if (quoted) out += '"';
}

std::string numberText(const std::optional<double>& value) {
    std::string text;
    if (value) appendPythonFloat(text, *value);
    return text;
}

} // namespace

void write(JsonWriter& json, const BenchResult& result) {
    json.beginObject(Layout::Lines).key("environment");
    beginObject(json, visitEnvironment, result.environment).key("ceiling");
    if (result.environment.ceiling) beginObject(json, visitCeiling, *result.environment.ceiling).endObject();
    else json.null();
    json.endObject().key("variants").beginArray(Layout::Lines);
    for (const VariantTiming& variant : result.variants) {
        beginObject(json, visitVariant, variant)
            .key("samples")
            .integer(static_cast<std::int64_t>(variant.samplesMs.size()));
        Writer{json}("iqr_ms", variant.iqrMs());
        json.endObject();
    }
    json.endArray().key("ratios").beginArray(Layout::Lines);
    for (const RatioTiming& ratio : result.ratios) writeRatio(json, ratio, result.variants);
    json.endArray().key("nodes");
    if (result.reports.empty()) json.beginArray().endArray();
    else writeNodes(json, result.reports.front().nodes);
    json.key("reports").beginArray(Layout::Lines);
    for (const NodeReport& report : result.reports) writeReport(json, report);
    json.endArray().key("rounds").integer(static_cast<std::int64_t>(result.rounds));
    Writer{json}("seconds", result.seconds);
    json.key("warnings").beginArray(Layout::Lines);
    for (const Message& each : result.warnings) {
        writeMessageData(json.beginObject().key("what").string(each.text()), each);
        json.endObject();
    }
    json.endArray().endObject();
}

std::string toJson(const BenchResult& result) {
    JsonWriter json;
    write(json, result);
    return json.text();
}

BenchResult readBenchResult(const JsonValue& json) {
    BenchResult out;
    const JsonValue environment = json.at("environment");
    out.environment = readObject<Environment>(environment, visitEnvironment);
    if (const JsonValue ceiling = environment.at("ceiling"); !ceiling.isNull())
        out.environment.ceiling = readObject<Ceiling>(ceiling, visitCeiling);
    for (const JsonValue each : json.at("variants").needArray())
        out.variants.push_back(readObject<VariantTiming>(each, visitVariant));
    for (const JsonValue each : json.at("ratios").needArray()) out.ratios.push_back(readRatio(each));
    for (const JsonValue each : json.at("reports").needArray()) out.reports.push_back(readReport(each));
    const auto require = [&](std::size_t variant) {
        if (variant >= out.variants.size()) throw json.error(Message("timing.variant"));
    };
    for (const RatioTiming& each : out.ratios) require(each.a), require(each.b);
    for (const NodeReport& each : out.reports) require(each.variant);
    Reader reader(json);
    reader("rounds", out.rounds), reader("seconds", out.seconds);
    for (const JsonValue each : json.at("warnings").needArray()) out.warnings.push_back(readMessage(each, "what"));
    return out;
}

std::string toCsv(const NodeReport& report) {
    std::string out = "node,op,target,ms,share,flops,bytes,ceiling_share,reorders,memory_format,implementations\n";
    for (const NodeTiming& node : report.nodes) {
        std::string implementations;
        for (const Primitive& each : node.primitives)
            implementations += (implementations.empty() ? "" : "; ") + each.kind + " " + each.implementation;
        const std::string cells[] = {node.name,
                                     node.op,
                                     node.target,
                                     numberText(node.ms),
                                     numberText(node.share),
                                     numberText(node.flops),
                                     numberText(node.bytes),
                                     numberText(node.ceilingShare),
                                     std::to_string(node.reorders),
                                     node.memoryFormat,
                                     implementations};
        for (const std::string& cell : cells) {
            appendCsv(out, cell);
            out += &cell == std::end(cells) - 1 ? '\n' : ',';
        }
    }
    return out;
}

} // namespace fx::timing
