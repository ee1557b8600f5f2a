#include "table/rows/vector_rows.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "table/vectors/vector_distance.h"

namespace partita::table {
namespace {

using model::AttributeValue;
using model::Number;

float float_of_text(const std::string& text) { return *float_of(AttributeValue::number(*Number::parse(text))); }

TEST(Floats, AreTheNearestOnes) {
  EXPECT_EQ(float_of_text("16777217"), 16777216.0F);
  EXPECT_EQ(float_of_text("16777219"), 16777220.0F);
  EXPECT_EQ(float_of_text("-0.1"), -0.1F);
  EXPECT_EQ(float_of_text("3.4028235E38"), std::numeric_limits<float>::max());
  EXPECT_EQ(float_of_text("1E-45"), 1e-45F);
  EXPECT_EQ(float_of_text("1E-120"), 0.0F);
  // As doubles these lie half between two floats, and as decimals they do not.
  EXPECT_EQ(float_of_text("1.00000005960464477539063"), 1.00000011920928955078125F);
  EXPECT_EQ(float_of_text("1.00000005960464477539062"), 1.0F);
  EXPECT_FALSE(float_of(AttributeValue::number(*Number::parse("3.5E38"))));
  EXPECT_FALSE(float_of(AttributeValue::number(*Number::parse("-4E38"))));
  EXPECT_FALSE(float_of(AttributeValue::string("1")));
}

TEST(Floats, AgreeWithTheLibrary) {
  SeededRandom random(5);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = random.next() % 2 == 0 ? "-0." : "0.";
    const uint64_t digits = 1 + random.next() % 30;
    for (uint64_t d = 0; d < digits; ++d) text += static_cast<char>('0' + random.next() % 10);
    text += "1e" + std::to_string(static_cast<int>(random.next() % 60) - 30);
    float expected = 0;
    std::from_chars(text.data(), text.data() + text.size(), expected);
    ASSERT_EQ(float_of_text(text), expected) << text;
  }
}

TEST(Floats, AreWrittenOutWithAPoint) {
  EXPECT_EQ(float_text(1), "1.0");
  EXPECT_EQ(float_text(-0.0F), "0.0");
  EXPECT_EQ(float_text(16777216), "16777216.0");
  EXPECT_EQ(float_text(-12.5F), "-12.5");
  EXPECT_EQ(float_text(0.001F), "0.001");
  EXPECT_EQ(float_text(0.12345679F), "0.12345679");
  EXPECT_EQ(float_text(std::numeric_limits<float>::max()), "340282350000000000000000000000000000000.0");
  EXPECT_EQ(float_text(1e-40F), "0.0000000000000000000000000000000000000001");
}

// The scores said again without the code under test.
double expected_score(api::Distance distance, const std::vector<float>& a, const std::vector<float>& b) {
  long double product = 0, apart = 0, a_square = 0, b_square = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const long double x = a[i], y = b[i];
    product += x * y, apart += (x - y) * (x - y), a_square += x * x, b_square += y * y;
  }
  if (distance == api::Distance::kDotProduct) return static_cast<double>(product);
  if (distance == api::Distance::kEuclidean) return static_cast<double>(std::sqrt(apart));
  return static_cast<double>(1 - product / std::sqrt(a_square * b_square));
}

TEST(Distances, AreRightAtEveryLength) {
  SeededRandom random(3);
  auto draw = [&] { return static_cast<float>(static_cast<double>(random.next() % 2001) / 1000 - 1); };
  for (size_t dimensions = 1; dimensions <= 40; ++dimensions) {
    std::vector<float> a(dimensions), b(dimensions);
    for (auto* vector : {&a, &b}) std::ranges::generate(*vector, draw);
    a[0] = b[0] = 1;
    for (const api::Distance distance :
         {api::Distance::kCosine, api::Distance::kEuclidean, api::Distance::kDotProduct}) {
      const Nearness nearness(distance, a);
      // Rows begin at any byte.
      const std::string row = "x" + packed(b);
      EXPECT_NEAR(nearness.score(std::string_view(row).substr(1)), expected_score(distance, a, b), 1e-12) << dimensions;
    }
  }
}

TEST(Distances, OfItselfAreExact) {
  const std::vector<float> a{0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F, 0.7F, 0.8F, 0.9F};
  EXPECT_EQ(Nearness(api::Distance::kCosine, a).score(packed(a)), 0);
  EXPECT_EQ(Nearness(api::Distance::kEuclidean, a).score(packed(a)), 0);
  const std::vector<float> none(9);
  EXPECT_EQ(Nearness(api::Distance::kCosine, a).score(packed(none)), 1);
  EXPECT_EQ(Nearness(api::Distance::kCosine, none).score(packed(none)), 1);
}

TEST(Vectors, ArePackedAndUnpacked) {
  const std::vector<float> floats{1.5F, -2, 0};
  EXPECT_EQ(packed(floats).size(), 12U);
  EXPECT_EQ(unpacked(packed(floats)), floats);
}

}  // namespace
}  // namespace partita::table
