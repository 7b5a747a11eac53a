// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/quant_message.h"

#include "core/remote/message_fields.h"

namespace fx::remote {

template<class Archive> void fields(Archive& field, ObserverState& each) {
    field("path", each.path)("buffers", each.buffers)("values", each.values)("saturated", each.saturated);
    field("least", each.least)("greatest", each.greatest)("scale", each.scale)("zero_point", each.zeroPoint);
    field("low", each.low)("high", each.high)("histogram_low", each.histogramLow);
    field("histogram_high", each.histogramHigh)("histogram", each.histogram);
}
template<class Archive> void fields(Archive& field, Calibration& calibration) {
    field("batches", calibration.batches)("guessed", calibration.guessed)("observers", calibration.observers);
    field("buffers", calibration.buffers);
}
template<class Archive> void fields(Archive& field, CalibrateRequest& request) {
    field("draws", request.draws)("details", request.details);
}

Frame toFrame(const CalibrateRequest& request, std::uint32_t number, bool local) {
    return toFrame(request.run, number, local, "calibrate",
                   [&](JsonWriter& json, Frame&) { writeFields(json, request); });
}

CalibrateRequest calibrateRequest(const Frame& frame) {
    CalibrateRequest out;
    out.run = runRequest(frame);
    return withFields(std::move(out), frame);
}

Frame toFrame(const Calibration& calibration, std::uint32_t number) {
    return resultFrame<Tensors::Some>(calibration, number);
}
Calibration calibrationOf(const Frame& frame) { return resultOf<Calibration, Tensors::Some>(frame); }

} // namespace fx::remote
