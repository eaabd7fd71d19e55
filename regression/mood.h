// The mood of a machine: what slows all of its runs alike for a while (neighbours on shared cores, a warm
// card, other jobs), seen in the runs that were over a little while ago, and worth knowing for one that
// starts now.
//
// The log ratio of a run's time to its model's estimate is the mood's mean over the run plus the run's own
// luck. The mood is an Ornstein-Uhlenbeck process: moods d seconds apart correlate by e^(-d/tau), and a long
// run averages many of them, so that a mood of minutes does not touch the estimate of a run of hours. Its
// mean at a time not seen is that of a Gaussian process (Rasmussen & Williams, "Gaussian Processes for
// Machine Learning", 2006, eq. 2.25-2.26). How long it lasts and which share of the runs' variance it makes
// is averaged over a grid of settings, each weighing as much as it makes the runs likely; "there is none" is
// one of them and as likely beforehand as all others together.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "regression/model.h"

namespace etad::regression {

// A run, as the mood sees it: what is left of its time by a model that has not seen it.
struct MoodPoint {
  double from = 0, until = 0;  // seconds since 1970
  double log_ratio = 0;
  double variance = 0;  // of log_ratio, the mood included
  double scale = 0;     // the model's noise: how far the mood may move its runs
};

class Mood {
 public:
  Mood() = default;
  explicit Mood(std::vector<MoodPoint> points);

  struct State {
    double log_ratio = 0;  // of the time of a run in this mood to the one its model estimates
    double explained = 0;  // by how much the variance of that logarithm shrinks with the mood known
  };

  // Of a run of `seconds` that starts at `at`, of a model whose noise is `scale`, by the runs that were over
  // then. At most kMostRecent of them count.
  State at(double at, double seconds, double scale) const;

 private:
  struct Setting {
    double lasting = 0;  // tau, seconds
    double share = 0;    // of the variance of a long run
    double weight = 0;
  };

  void weigh_settings();
  double felt(double noise) const;  // standard deviation of a long run's logarithm, by its model's noise

  std::vector<MoodPoint> points_;  // by `until`
  std::vector<Setting> settings_;  // those that count; empty: no mood
  double scale_ = 0;               // the middle run's noise
};

// How many of the newest points say how moods last, and how many of the last ones say which it is.
inline constexpr std::size_t kMostMoodPoints = 48, kMostRecent = 24;

// The newest runs of `data` with known times, at most `most`, as `model` (fitted from them) sees them. Runs
// that it rejects are left out: one contaminated run is no mood.
std::vector<MoodPoint> mood_points(const Dataset& data, const Model& model, std::size_t most);

}  // namespace etad::regression
