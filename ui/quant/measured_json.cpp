// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/quant/measured_json.h"

#include "core/diag/error.h"
#include "core/remote/frame.h"

#include <QJsonArray>

namespace ui {

namespace {

constexpr QLatin1String kCalibration("calibration"), kErrors("errors"), kBytes("layer_bytes");

QString textOf(const fx::remote::Frame& frame) { return QString::fromStdString(frame.json); }
fx::remote::Frame frameIn(const QJsonObject& json, QLatin1String key) {
    return {fx::remote::FrameKind::Result, 0, json.value(key).toString().toStdString(), {}, {}};
}

} // namespace

QJsonObject measuredJson(const QuantMeasured& measured) {
    fx::remote::Calibration calibration = measured.calibration;
    calibration.buffers.clear(); // tensors, which the version has
    for (fx::remote::ObserverState& each : calibration.observers) each.buffers.clear();
    QJsonObject bytes;
    for (const auto& [layer, sizes] : measured.layerBytes)
        bytes[QString::fromStdString(layer)] =
            QJsonArray{static_cast<qint64>(sizes.first), static_cast<qint64>(sizes.second)};
    QJsonObject json{{"choices", measured.choices.toJson()},
                     {"inputs", QString::fromStdString(measured.inputs)},
                     {kCalibration, textOf(fx::remote::toFrame(calibration, 0))},
                     {"bytes_before", static_cast<qint64>(measured.bytesBefore)},
                     {"bytes_after", static_cast<qint64>(measured.bytesAfter)},
                     {kBytes, bytes}};
    if (measured.errors) json[kErrors] = textOf(fx::remote::toFrame(*measured.errors, 0));
    return json;
}

std::optional<QuantMeasured> measuredFromJson(const QJsonObject& json) {
    QuantMeasured measured;
    try {
        measured.calibration = fx::remote::calibrationOf(frameIn(json, kCalibration));
        if (json.contains(kErrors)) measured.errors = fx::remote::layerErrorsOf(frameIn(json, kErrors));
    } catch (const fx::Error&) { return std::nullopt; }
    measured.choices = QuantChoices::fromJson(json.value(QLatin1String("choices")).toObject());
    measured.inputs = json.value(QLatin1String("inputs")).toString().toStdString();
    measured.bytesBefore = json.value(QLatin1String("bytes_before")).toInteger();
    measured.bytesAfter = json.value(QLatin1String("bytes_after")).toInteger();
    const QJsonObject bytes = json.value(kBytes).toObject();
    for (auto layer = bytes.begin(); layer != bytes.end(); ++layer) {
        const QJsonArray sizes = layer.value().toArray();
        measured.layerBytes[layer.key().toStdString()] = {sizes.at(0).toInteger(), sizes.at(1).toInteger()};
    }
    return measured;
}

} // namespace ui
