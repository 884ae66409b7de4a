/** Lists are words with blanks between them. How to find the command that a program runs in its arguments. */
export interface Wrapper {
  /** Short options that take a value, as letters. */
  readonly valued?: string;
  /** Short options without a value. Any other letter may have one, so that the command may start a word later. */
  readonly flags?: string;
  readonly flagsLong?: string;
  /** Options with which nothing is run. */
  readonly idle?: string;
  /** Long options that take a value in the next word. */
  readonly valuedLong?: string;
  /** Operands before the command: a duration, a host, a lock file. */
  readonly operands?: number;
  /** `NAME=value` may stand before the command. */
  readonly assigns?: boolean;
  /** Options whose value is a command line for a shell. */
  readonly strings?: string;
  /** The rest is joined and given to a shell. */
  readonly joined?: boolean;
  /** Allow rules look through it, unless one of these options is there (contract 4). */
  readonly transparent?: { readonly unless: string };
  /** The command only follows one of these words. */
  readonly after?: string;
  /** What is appended to the command cannot be known. */
  readonly appends?: boolean;
  /** Its options are not known here: the command may start at any word, and a word with blanks may be one. */
  readonly loose?: boolean;
}

const PLAIN: Wrapper = {};
const LOOSE: Wrapper = { loose: true };

/** Runners of users, jobs, terminals and machines that are met less often. */
const LOOSE_NAMES =
  "sem runcon start-stop-daemon tini dumb-init gosu su-exec chpst s6-setuidgid s6-applyuidgid setuidgid envuidgid softlimit eatmydata schedtool tsocks torify trickle i3-msg swaymsg tmux screen dtach abduco lldb ccache distcc sccache icecc hyperfine dzdo please envchain summon envconsul supervise daemonize daemon nocache proot schroot fakechroot distrobox-enter distrobox-host-exec flatpak-spawn wine qemu-x86_64 qemu-aarch64 box64 gamemoderun primusrun optirun prime-run dbus-launch xinit ssh-agent sshpass autossh mosh chronic ifne mispipe lckdo pee timelimit retry wait-for-it dockerize concurrently vaultenv";
/** Programs with many commands, of which these run something else. */
const MIXED: Wrapper = { loose: true, after: "exec run ssh shell rsh enter record exec-env exec-file --" };
const MIXED_NAMES =
  "apptainer singularity lxc incus nerdctl ctr crun runc op aws-vault chamber doppler infisical teller flatpak snap tsh oc minikube multipass limactl colima vagrant lerna nx volta nvm fnm rbenv pyenv jenv rvm conda mamba micromamba hatch pdm rye tox pixi stack cabal opam guix sops dotenvx foreman honcho overmind toolbox distrobox rr berglas";

/** Programs that run another one. Deny and ask rules see through all of them, allow rules through the marked ones. */
export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map(
  Object.entries({
    timeout: {
      flags: "vfp",
      flagsLong: "foreground preserve-status verbose",
      valued: "ks",
      valuedLong: "kill-after signal",
      operands: 1,
      transparent: { unless: "" },
    },
    time: {
      flags: "pvqa",
      flagsLong: "portability verbose quiet append",
      valued: "fo",
      valuedLong: "format output",
      transparent: { unless: "-o --output -a --append" },
    },
    nice: { valued: "n", valuedLong: "adjustment", transparent: { unless: "" } },
    nohup: { transparent: { unless: "" } },
    stdbuf: { valued: "ioe", valuedLong: "input output error", transparent: { unless: "" } },
    command: { flags: "pvV", idle: "-v -V", transparent: { unless: "" } },
    builtin: { transparent: { unless: "" } },
    noglob: PLAIN,
    exec: { flags: "cl", valued: "a" },
    env: {
      flags: "i0v",
      flagsLong: "ignore-environment null debug",
      valued: "uCS",
      valuedLong: "unset chdir split-string",
      assigns: true,
      strings: "-S --split-string",
    },
    sudo: {
      flags: "AbBEeHKklnPSsVvi",
      flagsLong: "background preserve-env non-interactive stdin login set-home shell",
      valued: "ACDghpRrTtUu",
      valuedLong: "user group host prompt chdir chroot role type other-user close-from command-timeout",
      assigns: true,
    },
    doas: { flags: "nsL", valued: "uC", assigns: true },
    pkexec: { valuedLong: "user" },
    runuser: { valued: "ugGscC", valuedLong: "user group command shell", strings: "-c --command" },
    su: { valued: "ugGscCw", valuedLong: "command shell group", operands: 1, strings: "-c --command" },
    sg: { operands: 1, strings: "-c", joined: true },
    setsid: { flags: "cfw", flagsLong: "ctty fork wait" },
    setpriv: { valuedLong: "reuid regid groups inh-caps bounding-set securebits pdeathsig" },
    ionice: { flags: "t", valued: "cnpPu", valuedLong: "class classdata" },
    chrt: { valued: "TPDp", operands: 1 },
    taskset: { operands: 1 },
    numactl: { valued: "NCmip", valuedLong: "cpunodebind membind physcpubind interleave preferred" },
    prlimit: { valued: "po" },
    cpulimit: { valued: "lpe" },
    setarch: { operands: 1 },
    linux32: PLAIN,
    linux64: PLAIN,
    i386: PLAIN,
    chroot: { valuedLong: "userspec groups", operands: 1 },
    unshare: { valued: "SGRw", valuedLong: "setuid setgid root wd map-user map-group" },
    nsenter: { valued: "tSGrw", valuedLong: "target setuid setgid root wd" },
    bwrap: {
      valuedLong: "chdir uid gid hostname dev proc tmpfs dir unsetenv cap-drop cap-add",
    },
    firejail: PLAIN,
    flock: {
      flags: "senuxoF",
      flagsLong: "shared exclusive nonblock nb unlock close no-fork",
      valued: "wEc",
      valuedLong: "timeout wait conflict-exit-code command",
      operands: 1,
      strings: "-c --command",
    },
    watch: {
      flags: "bcdegptvx",
      flagsLong: "beep color differences errexit chgexit no-title exec",
      valued: "nq",
      valuedLong: "interval equexit",
      joined: true,
    },
    script: { valued: "cEIOBTmoE", valuedLong: "command", strings: "-c --command", operands: 1 },
    strace: { flags: "cCdDfFhikqrtTvVwxyzZ", valued: "aeEIoOpPsSuUX" },
    ltrace: { valued: "aeDFlnopsSuwx" },
    gdb: { after: "--args -args" },
    valgrind: PLAIN,
    perf: { after: "-- record stat trace" },
    unbuffer: PLAIN,
    rlwrap: { valued: "abCDfgHiloOpPsSqtwWz" },
    catchsegv: PLAIN,
    fakeroot: { valued: "lisb" },
    faketime: { valued: "f", operands: 1 },
    torsocks: PLAIN,
    proxychains: { valued: "f" },
    proxychains4: { valued: "f" },
    "dbus-run-session": PLAIN,
    "xvfb-run": { valued: "eflnps" },
    "systemd-run": {
      valued: "uMHpEt",
      valuedLong: "unit property description slice machine host setenv uid gid nice working-directory",
    },
    "systemd-inhibit": { valuedLong: "what who why mode" },
    cgexec: { valued: "g" },
    caffeinate: { valued: "tw" },
    busybox: PLAIN,
    toybox: PLAIN,
    xargs: {
      flags: "0oprtxi",
      flagsLong: "null open-tty interactive no-run-if-empty verbose exit show-limits",
      valued: "aEdILnPs",
      valuedLong: "arg-file delimiter replace max-lines max-args max-procs max-chars process-slot-var",
      appends: true,
    },
    parallel: {
      valued: "aCdEIjJLnNPSs",
      valuedLong: "jobs arg-file delay timeout colsep sshlogin",
      joined: true,
      appends: true,
    },
    entr: PLAIN,
    watchexec: { valued: "wefiods", joined: true },
    nodemon: { valuedLong: "exec watch ext", strings: "--exec -x" },
    ssh: { flags: "46AaCfGgKkMNnqsTtVvXxYy", valued: "BbcDEeFIiJLlmOopPQRSWw", operands: 1, joined: true },
    npx: {
      flags: "yq",
      flagsLong: "yes no no-install quiet ignore-existing",
      valued: "pcw",
      valuedLong: "package call workspace",
      strings: "-c --call",
    },
    bunx: PLAIN,
    uvx: { valuedLong: "from with python" },
    pipx: { after: "run" },
    uv: { after: "run" },
    poetry: { after: "run" },
    pipenv: { after: "run" },
    bundle: { after: "exec" },
    npm: { after: "exec x" },
    pnpm: { after: "exec dlx" },
    yarn: { after: "exec dlx" },
    mise: { after: "-- exec x" },
    asdf: { after: "exec" },
    devbox: { after: "run" },
    direnv: { after: "exec", operands: 1 },
    docker: {
      flags: "ditqP",
      flagsLong: "rm detach interactive tty privileged init",
      valued: "ewuvp",
      after: "exec run",
      operands: 1,
    },
    podman: {
      flags: "ditqP",
      flagsLong: "rm detach interactive tty privileged init",
      valued: "ewuvp",
      after: "exec run",
      operands: 1,
    },
    kubectl: { after: "--" },
    "docker-compose": { after: "exec run", operands: 1 },
    "nix-shell": { strings: "--run --command" },
    nix: { after: "-c --command" },
    dotenv: { after: "--" },
    ...Object.fromEntries(LOOSE_NAMES.split(" ").map((name) => [name, LOOSE])),
    ...Object.fromEntries(MIXED_NAMES.split(" ").map((name) => [name, MIXED])),
    "cross-env": { assigns: true },
    fd: { after: "-x -X --exec --exec-batch", appends: true },
    fdfind: { after: "-x -X --exec --exec-batch", appends: true },
  } satisfies Record<string, Wrapper>),
);

/** Programs that read commands: from `-c`, from a file, or from their input. */
export const SHELLS = new Set([
  "bash",
  "sh",
  "dash",
  "zsh",
  "ksh",
  "mksh",
  "ash",
  "rbash",
  "fish",
  "csh",
  "tcsh",
  "yash",
]);

/** Options whose value a program runs, for programs that do something else besides. */
export const RUN_OPTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    tar: "-I --use-compress-program --to-command --checkpoint-action -F --info-script --new-volume-script --rsh-command --rmt-command",
    sort: "--compress-program",
    rg: "--pre --hostname-bin",
    rsync: "-e --rsh --rsync-path",
    man: "-P --pager -H --html",
    zip: "-TT --unzip-command",
    scp: "-S",
    sftp: "-S",
    git: "-O --open-files-in-pager --upload-pack --receive-pack --sendmail-cmd",
    split: "--filter",
    wget: "--use-askpass",
    vim: "-c --cmd",
    vi: "-c",
  }),
);

/** Languages in which code on the command line can start programs. */
export const INTERPRETERS = new Set(
  "awk gawk mawk nawk perl python python2 python3 ruby node php lua luajit deno bun tclsh expect osascript emacs julia Rscript elixir groovy guile".split(
    " ",
  ),
);
