// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

#include <string_view>

namespace fx::python {

/// Notes on the tensors of a module itself where they are: TensorRef::device. Tensors that a program makes on the
/// device "meta" have values all the same, since models without weights cannot run; but nothing is drawn for them.
void setDevice(const Module& module, std::string_view device);

} // namespace fx::python
