// What `run --animation` writes, read back.
#pragma once

#include <Eigen/Dense>
#include <map>
#include <string>
#include <vector>

namespace bondgraph::cli {

/// A shape at one output time.
struct Posed {
    std::string kind;
    std::string measures;  ///< empty: sizes are in m
    Eigen::Vector3d x;
    Eigen::Matrix3d R;
    Eigen::Vector3d size;
    [[nodiscard]] Eigen::Vector3d axis() const { return R.row(0).transpose(); }
    [[nodiscard]] Eigen::Vector3d along() const { return size(0) * axis(); }
    [[nodiscard]] Eigen::Vector3d centre() const { return x + 0.5 * along(); }
    [[nodiscard]] Eigen::Vector3d end() const { return x + along(); }
};

struct Animation {
    std::vector<double> time;
    std::map<std::string, double> scale;
    std::map<std::string, std::vector<std::vector<Posed>>> shapes;  ///< by component: those of each output time

    /// The vectors that a component's arrow number `arrow` stands for, one per output time.
    [[nodiscard]] std::vector<Eigen::Vector3d> measured(const std::string& component, std::size_t arrow) const;
};

/// Runs a model. Fails the test where that fails, and where an orientation is none.
Animation animation_of(const std::string& model);
/// The shapes of a component at every output time.
std::vector<std::vector<Posed>> shapes_of(const std::string& model, const std::string& component);

}  // namespace bondgraph::cli
