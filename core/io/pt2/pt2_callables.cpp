// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pt2/pt2_callables.h"

#include "core/trace/callables.h"

namespace fx {

CallablePtr pt2Callable(std::string_view target) {
    const CallablePtr resolved = resolveCallable(target);
    // functions that torch.vmap and torch.func leave in a graph; they are not part of torch's interface
    const bool known = isKnownCallable(target) || resolved->module == "torch._functorch.predispatch";
    if (known != resolved->opaque) return resolved;
    Callable marked = *resolved;
    marked.opaque = !known;
    return std::make_shared<const Callable>(std::move(marked));
}

} // namespace fx
