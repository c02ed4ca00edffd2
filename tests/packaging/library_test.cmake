# Installs the library from its build tree into a folder of its own, and builds a program against it, by CMake and by
# pkg-config. cmake -DBUILD=FOLDER -DSOURCES=FOLDER -DCXX=COMPILER -DFLAGS=FLAGS -P library_test.cmake
set(prefix ${BUILD}/library_test)
set(consumer ${SOURCES}/tests/packaging/consumer)
set(model ${SOURCES}/models/electromechanical/dc_motor.yaml)
file(REMOVE_RECURSE ${prefix})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${status}\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --component dev)
run(${CMAKE_COMMAND} -S ${consumer} -B ${prefix}/build -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${prefix}/build)
run(${prefix}/build/consumer ${model})
message(STATUS "${out}")

find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  file(GLOB_RECURSE pc ${prefix}/bondgraph.pc)
  get_filename_component(folder ${pc} DIRECTORY)
  run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} pkg-config --cflags --libs bondgraph)
  separate_arguments(flags UNIX_COMMAND "${out} ${FLAGS}")
  run(${CXX} -std=c++20 ${consumer}/consumer.cpp -o ${prefix}/consumer ${flags})
  run(${prefix}/consumer ${model})
endif()
file(REMOVE_RECURSE ${prefix})
