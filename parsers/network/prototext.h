// A streaming reader of protobuf's text format, as Caffe prints its solvers and nets into its logs: one line
// at a time, as lines arrive. It keeps no tree; what it finds goes to a sink at once.
//
// A log is not a file: a description may be cut anywhere (glog ends every message at 30,000 characters), lose
// its indentation or have foreign lines in it. So nothing is an error here: what makes no sense is passed
// over.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace etad {

class PrototextReader {
 public:
  static constexpr std::size_t kMaxDepth = 12;  // messages nested deeper are counted, not read
  static constexpr std::size_t kMaxKey = 96;    // longer keys are cut

  // The keys of the messages around an entry, outermost first.
  using Path = std::vector<std::string>;

  // Receives the entries of a message in their order. Views live no longer than the call.
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void open(const Path& around, std::string_view key) = 0;
    virtual void value(const Path& around, std::string_view key, std::string_view value) = 0;
    virtual void close(const Path& around, std::string_view key) = 0;
  };

  // What is remembered between two lines; public, so that it can be saved.
  struct State {
    Path path;               // at most kMaxDepth keys
    std::int64_t depth = 0;  // open messages, those too deep to be read included
    std::string key;         // a key whose value or message is still to come
    bool wants_value = false;
    bool in_list = false;
  };

  void feed(std::string_view line, Sink& sink);

  // Every message that was opened has been closed, and no value is owed: the text may have ended here.
  bool balanced() const { return state_.depth == 0 && !state_.wants_value; }

  void reset() { state_ = State{}; }
  State& state() { return state_; }
  const State& state() const { return state_; }

 private:
  void open(Sink& sink);
  void close(Sink& sink);
  void give(std::string_view value, Sink& sink);
  std::string_view take_string(std::string_view text, Sink& sink);
  std::string_view take_word(std::string_view text, Sink& sink);
  bool readable() const { return static_cast<std::size_t>(state_.depth) == state_.path.size(); }

  State state_;
};

}  // namespace etad
