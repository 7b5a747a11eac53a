// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/interpreter.h"

#include <exception>

namespace fx::python {

/// Counts down again, and keeps the chain of calls of an exception.
struct FrameGuard {
    FrameGuard(Interpreter& interpreter, Interpreter::Frame& frame, Function& function)
        : in(interpreter), before(in.m_frame), place(in.m_here), building(in.m_building) {
        if (++in.m_depth > Interpreter::kMaxCalls) {
            --in.m_depth;
            in.raise("RecursionError", "maximum recursion depth exceeded");
        }
        in.takeNotes();
        in.m_calls.push_back(place);
        in.m_calls.back().function = function.name;
        frame.caller = before;
        in.m_frame = &frame;
        in.m_building = nullptr;
    }
    ~FrameGuard() {
        if (std::uncaught_exceptions() > exceptions && in.failedIn.empty()) {
            in.failedIn = in.m_calls;
            in.failedIn.push_back(in.m_here);
            in.failedModule = in.m_moduleStack.empty() ? ModuleFrame() : in.m_moduleStack.back();
        }
        if (in.notes) {
            in.takeNotes();
            in.leftAt = in.m_here;
        }
        in.m_calls.pop_back();
        in.m_frame = before;
        in.m_building = building;
        in.m_here = place;
        --in.m_depth;
    }
    Interpreter& in;
    Interpreter::Frame* before;
    Place place;
    Class* building;
    int exceptions = std::uncaught_exceptions();
};

} // namespace fx::python
