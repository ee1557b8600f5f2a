#include "wire/xml_writer.h"

namespace partita::wire {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// U+FFFE and U+FFFF, which no XML may have.
bool begins_no_character(std::string_view text) {
  return text.starts_with("\xef\xbf\xbe") || text.starts_with("\xef\xbf\xbf");
}

void append_escaped(std::string& out, std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (begins_no_character(text.substr(i))) {
      out.append(kReplacement);
      i += kReplacement.size() - 1;
      continue;
    }
    switch (c) {
      case '&':
        out.append("&amp;");
        break;
      case '<':
        out.append("&lt;");
        break;
      case '>':
        out.append("&gt;");
        break;
      case '"':
        out.append("&quot;");
        break;
      case '\r':
        out.append("&#xD;");
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') {
          out.append(kReplacement);
        } else {
          out.push_back(c);
        }
    }
  }
}

}  // namespace

void XmlWriter::begin(std::string_view element, std::string_view space) {
  out_.append("<").append(element);
  if (!space.empty()) out_.append(" xmlns=\"").append(space).append("\"");
  out_.append(">");
  open_.push_back(element);
}

void XmlWriter::end() {
  out_.append("</").append(open_.back()).append(">");
  open_.pop_back();
}

void XmlWriter::text(std::string_view element, std::string_view value) {
  begin(element);
  append_escaped(out_, value);
  end();
}

}  // namespace partita::wire
