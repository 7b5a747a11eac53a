// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/make/initial_weights.h"
#include "core/python/object_protocol.h"
#include "core/python/values/pointer_map.h"

namespace fx::python {

/// Modules of torch.nn as objects: construction, children, parameters, calls and their plain attributes.
class Modules : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;
    ~Modules();
    Modules(const Modules&) = delete;
    Modules& operator=(const Modules&) = delete;

    /// The objects of modules.
    PointerMap<Module, Instance*>& instances() { return m_instances; }
    /// All modules of the program, in order of creation.
    std::vector<Instance*>& all() { return m_modules; }
    /// True if the program accessed the hooks of a module.
    bool hasHooks() const { return m_hasHooks; }
    /// Returns the object of a module, creating it if necessary; None for null.
    Value wrapModule(const std::shared_ptr<Module>& module);
    /// Returns the object of a module, or null.
    Instance* instanceOf(const Module* module);
    /// Stores plain attributes of all modules as data, for `ModuleIndex` and for saving.
    void syncModules();
    /// Calls a module like `module(...)`. Records a leaf module and interprets the `forward` of others.
    Value callModule(Instance& module, Values args, Keywords kwargs);
    /// Interprets the `forward` of a module at `path` from the root.
    Value followModule(Instance& module, const std::string& path, Values args, Keywords kwargs);
    /// Returns true if calls of the module are recorded as one node.
    bool isLeaf(const Instance& module) const;
    /// The same by torch.fx's default, `Tracer.is_leaf_module`.
    static bool isUsualLeaf(const Instance& module);
    /// Returns true if the class of the module has this name, with or without its Python module.
    static bool isOfClass(const Instance& module, const std::string& name);
    /// Adds the classes of modules below `root` that derive from FloatFunctional to `scopes`.
    void noteFloatFunctionals(const Module& root);
    /// torch.ao `_swap_ff_with_fxff`.
    void swapFloatFunctionals(Instance& module);
    /// Returns true if a module class has a `forward` that can be interpreted.
    static bool canFollow(Class& type);
    /// Notes a call of a method that a class deriving from FloatFunctional adds: quantisation replaces the module.
    void noteOwnMember(const Function& function, const Value& self);
    /// Looks up a parameter, buffer, submodule or other entry of a module; unset if it does not exist.
    Value moduleAttribute(Instance& instance, std::string_view name);
    /// Returns the shape and such that torch.fx's `ParameterProxy` knows; unset for other proxies and names.
    Value constantShape(const trace::Value& proxy, std::string_view name);
    /// `torch.nn.Module.__setattr__`.
    void setModuleAttribute(Instance& instance, std::string_view name, const Value& value);
    /// Returns the text of a module of torch.nn between the parentheses of its repr().
    std::string extraRepr(const Value& module);
    /// Notes that a parameter or buffer of a module became another tensor.
    void noteTensorSet();
    /// Adds functions that the Python text of torch.nn's classes uses.
    void addModuleHelpers();
    /// Returns an argument of a constructor as a setting: also a class or a quantisation scheme, which no graph holds.
    Argument settingOf(const Value& value);
    /// Constructs the module of a torch.nn class from the arguments of `__init__`.
    void constructTorchModule(Instance& self, Class& type, const Values& args, const Keywords& kwargs);
    /// `reset_parameters` of a module of torch.nn: draws its weights again.
    void resetTorchModule(Instance& self);
    /// Returns a module that becomes the child of another; null for None.
    std::shared_ptr<Module> childOf(const Value& child);
    /// Adds children under the numbers that follow.
    void addChildren(Module& module, const Values& more);

private:
    Value tensorAttribute(Instance& instance, const TensorPtr& tensor, std::string_view name, bool isParameter);
    std::string torchTypeName(const Value& value);
    void requireSettings(const Instance& self, const ops::NnModule& entry, const Values& args, const Keywords& kwargs);
    void requireKind(const Module& module, std::string_view name, const Value& value);
    void setModuleEntry(Instance& instance, std::string_view kind, const std::string& name, const Value* value);
    Value computeModule(Instance& module, Values args, Keywords kwargs);
    Value callForward(Instance& module, const Value& forward, Values args, Keywords kwargs);
    Argument plainArgument(const Value& value);
    void syncModule(Instance& instance);

    PointerMap<Module, Instance*> m_instances;
    std::vector<Instance*> m_modules;
    std::vector<TorchGenerator::State> m_randomStates; ///< results of torch.get_rng_state
    bool m_hasHooks = false;                           ///< a module may have hooks
};

} // namespace fx::python
