#pragma once

#include <atomic>
#include <nlohmann/json.hpp>

#include "bondgraph/api/bondgraph.hpp"

namespace bondgraph::api {

// Of a model with switches, diodes, friction: what a page tells of other modes than that of the start.

/// Which modes a run was in, as a part of its JSON: `names` of what decides strokes, `modes` with their values, and
/// from each `time` on the `mode` there was. Of more changes than a page has room for the first.
nlohmann::ordered_json mode_course_json(const ModeCourse& course);

/// Strokes, marks of nodes, causality and equations in the modes of a run: of strokes and marks only what is not as
/// at the start. Modes that there is no room for, and that have no causality, are left out; so are the rest where
/// `cancel` is true.
nlohmann::ordered_json structures_json(const Model& model, const Values& values, const ModeCourse& course,
                                       const std::atomic<bool>* cancel);

}  // namespace bondgraph::api
