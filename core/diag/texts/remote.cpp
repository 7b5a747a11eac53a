// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts/texts.h"

namespace fx::texts {

MessageTexts remote() {
    static constexpr MessageText kTexts[] = {
        {"remote.bad_tensor", "invalid tensor in the message"},
        {"remote.cannot_open", "cannot open the file"},
        {"remote.cannot_start", "cannot start the worker {program}: {detail}",
         "install lancet-worker beside lancet or on PATH"},
        {"remote.did_not_start", "the worker {how} before it was ready",
         "run lancet-worker in a terminal, where it prints what it lacks, such as LibTorch"},
        {"remote.died", "the worker {how} while it worked on the model",
         "use another form of the model: LibTorch crashes on this one; the file and Lancet are unharmed"},
        {"remote.ended", "the worker {how} from outside while it worked on the model",
         "run it again; another program, the system or a batch queue ended the worker, not the model"},
        {"remote.expression_sizes", "an expression gives a tensor whose sizes differ from those in the model"},
        {"remote.killed", "the worker {how} while it worked on the model",
         "run with smaller inputs: the system probably ran out of memory"},
        {"remote.message_too_large", "the worker sent a message that is too large"},
        {"remote.model_not_kept", "the worker does not keep the model",
         "install the same version of Lancet on both sides"},
        {"remote.names_file", "a message of the worker cannot name files"},
        {"remote.no_model", "the worker does not have the model"},
        {"remote.no_pipe", "cannot create a pipe: {detail}"},
        {"remote.no_profile_folder", "missing folder for the profile", "set XDG_CACHE_HOME or HOME"},
        {"remote.no_tensor", "the worker returned something else than a tensor"},
        {"remote.node_in_message", "a message cannot refer to nodes"},
        {"remote.not_a_message", "the worker sent an invalid message",
         "start the worker with a command that writes nothing to standard output"},
        {"remote.not_ready", "the worker did not report that it is ready"},
        {"remote.protocol", "the worker speaks protocol version {worker}, Lancet {own}",
         "install the same version of Lancet on both sides"},
        {"remote.slice_size", "the slice has another number of elements"},
        {"remote.tensor_count", "the worker returned an unexpected number of tensors"},
        {"remote.tensor_geometry", "a tensor of the message has {problem}"},
        {"remote.tensor_kind", "cannot send a tensor of this kind to another process", "use plain tensors with values"},
        {"remote.tensor_outside", "a tensor lies outside the message"},
        {"remote.timeout", "timed out after {time}", "use smaller inputs",
         "use smaller inputs, or allow more time with --timeout SECONDS"},
        {"remote.too_deep", "values are nested too deeply"},
        {"remote.unknown_tensor", "unknown tensor in the message"},
        {"remote.value_kind", "cannot send a value of this kind to another process"},
    };
    return kTexts;
}

} // namespace fx::texts
