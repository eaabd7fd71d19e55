#include "daemon/follow/stream.h"

#include <algorithm>
#include <cerrno>
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
  if (error == EBADMSG) return "not a complete gzip file";
  return std::generic_category().message(error);
}

bool is_absent(Errno error) {
  return error == ENOENT || error == ENOTDIR;
}

}  // namespace

Stream::Stream(StreamId id, std::size_t tag, std::string path, bool read_rotated)
    : id_(id), tag_(tag), path_(std::move(path)), read_rotated_(read_rotated) {}

void Stream::restore(const Position& position) {
  committed_ = position_ = position;
  current_.reset();
  const auto identity = Identity::parse(position.identity);
  known_ = identity.has_value();
  if (!known_) return;
  Trace trace{position.offset, Fingerprint::parse(position.head).value_or(Fingerprint{}),
              Fingerprint::parse(position.marker).value_or(Fingerprint{})};
  current_.emplace();
  current_->key = identity->key;
  current_->reader = FileReader(trace);
  current_->seen.modified = identity->modified;
  current_->seen.size = position.size;
  last_ = last_link();
}

Stream::Outcome Stream::look(Surroundings& around, SteadyTime now, std::size_t& budget,
                             std::vector<Batch>& out) {
  const std::size_t first = out.size();
  Look look{around, now, budget, out, look_under_path(around.files)};
  moved_ = caught_up_ = false;
  Outcome outcome = Outcome::idle;
  for (int steps = 0; steps < kMaxSteps; ++steps) {
    const Step step = take_step(look);
    if (step == Step::again) continue;
    if (step == Step::out_of_budget) outcome = Outcome::backlog;
    break;
  }
  if (!current_ && !look.target.file && !look.target.unsure && state_ != State::refused) {
    state_ = State::gone;
    text_ = known_ ? "gone" : "no such file yet";
  }
  if (state_ != State::gone)
    gone_since_.reset();
  else if (!gone_since_)
    gone_since_ = now;
  report(first, out);
  return outcome == Outcome::idle && moved_ ? Outcome::moved : outcome;
}

// Sets the state by what lies under the path; a regular file, or nothing to be read.
Stream::Target Stream::look_under_path(FileSystem& files) {
  auto status = files.status(path_);
  Target target;
  state_ = State::following;
  text_ = "following";
  if (status && status->type == FileType::regular) {
    target.file = *status;
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
  if (look.target.unsure && !is_open()) return Step::done;
  if (!current_ && !begin(look)) return Step::done;
  const bool here = is_here(look.target);
  if (here && nothing_new(look)) {
    caught_up_ = true;
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
  switch (go_back_to_unseen(look)) {
    case Attached::yes:
      break;
    case Attached::lost:
      return Step::again;
    case Attached::later:
      return Step::done;
  }
  const bool line_is_idle = current_->pending > 0 && current_->grew &&
                            look.now - *current_->grew >= look.around.options.line_idle_limit;
  switch (drain(look, line_is_idle)) {
    case Drained::end:
      break;
    case Drained::changed:
      close_file();
      return Step::again;
    case Drained::budget:
      return Step::out_of_budget;
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
  if (known_ || read_rotated_) {
    if (!advance(look)) return false;
  } else {
    start_at(path_, *look.target.file);
  }
  return current_.has_value();
}

bool Stream::nothing_new(const Look& look) const {
  const FileStatus& now = *look.target.file;
  if (!current_->at_end || now.size != current_->seen.size || now.modified != current_->seen.modified)
    return false;
  return current_->pending == 0 || !current_->grew ||
         look.now - *current_->grew < look.around.options.line_idle_limit;
}

// Of the file nothing has been read yet, and it has changed since it was last seen. Another content may have
// come and gone in between, under this very inode; then it lies among the rotated files, and goes first.
Stream::Attached Stream::go_back_to_unseen(Look& look) {
  if (current_->reader.trace().offset > 0) return Attached::yes;
  const auto status = current_->content->status();
  if (!status || status->modified == current_->seen.modified) return Attached::yes;
  Link last = last_link();
  last.key = FileKey{};
  Chain chain(look.around.files, path_);
  const auto next = chain.next(last, look.around.finished, taken_by_others(look));
  if (chain.error() != 0) {
    fail(chain.error());
    return Attached::later;
  }
  current_->seen.modified = status->modified;
  if (!next || key_of(next->status) == current_->key) return Attached::yes;
  start_at(next->path, next->status);
  return Attached::lost;
}

Stream::Attached Stream::attach(Look& look) {
  CurrentFile& current = *current_;
  if (current.content) {
    const auto status = current.content->status();
    if (!status && status.error() != ESTALE) {
      fail(status.error());
      return Attached::later;
    }
    const bool whole =
        status && (current.content->compressed() || status->size >= current.reader.trace().offset);
    if (whole) return Attached::yes;
    close_file();
    if (status) return find_copy(look);
  }
  FileSystem& files = look.around.files;
  if (is_here(look.target)) {
    const Attached attached = attach_at(files, path_, false);
    return attached == Attached::lost ? find_copy(look) : attached;
  }
  const auto remembered = current.file.empty() ? tl::unexpected(ENOENT) : files.status(current.file);
  std::optional<std::string> found;
  if (remembered && key_of(*remembered) == current.key) {
    found = current.file;
  } else if (current.reader.trace().offset > 0 || current.seen.size > 0) {  // else nothing to know it by
    Chain chain(files, path_);
    found = chain.find(current.key);
    if (!found && chain.error() != 0) {
      fail(chain.error());
      return Attached::later;
    }
  }
  const Attached attached = found ? attach_at(files, *found, false) : Attached::lost;
  return attached == Attached::lost ? find_copy(look) : attached;
}

// Opens what lies at `file` and sees whether it is what we have been reading.
Stream::Attached Stream::attach_at(FileSystem& files, const std::string& file, bool is_copy) {
  auto content = open_content(files, file);
  if (!content && (is_absent(content.error()) || content.error() == EINVAL)) return Attached::lost;
  const auto status = content ? (*content)->status() : tl::unexpected(content.error());
  if (!status) {
    fail(status.error());
    return Attached::later;
  }
  if (!is_copy && key_of(*status) != current_->key) return Attached::lost;
  if (current_->reader.trace().offset == 0 && status->size < current_->seen.size) return Attached::lost;
  const auto same = matches(**content, current_->reader.trace());
  if (!same) {
    fail(same.error());
    return Attached::later;
  }
  if (!*same) return Attached::lost;
  current_->content = std::move(*content);
  current_->compressed = current_->content->compressed();
  current_->key = key_of(*status);
  current_->file = file;
  return Attached::yes;
}

// Our content is not where it was: truncated, and copied before that; or compressed.
Stream::Attached Stream::find_copy(Look& look) {
  Chain chain(look.around.files, path_);
  const auto copy = chain.holds(last_link(), look.around.finished);
  if (copy) return attach_at(look.around.files, copy->path, true);
  if (chain.error() == 0) return Attached::lost;
  fail(chain.error());
  return Attached::later;
}

Stream::Drained Stream::drain(Look& look, bool take_rest) {
  CurrentFile& current = *current_;
  for (;;) {
    const auto status = current.content->status();
    Batch batch = new_batch();
    std::size_t bytes = 0;
    const auto outcome =
        status ? current.reader.read(*current.content, look.around.options, take_rest, batch, bytes)
               : tl::unexpected(status.error());
    if (!outcome) {
      if (outcome.error() == ESTALE) close_file();
      fail(outcome.error());
      moved_ = true;  // looked at again soon
      return Drained::failed;
    }
    if (*outcome == FileReader::Outcome::changed) return Drained::changed;
    // Just taken up (again), a file has been still for no time that we know of.
    if (status->size != current.seen.size || !current.grew) current.grew = look.now;
    current.seen = *status;
    current.pending = current.reader.unterminated();
    current.at_end = *outcome == FileReader::Outcome::end;
    if (!batch.lines.empty() || batch.skipped_bytes > 0) emit(std::move(batch), look.out);
    look.budget -= std::min(look.budget, bytes);
    if (current.at_end) return Drained::end;
    if (look.budget == 0) return Drained::budget;
  }
}

// Nothing more will be written to it that we could wait for.
bool Stream::is_final(Look& look) {
  if (current_->seen.links == 0) return true;
  if (look.target.file && look.target.file->size > 0) return true;
  // Only a changed directory can have a new file: a stream that waits for its successor costs one stat.
  const auto directory = look.around.files.status(split_path(path_).directory);
  if (directory && directory->modified == current_->directory_modified) return false;
  Chain chain(look.around.files, path_);
  const Chain::Newer newer = chain.newer(last_link());
  if (chain.error() != 0) return false;
  if (directory && newer == Chain::Newer::none) current_->directory_modified = directory->modified;
  return newer == Chain::Newer::yes;
}

// The file is final and read: its rest is a line, and the stream goes on with the next one.
Stream::Step Stream::finish(Look& look) {
  const Drained drained = drain(look, true);
  if (drained == Drained::changed) close_file();
  if (drained != Drained::end) return drained == Drained::budget ? Step::out_of_budget : Step::again;
  last_ = last_link();
  if (!advance(look)) return Step::done;
  return Step::again;
}

// Nothing is left of the file. What was known to be in it and not read is lost; what was read whole, ended.
Stream::Step Stream::lose(Look& look) {
  last_ = last_link();
  last_.key = FileKey{};  // what has this inode now is another file, and perhaps the next
  const std::int64_t offset = current_->reader.trace().offset;
  const std::int64_t size = current_->compressed ? offset : current_->seen.size;
  lost_bytes_ = std::max<std::int64_t>(size - offset, 0);
  return advance(look) ? Step::again : Step::done;
}

// To the file written after `last_`, or to none. False: nothing could be found out, or nothing lies there.
bool Stream::advance(Look& look) {
  Chain chain(look.around.files, path_);
  const auto next = chain.next(last_, look.around.finished, taken_by_others(look));
  if (chain.error() != 0) {
    fail(chain.error());
    return false;
  }
  if (next && last_.trace.offset == 0) lost_bytes_ = 0;  // what was seen and not read may well be there
  end_current(look);
  if (next)
    start_at(next->path, next->status);
  else if (look.target.file)
    start_at(path_, *look.target.file);
  else
    last_.key = FileKey{};  // sooner or later another file has this inode
  return current_.has_value();
}

// The current file will not be read again under any name.
void Stream::end_current(Look& look) {
  if (!current_) return;
  Batch batch = new_batch();
  batch.lost_bytes = std::exchange(lost_bytes_, 0);
  if (batch.lost_bytes == 0 && !last_.finished.empty()) {
    batch.ended = true;
    batch.finished = last_.finished;
    if (look.around.finished.add(batch.finished)) uncommitted_finished_.push_back(batch.finished);
  }
  if (batch.lost_bytes > 0) current_->seen.size = current_->reader.trace().offset;  // counted once
  if (batch.ended || batch.lost_bytes > 0) emit(std::move(batch), look.out);
  current_.reset();
}

void Stream::start_at(const std::string& file, const FileStatus& status) {
  current_.emplace();
  current_->key = key_of(status);
  current_->file = file;
  current_->seen.modified = status.modified;
  restarted_ = restarted_ || known_;
  known_ = true;
  announce_ = true;
  moved_ = true;
}

Link Stream::last_link() const {
  if (!current_) return last_;
  const Trace& trace = current_->reader.trace();
  Link link{current_->key, current_->seen.modified, trace, {}};
  if (trace.offset > 0)
    link.finished = finished_identity(trace.head.text(), trace.offset, trace.marker.text());
  return link;
}

std::function<bool(const FileKey&)> Stream::taken_by_others(const Look& look) const {
  return [&taken = look.around.taken, id = id_](const FileKey& key) { return taken(key, id); };
}

void Stream::fail(Errno error) {
  state_ = State::waiting;
  text_ = "waiting: " + message_of(error);
}

Batch Stream::new_batch() const {
  Batch batch;
  batch.stream = id_;
  batch.tag = tag_;
  batch.path = path_;
  return batch;
}

void Stream::emit(Batch batch, std::vector<Batch>& out) {
  if (current_) {
    const Trace& trace = current_->reader.trace();
    position_.path = path_;
    position_.identity = Identity{current_->key, current_->seen.modified}.text();
    position_.offset = trace.offset;
    position_.head = trace.head.text();
    position_.marker = trace.marker.text();
    position_.size = current_->compressed ? trace.offset : current_->seen.size;
    batch.modified = current_->seen.modified;
  }
  batch.after = position_;
  batch.size = position_.size;
  batch.restarted = std::exchange(restarted_, false);
  announce_ = false;
  moved_ = true;
  out.push_back(std::move(batch));
}

// What has changed without lines is said with the look's last batch, or with one of its own.
void Stream::report(std::size_t first, std::vector<Batch>& out) {
  if (announce_) emit(new_batch(), out);
  const std::string error = state_ == State::waiting || state_ == State::refused ? text_ : std::string();
  const bool never_there = !known_ && state_ == State::gone;
  if (!never_there && (told_state_ != state_ || told_error_ != error)) {
    if (out.size() == first) {
      position_.path = path_;
      emit(new_batch(), out);
    }
    out.back().error_changed = told_error_ != error;
    if (out.back().error_changed) out.back().error = error;
    told_state_ = state_;
    told_error_ = error;
  }
  for (std::size_t i = first; i < out.size(); ++i) out[i].state = state_;
  if (out.size() > first) out.back().caught_up = caught_up_;
}

void Stream::committed(const Batch& batch) {
  committed_ = batch.after;
  std::erase(uncommitted_finished_, batch.finished);
}

void Stream::rewind(FinishedFiles& finished) {
  for (const std::string& identity : uncommitted_finished_) finished.remove(identity);
  uncommitted_finished_.clear();
  told_state_.reset();
  told_error_.clear();
  lost_bytes_ = 0;
  restarted_ = announce_ = false;
  last_ = Link{};
  if (!committed_.path.empty()) {
    restore(Position(committed_));
    return;
  }
  current_.reset();
  position_ = Position{};
  known_ = false;
}

// Where we stand is kept; a line longer than a block is scanned again from its beginning.
void Stream::close_file() {
  if (!current_) return;
  current_->content.reset();
  current_->reader = FileReader(current_->reader.trace());
}

void Stream::adopt(const FileStatus& status, const Trace& trace) {
  start_at(path_, status);
  current_->reader = FileReader(trace);
  announce_ = false;
}

std::optional<FileKey> Stream::key() const {
  return current_ ? std::optional(current_->key) : std::nullopt;
}

Status Stream::status() const {
  Status out;
  out.stream = id_;
  out.tag = tag_;
  out.path = path_;
  out.state = state_;
  out.text = text_;
  out.offset = position_.offset;
  out.size = position_.size;
  if (current_) {
    if (current_->file != path_) out.file = current_->file;
    out.offset = current_->reader.trace().offset;
    out.size = std::max(current_->seen.size, out.offset);
    out.caught_up = current_->at_end;
    out.open = current_->content != nullptr;
  }
  return out;
}

}  // namespace etad::follow
