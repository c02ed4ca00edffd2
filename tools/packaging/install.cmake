# What an installation consists of. Everything belongs to a component: what runs is of `bondgraph`, what programs are
# built with is of `dev`.
include(GNUInstallDirs)

install(TARGETS bondgraph RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT bondgraph)
install(DIRECTORY ${BONDGRAPH_PAGES_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT bondgraph)
install(DIRECTORY ${BONDGRAPH_PAGES_DIR}/bash-completion ${BONDGRAPH_PAGES_DIR}/zsh ${BONDGRAPH_PAGES_DIR}/fish
  DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT bondgraph)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT bondgraph)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT bondgraph)
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT bondgraph
  FILES_MATCHING PATTERN "*.yaml" PATTERN "meshes/*")
# The documentation refers to the models by their place in the sources.
install(CODE "
  cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX)
  file(CREATE_LINK examples \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/models\" SYMBOLIC)"
  COMPONENT bondgraph)
