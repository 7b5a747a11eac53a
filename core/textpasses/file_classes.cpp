// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/textpasses/file_classes.h"

#include "core/textpasses/graph_objects.h"

namespace fx {
namespace python {
namespace {

/// The classes for a file: there is no model yet.
class FileClasses final : public FxClasses {
public:
    FileClasses(Interpreter& in, bool notes) : m_objects(in, m_none) { m_objects.takesNotes = notes; }

    std::shared_ptr<GraphModule> modelOf(const Value& value) override {
        if (!m_objects.isGraphModule(value)) return nullptr;
        return std::make_shared<GraphModule>(m_objects.modelOf(*value.as<Instance>()));
    }

private:
    GraphModule m_none;
    GraphObjects m_objects;
};

} // namespace
} // namespace python

std::function<std::shared_ptr<python::FxClasses>(python::Interpreter&)> fxClasses(bool notes) {
    return [notes](python::Interpreter& in) { return std::make_shared<python::FileClasses>(in, notes); };
}

} // namespace fx
