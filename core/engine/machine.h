// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/value.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fx::engine {

/// torch.manual_seed
void seed(std::uint64_t value);
/// torch.set_num_threads; 0: as many as LibTorch chooses by itself.
void setThreads(int count);
int threads();
/// LibTorch's version and how it was built, as text.
std::string libraryDescription();

/// torch.autocast("cpu", ...) for as long as it lives.
class AutocastScope {
public:
    AutocastScope(bool enabled, at::ScalarType type);
    ~AutocastScope();
    AutocastScope(const AutocastScope&) = delete;
    AutocastScope& operator=(const AutocastScope&) = delete;

private:
    bool m_wasEnabled;
    at::ScalarType m_wasType;
};

/// An input drawn at random: floats by torch.randn, integers by torch.randint(high), booleans by torch.randint(2).bool().
at::Tensor randomInput(const std::vector<std::int64_t>& sizes, at::ScalarType type, std::int64_t high);

} // namespace fx::engine
