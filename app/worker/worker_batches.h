// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/worker/model_inputs.h"

namespace app {

/// The batches of a request by number: given batches (`RunRequest::inputs`, a list), or random batches with consecutive
/// seeds.
class Batches {
public:
    /// `run` and `interpreter` must outlive the object; `draws` is the number of random batches. Throws Error{Usage} if
    /// there are no batches.
    Batches(const fx::remote::RunRequest& run, std::size_t draws, const fx::engine::Interpreter& interpreter);

    std::size_t size() const { return m_given ? m_given->size() : m_draws; } ///< The number of batches.
    /// Runs a batch. Errors name the batch and, if its values explain them, the remedy.
    void run(std::size_t number, const std::function<void(ModelInputs& inputs)>& action) const;
    /// True if the tensors of a batch that has been run had any element.
    bool hadElements() const { return m_hadElements; }
    /// Returns "3 of 20", for texts.
    std::string label(std::size_t number) const { return std::to_string(number + 1) + " of " + std::to_string(size()); }

private:
    /// Returns the inputs of a batch; `tensors` holds them for one run. Throws Error{Usage} for inputs that the model
    /// does not take, and Error{Run} for NaN.
    ModelInputs inputs(std::size_t number, fx::engine::TensorStore& tensors) const;
    void explain(fx::Error& error, std::size_t number, const fx::engine::RunInputs& inputs) const;
    bool explainNoTensor(fx::Error& error) const;
    fx::ValueTree byName(const fx::ValueTree& batch) const;
    void check(const fx::engine::RunInputs& inputs) const;
    bool isObserved(fx::NodeId placeholder) const;
    void requireTensor(fx::NodeId placeholder, const fx::engine::Value& value) const;
    struct Given {
        std::string name;
        at::Tensor tensor;
        bool isObserved;
    };
    std::vector<Given> tensorsOf(const fx::engine::RunInputs& inputs) const;
    std::string remedy(const std::vector<Given>& tensors) const;
    static std::string shapesOf(const std::vector<Given>& tensors);

    const fx::remote::RunRequest& m_run;
    std::size_t m_draws;
    const fx::engine::Interpreter& m_interpreter;
    const std::vector<fx::ValueTree>* m_given = nullptr;
    std::vector<fx::InputGuess> m_guesses;
    mutable bool m_hadElements = false;
};

} // namespace app
