// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/verb.h"

namespace app {

/// The verbs of `lancet`. Each is defined in the file of its name.
extern const Verb kInfoVerb;
extern const Verb kGraphVerb;
extern const Verb kCodeVerb;
extern const Verb kTabularVerb;
extern const Verb kModulesVerb;
extern const Verb kDrawVerb;
extern const Verb kCompilationVerb;
extern const Verb kConvertVerb, kTraceVerb;
extern const Verb kAnonymizeVerb;
extern const Verb kMatchVerb;
extern const Verb kReplaceVerb;
extern const Verb kPartitionVerb;
extern const Verb kEditVerb;
extern const Verb kApplyVerb;
extern const Verb kDiffVerb;
extern const Verb kExtractVerb;
extern const Verb kPassesVerb;
extern const Verb kPassVerb;
extern const Verb kQuantizeVerb;
extern const Verb kBenchVerb;
extern const Verb kReportVerb;
extern const Verb kRunVerb;
extern const Verb kVerifyVerb;
extern const Verb kWorkerVerb;

} // namespace app
