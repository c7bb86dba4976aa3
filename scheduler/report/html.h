// The page that shows what a schedule became: pictures of its costs, and every form of the code side by side.
#pragma once

#include <string>
#include <vector>

#include "scheduler/report/explain.h"

namespace sinter::scheduler {

struct HtmlText {
  std::string title, text;
  bool is_code = true;  // its words are coloured
};

// Texts of one column, one of which is seen at a time: the first, until another is picked.
using HtmlColumn = std::vector<HtmlText>;

// One file that needs nothing else: numbers, a roofline and the traffic of each kernel, as inline SVG, and the columns below. A name that is
// selected in one text is marked in all of them. Without scripts all texts are seen, one below the other.
std::string html_page(const ExplainInput& report, const std::vector<HtmlColumn>& columns);

// The roofline alone, an <svg> element: what each kernel can reach at its intensity under the device's rates.
std::string roofline_svg(const Costs& costs, const ir::Target& target);

std::string escape_html(const std::string& text);

}  // namespace sinter::scheduler
