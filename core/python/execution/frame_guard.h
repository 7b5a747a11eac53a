// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/python_interpreter.h"

#include <exception>

namespace fx::python {

/// Enters a function call and leaves it on destruction. Limits the depth of calls, and saves the call stack of the
/// first exception that passes through (`CallStack::failedIn`).
struct FrameGuard {
    /// Raises RecursionError beyond `Interpreter::kMaxCalls` nested calls.
    FrameGuard(Interpreter& in, Frame& frame, Function& function)
        : stack(in.stack()), before(stack.frame), place(stack.here), building(stack.building) {
        if (++stack.depth > Interpreter::kMaxCalls) {
            --stack.depth;
            in.raise("RecursionError", "maximum recursion depth exceeded");
        }
        stack.takeNotes();
        stack.calls.push_back(place);
        stack.calls.back().function = function.name;
        frame.caller = before;
        stack.frame = &frame;
        stack.building = nullptr;
    }
    ~FrameGuard() {
        if (std::uncaught_exceptions() > exceptions && stack.failedIn.empty()) {
            stack.failedIn = stack.calls;
            stack.failedIn.push_back(stack.here);
            stack.failedModule = stack.moduleStack.empty() ? ModuleFrame() : stack.moduleStack.back();
        }
        stack.takeNotes();
        stack.leftAt = stack.here;
        stack.calls.pop_back();
        stack.frame = before;
        stack.building = building;
        stack.here.moveTo(place.file, place.offset);
        --stack.depth;
    }
    CallStack& stack;
    Frame* before;
    Place place;
    Class* building;
    int exceptions = std::uncaught_exceptions();
};

} // namespace fx::python
