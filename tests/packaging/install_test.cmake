# Installs the program from its build tree into a folder of its own, and has it work there, away from the sources.
# cmake -DBUILD=FOLDER -DSOURCES=FOLDER -DSTRICT=BOOL -P install_test.cmake
set(prefix ${BUILD}/install_test)
file(REMOVE_RECURSE ${prefix})

function(run folder)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${folder} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${status}\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

run(${BUILD} ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --component bondgraph)
set(program ${prefix}/bin/bondgraph)
set(doc ${prefix}/share/doc/bondgraph)
foreach(file share/man/man1/bondgraph.1 share/man/man1/bondgraph-run.1 share/bash-completion/completions/bondgraph
        share/zsh/site-functions/_bondgraph share/fish/vendor_completions.d/bondgraph.fish share/doc/bondgraph/LICENSE
        share/doc/bondgraph/README.md share/doc/bondgraph/docs/manual.md
        share/doc/bondgraph/models/electromechanical/dc_motor.yaml)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()

set(work ${prefix}/work)
file(MAKE_DIRECTORY ${work})
set(bare env -i ${program})
set(model ${doc}/examples/electromechanical/dc_motor.yaml)
run(${work} ${bare} check ${model})
run(${work} ${bare} run ${model} -o motor.csv)
run(${work} ${bare} draw ${model} -o motor.svg)
run(${work} ${bare} test ${doc}/examples/electromechanical)
run(${work} ${bare} check ${doc}/examples/mechanics3d/steel_brackets.yaml)  # with the files of its shapes
foreach(file motor.csv motor.svg)
  file(SIZE ${work}/${file} size)
  if(size LESS 1000)
    message(FATAL_ERROR "${file} has ${size} bytes only")
  endif()
endforeach()

# Assertions and debug information, where there are any, name sources.
if(STRICT)
  file(STRINGS ${program} paths REGEX "${SOURCES}/")
  if(paths)
    message(FATAL_ERROR "the program refers to its sources: ${paths}")
  endif()
endif()
file(REMOVE_RECURSE ${prefix})
