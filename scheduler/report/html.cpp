#include "scheduler/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <unordered_set>

namespace sinter::scheduler {

using namespace ir;

namespace {

constexpr const char* kStyle = R"css(
:root { --page: #f7f7f5; --card: #fff; --ink: #1c1d1f; --soft: #6a6d73; --line: #dcdcd8; --read: #2f6db5; --write: #c2621a; --word: #7a3e9d; --number: #0b6e6e;
        --note: #5f7a4a; --mark: #ffe58a; }
@media (prefers-color-scheme: dark) {
  :root { --page: #17181a; --card: #1f2124; --ink: #e6e6e3; --soft: #9b9fa6; --line: #35383d; --read: #6ea8e8; --write: #e59a5c; --word: #c79be6; --number: #6cc6c6;
          --note: #9cba82; --mark: #6b5a12; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 20px 24px; background: var(--page); color: var(--ink); font: 14px/1.45 system-ui, sans-serif; }
h1 { margin: 0; font-size: 22px; } h2 { margin: 0 0 8px; font-size: 14px; }
p.sizes { margin: 2px 0 16px; color: var(--soft); }
.tiles { display: flex; flex-wrap: wrap; gap: 10px; margin-bottom: 14px; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 8px 14px; }
.tile b { display: block; font-size: 18px; font-weight: 600; } .tile span { color: var(--soft); font-size: 12px; }
.pictures { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 14px; margin-bottom: 14px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 12px 14px; min-width: 0; }
.traffic { max-height: 480px; overflow: auto; }
.traffic table { width: 100%; border-collapse: collapse; font-size: 12.5px; }
.traffic th { text-align: left; padding-top: 8px; font-weight: 600; } .traffic th small { color: var(--soft); font-weight: 400; }
.traffic td { padding: 1px 8px 1px 0; white-space: nowrap; } .traffic td.bar { width: 45%; } .traffic td.number { text-align: right; }
.traffic td.region { color: var(--soft); overflow: hidden; text-overflow: ellipsis; max-width: 130px; }
.bar div { height: 10px; border-radius: 2px; min-width: 2px; } .read div { background: var(--read); } .write div { background: var(--write); }
svg.roofline { width: 100%; height: auto; font: 11px system-ui, sans-serif; fill: var(--ink); }
.grid { stroke: var(--line); } .tick, .axis { fill: var(--soft); } .roof { fill: none; stroke: var(--ink); stroke-width: 2; } .roof-label { fill: var(--soft); }
.kernel circle { fill: var(--read); stroke: var(--card); stroke-width: 1.5; } .least path { fill: var(--card); stroke: var(--write); stroke-width: 2; } .least text { fill: var(--soft); }
.leader { stroke: var(--soft); stroke-dasharray: 2 2; }
.columns { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); gap: 14px; }
.column nav { display: flex; flex-wrap: wrap; gap: 4px; margin-bottom: 8px; }
.column select { font: inherit; max-width: 100%; margin-bottom: 8px; color: var(--ink); background: var(--card); }
.column button { font: inherit; font-size: 12.5px; padding: 2px 9px; color: var(--ink); background: none; border: 1px solid var(--line); border-radius: 4px; cursor: pointer; }
.column button[aria-pressed=true] { background: var(--ink); color: var(--card); border-color: var(--ink); }
pre { margin: 0; max-height: 78vh; overflow: auto; font: 12px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; tab-size: 4; }
pre b { color: var(--word); font-weight: 600; } pre i { color: var(--note); font-style: normal; } pre u { color: var(--number); text-decoration: none; }
::highlight(same) { background-color: var(--mark); }
footer { margin-top: 12px; color: var(--soft); font-size: 12px; }
@media (max-width: 900px) { .pictures, .columns { grid-template-columns: minmax(0, 1fr); grid-auto-flow: row; } }
)css";

constexpr const char* kScript = R"js(
for (const column of document.querySelectorAll('.column')) {
  const texts = [...column.querySelectorAll('section')];
  const many = texts.length > 7;
  const nav = document.createElement(many ? 'select' : 'nav');
  const show = n => texts.forEach((t, i) => { t.hidden = i !== n; if (!many) nav.children[i].setAttribute('aria-pressed', i === n); });
  texts.forEach((t, i) => {
    const choice = document.createElement(many ? 'option' : 'button');
    choice.textContent = t.firstElementChild.textContent;
    if (!many) choice.onclick = () => show(i);
    t.firstElementChild.remove();
    nav.append(choice);
  });
  if (many) nav.onchange = () => show(nav.selectedIndex);
  column.prepend(nav);
  show(0);
}
if (window.Highlight && CSS.highlights) document.addEventListener('mouseup', () => {
  const name = getSelection().toString().trim();
  CSS.highlights.delete('same');
  if (!/^[%\w.$]+$/.test(name)) return;
  const inside = /[\w.$]/, ranges = [];
  for (const pre of document.querySelectorAll('pre')) {
    const walk = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT);
    for (let node; (node = walk.nextNode());)
      for (let at = node.data.indexOf(name); at >= 0; at = node.data.indexOf(name, at + 1)) {
        if (inside.test(node.data[at - 1] ?? ' ') || inside.test(node.data[at + name.length] ?? ' ')) continue;
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + name.length);
        ranges.push(range);
      }
  }
  CSS.highlights.set('same', new Highlight(...ranges));
});
)js";

bool is_word(const std::string& s) {
  static const std::unordered_set<std::string> words = {
      "program", "module", "kernel", "schedule", "nest", "func", "input", "param", "args", "update", "role", "entry", "let", "if", "else", "for", "serial", "parallel", "block",
      "thread", "coop", "vector", "vectorized", "unroll", "unrolled", "produce", "consume", "alloc", "shared", "register", "global", "host", "sync", "barrier", "check", "launch", "memset",
      "buffers", "scalars", "written", "in", "at", "store", "compute", "define", "declare", "call", "br", "ret", "phi", "load", "getelementptr"};
  return words.contains(s);
}

// Comments, numbers and words of the languages stand out: <i>, <u>, <b>.
std::string coloured(const std::string& text) {
  std::string out;
  const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$' || c == '%'; };
  for (size_t at = 0; at < text.size();) {
    const bool line_start = at == 0 || text[at - 1] == '\n';
    if (text.compare(at, 2, "//") == 0 || (text[at] == ';' && (line_start || text[at - 1] == ' '))) {
      const size_t end = std::min(text.find('\n', at), text.size());
      out += "<i>" + escape_html(text.substr(at, end - at)) + "</i>";
      at = end;
    } else if (is_name(text[at])) {
      size_t end = at;
      while (end < text.size() && is_name(text[end])) ++end;
      const std::string name = text.substr(at, end - at);
      const bool number = std::isdigit(static_cast<unsigned char>(name[0]));
      const char* const tag = number ? "u" : is_word(name) ? "b" : nullptr;
      out += tag ? fmt::format("<{0}>{1}</{0}>", tag, name) : name;
      at = end;
    } else {
      out += escape_html(std::string(1, text[at++]));
    }
  }
  return out;
}

std::string tile(const std::string& value, const std::string& words) {
  return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", escape_html(value), escape_html(words));
}

std::string tiles(const Costs& costs, const Target& target, const ExplainInput& in) {
  const DeviceLimits dev = limits(target);
  const TrafficTotals& t = costs.total;
  const int64_t moved = t.read + t.written;
  double seconds = 0;
  for (const KernelCost& k : costs.kernels) seconds += k.seconds(dev);
  std::string out = tile(std::to_string(t.launches), std::string(target.is_gpu() ? "launch" : "pass") + (t.launches == 1 ? "" : "es"));
  out += tile(bytes_text(moved), fmt::format("{} read + {} written", bytes_text(t.read), bytes_text(t.written)));
  out += tile(fmt::format("{:.2f}x", static_cast<double>(moved) / static_cast<double>(std::max<int64_t>(t.compulsory, 1))), "the compulsory " + bytes_text(t.compulsory));
  out += tile(flops_text(t.flops), fmt::format("{:.2f} FLOP/byte", static_cast<double>(t.flops) / static_cast<double>(std::max<int64_t>(moved, 1))));
  out += tile(seconds_text(seconds), "at least, by the device's rates");
  if (in.obligations) {
    const auto proved = std::count_if(in.obligations->begin(), in.obligations->end(), [](const Obligation& o) { return o.verdict == Verdict::Proved; });
    out += tile(fmt::format("{} of {}", proved, in.obligations->size()), fmt::format("obligations proved, {:.1f} ms", in.proof_ms));
  }
  return out;
}

std::string traffic_table(const Costs& costs, const Target& target) {
  const DeviceLimits dev = limits(target);
  int64_t most = 1;
  for (const KernelCost& k : costs.kernels)
    for (const BufferCost& b : k.buffers) most = std::max(most, b.bytes);
  std::string out = "<table>\n";
  for (const KernelCost& k : costs.kernels) {
    const std::string launches = k.launches == 1 ? "" : fmt::format("{} {}, ", k.launches, target.is_gpu() ? "launches" : "times");
    out += fmt::format("<tr><th colspan=\"4\">{} <small>{}{}, at least {}, bound by {}</small></th></tr>\n", escape_html(k.name), launches, flops_text(k.flops), seconds_text(k.seconds(dev)),
                       k.memory_bound(dev) ? "memory" : "arithmetic");
    for (const BufferCost& b : k.buffers)
      out += fmt::format("<tr><td>{0} {1}</td><td class=\"number\">{2}</td><td class=\"bar {0}\"><div style=\"width:{3:.1f}%\"></div></td><td class=\"region\" title=\"{4}\">{4}</td></tr>\n",
                         b.write ? "write" : "read", escape_html(b.name), bytes_text(b.bytes), 100.0 * static_cast<double>(b.bytes) / static_cast<double>(most), escape_html(b.region));
  }
  return out + "</table>\n";
}

}  // namespace

std::string escape_html(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

std::string html_page(const ExplainInput& in, const std::vector<HtmlColumn>& columns) {
  const Program& p = in.nest->program;
  const Target& target = in.module->target;
  const Costs costs = measure_costs(*in.nest, in.traffic, in.sizes);
  const std::string title = escape_html(p.name + " for " + target.to_string());
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" + title +
                    "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n<h1>" + title + "</h1>\n";
  const char* const origin = costs.assumed ? " (examples: no arguments were given)" : costs.estimated ? " (estimates: no arguments were given)" : "";
  out += "<p class=\"sizes\">" + escape_html(costs.sizes) + origin + "</p>\n<div class=\"tiles\">\n" + tiles(costs, target, in) + "</div>\n";
  out += "<div class=\"pictures\">\n<div class=\"card\"><h2>Roofline</h2>\n" + roofline_svg(costs, target) + "</div>\n<div class=\"card traffic\"><h2>" +
         std::string(target.is_gpu() ? "What crosses HBM" : "What crosses the memory bus") + "</h2>\n" + traffic_table(costs, target) + "</div>\n</div>\n";
  out += "<div class=\"columns\">\n";
  for (const HtmlColumn& column : columns) {
    out += "<div class=\"card column\">\n";
    for (const HtmlText& t : column) out += "<section><h2>" + escape_html(t.title) + "</h2><pre>" + (t.is_code ? coloured(t.text) : escape_html(t.text)) + "</pre></section>\n";
    out += "</div>\n";
  }
  return out + "</div>\n<footer>Double-click a name to mark it in every text.</footer>\n<script>" + kScript + "</script>\n</body>\n</html>\n";
}

}  // namespace sinter::scheduler
