// Several estimators' answers as one: who has which part in it, and what it says.
#include "regression/estimators/combined.h"

#include <gtest/gtest.h>

#include <cmath>

namespace etad::estimators {
namespace {

Reply says(double log_mean, double deviation = 0.1, int runs = 1) {
  return {Estimate{log_mean, deviation, {runs, 1, 1}}, {}};
}

// A hundred hidden cases by which an estimator's errors are these in turn.
std::vector<double> often(const std::vector<double>& errors) {
  std::vector<double> out;
  for (std::size_t i = 0; i < 100; ++i) out.push_back(errors[i % errors.size()]);
  return out;
}

TEST(Combined, ErrorsOfOppositeSignsCancel) {
  const auto weights = weights_of({often({0.1}), often({-0.1})});
  EXPECT_NEAR(weights[0], 0.5, 0.051);
  EXPECT_NEAR(weights[0] + weights[1], 1, 1e-9);
  const Reply reply = combine(weights, [](std::size_t i) { return says(i == 0 ? 0.1 : -0.1); });
  EXPECT_NEAR(reply.estimate->log_mean, 0, 0.011);
  EXPECT_NEAR(reply.estimate->deviation, std::hypot(0.1, 0.1), 0.01) << "what they differ by is doubt, too";
}

TEST(Combined, WhoOnlyAddsErrorHasNoPart) {
  EXPECT_DOUBLE_EQ(weights_of({often({0.2}), often({0.05})})[0], 0);
  EXPECT_LT(weights_of({often({0.05}), often({0.2})})[1], 0.25)
      << "the reference keeps what it had beforehand";
}

TEST(Combined, OfEstimatorsThatSayTheSameTheSimplestCounts) {
  const auto weights = weights_of({often({0.1, 0.2}), often({0.1, 0.2}), often({0.5})});
  EXPECT_GT(weights[0], 0.75);
  EXPECT_DOUBLE_EQ(weights[1], 0);
}

// Two that differ by the last digit only are the same.
TEST(Combined, RoundingDecidesNothing) {
  const auto weights = weights_of({often({1e-9, -1e-9}), often({1e-10}), often({0.5})});
  EXPECT_GT(weights[0], 0.75);
  EXPECT_DOUBLE_EQ(weights[1], 0);
}

// Two that hardly ever answer: where they do not, what is left is the reference's, not that of a third one, which
// does worse than it.
TEST(Combined, WhatIsLeftByWhoAbstainsIsTheReferences) {
  const auto now_and_then = [](double answer) { return often({answer, answer, answer, NAN}); };
  const auto weights =
      weights_of({now_and_then(0.01), often({-0.12, -0.12, -0.12, 0.5}), often({0.1, 0.1, 0.1, 0.1})});
  EXPECT_GT(weights[0], 0.5);
  EXPECT_GT(weights[2], 4 * weights[1]);
}

// Where the last one says nothing, the reference is who answers most: a few answers of another do not stand against it.
TEST(Combined, TheReferenceIsWhoAnswersMostOfSeveralTheRichest) {
  const std::vector<double> never(6, NAN), seldom = {0.1, NAN, NAN, NAN, NAN, NAN}, always(6, 0.2);
  EXPECT_EQ(most_answers({always, seldom, never}), 0U);
  EXPECT_EQ(most_answers({always, always, never}), 1U);
  EXPECT_GT(weights_of({always, seldom, never})[0], 0.75);
}

// A forest that said something in three hidden cases is not believed against the one that always answers.
TEST(Combined, FewAnswersMakeNoRecord) {
  const std::vector<double> seldom = {NAN, NAN, NAN, 0.5, 0.5, 0.5}, always(6, 0.6);
  const auto weights = weights_of({seldom, always});
  EXPECT_GT(weights[0], 0);
  EXPECT_GT(weights[1], 0.5);
  EXPECT_NEAR(weights[0] + weights[1], 1, 1e-9);
}

TEST(Combined, WithoutAnAnswerOfTheRichestTheOthersShareEverything) {
  const auto weights = weights_of({{0.1}, {NAN}});
  EXPECT_NEAR(weights[0], 1, 1e-9);
  EXPECT_DOUBLE_EQ(weights[1], 0);
}

TEST(Combined, WhoAbstainsLeavesItsPartToTheOthers) {
  const auto weights = weights_of({{NAN, NAN, NAN, 0.0, 0.0}, {0.01, 0.01, 0.01, 0.3, 0.3}});
  EXPECT_GT(weights[0], 0);
  EXPECT_GT(weights[1], 0);
  const Reply reply =
      combine(weights, [](std::size_t i) { return i == 0 ? abstain("too few runs") : says(2); });
  EXPECT_DOUBLE_EQ(reply.estimate->log_mean, 2);
}

TEST(Combined, AWildOneMovesItByNoMoreThanAFactor) {
  const std::vector<double> weights = {0.4, 0.6};
  const Reply reply = combine(weights, [](std::size_t i) { return says(i == 0 ? 20 : 1); });
  EXPECT_LE(reply.estimate->log_mean, 1 + 0.4 * 0.4 + 1e-9);
  EXPECT_GT(reply.estimate->deviation, 5) << "and nobody knows how far the truth is from either";
}

TEST(Combined, RestsOnWhatTheHeaviestRestsOn) {
  const std::vector<double> weights = {0.7, 0.3};
  const Reply reply = combine(weights, [](std::size_t i) { return says(1, 0.1, i == 0 ? 7 : 3); });
  EXPECT_EQ(reply.estimate->rests_on.runs, 7);
}

TEST(Combined, WithoutAnswersThereIsNone) {
  EXPECT_EQ(weights_of({{NAN, NAN}, {NAN, NAN}}), (std::vector<double>{0, 0}));
  EXPECT_TRUE(weights_of({}).empty());
  EXPECT_EQ(weights_of({{}, {}}), (std::vector<double>{0, 0}));
  const std::vector<double> weights = {1, 0};
  const Reply reply = combine(weights, [](std::size_t) { return abstain("too few runs"); });
  EXPECT_FALSE(reply.estimate);
  EXPECT_EQ(reply.why, "too few runs");
}

}  // namespace
}  // namespace etad::estimators
