# The library for other programs: one archive of all folders that the interface needs, its header, and what CMake and
# pkg-config have to know of it.
include(CMakePackageConfigHelpers)

set(parts api drawing storage analysis simulation compile io equivalence causality structure elements model expression base)
list(TRANSFORM parts PREPEND bondgraph_)
list(APPEND parts bondgraph_mechanics3d bondgraph_converters)

set(BONDGRAPH_ARCHIVE ${CMAKE_BINARY_DIR}/${CMAKE_STATIC_LIBRARY_PREFIX}bondgraph${CMAKE_STATIC_LIBRARY_SUFFIX})
set(script "CREATE ${BONDGRAPH_ARCHIVE}\n")
foreach(part ${parts})
  string(APPEND script "ADDLIB $<TARGET_FILE:${part}>\n")
endforeach()
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/archive.mri CONTENT "${script}SAVE\nEND\n")
add_custom_command(OUTPUT ${BONDGRAPH_ARCHIVE}
  COMMAND ${CMAKE_COMMAND} -E rm -f ${BONDGRAPH_ARCHIVE}
  COMMAND ${CMAKE_AR} -M < ${CMAKE_BINARY_DIR}/archive.mri
  DEPENDS ${parts} ${CMAKE_BINARY_DIR}/archive.mri)
add_custom_target(archive ALL DEPENDS ${BONDGRAPH_ARCHIVE})

# As they are named when they are linked: where they lie is for the system to know on which they are used.
set(names fmt yaml-cpp udunits2 sundials_ida sundials_kinsol sundials_sunlinsolklu sundials_sunmatrixsparse klu zstd gvc cgraph)
foreach(library ${RESULT_FILE_LIBRARIES})
  get_filename_component(name ${library} NAME_WE)
  string(REGEX REPLACE "^lib" "" name ${name})
  list(APPEND names ${name})
endforeach()
# Behind archives that need it as well.
list(APPEND names z)
list(REMOVE_ITEM names "")
list(REMOVE_DUPLICATES names)
list(JOIN names ";" BONDGRAPH_LINKS)
list(TRANSFORM names PREPEND -l OUTPUT_VARIABLE flags)
list(JOIN flags " " BONDGRAPH_LINK_FLAGS)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/bondgraph)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/bondgraphConfig.cmake.in ${CMAKE_BINARY_DIR}/bondgraphConfig.cmake
  INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/bondgraphConfigVersion.cmake COMPATIBILITY SameMinorVersion)
# It may be installed elsewhere than it was configured for.
file(RELATIVE_PATH BONDGRAPH_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/bondgraph.pc.in ${CMAKE_BINARY_DIR}/bondgraph.pc @ONLY)

install(FILES ${BONDGRAPH_ARCHIVE} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
install(FILES bondgraph/api/bondgraph.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bondgraph COMPONENT dev)
install(FILES bondgraph/api/calls.hpp bondgraph/api/energy.hpp bondgraph/api/linear.hpp bondgraph/api/pictures.hpp bondgraph/api/port_hamiltonian.hpp
  bondgraph/api/judgements.hpp bondgraph/api/reduction.hpp bondgraph/api/reference.hpp bondgraph/api/report_page.hpp bondgraph/api/reports.hpp bondgraph/api/results.hpp bondgraph/api/runs.hpp bondgraph/api/sensitivities.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bondgraph/api COMPONENT dev)
install(FILES ${CMAKE_BINARY_DIR}/bondgraphConfig.cmake ${CMAKE_BINARY_DIR}/bondgraphConfigVersion.cmake
  DESTINATION ${package} COMPONENT dev)
install(FILES ${CMAKE_BINARY_DIR}/bondgraph.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
