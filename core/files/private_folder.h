// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace fx {

/// Returns true if this is a folder, not a link, that belongs to this user and that only this user may write to.
bool isPrivateFolder(const std::string& folder);

/// Creates the folder and its missing parents so that only this user can enter them. Revokes write permission of others
/// on an existing folder. Throws Error{Refused} if the folder cannot be created, is a link, belongs to another user, or
/// is sticky as /tmp is.
void makePrivateFolder(const std::string& folder);

/// Returns the home folder from HOME or the user database; empty if none exists.
std::string homeFolder();

/// Returns Lancet's folder in the one that an XDG variable names (`XDG_CACHE_HOME`), or by default in `usual`
/// (".cache") of the home folder. Empty without both.
std::string userFolder(const char* variable, const char* usual);

} // namespace fx
