# Writes the files of the library of parts into one source file: cmake -DFOLDER=… -DOUTPUT=… -P embed_library.cmake
file(GLOB files ${FOLDER}/*.yaml)
list(SORT files)
set(rows "")
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND rows "    {\"${name}\", R\"part_library(${text})part_library\"},\n")
endforeach()
list(LENGTH files count)
file(WRITE ${OUTPUT}.new "// Written by embed_library.cmake from models/library.
#include <array>

#include \"bondgraph/io/part_library.hpp\"

namespace bondgraph::io {
namespace {

constexpr std::array<LibraryFile, ${count}> kFiles{{
${rows}}};

}  // namespace

std::span<const LibraryFile> library_files() { return kFiles; }

}  // namespace bondgraph::io
")
file(COPY_FILE ${OUTPUT}.new ${OUTPUT} ONLY_IF_DIFFERENT)
