// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace fx {

/// Returns the MD5 digest (RFC 1321) as 32 hexadecimal digits. Use it only for checksums in file formats, never for
/// security.
std::string md5(std::string_view bytes);

} // namespace fx
