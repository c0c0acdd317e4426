#!/bin/sh
# Starts a Docker engine inside a container that has SYS_ADMIN and NET_ADMIN. The engine below mounts both read-only.
set -eu
umount /proc/sys 2>/dev/null || true
mount -o remount,bind,rw /sys 2>/dev/null || true
for mounted in $(awk '$2 ~ "^/sys/fs/cgroup" {print $2}' /proc/mounts); do mount -o remount,bind,rw "$mounted"; done
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then # cgroup v2: a group with processes cannot have controllers for others
  mkdir -p /sys/fs/cgroup/init
  xargs -rn1 </sys/fs/cgroup/cgroup.procs >/sys/fs/cgroup/init/cgroup.procs || true
  sed -e 's/ / +/g' -e 's/^/+/' /sys/fs/cgroup/cgroup.controllers >/sys/fs/cgroup/cgroup.subtree_control
fi
rm -f /var/run/docker.pid /var/run/docker/containerd/containerd.pid # of an engine that was killed
exec dockerd --host unix:///engine/docker.sock --no-new-privileges
