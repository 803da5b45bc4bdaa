#!/bin/sh
# Process 1 of the kernel that run-in-ipvs-kernel.mjs boots. `/` is the machine's own root, read-only; the hand-over
# directory (beside this file's copy) holds command.sh to run, modules to load, and gets the status.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
handover=${0%/*}

give_up() {
  echo "cannot set up the guest: $*" >/dev/console
  echo o >/proc/sysrq-trigger
  exec sleep 60
}

mount -t proc proc /proc || give_up 'no /proc'
mount -t sysfs sysfs /sys
modules=$(cat "$handover/modules-directory")
if ! grep -qw overlay /proc/filesystems; then
  insmod "$modules/$(uname -r)/kernel/fs/overlayfs/overlay.ko" || give_up 'no overlay file system'
fi

# A root to write to: the machine's below, memory above.
stage=/mnt
mount -t tmpfs -o mode=755 tmpfs $stage || give_up "cannot mount on $stage"
mkdir -p $stage/above $stage/work $stage/root $stage/handover
mount -t hostfs -o "$handover" none $stage/handover || give_up 'no hand-over directory'
# Where the kernel looks for modules may not exist on the machine.
mkdir -p "$stage/above$(readlink -f /lib)/modules"
mount -t overlay -o "lowerdir=/,upperdir=$stage/above,workdir=$stage/work" overlay $stage/root || give_up 'no overlay'
root=$stage/root
for system in proc sys dev; do
  mount --rbind /$system $root/$system
done
mkdir -p $root/dev/shm $root/dev/pts
mount -t tmpfs -o mode=1777 tmpfs $root/dev/shm
mount -t devpts devpts $root/dev/pts
mount -t tmpfs -o mode=755 tmpfs $root/run
mkdir -p -m 1777 $root/run/lock
mount --bind "$modules" $root/lib/modules || give_up 'cannot mount the modules'
while read -r directory; do
  mount -t hostfs -o "$directory" none "$root$directory" || give_up "cannot mount $directory to write to"
done <$stage/handover/writable
cp $stage/handover/modules $stage/handover/command.sh $root/run/
exec 7>$stage/handover/status

cd $root && mkdir -p .machine && pivot_root . .machine && cd / && umount -l /.machine || give_up 'pivot_root failed'
ln -sfn /proc/self/fd /dev/fd
ln -sfn fd/0 /dev/stdin
ln -sfn fd/1 /dev/stdout
ln -sfn fd/2 /dev/stderr

# Two serial lines carry what the command writes. They must not change a byte of it.
exec 8>/dev/ttyS0 9>/dev/ttyS1
stty raw -echo -opost clocal <&8
stty raw -echo -opost clocal <&9

ip link set lo up
# Refusals are rationed for all network namespaces together: many tests at once would take some for drops.
echo 1000000 >/proc/sys/net/ipv4/icmp_msgs_per_sec
echo 100000 >/proc/sys/net/ipv4/icmp_msgs_burst
ulimit -n 65536
# Requested by every iptables call, and of no use.
mkdir -p /etc/modprobe.d
echo 'install bpfilter /bin/false' >/etc/modprobe.d/bpfilter.conf
xargs modprobe -qa </run/modules 2>/dev/console
# This kernel has no nf_tables for IP.
for tool in iptables iptables-save iptables-restore ip6tables ip6tables-save ip6tables-restore; do
  [ ! -e "/usr/sbin/$tool-legacy" ] || ln -sfn "/usr/sbin/$tool-legacy" "/etc/alternatives/$tool"
done
echo "up after $(cut -d' ' -f1 /proc/uptime) s" >/dev/console

# Through pipes, so that the command sees no terminal.
mkfifo -m 600 /run/out /run/err
cat </run/out >&8 &
relays=$!
cat </run/err >&9 &
relays="$relays $!"
(
  exec 7>&- 8>&- 9>&-
  exec sh /run/command.sh
) </dev/null >/run/out 2>/run/err &
wait $!
status=$?
# What the command left running may hold the pipes open.
(sleep 2; kill $relays) 2>/dev/null &
wait $relays 2>/dev/null
# Closing waits until everything was sent.
exec 8>&- 9>&-
sync
echo $status >&7
exec 7>&-
echo o >/proc/sysrq-trigger
exec sleep 60
