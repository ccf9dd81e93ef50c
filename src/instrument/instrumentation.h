// The interface of an instrumentation: it selects points of a method, emits the operation of each,
// and says what the counts mean. It knows nothing of sampling; duplicate.h decides where its
// operations are executed and how often. docs/instrumentation.md shows a complete one.
//
// One object serves all classes, on many threads at once: Select and Emit change nothing in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/bytecode/code_builder.h"
#include "src/bytecode/control_flow.h"
#include "src/classfile/class_file.h"

namespace assay::instrument {

enum class Place : uint8_t {
  kEntry,   // at the method's entry
  kBefore,  // directly before an instruction
  kEdge,    // on the way from one block to another
  kRegion,  // where a piece of code begins that has no jump backwards inside: at the method's entry
            // (block 0), and whenever a jump backwards arrives at a block
};

struct Point {
  Place place = Place::kEntry;
  uint32_t element = 0;  // kBefore: a number in Code::elements
  uint32_t from = 0;     // kEdge: a block
  uint32_t to = 0;       // kEdge, kRegion: a block
  uint32_t id = 0;       // of the counter; 0 for an operation that counts nothing
  int32_t value = 0;     // whatever Select wants to tell Emit
  int32_t kind = 0;      // the same
  bool plain = false;    // Emit does nothing but Count(id): executions of the point are the count
};

// The method under work, as it is in the class file.
struct Body {
  const classfile::ClassFile& file;
  const classfile::Method& method;
  const bytecode::Code& code;
  const bytecode::ControlFlow& flow;

  // "pkg.Class.name(descriptor)"
  std::string MethodName() const;
  uint32_t BlockOf(uint32_t element) const;
};

// Emits the operation of one point. Everything it leaves on the stack it must have found there.
class Emitter {
 public:
  Emitter(bytecode::CodeBuilder& build) : build_(build) {}

  bytecode::CodeBuilder& code() { return build_; }
  // One more for the counter `id`.
  void Count(uint32_t id);
  // The same, told apart by what is on top of the stack, which is taken: the class of an object
  // (null counts as class "null"), or a value of the type of a field descriptor.
  void CountClass(uint32_t id);
  void CountValue(uint32_t id, std::string_view descriptor);
  // Puts a copy of the object below the arguments of a call on top of the stack.
  void CopyReceiver(std::string_view method_descriptor);
  // The int variable of an instrumentation with wants_local().
  uint16_t local() const { return local_; }
  void set_local(uint16_t slot) { local_ = slot; }

 private:
  uint16_t Temporary(int word);

  bytecode::CodeBuilder& build_;
  uint16_t local_ = 0;
  uint16_t temporaries_ = 0;
  int temporary_words_ = 0;
};

class Instrumentation;

// Gives out counters. The same instrumentation and key get the same number, which is never 0.
class PointIds {
 public:
  virtual ~PointIds() = default;
  virtual uint32_t Id(const Instrumentation& by, const std::vector<std::string>& key) = 0;
  // Asked about a method without branches whose points are all plain: each is executed once per
  // call. True when the counts of its callers will stand for its own; it then stays as it is.
  virtual bool CountsByCalls(const classfile::ClassFile& file, const classfile::Method& method,
                             const std::vector<uint32_t>& ids) {
    return false;
  }
};

class Instrumentation {
 public:
  virtual ~Instrumentation() = default;
  // As in --instrument.
  virtual std::string_view name() const = 0;
  // The table of the profile that the counts land in, one row per counter: the columns are the
  // parts of its key, then the class or value where operations count by one.
  virtual std::string_view table() const = 0;
  virtual std::vector<std::string> columns() const = 0;

  virtual Status Select(const Body& body, PointIds& ids, std::vector<Point>* points) const = 0;
  virtual void Emit(const Point& point, Emitter& emit) const = 0;

  // Operations that only make sense when all of a piece of code is executed with them.
  virtual bool needs_whole_region() const { return false; }
  // An int variable, 0 at the method's entry, that keeps its value between operations.
  virtual bool wants_local() const { return false; }
};

// By name, or null; the names are AllInstrumentations().
std::unique_ptr<Instrumentation> MakeInstrumentation(std::string_view name);
std::vector<std::string_view> AllInstrumentations();

}  // namespace assay::instrument
