// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace fx {

/// Names of temporary files and folders contain the mark of their process: `net.pt.before-MARK`,
/// `net.lancet-MARK-x7Tq0a`. The mark distinguishes leftovers of killed processes from files that a running process
/// uses.

/// Returns the mark of this process: its id, its start time in clock ticks, and a hash of the boot id and the process
/// namespace: `4711-88123-0a1b2c3d`.
std::string processMark();

/// Returns true if the process with this mark has ended. False for text that is not a mark, and for marks of other
/// systems, whose processes are not visible here.
bool hasEnded(std::string_view mark);

/// Removes leftovers of ended processes from this folder: regular files and folders of this user with such a mark in
/// their name. Leftovers with the mark of another system (another computer, or an earlier boot) must be unchanged for a
/// day. Follows no links, reads at most 10,000 entries, and ignores failures.
void removeLeftovers(const std::string& folder);

} // namespace fx
