#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

void add_connector(Flattening& work, ConnectorPlace place);

/// The connectors of own types. One without signals is handed on to a part as a whole (`connect:` in the type), or each
/// of its bonds is a port: an end of a bond in the type, or a port of its equations.
class OwnConnectors {
   public:
    explicit OwnConnectors(Flattening& work);

    /// The ports of an instance that are ends of bonds inside, and its connectors. `own`: the element that holds the
    /// type's equations, if any. Reports unknown connector types (BG-M050) and bonds of a connector that lead to
    /// nothing where others do not (BG-M058), once per type.
    void declare(std::uint32_t scope, const TypeDeclaration& type, ElementId own);

    /// The bonds of a type's connectors that are ports, by the names they have there: "p", or of several "p.turn".
    const std::vector<PortDeclaration>& ports(const TypeDeclaration& type);

    /// Whether there is a connector type of this name, declared or built in.
    [[nodiscard]] bool is_kind(const std::string& name) const;

    /// Whether a bond of the type leads to its port from inside.
    static bool bonded_inside(const TypeDeclaration& type, const std::string& port);

   private:
    [[nodiscard]] const ConnectorType* find(const ConnectorDeclaration& connector) const;
    void declare_boundary(std::uint32_t scope, const TypeDeclaration& type, ElementId own);
    std::vector<std::optional<RawEnd>> ends_of(std::uint32_t scope, const ConnectorDeclaration& connector,
                                               const ConnectorType& kind, ElementId own);
    void report_unknown(const ConnectorDeclaration& connector);
    void report_loose(const TypeDeclaration& type, const ConnectorDeclaration& connector, const ConnectorType& kind,
                      const std::vector<std::optional<RawEnd>>& ends);

    Flattening& work_;
    std::unordered_set<const ConnectorDeclaration*> reported_;
};

}  // namespace bondgraph::model
