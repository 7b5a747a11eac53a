// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/quant/measured_json.h"

#include <QJsonArray>

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

QString textJson(const std::string& value) { return QString::fromStdString(value); }
std::string textIn(const QJsonObject& json, QLatin1String key) { return json.value(key).toString().toStdString(); }

/// JSON has no infinite numbers and no NaN: they are texts.
QJsonValue numberJson(double value) { return std::isfinite(value) ? QJsonValue(value) : QString::number(value); }
double numberIn(const QJsonObject& json, QLatin1String key) {
    const QJsonValue value = json.value(key);
    return value.isString() ? value.toString().toDouble() : value.toDouble();
}
std::int64_t integerIn(const QJsonObject& json, QLatin1String key) { return json.value(key).toInteger(); }

QJsonObject observerJson(const fx::remote::ObserverState& each) {
    QJsonArray counts;
    for (const std::int64_t count : each.histogram) counts.append(static_cast<qint64>(count));
    QJsonObject json{{"path", textJson(each.path)},
                     {"values", static_cast<qint64>(each.values)},
                     {"min", numberJson(each.least)},
                     {"max", numberJson(each.greatest)},
                     {"zero_point", static_cast<qint64>(each.zeroPoint)},
                     {"low", numberJson(each.low)},
                     {"high", numberJson(each.high)},
                     {"saturated", static_cast<qint64>(each.saturated)},
                     {"histogram_low", numberJson(each.histogramLow)},
                     {"histogram_high", numberJson(each.histogramHigh)},
                     {"counts", counts}};
    if (each.scale) json[QLatin1String("scale")] = numberJson(*each.scale);
    return json;
}

fx::remote::ObserverState observerOf(const QJsonObject& json) {
    fx::remote::ObserverState each;
    each.path = textIn(json, QLatin1String("path"));
    each.values = integerIn(json, QLatin1String("values"));
    each.least = numberIn(json, QLatin1String("min")), each.greatest = numberIn(json, QLatin1String("max"));
    if (json.contains(QLatin1String("scale"))) each.scale = numberIn(json, QLatin1String("scale"));
    each.zeroPoint = integerIn(json, QLatin1String("zero_point"));
    each.low = numberIn(json, QLatin1String("low")), each.high = numberIn(json, QLatin1String("high"));
    each.saturated = integerIn(json, QLatin1String("saturated"));
    each.histogramLow = numberIn(json, QLatin1String("histogram_low"));
    each.histogramHigh = numberIn(json, QLatin1String("histogram_high"));
    for (const QJsonValue& count : json.value(QLatin1String("counts")).toArray())
        each.histogram.push_back(count.toInteger());
    return each;
}

QJsonObject errorJson(const fx::remote::LayerError& each) {
    QJsonObject json{{"node", textJson(each.node)},
                     {"original", textJson(each.original)},
                     {"layer", textJson(each.layer)},
                     {"signal", numberJson(each.signal)},
                     {"noise", numberJson(each.noise)},
                     {"max_error", numberJson(each.maxError)},
                     {"values", static_cast<qint64>(each.values)}};
    if (each.step) json[QLatin1String("step")] = numberJson(*each.step);
    return json;
}

fx::remote::LayerError errorOf(const QJsonObject& json) {
    fx::remote::LayerError each;
    each.node = textIn(json, QLatin1String("node")), each.original = textIn(json, QLatin1String("original"));
    each.layer = textIn(json, QLatin1String("layer"));
    each.signal = numberIn(json, QLatin1String("signal")), each.noise = numberIn(json, QLatin1String("noise"));
    each.maxError = numberIn(json, QLatin1String("max_error"));
    each.values = integerIn(json, QLatin1String("values"));
    if (json.contains(QLatin1String("step"))) each.step = numberIn(json, QLatin1String("step"));
    return each;
}

} // namespace

QJsonObject measuredJson(const QuantMeasured& measured) {
    QJsonArray observers;
    for (const auto& each : measured.calibration.observers) observers.append(observerJson(each));
    QJsonObject bytes;
    for (const auto& [layer, sizes] : measured.layerBytes)
        bytes[textJson(layer)] = QJsonArray{static_cast<qint64>(sizes.first), static_cast<qint64>(sizes.second)};
    QJsonObject json{{"choices", measured.choices.toJson()},
                     {"inputs", textJson(measured.inputs)},
                     {"batches", static_cast<qint64>(measured.calibration.batches)},
                     {"observers", observers},
                     {"bytes_before", static_cast<qint64>(measured.bytesBefore)},
                     {"bytes_after", static_cast<qint64>(measured.bytesAfter)},
                     {"layer_bytes", bytes}};
    if (!measured.errors) return json;
    QJsonArray layers;
    for (const auto& each : measured.errors->layers) layers.append(errorJson(each));
    json[QLatin1String("layers")] = layers;
    json[QLatin1String("output")] = errorJson(measured.errors->output);
    return json;
}

QuantMeasured measuredFromJson(const QJsonObject& json) {
    QuantMeasured measured;
    measured.choices = QuantChoices::fromJson(json.value(QLatin1String("choices")).toObject());
    measured.inputs = textIn(json, QLatin1String("inputs"));
    const std::int64_t batches = std::max<std::int64_t>(0, integerIn(json, QLatin1String("batches")));
    measured.calibration.batches = static_cast<std::size_t>(batches);
    for (const QJsonValue& each : json.value(QLatin1String("observers")).toArray())
        measured.calibration.observers.push_back(observerOf(each.toObject()));
    measured.bytesBefore = integerIn(json, QLatin1String("bytes_before"));
    measured.bytesAfter = integerIn(json, QLatin1String("bytes_after"));
    const QJsonObject bytes = json.value(QLatin1String("layer_bytes")).toObject();
    for (auto layer = bytes.begin(); layer != bytes.end(); ++layer) {
        const QJsonArray sizes = layer.value().toArray();
        measured.layerBytes[layer.key().toStdString()] = {sizes.at(0).toInteger(), sizes.at(1).toInteger()};
    }
    if (!json.contains(QLatin1String("output"))) return measured;
    measured.errors.emplace();
    measured.errors->output = errorOf(json.value(QLatin1String("output")).toObject());
    for (const QJsonValue& each : json.value(QLatin1String("layers")).toArray())
        measured.errors->layers.push_back(errorOf(each.toObject()));
    return measured;
}

} // namespace ui
