# Debian packages, one for each component that something is installed for; tools/package.sh makes them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
# Named, because CPack would take a single component for a package without any.
get_cmake_property(CPACK_COMPONENTS_ALL COMPONENTS)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)

set(BONDGRAPH_MAINTAINER "The bondgraph authors <bondgraph@example.org>" CACHE STRING
  "Who answers for the packages; to be set by who hands them on")
set(CPACK_PACKAGE_CONTACT ${BONDGRAPH_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${BONDGRAPH_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# The first line is the summary.
set(CPACK_COMPONENT_BONDGRAPH_DESCRIPTION "Simulation of physical systems described by bond graphs
Turns a bond graph, written down in a YAML file, into a simulation: works out
its causality, sorts and reduces the equations, and integrates them. One graph
of energy flow serves electrical, mechanical, hydraulic and thermal systems
alike, mechanisms in space included.")
set(CPACK_DEBIAN_BONDGRAPH_PACKAGE_NAME bondgraph)
set(CPACK_DEBIAN_BONDGRAPH_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_BONDGRAPH_PACKAGE_SECTION science)
# Plots are drawn by it.
set(CPACK_DEBIAN_BONDGRAPH_PACKAGE_RECOMMENDS "gnuplot-nox | gnuplot")

set(CPACK_COMPONENT_DEV_DESCRIPTION "Simulation of bond graphs, for use in other programs
Library and headers with which a program reads models written as bond graphs
and simulates them.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libbondgraph-dev)
set(CPACK_DEBIAN_DEV_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
# An archive links what the programs made with it need.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "g++, libfmt-dev, libyaml-cpp-dev, libsundials-dev, libsuitesparse-dev, \
libudunits2-dev, libzstd-dev, libgraphviz-dev, libmatio-dev, libhdf5-dev, zlib1g-dev, libsz2 | libaec-dev")

# The licences of what is compiled into the program are handed on with it; headers of Boost don't ask for that.
set(CPACK_COMPILED_IN libeigen3-dev libcereal-dev libcli11-dev nlohmann-json3-dev)
if(RESULT_FILE_LIBRARIES MATCHES "\\.a(;|$)")
  list(APPEND CPACK_COMPILED_IN libmatio-dev libhdf5-dev)
endif()
set(CPACK_LICENCE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian_files.cmake)
include(CPack)
