// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/journal/recovery.h"

#include <QString>

#include <memory>

namespace ui {

/// Edits that can be restored, with a description.
struct RecoveryOffer {
    std::shared_ptr<fx::OrphanedJournal> journal; ///< locked while it is held
    QString path;                                 ///< the file to which the edits were last saved, else the opened file
    /// "net.pt"; source that was never saved is described by its content: "Untitled (Block, Net; line 27: x = x * 2)".
    QString name;
    QString preview;         ///< the first changed lines of source that was never saved; else empty
    bool isOnlyCopy = false; ///< nothing is to be changed, but the model that was open is in no file
};

/// Describes a journal. Reads files, so call it off the GUI thread.
RecoveryOffer recoveryOffer(std::shared_ptr<fx::OrphanedJournal> journal);

} // namespace ui
