// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <utility>

namespace fx {

// A description and its weights are two files, replaced one after the other. Weights say in their metadata for which
// description they were written. While the two are replaced, the former weights stay beside them (KeptFile); a process
// that is killed between the two leaves them there, and they are the weights of the description until the next save.

/// Returns the metadata of weights that are written for a description with this text.
std::pair<std::string, std::string> describedBy(const std::string& text);

/// Returns the path of the weights of the description at `path` with this text: those beside it, or former weights that
/// a killed save left, if only these were written for the text.
std::string weightsOf(const std::string& path, const std::string& text);

/// Removes former weights of the description at `path` that killed processes left. Call it after a save.
void removeKeptWeights(const std::string& path);

} // namespace fx
