"""A real log that appears piece by piece, and what is done to it meanwhile: scripts/crash-test grows many of these."""
import collections
import datetime
import gzip
import os
import pathlib
import shutil


def compress(path):
    """As logrotate does: beside the file, which goes when that is whole."""
    packed = path.with_name(path.name + ".gz")
    with open(path, "rb") as content, gzip.open(packed, "wb") as file:
        shutil.copyfileobj(content, file)
    shutil.copystat(path, packed)
    path.unlink()
    return packed


class GrowingLog:
    """A real log that appears piece by piece, under a name that others play with."""

    def __init__(self, original, path, chance):
        self.content, self.path, self.chance = original.read_bytes(), path, chance
        self.written = 0
        self.hole = None  # where bytes are missing yet, and which
        self.swapped = None
        self.rotated = path  # what its rotated files are called, without their numbers
        if chance.random() < 0.3:  # as logrotate's olddir has it
            self.rotated = path.parent / "old" / path.name
            self.rotated.parent.mkdir(exist_ok=True)
        self.dated = chance.random() < 0.3  # as its dateext has it
        self.compressed = chance.random() < 0.3  # as its delaycompress has it: all but the youngest
        self.aside = []  # rotated files, the youngest first
        self.replaced = False  # by a copy of itself, and perhaps not looked at since
        self.file = open(path, "wb", buffering=0)
        self.base = 0  # of the file's first byte in the content
        self.deeds = collections.deque(maxlen=8)  # the last ones, each with the number of kills before

    def lines(self):
        """Of what is written by now."""
        return self.content[:self.written].count(b"\n")

    def read(self, sources):
        return sources.get(str(self.path), {}).get("lines", 0)

    @property
    def done(self):
        return self.written == len(self.content) and not self.hole

    def put(self, piece):
        os.pwrite(self.file.fileno(), piece, self.written - self.base)
        self.written += len(piece)

    def write(self):
        self.fill_hole()
        size = self.chance.choice([1, 40, 100, 300, 1000, 4000])
        self.put(self.content[self.written:self.written + size])

    def write_around_a_hole(self):
        """As a network file system shows pages that come in another order than they were written in."""
        self.fill_hole()
        size = self.chance.choice([30, 500, 4096])
        missing = self.content[self.written:self.written + size]
        self.hole = (self.written, missing)
        self.written += len(missing)
        self.put(self.content[self.written:self.written + size])

    def fill_hole(self):
        if self.hole:
            at, missing = self.hole
            os.pwrite(self.file.fileno(), missing, at - self.base)
            self.hole = None

    def end_line(self):
        """A writer rotates between lines: half a line in each of two files is two lines to anybody."""
        self.fill_hole()
        if self.written > 0:
            self.put(self.content[self.written:self.content.find(b"\n", self.written - 1) + 1])

    def rotate(self):
        if self.swapped:
            return
        self.end_line()
        if self.dated:
            day = datetime.date(2026, 1, 1) + datetime.timedelta(len(self.aside))
            youngest = pathlib.Path(f"{self.rotated}-{day:%Y%m%d}")
        else:
            youngest = pathlib.Path(f"{self.rotated}.1")
            for number in range(len(self.aside), 0, -1):
                older = self.aside[number - 1]
                self.aside[number - 1] = older.rename(f"{self.rotated}.{number + 1}{'.gz' * (older.suffix == '.gz')}")
        self.aside.insert(0, self.path.rename(youngest))
        if self.compressed and len(self.aside) > 1:
            self.aside[1] = compress(self.aside[1])
        self.file.close()
        self.file = open(self.path, "wb", buffering=0)
        self.base = self.written

    def rotate_in_a_burst(self):
        for _ in range(self.chance.randint(2, 4)):
            self.write()
            self.rotate()

    def replace(self):
        """As rsync does: a longer copy of it, under a name of its own at first, renamed over it. Not twice before the
        daemon looks: the second copy may have the first file's inode again, and is written to like a new log that
        begins alike, from which nobody could tell it."""
        if self.swapped or self.replaced:
            return
        self.fill_hole()
        copy = self.path.with_name(f".{self.path.name}.copy")
        shutil.copyfile(self.path, copy)
        if self.chance.random() < 0.5:
            shutil.copystat(self.path, copy)
        self.replaced = True
        self.file.close()
        self.file = open(copy, "r+b", buffering=0)
        self.put(self.content[self.written:self.written + 200])
        copy.rename(self.path)

    def rewrite(self):
        """As pandas' to_csv does, or a program that dumps all its history each time: emptied, and written whole."""
        if self.swapped:
            return
        self.fill_hole()
        content = self.path.read_bytes()
        with open(self.path, "wb", buffering=0) as file:
            file.write(content)

    def swap(self, other):
        """The two change names; whoever writes them goes on. Called again, they change back."""
        if (self.swapped or other.swapped) and self.swapped is not other:
            return
        aside = self.path.with_name(".aside")
        self.path.rename(aside)
        other.path.rename(self.path)
        aside.rename(other.path)
        self.swapped = None if self.swapped else other
        other.swapped = self if self.swapped else None

    def copytruncate(self):
        """Only after `end_line`, and once everything has been read."""
        shutil.copyfile(self.path, f"{self.path}.copy")
        os.truncate(self.path, 0)
        self.base = self.written
