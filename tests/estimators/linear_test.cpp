#include "regression/estimators/linear.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "regression/estimators/grouped.h"
#include "tests/estimators/histories.h"

namespace etad::estimators {
namespace {

double asked(const Estimator& estimator, const History& history, const Case& what,
             Target target = Target::seconds) {
  EXPECT_EQ(estimator.learn(history, target).missing, "");
  const auto fitted = estimator.learn(history, target).fitted;
  const Reply reply = fitted->predict(what);
  EXPECT_TRUE(reply.estimate) << reply.why;
  return reply.estimate ? std::exp(reply.estimate->log_mean) : 0;
}

// The example that Ernest is published with (amplab/ernest, examples/rcv1-parsed.csv): seconds of seven runs
// on so many cores over such a part of the data, and what its own program makes of them.
TEST(Ernest, ReproducesItsOwnExample) {
  History history;
  const struct {
    double cores, part, seconds;
  } rows[] = {{32, 0.125, 7.94516801834},    {4, 0.015625, 4.72029209137},  {4, 0.021382, 4.87661099434},
              {12, 0.050164, 6.71376490593}, {12, 0.055921, 6.71519398689}, {12, 0.061678, 6.6739718914},
              {16, 0.061678, 6.83566999435}};
  for (const auto& row : rows) add(history, a_case("rcv1", row.part, row.cores), row.seconds);
  const Estimator estimator = ernest();
  EXPECT_NEAR(asked(estimator, history, a_case("rcv1", 1, 4)), 44.65156, 5e-6);
  EXPECT_NEAR(asked(estimator, history, a_case("rcv1", 1, 8)), 25.47773, 5e-6);
  EXPECT_NEAR(asked(estimator, history, a_case("rcv1", 1, 12)), 19.36348, 5e-6);
  EXPECT_NEAR(asked(estimator, history, a_case("rcv1", 1, 28)), 12.98554, 5e-6);
}

TEST(Linear, EveryFormRecoversWhatItAssumes) {
  const struct {
    Estimator estimator;
    double (*truth)(const Case&);
    Target target = Target::seconds;
  } forms[] = {
      {gianniti(), [](const Case& c) { return 0.02 + 0.003 * c.samples; }},
      {gianniti_literal(),
       [](const Case& c) { return (5 + 0.2 * c.iterations + 0.4 * c.samples) / c.iterations; }},
      {barnes(), [](const Case& c) { return 0.1 * std::pow(c.samples, 0.8) * std::pow(c.devices, -0.6); }},
      {ernest(),
       [](const Case& c) {
         return 0.02 + 0.003 * c.samples / c.devices + 0.01 * std::log(c.devices) + 0.002 * c.devices;
       }},
      {ring(),
       [](const Case& c) {
         return 0.02 + 0.003 * c.samples / c.devices + 0.05 * (c.devices - 1) / c.devices;
       }},
      {lu(), [](const Case& c) { return 3e9 + 5e6 * c.samples / c.devices; }, Target::peak_bytes},
  };
  for (const auto& form : forms) {
    History history;
    const bool one_group = form.estimator.name.starts_with("gianniti");
    for (const double devices : {1., 2., 4.}) {
      if (one_group && devices > 1) continue;
      for (const double samples : {8., 16., 64., 128.}) {
        Case what = a_case("net", samples, devices);
        what.iterations = 100 * std::sqrt(samples) + samples * samples;
        add(history, what, form.truth(what));
      }
    }
    Case what = a_case("net", 200, one_group ? 1 : 8);
    const double truth = form.truth(what);
    EXPECT_NEAR(asked(form.estimator, history, what, form.target), truth, 1e-6 * truth)
        << form.estimator.name;
  }
}

TEST(Linear, AbstainsWhereNothingLikeItRan) {
  History history;
  add(history, a_case("net", 8), 0.1);
  EXPECT_NE(gianniti().learn(history, Target::seconds).missing, "");
  add(history, a_case("net", 16), 0.2);
  EXPECT_EQ(gianniti().learn(history, Target::seconds).missing, "");
  const auto fitted = gianniti().learn(history, Target::seconds).fitted;
  const Reply other = fitted->predict(a_case("another", 8));
  EXPECT_FALSE(other.estimate);
  EXPECT_THAT(other.why, testing::HasSubstr("another"));
  EXPECT_FALSE(fitted->predict(a_case("net", 0)).estimate);
}

// A network that ran on three devices alone shows no cost of a fourth; what counts samples per device needs none.
TEST(Linear, OfOneNumberOfDevicesNoFormOfThemSpeaksOfAnother) {
  History history;
  for (const double share : {7, 14, 28}) add(history, a_case("net", 3 * share, 3), 1 + share);
  const auto on = [&](const Estimator& form, double devices, Target target) {
    return form.learn(history, target).fitted->predict(a_case("net", 9 * devices, devices)).estimate;
  };
  for (const Estimator& form : {barnes(), ernest(), ring()}) {
    EXPECT_TRUE(on(form, 3, Target::seconds)) << form.name;
    EXPECT_FALSE(on(form, 4, Target::seconds)) << form.name;
  }
  EXPECT_TRUE(on(lu(), 4, Target::peak_bytes));
  add(history, a_case("net", 14, 2), 8);
  for (const Estimator& form : {barnes(), ernest(), ring()})
    EXPECT_TRUE(on(form, 4, Target::seconds)) << form.name;
}

TEST(Linear, MemoryIsNoMatterOfTime) {
  EXPECT_EQ(lu().learn({}, Target::seconds).missing, "another quantity than this");
  EXPECT_EQ(lu().learn({}, Target::seconds).fitted, nullptr);
}

// Brought up to date, only what the history has changed is fitted, and it comes to what all of it fitted anew does.
TEST(Grouped, FitsOnlyGroupsThatChanged) {
  int fits = 0;
  const Estimator mean = grouped({.name = "mean",
                                  .source = "",
                                  .group = [](const Case& what) { return key_of(what, kNetwork); },
                                  .missing = "runs",
                                  .fit = [&fits](const Runs& runs) -> Answers {
                                    ++fits;
                                    double sum = 0;
                                    for (const Datum* run : runs) sum += run->value;
                                    const auto n = static_cast<double>(runs.size());
                                    return [=](const Case&) { return Reply{Estimate{sum / n}, {}}; };
                                  }});
  History history;
  for (const char* const network : {"a", "b", "c"})
    for (const double b : {8., 16.}) add(history, a_case(network, b), b);
  std::unique_ptr<const Fitted> fitted = mean.learn(history, Target::seconds).fitted;
  EXPECT_EQ(fits, 3);
  const auto fitted_again = [&] {
    fits = 0;
    fitted = mean.learn(history, Target::seconds, fitted.get()).fitted;
    const int again = fits;
    for (const Datum& run : history)
      EXPECT_EQ(fitted->predict(run.what).estimate->log_mean,
                mean.learn(history, Target::seconds).fitted->predict(run.what).estimate->log_mean);
    return again;
  };
  EXPECT_EQ(fitted_again(), 0);
  add(history, a_case("b", 32), 32);
  EXPECT_EQ(fitted_again(), 1) << "a run more";
  history.front().value *= 1.01;
  EXPECT_EQ(fitted_again(), 1) << "another value";
  history.front().what.settings = {"type=Adam"};
  EXPECT_EQ(fitted_again(), 1) << "another label";
  history.front().owner = 1002;
  EXPECT_EQ(fitted_again(), 1) << "another's";
  history.front().place = 1;
  EXPECT_EQ(fitted_again(), 1) << "who was there later";
  history.front().within = {8, 0.02};
  EXPECT_EQ(fitted_again(), 1) << "windows that tell more";
  history.front().what.network = "d";
  EXPECT_EQ(fitted_again(), 2) << "of another group";
  std::erase_if(history, [](const Datum& run) { return run.what.network == "c"; });
  EXPECT_EQ(fitted_again(), 0);
  EXPECT_FALSE(fitted->predict(a_case("c", 8)).estimate) << "gone";
}

TEST(Linear, SaysWhatItRestsOn) {
  History history;
  for (const double b : {8., 16., 32.}) add(history, a_case("net", b), 0.1 * b);
  const auto reply = gianniti().learn(history, Target::seconds).fitted->predict(a_case("net", 24));
  EXPECT_EQ(reply.estimate->rests_on.runs, 3);
  EXPECT_EQ(reply.estimate->rests_on.networks, 1);
  EXPECT_EQ(reply.estimate->rests_on.devices, 1);
}

TEST(Replicates, RunsAlikeStandForOnePointAndTheirMedianForThem) {
  History history;
  for (const double t : {1.0, 1.01, 1.02, 1.5, 4.0}) add(history, a_case("net", 8), t);
  add(history, a_case("net", 16), 2);
  const auto groups = replicate_groups(history);
  ASSERT_EQ(groups.size(), 2);
  const ReplicateGroup& repeated = groups[0].runs == 5 ? groups[0] : groups[1];
  EXPECT_EQ(repeated.runs, 5);
  EXPECT_DOUBLE_EQ(repeated.log_value, std::log(1.02));
}

// One number of devices: what it costs and what any run costs can't be told apart, and need not be.
TEST(Solvers, ColumnsThatVaryTogetherShare) {
  Eigen::MatrixXd design(3, 2);
  design << 1, 2, 1, 2, 1, 2;
  const Eigen::VectorXd y = Eigen::VectorXd::Constant(3, std::exp(5.0));
  const Eigen::VectorXd b = solve(Solver::log_squares, design, y);
  EXPECT_NEAR(b(0), 1, 1e-9);
  EXPECT_NEAR(b(1), 2, 1e-9);
}

}  // namespace
}  // namespace etad::estimators
