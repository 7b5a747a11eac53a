// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/layout.h"
#include "ui/scene/scene.h"
#include "ui/tasks/task_slot.h"

#include <QObject>

#include <mutex>
#include <optional>

namespace ui {

/// The picture of a document with its layout options.
///
/// Every change of the options starts the layered layout off the GUI thread; the old picture stays until the new one is
/// ready. Then `dot` may refine it; that result is dropped if it takes more than 300 ms or the user has touched the
/// picture.
class DocumentPicture final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    ~DocumentPicture() override;

    /// Starts again with the initial expansion for the module, which for large ones comes with the picture;
    /// `direction` is kept.
    void setModule(std::shared_ptr<const fx::GraphModule> module);
    /// The picture, ready to be drawn; null until the first layout is done.
    const std::shared_ptr<const Scene>& scene() const { return m_scene; }
    const fx::LayoutOptions& options() const { return m_options; }
    bool busy() const { return m_layout.running(); }

    /// Sets all options together.
    void setOptions(fx::LayoutOptions options);

    fx::Direction direction() const { return m_options.direction; }
    void setDirection(fx::Direction direction);
    void setExpanded(const QString& groupPath, bool expanded);
    void expandAll();
    void collapseAll();
    /// Whether the node itself is drawn, not only a closed group around it.
    bool shows(fx::NodeId node) const;
    /// The nodes that are drawn in a group, open or closed, in graph order.
    std::vector<fx::NodeId> nodesIn(const QString& groupPath) const;
    /// Opens all groups around `node` and emits `revealed` as soon as it is drawn, possibly immediately. A parameter
    /// that is drawn as a chip is revealed at its user.
    void reveal(fx::NodeId node);
    /// The same for several nodes, followed by `revealedAll`. Of very many only the first is.
    void reveal(const std::vector<fx::NodeId>& nodes);
    /// Shows another version of the module with the same groups open; the first version gets the initial expansion.
    void setVersion(std::shared_ptr<const fx::GraphModule> module);
    void hide(const std::vector<fx::NodeId>& nodes);
    void showAll();
    /// The user moved or zoomed, so the picture may no longer change automatically.
    void touch() { m_touched = true; }

Q_SIGNALS:
    /// `refined`: the same items in better positions.
    void pictureChanged(bool refined);
    void optionsChanged();
    void revealed(fx::NodeId node);
    void revealedAll(const std::vector<fx::NodeId>& nodes);
    void failed(const QString& what);

private:
    /// Layouts of one module cache results and must not be used by two threads at once.
    struct Engine {
        std::mutex mutex;
        std::optional<fx::Layout> layout;
    };
    /// A scene, its layout options, and all groups.
    struct Laid {
        std::shared_ptr<const Scene> scene;
        fx::LayoutOptions options;
        std::vector<std::string> groups;
        fx::GroupMembership members;
    };
    fx::NodeId drawnFor(fx::NodeId node) const;
    void restart(std::vector<fx::NodeId> reveal = {});
    void refine();
    void take(Laid laid, const std::vector<fx::NodeId>& reveal);
    void tell(const std::vector<fx::NodeId>& revealed);

    std::shared_ptr<const fx::GraphModule> m_module;
    std::shared_ptr<Engine> m_engine;
    std::vector<std::string> m_groups;
    fx::LayoutOptions m_options;
    std::shared_ptr<const Scene> m_scene;
    fx::GroupMembership m_members; ///< of the scene
    bool m_touched = false;
    bool m_isUnopened = false; ///< the layout decides which groups are open at first
    TaskSlot<Laid> m_layout{"document.layout"};
    TaskSlot<std::shared_ptr<const Scene>> m_refinement{"document.refine"};
};

} // namespace ui
