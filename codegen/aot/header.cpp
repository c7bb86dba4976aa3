#include "codegen/aot/header.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "ir/diagnostic.h"

namespace sinter::codegen {

namespace {

const std::set<std::string>& reserved_words() {
  static const std::set<std::string> words = {
      "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float", "for", "goto", "if",
      "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union",
      "unsigned", "void", "volatile", "while", "bool", "true", "false", "main", "stream",
      // C++ includes the header too
      "alignas", "alignof", "and", "asm", "bitand", "bitor", "catch", "class", "compl", "concept", "constexpr", "decltype", "delete", "explicit",
      "export", "friend", "mutable", "namespace", "new", "noexcept", "not", "nullptr", "operator", "or", "private", "protected", "public", "requires",
      "template", "this", "throw", "try", "typeid", "typename", "using", "virtual", "xor"};
  return words;
}

bool is_identifier(const std::string& s) {
  if (s.empty() || std::isdigit(static_cast<unsigned char>(s[0])) || reserved_words().contains(s)) return false;
  return std::all_of(s.begin(), s.end(), [](unsigned char c) { return c < 128 && (std::isalnum(c) || c == '_'); });
}

// DLPack's order: the innermost dimension last.
std::string shape_text(const ir::FuncDef& f) {
  if (f.rank() == 0) return "one element";
  std::string out = "[";
  for (int d = f.rank(); d-- > 0;) {
    const size_t k = static_cast<size_t>(d);
    const int64_t* fixed = k < f.fixed_extent.size() ? ir::as_int(f.fixed_extent[k]) : nullptr;
    out += fixed ? std::to_string(*fixed) : f.kind == ir::FuncKind::Input ? "dim " + std::to_string(d) : f.dims[k]->name;
    if (d > 0) out += ", ";
  }
  return out + "]";
}

std::string parameters(const ir::Program& p, bool with_stream) {
  std::string out;
  for (const ir::Argument& a : p.args) {
    if (!out.empty()) out += ", ";
    if (a.kind == ir::Argument::Kind::Param) out += c_scalar_type(p.params[static_cast<size_t>(a.id)].var->type) + " ";
    else out += "const DLTensor* ";
    out += argument_name(p, a);
  }
  if (with_stream) out += out.empty() ? "sinter_stream_t stream" : ", sinter_stream_t stream";
  return out.empty() ? "void" : out;
}

// Without what would end the comment or its line.
std::string c_comment(std::string text) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') text[at] = ' ';
    if (text[at] == '/' && at > 0 && text[at - 1] == '*') text[at] = '|';
  }
  return text;
}

std::string json_string(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + "\"";
}

}  // namespace

const std::string& argument_name(const ir::Program& p, const ir::Argument& a) {
  return a.kind == ir::Argument::Kind::Param ? p.params[static_cast<size_t>(a.id)].name : p.funcs[static_cast<size_t>(a.id)].name;
}

std::string argument_text(const ir::Program& p, const ir::Argument& a) {
  if (a.kind == ir::Argument::Kind::Param) {
    const ir::Type t = p.params[static_cast<size_t>(a.id)].var->type;
    return "scalar " + to_string(t) + (t.is_narrow_float() ? ", given as float and rounded" : "");
  }
  const ir::FuncDef& f = p.funcs[static_cast<size_t>(a.id)];
  return std::string(a.kind == ir::Argument::Kind::Output ? "output " : "input ") + to_string(f.type) + " " + shape_text(f) +
         (!f.free_stride0 && f.rank() > 0 ? ", innermost stride 1" : "");
}

void check_c_names(const ir::Program& p) {
  if (!is_identifier(p.name) || p.name == "stream")
    ir::user_error(ir::ErrorCode::ExportFailed, {}, "the pipeline's name `" + p.name + "` can't be the name of a C function",
                   "give the Pipeline a name of letters, digits and underscores");
  for (const ir::Argument& a : p.args) {
    const std::string& name = argument_name(p, a);
    if (!is_identifier(name))
      ir::user_error(ir::ErrorCode::ExportFailed, {}, "the argument `" + name + "` of `" + p.name + "` can't be a parameter of a C function",
                     "give it a name of letters, digits and underscores");
  }
}

std::string c_scalar_type(ir::Type t) {
  if (t.is_bool()) return "bool";
  if (t.is_float()) return t.bits == 64 ? "double" : "float";
  return (t.is_int() ? "int" : "uint") + std::to_string(t.bits) + "_t";
}

std::string c_header(const Library& library) {
  const ir::Program& p = library.versions[0].program;
  const auto is_gpu = [](const ir::Module& m) { return m.target.is_gpu(); };
  const bool gpu = std::any_of(library.versions.begin(), library.versions.end(), is_gpu);
  const bool both = gpu && !std::all_of(library.versions.begin(), library.versions.end(), is_gpu);
  std::string guard = "SINTER_LIBRARY_" + p.name + "_H_";
  std::string targets;
  for (const ir::Module& m : library.versions) targets += (targets.empty() ? "" : ", ") + m.target.to_string();
  std::string h = "/* " + p.name + ": compiled by Sinter for " + targets + ". Link with the runtime library, sinter_runtime.\n *\n";
  for (const std::string& note : library.notes) h += " * " + c_comment(note) + "\n *\n";
  h += " * Arguments, in order; shapes in DLPack's order, the innermost dimension last:\n";
  for (const ir::Argument& a : p.args) {
    h += " *   " + argument_name(p, a) + ": " + argument_text(p, a);
    h += "\n";
  }
  h += std::string(" *\n * Tensors are in ") + (both ? "device memory, or all of them in host memory" : gpu ? "device memory" : "host memory") + ". NULL strides mean compact. An output overlaps no other tensor. A call\n" +
       " * returns 0, or a code with the words in sinter_last_error(); nothing was written then.\n */\n";
  h += "#ifndef " + guard + "\n#define " + guard + "\n\n#include <dlpack/dlpack.h>\n#include <stdbool.h>\n#include <stdint.h>\n\n";
  h += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  h += "#if !defined(SINTER_RUNTIME_H_) && !defined(SINTER_STREAM_T_)\n#define SINTER_STREAM_T_\n" +
       std::string("typedef void* sinter_stream_t; /* a CUstream or cudaStream_t; NULL is the default stream */\n#endif\n") +
       "const char* sinter_last_error(void);\n\n";
  h += std::string(both  ? "/* In device memory: enqueues the work on `stream` and does not wait for it. In host memory: returns when the result is there. */\n"
                   : gpu ? "/* Enqueues the work on `stream` and does not wait for it. Can be captured in a CUDA graph. */\n"
                         : "/* Returns when the result is there; `stream` is ignored. */\n");
  h += "int " + p.name + "(" + parameters(p, true) + ");\n\n";
  h += both  ? "/* Loads the kernels on a device, which the first call does otherwise. A negative device is the host: nothing to prepare. */\n"
       : gpu ? "/* Loads the kernels on a device, which the first call does otherwise. */\n" : "/* Nothing to prepare on a host; returns 0. */\n";
  h += "int " + p.name + "_init(int device);\n\n";
  h += "/* Bytes of scratch memory that a call with these arguments uses; -code where they don't fit. */\n";
  h += "int64_t " + p.name + "_workspace_size(" + parameters(p, false) + ");\n\n";
  h += "/* A JSON text: name, arguments, versions. */\n";
  h += "const char* " + p.name + "_metadata(void);\n\n";
  h += "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return h;
}

std::string arguments_json(const ir::Program& p) {
  std::string j = "[";
  for (size_t i = 0; i < p.args.size(); ++i) {
    const ir::Argument& a = p.args[i];
    const bool scalar = a.kind == ir::Argument::Kind::Param;
    const ir::Type t = scalar ? p.params[static_cast<size_t>(a.id)].var->type : p.funcs[static_cast<size_t>(a.id)].type;
    j += std::string(i ? ", " : "") + "{\"name\": " + json_string(argument_name(p, a)) + ", \"kind\": \"" +
         (scalar ? "scalar" : a.kind == ir::Argument::Kind::Output ? "output" : "input") + "\", \"type\": " + json_string(to_string(t));
    if (!scalar) {
      const ir::FuncDef& f = p.funcs[static_cast<size_t>(a.id)];
      j += ", \"rank\": " + std::to_string(f.rank()) + ", \"shape\": [";
      for (int d = f.rank(); d-- > 0;) {
        const size_t k = static_cast<size_t>(d);
        const int64_t* fixed = k < f.fixed_extent.size() ? ir::as_int(f.fixed_extent[k]) : nullptr;
        j += (fixed ? std::to_string(*fixed) : "null") + (d ? ", " : "");
      }
      j += std::string("], \"dense\": ") + (f.rank() > 0 && !f.free_stride0 ? "true" : "false");
    }
    j += "}";
  }
  return j + "]";
}

std::string metadata_json(const std::vector<VersionText>& versions) {
  const ir::Program& p = versions[0].module->program;
  std::string j = "{\"name\": " + json_string(p.name) + ", \"arguments\": " + arguments_json(p) + ", \"versions\": [";
  const auto list = [&](const char* name, const std::vector<std::string>& words) {
    j += std::string(", \"") + name + "\": [";
    for (size_t i = 0; i < words.size(); ++i) j += (i ? ", " : "") + json_string(words[i]);
    j += "]";
  };
  for (size_t i = 0; i < versions.size(); ++i) {
    const ir::Module& m = *versions[i].module;
    j += std::string(i ? ", " : "") + "{\"target\": " + json_string(m.target.to_string()) + ", \"device\": \"" + (m.target.is_gpu() ? "cuda" : "cpu") + "\"";
    list("images", versions[i].images);
    std::vector<std::string> kernels;
    for (const ir::Kernel& k : m.kernels) kernels.push_back(k.name);
    list("kernels", kernels);
    j += "}";
  }
  return j + "]}";
}

}  // namespace sinter::codegen
