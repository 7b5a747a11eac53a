// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {

/// Default devices, and tensors on the device "meta", which have shapes but no values.
class MetaDevice : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    /// Device types, the innermost last.
    std::vector<std::string>& defaultDevices() { return m_defaultDevices; }
    /// Takes the values, which Lancet computes with, from tensors on the device "meta".
    void dropValues(const Module& root);
    /// Returns true if PyTorch computes this call on the device "meta", where nothing is drawn. A named device decides,
    /// then the tensors among the arguments, then the device of new tensors.
    bool isOnMeta(const Traced& callee, const Values& args, const Keywords& kwargs) const;
    /// Makes the call on the CPU and restores the generator.
    Value calledOnMeta(const Traced& callee, Values args, Keywords kwargs);
    /// Enters the device of a `with torch.device(...)`; false for other contexts.
    bool enterDevice(const Value& context);
    /// Leaves the device of a `with torch.device(...)`.
    void leaveDevice(const Value& context);
    /// Adds functions that the Python text of torch's classes uses.
    void addDeviceHelpers();

private:
    /// `torch.set_default_device`, and above it the devices of active `with torch.device(...)`.
    std::vector<std::string> m_defaultDevices{"cpu"};
};

/// Sets `TensorRef::device` of the module's own tensors. Tensors that a program creates on the device "meta" still have
/// values, since models without weights cannot run, but no random numbers are drawn for them.
void setDevice(const Module& module, std::string_view device);

} // namespace fx::python
