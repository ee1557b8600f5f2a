"""The measuring tape itself is measured."""

import sources

FUNCTIONS = """
namespace partita {
struct Point {
  int x = 0;
  int sum() const { return x; }
};
Writer::Writer(int size) noexcept : size_{size}, left_(size) {
  if (size) {
    grow();
  }
}
constexpr int kTable[] = {
    1,
};
template <class T>
Result<T> read(const Key& key)
{
  auto later = [&] {
    return 1;
  };
}
bool operator==(const Point& a, const Point& b) {
  return a.x == b.x;
}
}  // namespace partita
"""


def test_functions_are_found_and_measured():
    assert list(sources.functions_in(FUNCTIONS)) == [
        ("sum", 5, 1),
        ("Writer::Writer", 7, 5),
        ("read", 15, 7),
        ("operator==", 22, 3),
    ]


def test_comments_and_literals_are_not_code():
    code = sources._NOT_CODE.sub(
        lambda found: sources.blank(found.group()),
        'a("}"); // {\nchar c = \'{\'; /* {\n */ auto r = R"x({)"{)x"; int n = 1\'000\'000;',
    )
    assert "{" not in code and "}" not in code
    assert code.count("\n") == 2 and "1'000'000" in code
