"""Tries something in the daemon's own view of the machine, as its user: confined.py PID write|exists|run PATH, or interfaces.

Nothing can be executed there, so this enters that view itself and then only opens files.
"""
import ctypes
import grp
import os
import pwd
import sys

pid, action, path = sys.argv[1], sys.argv[2], (sys.argv[3:] or [""])[0]
libc = ctypes.CDLL(None, use_errno=True)
user = pwd.getpwnam("etad")
groups = [each.gr_gid for each in grp.getgrall() if "etad" in each.gr_mem] + [user.pw_gid]
views = [os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY) for kind in ("net", "ipc", "mnt")]
for view in views:
    if libc.setns(view, 0) != 0:
        sys.exit(f"setns: {os.strerror(ctypes.get_errno())}")
os.setgroups(groups)
os.setgid(user.pw_gid)
os.setuid(user.pw_uid)
if action == "write":
    open(path, "w").close()
    os.unlink(path)
elif action == "exists":
    os.stat(path)
elif action == "run":
    os.execv(path, [path])
else:
    print(*sorted(line.split(":")[0].strip() for line in open("/proc/self/net/dev") if ":" in line))
