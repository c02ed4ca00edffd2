# Brings what is about to be packed into the form that Debian's policy asks for: compressed man pages and changelogs, a
# copyright file, the folder in which Debian's zsh looks. Run by cpack, for all packages at once.

function(compress file)
  execute_process(COMMAND gzip -9nf ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The project's licence, and those of the libraries that are compiled into the package's files.
function(write_copyright file libraries)
  file(READ ${CPACK_LICENCE} text)
  string(PREPEND text "bondgraph\n\n")
  foreach(library ${libraries})
    set(theirs /usr/share/doc/${library}/copyright)
    if(NOT EXISTS ${theirs})
      message(FATAL_ERROR "${theirs} is missing: its text has to be part of the package")
    endif()
    file(READ ${theirs} licence)
    string(APPEND text "\n\nParts of Debian's ${library} are compiled in. Its copyright file:\n\n${licence}")
  endforeach()
  file(WRITE ${file} "${text}")
endfunction()

function(write_changelog file package)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE ${file}
    "${package} (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
    "  * Packaged by its own build; changelog.gz says what changed.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  compress(${file})
endfunction()

foreach(component ${CPACK_COMPONENTS_ALL})
  set(share ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(doc ${share}/doc/${package})
  set(compiled_in "")
  if(component STREQUAL "bondgraph")
    set(compiled_in ${CPACK_COMPILED_IN})
    file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
    file(RENAME ${doc}/CHANGELOG.md ${doc}/changelog)
    compress(${doc}/changelog)
    # The copyright file says the same and more.
    file(REMOVE ${doc}/LICENSE)
    file(CREATE_LINK copyright ${doc}/LICENSE SYMBOLIC)
  endif()
  write_copyright(${doc}/copyright "${compiled_in}")
  write_changelog(${doc}/changelog.Debian ${package})
  file(GLOB pages ${share}/man/man*/*)
  foreach(page ${pages})
    compress(${page})
  endforeach()
endforeach()
