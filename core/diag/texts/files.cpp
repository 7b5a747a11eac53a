// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts/texts.h"

namespace fx::texts {

MessageTexts files() {
    static constexpr MessageText kTexts[] = {
        {"files.cannot_open", "cannot open the file: {detail}"},
        {"files.cannot_read", "cannot read the file"},
        {"files.cannot_read_because", "cannot read the file: {detail}"},
        {"files.cannot_write", "cannot write {file}: {detail}",
         "save to another folder; nothing was written to this path"},
        {"files.changed", "the file changed on disk while it was open, so its weights cannot be read any more",
         "to keep edits, save them as a recipe, reload the file, and apply the recipe"},
        {"files.changed_while_written", "another program changed {file} while it was being written",
         "check the file; save again to replace it, or save to another file"},
        {"files.disk_failed", "cannot write {file}: {detail}",
         "save to another disk; nothing was written to this path"},
        {"files.disk_full", "cannot write {file}: {detail}",
         "make room on that disk, or save to another one; nothing was written to this path"},
        {"files.folder_as_file", "cannot write {file}: {detail}", "name a file in this folder"},
        {"files.is_directory", "expected a file, got a directory"},
        {"files.leads_outside", "{name} leads out of the folder {folder}",
         "replace the link with the file that it leads to, if you want it to be read"},
        {"files.no_folder", "cannot write {file}: {detail}", "create the folder, or save to another one"},
        {"files.no_permission", "cannot write {file}: {detail}",
         "save elsewhere, or change the permissions of the file or its folder"},
        {"files.no_tensor_values", "cannot read the values of the tensor: {reason}"},
        {"files.not_a_file", "cannot write {file}: it is a pipe, a device or a socket",
         "name a regular file, or /dev/stdout"},
        {"files.not_computed", "the values of this tensor are not computed"},
        {"files.not_own_folder", "cannot use the folder {folder}: it belongs to another user or is a link",
         "set XDG_STATE_HOME to a folder of your own"},
        {"files.not_regular", "not a regular file"},
        {"files.part_past_end", "a part of the file extends past its end"},
        {"files.read_only_disk", "cannot write {file}: {detail}", "save to another disk"},
        {"files.scales_mismatch", "the scales of a quantised tensor do not fit its sizes"},
        {"files.size_limit", "cannot write {file}: {detail}",
         "raise the file size limit (ulimit -f), or save to another file system; nothing was written to this path"},
        {"files.tensor_device", "it is on device {device}"},
        {"files.tensor_dtype", "unknown dtype {dtype}"},
        {"files.tensor_expanded",
         "the tensor repeats {bytes} as {count} elements ({size}), too many to read one by one",
         "save the tensor as it was before expand() or as_strided(), and expand it in forward()"},
        {"files.tensor_geometry", "it has {problem}"},
        {"files.tensor_layout", "unsupported layout {layout}"},
        {"files.tensor_past_file", "a tensor extends past the end of the file"},
        {"files.tensor_past_storage", "a tensor extends past the end of its storage"},
        {"files.too_large", "the file is too large for its format"},
        {"files.too_many_paths", "modules that share children have more than {limit} paths",
         "delete the modules that no node calls, or save the model as .pt or .json"},
        {"files.too_short", "the file is too short"},
    };
    return kTexts;
}

} // namespace fx::texts
