"""Tries something in a service's own view of the machine, as its user: confined.py PID write|exists|run PATH, or interfaces.

Nothing can be executed there, so this enters that view itself and then only opens files.
"""
import ctypes
import os
import sys

pid, action, path = sys.argv[1], sys.argv[2], (sys.argv[3:] or [""])[0]
libc = ctypes.CDLL(None, use_errno=True)
status = dict(line.rstrip("\n").split(":\t", 1) for line in open(f"/proc/{pid}/status") if ":\t" in line)
uid, gid = (int(status[key].split()[0]) for key in ("Uid", "Gid"))
groups = [int(each) for each in status["Groups"].split()]
views = [os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY) for kind in ("net", "ipc", "mnt")]
for view in views:
    if libc.setns(view, 0) != 0:
        sys.exit(f"setns: {os.strerror(ctypes.get_errno())}")
os.setgroups(groups)
os.setgid(gid)
os.setuid(uid)
if action == "write":
    open(path, "w").close()
    os.unlink(path)
elif action == "exists":
    os.stat(path)
elif action == "run":
    os.execv(path, [path])
else:
    print(*sorted(line.split(":")[0].strip() for line in open("/proc/self/net/dev") if ":" in line))
