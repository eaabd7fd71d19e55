#include "storage/chunks.h"

#include <cmath>
#include <limits>

namespace etad {
namespace {

// Bits of a segment's first byte.
constexpr std::uint8_t kTest = 1;           // of the test phase
constexpr std::uint8_t kFollows = 2;        // begins where the last of its phase ended
constexpr std::uint8_t kSameSize = 4;       // as many iterations and samples as the last of its phase
constexpr std::uint8_t kDated = 8;          // has started_at
constexpr std::uint8_t kMicroseconds = 16;  // the duration is in whole microseconds

// Bits of a point's first byte.
constexpr std::uint8_t kSameStep = 1;  // as many iterations on as the last one
constexpr std::uint8_t kTimed = 2;     // has an instant
constexpr std::uint8_t kHasLoss = 4;
constexpr std::uint8_t kSnapshot = 8;

}  // namespace

void SegmentCodec::pack(const Segment& s, std::string& body) {
  const Segment& last = last_[static_cast<std::size_t>(s.phase)];
  const std::int64_t expected_first = wrapping_add(last.first_iteration, last.iterations);
  const bool whole = s.duration.count() % 1000 == 0;
  std::uint8_t flags = 0;
  if (s.phase == Phase::test) flags |= kTest;
  if (s.first_iteration == expected_first) flags |= kFollows;
  if (s.iterations == last.iterations && s.samples_per_iteration == last.samples_per_iteration)
    flags |= kSameSize;
  if (s.started_at) flags |= kDated;
  if (whole) flags |= kMicroseconds;

  ByteWriter out(body);
  out.byte(flags);
  if (!(flags & kFollows)) out.signed_int(wrapping_sub(s.first_iteration, expected_first));
  if (!(flags & kSameSize)) {
    out.signed_int(s.iterations);
    out.signed_int(s.samples_per_iteration);
  }
  if (whole) {
    out.signed_int(s.duration.count() / 1000 - last.duration.count() / 1000);
  } else {
    out.signed_int(wrapping_sub(s.duration.count(), last.duration.count()));
  }
  if (s.started_at) out.signed_int(wrapping_sub(microseconds(*s.started_at), expected_start_));
  remember(s);
}

Segment SegmentCodec::unpack(ByteReader& in) {
  Segment s;
  const std::uint8_t flags = in.byte();
  s.phase = flags & kTest ? Phase::test : Phase::train;
  const Segment& last = last_[static_cast<std::size_t>(s.phase)];
  s.first_iteration = wrapping_add(last.first_iteration, last.iterations);
  if (!(flags & kFollows)) s.first_iteration = wrapping_add(s.first_iteration, in.signed_int());
  s.iterations = flags & kSameSize ? last.iterations : in.signed_int();
  s.samples_per_iteration = flags & kSameSize ? last.samples_per_iteration : in.signed_int();
  if (flags & kMicroseconds) {
    const auto us = static_cast<std::uint64_t>(wrapping_add(last.duration.count() / 1000, in.signed_int()));
    s.duration = Duration(static_cast<std::int64_t>(us * 1000));
  } else {
    s.duration = Duration(wrapping_add(last.duration.count(), in.signed_int()));
  }
  if (flags & kDated) s.started_at = instant(wrapping_add(expected_start_, in.signed_int()));
  remember(s);
  return s;
}

void SegmentCodec::remember(const Segment& s) {
  last_[static_cast<std::size_t>(s.phase)] = s;
  if (s.started_at) expected_start_ = wrapping_add(microseconds(*s.started_at), s.duration.count() / 1000);
}

void PointCodec::pack(const ProgressPoint& p, std::string& body) {
  std::uint8_t flags = 0;
  const std::int64_t step = wrapping_sub(p.iteration, iteration_);
  const bool has_loss = !std::isnan(p.loss);
  if (step == step_) flags |= kSameStep;
  if (p.at) flags |= kTimed;
  if (has_loss) flags |= kHasLoss;
  if (p.snapshot) flags |= kSnapshot;

  ByteWriter out(body);
  out.byte(flags);
  if (step != step_) out.signed_int(step);
  if (p.at) out.signed_int(wrapping_sub(wrapping_sub(microseconds(*p.at), at_), last_step_));
  if (has_loss) out.float32(static_cast<float>(p.loss));
  if (!p.snapshot) remember(p.iteration, p.at);
}

ProgressPoint PointCodec::unpack(ByteReader& in) {
  ProgressPoint p;
  const std::uint8_t flags = in.byte();
  p.iteration = wrapping_add(iteration_, flags & kSameStep ? step_ : in.signed_int());
  if (flags & kTimed) p.at = instant(wrapping_add(at_, wrapping_add(last_step_, in.signed_int())));
  p.loss = flags & kHasLoss ? static_cast<double>(in.float32()) : std::numeric_limits<double>::quiet_NaN();
  p.snapshot = (flags & kSnapshot) != 0;
  if (!p.snapshot) remember(p.iteration, p.at);  // it is out of the displays' steps
  return p;
}

void PointCodec::remember(std::int64_t iteration, const std::optional<Instant>& at) {
  step_ = wrapping_sub(iteration, iteration_);
  iteration_ = iteration;
  if (!at) return;
  const std::int64_t now = microseconds(*at);
  // The first point's distance from 1970 is no step.
  last_step_ = at_ == 0 ? 0 : wrapping_sub(now, at_);
  at_ = now;
}

}  // namespace etad
