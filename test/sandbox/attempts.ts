import { PROTECTED_PATHS } from "../../src/system/sandbox/protected-paths.ts";
import { type RunOptions, SECRET } from "../support/sandbox-harness.ts";

/**
 * One attempt to get out. The script says TRIED when it got to its end and ESCAPED when it thinks it is out; the
 * variables OUTSIDE, WORK, HOST_PID, PORT and ABSTRACT say where out would be.
 */
export interface Attempt {
  readonly name: string;
  readonly script: string;
  readonly options?: RunOptions;
  /** Made in the workspace before, by its owner. */
  readonly before?: string;
}

/** A system call by its numbers on both processors, with further arguments as Perl writes them. */
function call(x64: number, arm64: number, args: string): string {
  return `perl -e '$n = \`uname -m\` =~ /aarch64/ ? ${arm64} : ${x64}; $r = syscall($n, ${args}); print $r == -1 ? "$!\\n" : "ESCAPED\\n"'`;
}

const shows = (command: string): string => `${command} 2>&1 | grep -a ${SECRET} && echo ESCAPED`;
const writes = (path: string): string => `(echo pwned > ${path}) && echo ESCAPED`;

export const ATTEMPTS: readonly Attempt[] = [
  {
    name: "mounts the root read-write again",
    script: `for at in / /usr /proc; do mount -o remount,rw,bind $at && echo ESCAPED; done; ${writes("/usr/pwned")}; ${call(165, 40, '"none", "/usr", "", 0x1020, 0')}`,
  },
  {
    name: "walks through /proc/1/root",
    script: `${shows("cat /proc/1/root$OUTSIDE/secret /proc/1/cwd/../outside/secret")}`,
  },
  {
    name: "looks for processes of the host",
    script: `[ -e /proc/$HOST_PID/cmdline ] && tr '\\0' ' ' < /proc/$HOST_PID/cmdline | grep vitest && echo ESCAPED; [ $(ls -d /proc/[0-9]* | wc -l) -gt 12 ] && echo ESCAPED`,
  },
  { name: "attaches to a process of the host", script: call(101, 117, "16, $ENV{HOST_PID} + 0, 0, 0") },
  {
    name: "reads the environment of its parents",
    script: shows("cat /proc/[0-9]*/environ"),
  },
  {
    name: "connects to a Unix socket",
    script: `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); print connect(S, pack_sockaddr_un("$ENV{OUTSIDE}/socket")) ? "ESCAPED\\n" : "$!\\n"'`,
  },
  {
    name: "connects to an abstract socket",
    script: `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); print connect(S, pack("Sa*", AF_UNIX, "\\0$ENV{ABSTRACT}")) ? "ESCAPED\\n" : "$!\\n"'`,
  },
  {
    name: "connects to a port of the host",
    script: `for host in 127.0.0.1 localhost ::1 0.0.0.0; do (exec 3<>/dev/tcp/$host/$PORT) 2>&1 && echo ESCAPED; done`,
  },
  {
    name: "finds another network interface or kind of socket",
    script: `[ $(tail -n +3 /proc/net/dev | grep -vc ' *lo:') -gt 0 ] && echo ESCAPED; ${call(41, 198, "40, 1, 0")}; ${call(41, 198, "17, 3, 0")}`,
  },
  {
    name: "follows symbolic links out",
    script: `ln -s $OUTSIDE out; ln -s $OUTSIDE/secret secret; ${shows("cat secret out/secret")}; ${writes("out/pwned")}`,
  },
  {
    name: "makes hard links out",
    script: `ln $OUTSIDE/secret hard && echo ESCAPED; ln /etc/passwd hard2 && echo ESCAPED; ln /usr/bin/env hard3 && echo ESCAPED`,
  },
  {
    name: "leaves a program that runs as its owner",
    script: `cp /bin/bash shell; chmod 4755 shell; chmod g+s shell; perl -MFcntl -e 'sysopen(F, "made", O_CREAT | O_WRONLY, 06755)'; find . -perm /6000 2>/dev/null | grep . && echo ESCAPED`,
  },
  {
    name: "gains power from programs that run as root",
    script: `for program in su sudo mount passwd; do timeout 2 $program -c id < /dev/null 2>&1 | grep 'uid=0' && echo ESCAPED; done; grep -q 'NoNewPrivs:.*1' /proc/self/status || echo ESCAPED; grep Cap /proc/self/status | grep -v 0000000000000000 && echo ESCAPED`,
  },
  {
    name: "forks without end",
    script: `perl -e 'for (1 .. 3000) { my $p = fork; last unless defined $p; if (!$p) { sleep 60; exit } $n++ } print $n > 200 ? "ESCAPED\\n" : "$n\\n"'`,
    options: { limits: { processes: 100 } },
  },
  {
    name: "takes all memory",
    script: `perl -e '$x = "x" x (512 * 1024 * 1024); $y = "$x$x"; print length($y) > 9 ? "ESCAPED\\n" : ""'; head -c 100M /dev/zero > /tmp/full && echo ESCAPED`,
    options: { limits: { memory: 256 * 2 ** 20, scratch: 16 * 2 ** 20 } },
  },
  {
    name: "raises its limits again",
    script: `ulimit -u unlimited && echo ESCAPED; ulimit -d unlimited && echo ESCAPED; ulimit -c unlimited && echo ESCAPED`,
  },
  {
    name: "types into the terminal",
    script: `perl -e 'open(T, "+<", "/dev/tty") and print "ESCAPED\\n"; for my $f (*STDIN, *STDOUT) { print ioctl($f, 0x5412, "E") ? "ESCAPED\\n" : "$!\\n" }'`,
    options: {
      start: (argv) => [
        "script",
        "-qfec",
        argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" "),
        "/dev/null",
      ],
    },
  },
  {
    name: "uses descriptors that were left open",
    script: `ls /proc/self/fd | grep -vx '[0123]' && echo ESCAPED; for fd in 4 7 19; do ${shows("cat /dev/fd/$fd/secret /proc/self/fd/$fd")}; done`,
    options: {
      start: (argv) => [
        "bash",
        "-c",
        'exec 4<"$OUTSIDE" 7<"$OUTSIDE/secret" 19<"$OUTSIDE/secret"; exec "$@"',
        "-",
        ...argv,
      ],
    },
  },
  {
    name: "writes protected files that are absent",
    script: PROTECTED_PATHS.map(
      (path) => `mkdir -p "$(dirname ${path})"; ${writes(path)}; ${writes(`${path}/pwned`)}`,
    ).join("\n"),
  },
  {
    name: "writes hooks and settings of a repository",
    before: "git init -q .; echo '#!/bin/sh' > .git/hooks/pre-commit",
    script: `git config core.fsmonitor ./evil && echo ESCAPED; ${["config", "hooks/pre-commit", "hooks/post-checkout", "commondir", "config.worktree", "modules/x"].map((path) => writes(`.git/${path}`)).join("; ")}`,
  },
  {
    name: "writes hooks and settings of a repository inside the workspace",
    before:
      "mkdir -p deep/down; git init -q deep/down/repo; git init -q other; printf 'gitdir: ../other/.git' > deep/.git; echo '#!/bin/sh' > deep/down/repo/.git/hooks/pre-commit",
    script: `for repo in deep/down/repo other; do git -C $repo config core.fsmonitor ./evil && echo ESCAPED; for path in config hooks/pre-commit hooks/post-checkout commondir modules/x; do ${writes("$repo/.git/$path")}; done; mv $repo/.git $repo/old && echo ESCAPED; mv $repo $repo-away && echo ESCAPED; done; mv deep away && echo ESCAPED; mv deep/down away && echo ESCAPED; ${writes("deep/.git")}; rm -rf deep other; [ -d deep/down/repo/.git/hooks ] && [ -d other/.git/hooks ] || echo ESCAPED`,
  },
  {
    name: "writes settings of further worktrees",
    before:
      "git init -q .; git -c user.name=a -c user.email=a@b.test commit -q --allow-empty -m x; git worktree add -q trees/one; git worktree add -q --detach trees/two; git config extensions.worktreeConfig true; git -C trees/two config --worktree x.y z",
    script: `for path in .git/worktrees/one/commondir .git/worktrees/one/config.worktree .git/worktrees/two/commondir .git/worktrees/two/config.worktree; do ${writes("$path")}; mv $path moved && echo ESCAPED; done; mv .git/worktrees moved && echo ESCAPED; mv .git/worktrees/one moved && echo ESCAPED`,
  },
  {
    name: "writes what settings of git name",
    before: `git init -q .; mkdir -p .husky/_ tools/deep; echo 'exit 0' | tee .husky/_/pre-commit .husky/pre-commit tools/deep/filter.sh clean.sh > /dev/null; echo '[x]' > team.cfg
      git config core.hooksPath .husky/_; git config filter.x.clean './tools/deep/filter.sh %f'; git config filter.x.smudge 'sh clean.sh'; git config core.fsmonitor tools/watch; git config include.path ../team.cfg; git config includeIf.gitdir:x/.path ../later.cfg; printf '[alias]\n\tx = "!f() { tools/alias.sh; }; f"' >> team.cfg; mkdir -p inner/hooks; git init -q inner; git -C inner config core.hooksPath hooks`,
    script: `for path in .husky/_/pre-commit .husky/_/post-checkout .husky/pre-commit tools/deep/filter.sh clean.sh tools/watch team.cfg later.cfg tools/alias.sh inner/hooks/pre-commit; do ${writes("$path")}; mv $path moved && echo ESCAPED; done; for path in .husky .husky/_ tools tools/deep inner/hooks; do mv $path moved && echo ESCAPED; done`,
  },
  {
    name: "writes hooks and settings of a repository whose folder has another name",
    before: "git init -q --bare .bare; printf 'gitdir: ./.bare' > .git; git init -q --bare store/x.git",
    script: `for store in .bare store/x.git; do for path in config hooks/pre-commit config.worktree modules/x; do ${writes("$store/$path")}; done; mv $store moved && echo ESCAPED; done; mv store moved && echo ESCAPED; ${writes(".git")}`,
  },
  {
    name: "makes the workspace itself a repository",
    before: "git init -q .; git init -q inner",
    script: `git init -q --bare evil; for tree in . inner; do echo broken > $tree/.git/HEAD; cp -r evil/HEAD evil/objects evil/refs evil/config $tree; cp -r evil/refs/heads $tree/refs && echo ESCAPED; (echo evil > $tree/commondir) && echo ESCAPED; mv -T evil/refs $tree/refs && echo ESCAPED; done`,
  },
  {
    name: "writes into a protected folder in which a repository lies",
    before: "git init -q .; mkdir -p .claude/trees; git init -q .claude/trees/x; git init -q .vscode/y",
    script: `${[".claude/settings.json", ".claude/trees/new", ".claude/trees/x/new", ".vscode/tasks.json", ".vscode/y/new"].map((path) => writes(path)).join("; ")}`,
  },
  {
    name: "moves protected files and folders away",
    before: "git init -q .; mkdir .claude; echo '{}' > .mcp.json",
    script: `mkdir evil; echo pwned > evil/f; for path in .git .git/hooks .claude .vscode toolcrib.yaml .mcp.json $WORK; do mv $path moved && echo ESCAPED; rm -rf $path; mv -T evil $path && echo ESCAPED; [ $path = .git ] || { mv evil/f $path && echo ESCAPED; }; done; [ -d .git ] && [ -f .mcp.json ] || echo ESCAPED`,
  },
  {
    name: "makes and opens device nodes",
    script: `mknod disk b 8 0 && echo ESCAPED; mknod memory c 1 1 && echo ESCAPED; ls /dev | grep -E '^(sd|vd|nvme|mem$|kmsg$|kvm$|fuse$|loop)' && echo ESCAPED`,
  },
  {
    name: "writes to /sys",
    script: `ls -A /sys 2>/dev/null | grep . && echo ESCAPED; mkdir -p /sys/fs/cgroup/x && echo ESCAPED; ${writes("/sys/power/state")}`,
  },
  {
    name: "uses the kernel's keys",
    script: `${call(248, 217, '"user", "pwned", "x", 1, -3')}; ${call(250, 219, "0, -3, 0")}; ${call(250, 219, "11, -4, 0, 0")}`,
  },
  {
    name: "changes the root",
    script: `chroot / true && echo ESCAPED; ${call(161, 51, '"/tmp"')}; mkdir old; ${call(155, 41, '".", "old"')}`,
  },
  {
    name: "makes namespaces of its own",
    script: `unshare -Urm true && echo ESCAPED; unshare -m true && echo ESCAPED; unshare -n true && echo ESCAPED; ${call(56, 220, "0x10000011, 0, 0, 0, 0")}`,
  },
  {
    name: "enters namespaces of the host",
    script: `nsenter -t $HOST_PID -m -p true && echo ESCAPED; nsenter -t 1 -m true && echo ESCAPED; ${call(308, 268, "0, 0")}`,
  },
  {
    name: "reads secrets of the home folder",
    script: `${shows("cat ~/.ssh/id ~/.netrc")}; ls -A ~/.ssh 2>/dev/null | grep . && echo ESCAPED`,
  },
  {
    name: "reads what only root may",
    script: `cat /etc/shadow /etc/sudoers /etc/ssh/ssh_host_* /root/.* /proc/kcore /proc/kmsg 2>/dev/null | head -c 1 | grep -qa . && echo ESCAPED`,
  },
  { name: "ends processes of the host", script: `kill -9 $HOST_PID && echo ESCAPED; echo TRIED; kill -9 -- -1` },
  {
    name: "writes outside through descriptors and its working folder",
    script: [
      "/dev/fd/1/../../../../../$OUTSIDE/pwned",
      "/proc/self/cwd/../outside/pwned",
      "/proc/self/root/$OUTSIDE/pwned",
      "$OUTSIDE/pwned",
      "../outside/pwned",
      "/pwned",
      "/etc/pwned",
      "/etc/passwd",
    ]
      .map((path) => writes(path))
      .join("; "),
  },
  {
    name: "tells the kernel what to run",
    script: `for setting in kernel/core_pattern kernel/modprobe kernel/hotplug vm/overcommit_memory fs/binfmt_misc/register; do ${writes("/proc/sys/$setting")}; done; ${writes("/proc/sysrq-trigger")}`,
  },
  {
    name: "shares memory with the host",
    script: `ls -A /dev/shm | grep . && echo ESCAPED; [ $(tail -n +2 /proc/sysvipc/shm | wc -l) -gt 0 ] && echo ESCAPED; ls -A /tmp /var /run 2>/dev/null | grep -E 'dbus|docker|systemd|\\.X11' && echo ESCAPED`,
  },
  {
    name: "stays behind as a daemon",
    script: `(setsid sleep 300 &) ; (trap '' HUP TERM INT; setsid nohup sh -c 'while :; do sleep 1; done' > /dev/null 2>&1 &)`,
  },
];
