// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/results/run_text.h"

#include "app/cli/output.h"
#include "app/cli/session.h"
#include "core/base/python_text.h"
#include "core/tensor/tensor_statistics.h"

#include <cmath>

namespace app {
namespace {

std::string pythonFloat(double value) {
    std::string text;
    fx::appendPythonFloat(text, value);
    return text;
}

std::string shapeText(const fx::TensorRef& tensor) {
    std::string text;
    for (const std::int64_t size : tensor.sizes) text += (text.empty() ? "" : "×") + std::to_string(size);
    return text.empty() ? "scalar" : text;
}

void writeNumber(fx::JsonWriter& json, double value, bool known) {
    if (known && std::isfinite(value)) json.raw(pythonFloat(value));
    else json.null();
}

} // namespace

std::string outputsJson(const fx::remote::RunResult& result, const fx::Warnings& warnings) {
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines).key("outputs").beginArray(fx::JsonWriter::Layout::Lines);
    forEachTensor(result.output, [&](const fx::TensorPtr& tensor) {
        const fx::TensorStatistics statistics = fx::computeStatistics(*tensor);
        json.beginObject().key("shape").integers(tensor->sizes).key("dtype").string(fx::dtypeName(tensor->dtype));
        for (const auto& [key, value] :
             {std::pair("min", statistics.min), std::pair("max", statistics.max), std::pair("mean", statistics.mean)})
            writeNumber(json.key(key), value, statistics.finite > 0);
        json.key("finite").integer(statistics.finite); // what min, max and mean are of
        json.key("nans").integer(statistics.nans).key("infinities").integer(statistics.infinities).endObject();
    });
    json.endArray().key("millis");
    writeNumber(json, result.millis, true);
    if (!result.mode.empty()) json.key("mode").string(result.mode);
    writeWarnings(json, warnings);
    json.endObject();
    return json.text();
}

std::string outputsText(const fx::remote::RunResult& result) {
    std::string text;
    std::size_t index = 0;
    forEachTensor(result.output, [&](const fx::TensorPtr& tensor) {
        const fx::TensorStatistics s = fx::computeStatistics(*tensor);
        text += "output " + std::to_string(index++) + "    " + std::string(fx::dtypeName(tensor->dtype)) + " " +
                shapeText(*tensor);
        if (s.finite > 0)
            text += (s.finite < s.count ? ", of " + grouped(s.finite) + " finite: min " : ", min ") +
                    pythonFloat(s.min) + ", max " + pythonFloat(s.max) + ", mean " + pythonFloat(s.mean);
        if (s.nans > 0) text += ", " + grouped(s.nans) + " NaN";
        if (s.infinities > 0) text += ", " + grouped(s.infinities) + " infinite";
        text += "\n";
    });
    return text + "time        " + pythonFloat(std::round(result.millis * 1000) / 1000) + " ms";
}

} // namespace app
