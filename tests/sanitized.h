// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// True if AddressSanitizer is active: time and memory have other limits then.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = false;
#endif
constexpr int kPatience = kSanitized ? 20 : 1; ///< factor on time limits
