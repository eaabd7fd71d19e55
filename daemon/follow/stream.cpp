#include "daemon/follow/stream.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

namespace etad::follow {
namespace {

constexpr int kMaxSteps = 64;  // of one look: files of a chain, or contents that change under us

std::string_view name_of(FileType type) {
  switch (type) {
    case FileType::regular:
      return "a regular file";
    case FileType::directory:
      return "a directory";
    case FileType::fifo:
      return "a FIFO";
    case FileType::socket:
      return "a socket";
    case FileType::character_device:
      return "a character device";
    case FileType::block_device:
      return "a block device";
    case FileType::other:
      break;
  }
  return "something else";
}

std::string message_of(Errno error) {
  if (error == EBADMSG) return "a damaged gzip file";
  if (error == ENODATA) return "not a complete gzip file";
  if (error == ENOTSUP) return "packed by xz, zstd or bzip2, which is not unpacked";
  if (error == EPERM) return "a link to what is not its owner's";
  if (error == EFBIG) return "too large when decompressed";
  if (error == EREMOTE) return kOthersUnreadable;
  return std::generic_category().message(error);
}

bool cuts(Errno error) {
  return error == EFBIG || error == EBADMSG || error == ENODATA;
}

// Whether nothing is written behind the block that the offset lies in.
bool is_unwritten(Content& content, std::int64_t offset, std::int64_t size) {
  constexpr std::int64_t kBlock = 4096;
  return content.next_data((offset / kBlock + 1) * kBlock) >= size;
}

}  // namespace

Stream::Stream(StreamId id, std::size_t tag, std::string path, bool read_rotated)
    : id_(id), tag_(tag), path_(std::move(path)), read_rotated_(read_rotated) {}

void Stream::restore(const Standing& standing) {
  position_ = standing;
  committed_.reset();
  carried_ = standing.carried;
  owner_ = standing.owner;
  current_.reset();
  known_ = standing.identity.has_value();
  if (!known_) return;
  current_.emplace();
  current_->key = standing.identity->key;
  current_->reader = FileReader(standing.part);
  current_->seen.modified = standing.identity->modified;
  current_->seen.size = standing.size;
  may_be_read_before_ = standing.part.offset == 0;
}

void Stream::let_go() {
  last_ = last_link();
  ended_key_ = last_.key;  // or it is ours after all: then its content tells
  current_.reset();
}

Stream::Outcome Stream::look(Surroundings& around, SteadyTime now, std::size_t& budget,
                             std::vector<Batch>& out) {
  const std::size_t first = out.size();
  moved_ = caught_up_ = unsettled_ = false;
  failure_ = 0;
  Look look{around, now, budget, out, look_under_path(around)};
  Outcome outcome = Outcome::idle;
  for (int steps = 0; steps < kMaxSteps; ++steps) {
    const Step step = take_step(look);
    if (step == Step::again && around.contents.listed() < kManyListed) continue;
    if (step != Step::done) outcome = Outcome::backlog;
    break;
  }
  if (!current_ && !look.target.file && !look.target.unsure && state_ != State::refused) {
    state_ = State::gone;
    text_ = known_ ? "gone" : kNoFileYet;
  }
  if (state_ != State::gone)
    gone_since_.reset();
  else if (!gone_since_)
    gone_since_ = now;
  report(first, out);
  if (unsettled_) return Outcome::backlog;
  moved_ = moved_ || (current_ && current_->at_hole);
  return outcome == Outcome::idle && moved_ ? Outcome::moved : outcome;
}

// Sets the state by what lies under the path; a regular file, or nothing to be read.
Stream::Target Stream::look_under_path(const Surroundings& around) {
  auto status = around.files.status(path_);
  Target target;
  state_ = State::following;
  text_ = "following";
  if (status && status->type == FileType::regular) {
    const bool is_ours = current_ && key_of(*status) == current_->key;
    const auto away = is_ours ? OsResult<bool>(false) : around.leads_away(path_);
    if (away) {
      target.file = *status;
      target.leads_away = *away;
    } else {
      fail(moved_or(away.error()));
      target.unsure = true;
    }
  } else if (status) {
    state_ = State::refused;
    text_ = std::string(name_of(status->type)) + ", not a regular file";
  } else if (status.error() == ELOOP) {
    state_ = State::refused;
    text_ = "a link that leads in a circle";
  } else if (is_absent(status.error())) {
    text_ = "moved away; read on until a new file lies here";
  } else {
    fail(status.error());
    target.unsure = true;
  }
  return target;
}

Stream::Step Stream::take_step(Look& look) {
  look.chain.reset();
  if (look.target.unsure && !is_open()) return Step::done;
  if (!current_ && !begin(look)) return Step::done;
  const bool here = is_here(look.target);
  if (here && nothing_new(look)) {
    caught_up_ = !current_->at_hole;
    if (current_->cut != 0) fail(current_->cut);
    return Step::done;
  }

  switch (attach(look)) {
    case Attached::yes:
      break;
    case Attached::lost:
      return lose(look);
    case Attached::later:
      return Step::done;
  }
  for (const auto begin : {&Stream::go_back_to_unseen, &Stream::know_again, &Stream::go_on_from_import}) {
    switch ((this->*begin)(look)) {
      case Attached::yes:
        break;
      case Attached::lost:
        return Step::again;
      case Attached::later:
        return Step::done;
    }
  }
  switch (drain(look, line_is_idle(look) ? LastLine::take : LastLine::wait)) {
    case Drained::end:
      break;
    case Drained::changed:
      forget_content(look);
      return Step::again;
    case Drained::budget:
      return Step::out_of_budget;
    case Drained::hole:
    case Drained::failed:
      return Step::done;
  }
  if (is_here(look.target) || look.target.unsure || !is_final(look)) {
    caught_up_ = true;
    return Step::done;
  }
  if (!std::exchange(current_->drained_finally, true)) return Step::again;  // what came before the newer file
  return finish(look);
}

// A stream without a file: the path's, or the ones rotated away from it that are still to be read.
bool Stream::begin(Look& look) {
  if (!look.target.file) return false;
  const auto anothers = is_anothers(look, *look.target.file);
  if (!anothers) fail(anothers.error());
  if (anothers && *anothers) text_ = "read as another source's file";
  if (!anothers || *anothers) return false;
  if (known_ || read_rotated_) return advance(look);
  if (hand_to_who_lost_it(look, *look.target.file)) return false;
  start_at({path_, *look.target.file, {}});
  return true;
}

bool Stream::nothing_new(const Look& look) const {
  const FileStatus& now = *look.target.file;
  if (now.size != current_->seen.size || now.modified != current_->seen.modified) return false;
  // Where the status of what is open is that of what lies under its name, another file may have been read.
  if (!current_->compressed && now.size < current_->reader.part().offset) return false;
  if (current_->at_hole) return look.now - *current_->measured < look.around.options.hole_limit;
  if (!current_->at_end) return false;
  return !line_is_idle(look);
}

// An unterminated line has rested for so long that it is taken as it is.
bool Stream::line_is_idle(const Look& look) const {
  const Options& options = look.around.options;
  const auto limit = current_->reader.draws_bar() ? options.bar_idle_limit : options.line_idle_limit;
  return current_->pending > 0 && current_->grew && look.now - *current_->grew >= limit;
}

// Up to where NUL bytes are there to stay.
void Stream::settle(const Look& look, const FileStatus& status) {
  CurrentFile& current = *current_;
  const auto limit = look.around.options.hole_limit;
  if (status.size < current.measured_size) {  // cut: what lies there now has not been there for long
    current.measured.reset();
    current.measured_size = current.settled = 0;
  }
  const bool old = !current.measured && look.around.wall - status.modified >= limit;
  const bool due = current.measured && look.now - *current.measured >= limit;
  if (current.compressed) current.settled = std::numeric_limits<std::int64_t>::max();
  if (old) current.settled = status.size;
  if (due) current.settled = current.measured_size;
  if (current.measured && !due) return;
  current.measured = look.now;
  current.measured_size = status.size;
}

Stream::Drained Stream::drain(Look& look, LastLine last_line) {
  CurrentFile& current = *current_;
  for (;;) {
    const auto status = current.content->status();
    Batch batch = new_batch();
    std::size_t bytes = 0;
    if (status) settle(look, *status);
    const std::int64_t from = current.reader.part().offset;
    const std::string carried = from == 0 ? carried_ : std::string();
    const auto outcome =
        status ? read_some(look.around, last_line, batch, bytes) : tl::unexpected(status.error());
    if (!outcome && outcome.error() == EAGAIN) return Drained::budget;
    if (!outcome) {
      if (outcome.error() == ESTALE) close_file();
      fail(outcome.error());
      moved_ = true;  // looked at again soon
      return Drained::failed;
    }
    if (*outcome == FileReader::Outcome::changed) return Drained::changed;
    if (from == 0) {
      if (const Attached still = is_first(look, carried); still != Attached::yes) {
        moved_ = true;  // looked at again soon
        return still == Attached::lost ? Drained::changed : Drained::failed;
      }
    }
    note_read(*outcome, *status, look.now);
    const bool left_some = batch.left_some;
    if (!batch.lines.empty() || current.reader.part().offset != from) emit(std::move(batch), look.out);
    look.budget -= std::min(look.budget, bytes);
    if (current.at_end) return Drained::end;
    if (current.at_hole) return Drained::hole;
    if (look.budget == 0 || left_some) return Drained::budget;
  }
}

// The next lines of the file. What can't be inflated ends it, for now.
OsResult<FileReader::Outcome> Stream::read_some(const Surroundings& around, LastLine last_line, Batch& batch,
                                                std::size_t& bytes) {
  CurrentFile& current = *current_;
  const FileReader::How how{last_line != LastLine::wait, current.settled, last_line == LastLine::carry,
                            around.most_lines};
  const auto outcome = current.reader.read(*current.content, around.options, how, carried_, batch, bytes);
  const bool ends = outcome && *outcome == FileReader::Outcome::end && current.compressed;
  const Errno behind = !outcome ? outcome.error() : ends ? current.reader.error_behind(*current.content) : 0;
  current.cut = cuts(behind) ? behind : 0;
  if (current.cut != 0) {
    fail(current.cut);
    return FileReader::Outcome::end;
  }
  if (ends && behind != 0) return FileReader::Outcome::more;  // whether it ends there is not known yet
  return outcome;
}

// Where the file stands behind what was read of it last.
void Stream::note_read(FileReader::Outcome outcome, const FileStatus& status, SteadyTime now) {
  CurrentFile& current = *current_;
  // Just taken up (again), a file has been still for no time that we know of.
  if (status.size != current.seen.size || !current.grew) current.grew = now;
  current.seen = status;
  note_owner(status);
  current.pending = current.reader.unterminated();
  current.at_end = outcome == FileReader::Outcome::end;
  current.at_hole = outcome == FileReader::Outcome::hole;
  current.unwritten =
      current.at_hole && is_unwritten(*current.content, current.reader.part().offset, status.size);
}

// Nothing more will be written to it that we could wait for.
bool Stream::is_final(Look& look) {
  if (current_->seen.links == 0) return true;
  if (look.target.file && look.target.file->size > 0)
    return !may_be_anothers(look, *look.target.file) && !hand_to_who_lost_it(look, *look.target.file);
  // Only a changed directory can have a new file: a stream that waits for its successor costs one stat.
  const auto directory = look.around.files.status(split_path(path_).directory);
  if (directory && directory->modified == current_->directory_modified) return false;
  Chain& chain = chain_of(look);
  const Chain::Newer newer = chain.newer(last_link(), look.around.finished);
  if (chain.error() != 0) return false;
  if (directory && newer == Chain::Newer::none) current_->directory_modified = directory->modified;
  return newer == Chain::Newer::yes;
}

// The file is final and read: its rest is a line, and the stream goes on with the next one.
Stream::Step Stream::finish(Look& look) {
  const bool gone = current_->seen.links == 0;
  const auto put_aside = gone ? OsResult<bool>(false) : was_put_aside(look);
  if (!put_aside) {
    fail(put_aside.error());
    return Step::done;
  }
  const bool is_telling = current_->reader.part().is_telling();
  Attached attached = attach_to_replacement(look, Evidence::certain);
  if (attached == Attached::lost && (*put_aside || (gone && (is_telling || !removed_)))) {
    const Link before = last_link();
    attached = find_copy(look);  // what was written first and has been rotated by now
    if (attached == Attached::yes && *put_aside) remember_original(look, before);
    if (attached == Attached::lost)
      attached = attach_to_replacement(look, gone ? Evidence::content : Evidence::put_aside);
    if (attached == Attached::lost && was_cut_meanwhile(look)) {
      fail(EAGAIN);
      return Step::done;
    }
  }
  if (attached == Attached::lost && (*put_aside || (gone && is_telling)) && waits_for_the_rest(look))
    return Step::done;
  switch (attached) {
    case Attached::yes:
      return Step::again;
    case Attached::later:
      return Step::done;
    case Attached::lost:
      break;
  }
  const Drained drained = drain(look, gone ? LastLine::take : LastLine::carry);
  if (drained == Drained::changed) forget_content(look);
  if (drained == Drained::hole) return Step::done;
  if (drained != Drained::end) return drained == Drained::budget ? Step::out_of_budget : Step::again;
  last_ = last_link();
  gone_ = gone;
  if (!advance(look)) return Step::done;
  return Step::again;
}

// Nothing is left of the file. What was known to be in it and not read is lost; what was read of it has ended.
Stream::Step Stream::lose(Look& look) {
  const bool may_go_on = is_here(look.target) || current_->reader.part().is_telling();
  if (may_go_on && !current_->compressed && waits_for_the_rest(look)) return Step::done;
  // Whatever came in its place lies there by now, and may have been rotated or copied since it was looked for.
  look.chain.reset();
  look.asked_below = false;
  if (const Attached attached = find_copy(look); attached != Attached::lost)
    return attached == Attached::yes ? Step::again : Step::done;
  if (lets_others_look(look)) return Step::done;
  last_ = last_link();
  last_.key = FileKey{};  // what has this inode now is another file, and perhaps the next
  gone_ = !is_here(look.target);
  const std::int64_t offset = current_->reader.part().offset;
  const std::int64_t size = current_->compressed ? offset : current_->seen.size;
  lost_bytes_ = std::max<std::int64_t>(size - offset, 0);
  const bool goes_on = advance(look);
  lost_bytes_ = 0;  // where nothing could be found out, it is reckoned anew: the file may grow on until then
  return goes_on ? Step::again : Step::done;
}

// To the file written after `last_`, or to none. False: nothing could be found out, or nothing lies there.
bool Stream::advance(Look& look) {
  Chain& chain = chain_of(look);
  auto next = chain.next(last_, look.around.finished, others(look));
  const auto& here = chain.under_path();
  const auto key_of_file = [](const auto& file) {
    return file ? std::optional(key_of(*file)) : std::nullopt;
  };
  const auto before = key_of_file(look.target.file);
  look.target.file = here && here->type == FileType::regular ? std::optional(*here) : std::nullopt;
  if (key_of_file(look.target.file) != before) {  // it was none of ours then: perhaps it is now
    fail(EAGAIN);
    return false;
  }
  if (next && next->path == path_) {
    const auto anothers = is_anothers(look, next->status);
    if (!anothers) {
      fail(anothers.error());
      return false;
    }
    if (*anothers) next.reset();
  }
  if (next && chain.error() == 0 && !skip_what_came_back(look, *next)) return false;
  if (chain.error() != 0) {
    fail(chain.error());
    return false;
  }
  // Nothing of it is known but its size: where there is as much, or a rotated file of later, it may well be there.
  if (last_.part.offset == 0 && (chain.newer(last_, look.around.finished) == Chain::Newer::yes ||
                                 (next && (next->path != path_ || next->status.size >= lost_bytes_))))
    lost_bytes_ = 0;
  end_current(look);
  if (next)
    start_at(*next);
  else
    last_.key = FileKey{};  // sooner or later another file has this inode
  return current_.has_value();
}

// The current file will not be read again under any name.
void Stream::end_current(Look& look) {
  if (!current_) return;
  Batch batch = new_batch();
  batch.lost_bytes = std::exchange(lost_bytes_, 0);
  if (last_.part.offset > 0) {  // what was read of it stays read, also where the rest is lost
    batch.ended = true;
    batch.finished = with_holder(last_.finished(), {current_->key, last_.owner});
    if (look.around.finished.add(batch.finished)) uncommitted_finished_.push_back(batch.finished);
  }
  if (batch.lost_bytes > 0) current_->seen.size = current_->reader.part().offset;  // counted once
  if (batch.ended || batch.lost_bytes > 0) emit(std::move(batch), look.out);
  ended_key_ = current_->key;
  current_.reset();
}

void Stream::start_at(const NextFile& next) {
  current_.emplace();
  current_->key = key_of(next.status);
  lies_at(next.path);
  current_->reader = FileReader(next.read);
  current_->seen.modified = next.status.modified;
  if (!may_be_of(owner_, next.status)) carried_.clear();
  if (next.path == path_) owner_ = next.status.owner;
  note_owner(next.status);
  current_->found_size = next.status.size;
  current_->read_elsewhere = next.read;
  removed_ = gone_ = false;
  short_since_.reset();
  restarted_ = restarted_ || known_;
  known_ = true;
  announce_ = true;
  moved_ = true;
}

Link Stream::last_link() const {
  if (!current_) return last_;
  return {current_->key, current_->seen.modified, current_->reader.part(), owner_};
}

// What root has copied or compressed is whose it was.
void Stream::note_owner(const FileStatus& file) {
  if (file.owner && (*file.owner != 0 || !owner_)) owner_ = file.owner;
}

void Stream::fail(Errno error) {
  failure_ = error;
  if (error == EAGAIN) unsettled_ = true;
  if (error == EBUSY) moved_ = true;  // it is on its way: looked at again soon
  if (error == EAGAIN || error == EBUSY) return;
  state_ = State::waiting;
  text_ = "waiting: " + message_of(error);
}

// Where we stand is kept; a line longer than a block is scanned again from its beginning.
void Stream::close_file() {
  if (!current_) return;
  current_->content.reset();
  current_->reader = FileReader(current_->reader.part());
}

// What was known of it may be another file's, where the status of what is open is that of what lies under its name.
void Stream::forget_content(Look& look) {
  look.around.contents.forget(current_->key);
  close_file();
}

void Stream::begin_behind(const FileStatus& status, const ReadPart& part) {
  start_at({path_, status, part});
  announce_ = false;
}

}  // namespace etad::follow
