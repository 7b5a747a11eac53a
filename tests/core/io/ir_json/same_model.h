// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

/// Returns the first difference between two models, or empty. Compares everything that a file of Lancet must preserve:
/// nodes, order of users, name counters, metadata, callables field by field, modules and tensors with their sharing,
/// storages bit for bit.
std::string firstDifference(const fx::GraphModule& a, const fx::GraphModule& b);
