// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/layer_error_message.h"

#include "core/quant/measure/mixed_precision.h"
#include "core/remote/message_fields.h"

#include <algorithm>
#include <limits>

namespace fx::remote {
template<class Archive> void fields(Archive& field, LayerError& error) {
    field("node", error.node)("original", error.original)("layer", error.layer)("values", error.values);
    field("signal", error.signal)("noise", error.noise)("max_error", error.maxError)("step", error.step);
}
template<class Archive> void fields(Archive& field, LayerErrors& errors) {
    field("layers", errors.layers)("output", errors.output);
}
template<class Archive> void fields(Archive& field, LayerErrorsRequest& request) { field("draws", request.draws); }

double LayerError::relativeNoise() const {
    if (noise == 0) return 0;
    return signal > 0 ? noise / signal : std::numeric_limits<double>::infinity();
}
double LayerError::sqnr() const { return quant::sqnrOf(relativeNoise()); }

const LayerError* LayerErrors::firstBelow(double sqnr) const {
    const auto found =
        std::find_if(layers.begin(), layers.end(), [&](const LayerError& each) { return !(each.sqnr() >= sqnr); });
    return found == layers.end() ? nullptr : &*found;
}

Frame toFrame(const LayerErrorsRequest& request, std::uint32_t number, bool local) {
    return toFrame(request.run, number, local, "layer_errors", [&](JsonWriter& json, Frame& frame) {
        writeModel(json.key("other"), request.other, frame);
        writeFields(json, request);
    });
}

LayerErrorsRequest layerErrorsRequest(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    return withFields(LayerErrorsRequest{runRequest(frame), readModel(document->root().at("other"))}, document->root());
}

Frame toFrame(const LayerErrors& errors, std::uint32_t number) { return resultFrame(errors, number); }
LayerErrors layerErrorsOf(const Frame& frame) { return resultOf<LayerErrors>(frame); }

} // namespace fx::remote
