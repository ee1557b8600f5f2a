#include "wire/xml_writer.h"

namespace partita::wire {

namespace {

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
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
          out.append("\xef\xbf\xbd");
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
