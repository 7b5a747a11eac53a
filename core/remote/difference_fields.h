// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/message_fields.h"
#include "core/remote/verify_report.h"

namespace fx::remote {

/// The members of a difference in results of `verify` and `values`.
template<class Archive> void fields(Archive& field, ValueDifference& value) {
    field("dtype", value.dtype)("sizes", value.sizes)("max_abs", value.maxAbs)("max_rel", value.maxRel);
    field("scale", value.scale)("rms", value.rms)("rms_error", value.rmsError);
    field("rtol", value.tolerance.rtol)("atol", value.tolerance.atol)("count", value.count)("beyond", value.beyond);
    field("nans_a", value.nansA)("nans_b", value.nansB)("nans_both", value.nansBoth)("worst", value.worst);
    field("equal", value.equal)("close", value.close)("same_shape", value.sameShape)("reason", value.reason);
}

} // namespace fx::remote
