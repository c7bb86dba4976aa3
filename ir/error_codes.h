// Every E-code, in one list: number and meaning. A code is never reused. tests/lint checks that each has a test.
//   E00xx the algorithm   E01xx a directive   E02xx placement and memory   E03xx proofs   E04xx targets and resources
//   E05xx text forms      E06xx pipelines, buffers, export
#pragma once

#include <cstdint>

namespace sinter::ir {

enum class ErrorCode : uint16_t {
  // the algorithm
  UndefinedFunc = 1,           // E0001 a Func is read or scheduled before it is defined
  RedefinedFunc = 2,           // E0002 a second pure definition
  WrongArity = 3,              // E0003 number of arguments differs from the dimensions
  TypeMismatch = 4,            // E0004 operands, update value or index of a wrong type
  FreeVariable = 5,            // E0005 a Var on the right that is not an argument on the left
  BadPureArgument = 6,         // E0006 a pure definition's argument is not a distinct Var
  BadUpdate = 7,               // E0007 an update that breaks a rule (self-read outside its own point ...)
  BadRDom = 8,                 // E0008 a malformed RDom, or two RDoms in one definition
  BadReduction = 9,            // E0009 inline reduction misuse
  BadConstant = 10,            // E0010 a literal that does not fit its type
  DuplicateName = 11,          // E0011 two arguments of a Pipeline share a name
  BadTypeWidth = 12,           // E0012 a type that the language does not have
  BadArgument = 13,            // E0013 any other malformed argument of a language call

  // directives
  NoSuchLoop = 100,            // E0100 the stage has no such loop
  BadFactor = 101,             // E0101 a split/vector/unroll factor that is not positive, or too large
  DuplicateLoop = 102,         // E0102 a loop name used twice
  BadTail = 103,               // E0103 a tail strategy that is not legal here
  BadReorder = 104,            // E0104 reorder changes the order of dependent RVars, or names a loop twice
  BadBinding = 105,            // E0105 a loop bound twice, or bound to something it can't be
  BlockInsideBlock = 106,      // E0106 block loops are not one group of outermost loops
  BadFuse = 107,               // E0107 fuse of loops that are not adjacent or of different kinds
  RVarParallel = 108,          // E0108 an RVar made parallel where iterations depend on each other
  BadVectorize = 109,          // E0109 vectorize/unroll of a loop without a constant extent
  MixedThreadStyles = 110,     // E0110 explicit threads beside loops that are neither bound nor cooperative
  BadThreads = 111,            // E0111 a block size that is not legal
  BadWrapper = 112,            // E0112 in() where nothing is wrapped
  BadBound = 113,              // E0113 bound() that contradicts itself
  DirectiveAfterCompile = 114, // E0114 a schedule changed or a stage missing

  // placement and memory
  NoSuchPlace = 200,           // E0200 compute_at names a loop that does not exist or does not enclose every use
  OuterBlockPlace = 201,       // E0201 compute_at an outer block loop
  CooperativePlace = 202,      // E0202 compute_at a cooperative loop
  OutputPlacement = 203,       // E0203 a pipeline output that is not at root
  InlineUpdates = 204,         // E0204 compute_inline on a Func with updates
  StoreWithoutCompute = 205,   // E0205 store_at/store_root without compute_at, or inside of it
  BadMemory = 206,             // E0206 a memory that the place does not allow
  CrossThreadRegister = 207,   // E0207 a register read by a thread that did not write it
  UnboundedBox = 208,          // E0208 a block-level region without a constant bound
  UnusedFunc = 209,            // E0209 a scheduled Func that the pipeline does not reach
  SharedInThread = 210,        // E0210 Shared storage inside a thread loop

  // proofs
  OutOfBounds = 300,           // E0300 a read outside what its producer computes
  NotCovered = 301,            // E0301 a point of a stage's domain is not computed, or computed twice
  Race = 302,                  // E0302 two threads, one byte, no order
  NotOwned = 303,              // E0303 ownership of a register
  DivergentBarrier = 304,      // E0304 a barrier that not every thread reaches
  Overflow = 305,              // E0305 an index that may leave its machine type
  Unproved = 306,              // E0306 a claim that could be neither proved nor checked at run time
  UnboundedInput = 307,        // E0307 the region of an input that is needed has no bound
  AliasBroken = 308,           // E0308 an alias rule broken by the schedule

  // targets and resources
  BadTarget = 400,             // E0400 a target string that is not understood
  TooManyThreads = 401,        // E0401 threads per block
  TooMuchShared = 402,         // E0402 shared memory
  TooManyRegisters = 403,      // E0403 registers
  NotExecutable = 405,         // E0405 a form that has no execution yet on this back end
  HostLoopBounds = 407,        // E0407 a host loop whose bounds depend on tensor data

  // text forms
  ParseError = 500,            // E0500 text that does not parse
  VerifyError = 501,           // E0501 an IR that breaks an invariant of its form
  BadScheduleData = 502,       // E0502 a stored schedule that does not fit the pipeline, or is none

  // pipelines, buffers, export
  BadPipeline = 600,           // E0600 no outputs, an unlisted input, an argument listed twice
  BadCall = 601,               // E0601 a compiled pipeline called with a wrong number or kind of arguments
  ExportFailed = 603,          // E0603 a file that can't be written, a name that is no C identifier
  ToolFailed = 605,            // E0605 ptxas or the code generator rejected our output
};

}  // namespace sinter::ir
