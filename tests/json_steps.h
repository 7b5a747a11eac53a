// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/step_list.h"

/// The steps that a test writes as JSON.
inline fx::StepList operator""_steps(const char* json, std::size_t size) { return fx::StepList::parse({json, size}); }
