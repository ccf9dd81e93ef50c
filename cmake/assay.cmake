# Two helpers, so that a folder's CMakeLists.txt is one or two lines.

# assay_library(name [AGENT] [DEPENDS lib...]): every *.cc of the folder except tests and benchmarks.
# AGENT libraries can enter the profiled process: no exceptions, no RTTI, hidden symbols.
function(assay_library name)
  cmake_parse_arguments(ARG "AGENT" "" "DEPENDS;EXCLUDE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc
       ${CMAKE_CURRENT_SOURCE_DIR}/*.S)
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzzer)\\.cc$")
  foreach(pattern ${ARG_EXCLUDE})
    list(FILTER sources EXCLUDE REGEX "${pattern}")
  endforeach()
  if(sources)
    add_library(${name} STATIC ${sources})
    set(scope PUBLIC)
    if(ARG_AGENT)
      target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti
                             -fvisibility-inlines-hidden> -fvisibility=hidden)
    endif()
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${name} ${scope} ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} ${scope} ${ARG_DEPENDS})
endfunction()

# assay_tests(name [DEPENDS lib...]): one GoogleTest program from every *_test.cc of the folder.
# tools/run_tests.py runs each program build/tests/*_test.
function(assay_tests name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_compile_definitions(${name} PRIVATE ASSAY_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                             ASSAY_BUILD_DIR="${CMAKE_BINARY_DIR}")
  # Optimizing what GoogleTest expands to doubles the time of a build.
  target_compile_options(${name} PRIVATE -O1)
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gmock GTest::gtest GTest::gtest_main)
endfunction()
