#include "codegen/aot/python.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "codegen/aot/embedded.h"
#include "codegen/aot/header.h"
#include "ir/diagnostic.h"

namespace sinter::codegen {

namespace {

// Of those, the ones that could be a name in C.
bool is_python_word(const std::string& s) {
  static const std::set<std::string> words = {"False", "None",  "True",   "and",    "as",   "assert", "async",  "await",    "class", "def", "del",
                                              "elif",  "except", "finally", "from",  "global", "import", "in",   "is",    "lambda", "nonlocal", "not",
                                              "or",    "pass",  "raise",  "with",   "yield"};
  return words.contains(s);
}

// Inside of a string of three quotes.
std::string quoted(std::string text) {
  std::replace(text.begin(), text.end(), '\\', '/');
  std::replace(text.begin(), text.end(), '"', '\'');
  return text;
}

std::string python_name(const std::string& name) { return is_python_word(name) ? name + "_" : name; }

}  // namespace

void check_python_names(const ir::Program& program, const std::string& module) {
  const auto wrong = [&](const std::string& what, const std::string& name) {
    ir::user_error(ir::ErrorCode::ExportFailed, {}, what + " `" + name + "` can't be a name in Python",
                   "begin with a letter, go on with letters, digits and underscores, and take no word of Python's");
  };
  const auto fits = [](const std::string& s) {
    return !s.empty() && !is_python_word(s) && !(s[0] >= '0' && s[0] <= '9') &&
           std::all_of(s.begin(), s.end(), [](unsigned char c) { return c < 128 && (std::isalnum(c) || c == '_'); });
  };
  if (!fits(module)) wrong("the module's file", module);
  // What begins with an underscore is the module's own.
  if (!fits(program.name) || program.name[0] == '_') wrong("the pipeline", program.name);
}

std::string python_module(const Library& library, const std::string& file) {
  const ir::Program& p = library.versions[0].program;
  const std::string& name = p.name;
  std::string targets, parameters, values, documentation;
  for (const ir::Module& m : library.versions) targets += (targets.empty() ? "" : ", ") + m.target.to_string();
  for (const ir::Argument& a : p.args) {
    const std::string argument = python_name(argument_name(p, a));
    parameters += (parameters.empty() ? "" : ", ") + argument;
    values += (values.empty() ? "" : ", ") + argument;
    documentation += "    " + argument + ": " + quoted(argument_text(p, a)) + "\n";
  }
  if (p.args.size() == 1) values += ",";  // a tuple all the same
  std::string out = "\"\"\"" + name + ": compiled by Sinter for " + targets + ".\n\n    " + name + "(" + parameters + ")\n\"\"\"\n\n";
  out += std::string(python_support()) + "\n\n_sinter_library = _Library(\"" + file + "\", \"" + name + "\")\n";
  out += "\n\ndef " + name + "(" + parameters + (parameters.empty() ? "" : ", ") + "*, stream=None):\n    \"\"\"Shapes with the innermost dimension last:\n\n" +
         documentation +
         "\n    A tensor is anything with __dlpack__, __array_interface__ or __cuda_array_interface__, and is used where it lies. In device\n"
         "    memory the work is enqueued on `stream` (a handle, or a stream of torch, cupy or numba), which is the current one of the\n"
         "    tensors' library if none is given, and is not waited for. In host memory the result is there on return.\n\n"
         "    Raises TypeError or ValueError for what does not fit, else RuntimeError or MemoryError; nothing was written then.\n    \"\"\"\n"
         "    _sinter_library.call((" + values + "), stream)\n";
  out += "\n\ndef " + name + "_init(device=0):\n    \"\"\"Loads the kernels on a device, which the first call does otherwise. -1 is the host.\"\"\"\n    _sinter_library.init(device)\n";
  out += "\n\ndef " + name + "_workspace_size(" + parameters + "):\n    \"\"\"Bytes of scratch memory that a call with these arguments uses.\"\"\"\n    return _sinter_library.workspace_size((" +
         values + "))\n";
  out += "\n\ndef " + name + "_metadata():\n    \"\"\"Name, arguments, versions.\"\"\"\n    return _sinter_library.metadata\n";
  return out;
}

}  // namespace sinter::codegen
