/** Lists are words with blanks between them. Options of one program that run another, write a file, or change where programs are found (contract 5). */
export interface Risk {
  /** Short options, as letters; they count inside clusters too. */
  readonly short?: string;
  /** Long options without `--`; abbreviations count. */
  readonly long?: string;
  /** Harmless long options that look like an abbreviation of a risky one. */
  readonly safeLong?: string;
  /** Short options with a value: what follows them in a cluster is that value. */
  readonly valued?: string;
  /** Words as they stand; a `*` at the end means any ending. */
  readonly words?: string;
  /** Operands in order, from the first one: `config set`. */
  readonly sequences?: string;
  /** What one of its commands adds, by the first operand. */
  readonly subs?: Readonly<Record<string, Pick<Risk, "short" | "long" | "valued">>>;
  /** Options that only stand before the first operand. */
  readonly leading?: Pick<Risk, "short" | "long" | "valued">;
  /** Operands that no rule about a prefix can judge, as code of another language is. */
  readonly code?: "sed" | "awk" | "any";
  /** `NAME=value` sets a variable for what comes later. */
  readonly assigns?: boolean;
  /** More operands than these make the last one an output. */
  readonly maxOperands?: number;
  /** Letters without a dash, as `ps` takes them. */
  readonly bare?: string;
  /** Nothing that it does with operands is covered by a prefix. */
  readonly always?: boolean;
  /** Unknown text among its operands is data, never an option that matters. */
  readonly takesData?: boolean;
  /** `--` is a word like any other. */
  readonly noEndMark?: boolean;
}

const FIND = "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from";
const EDITOR: Risk = { short: "csSuUwWi", long: "cmd startuptime servername", words: "+*", always: true };
/** Options behind the name of a script belong to the script. */
const INTERPRETER = (short: string, long = ""): Risk => ({ leading: { short, long } });
const BUILD: Risk = {
  long: "script-shell node-options userconfig globalconfig shell editor viewer browser git prefix registry cache init-module onload-script cwd modules-folder global",
  short: "gC",
  sequences:
    "config set, config edit, config delete, config fix, c set, set, exec, x, dlx, explore, edit, set-script, pkg set",
};
const SHELL: Risk = { leading: { short: "cisloO", long: "rcfile init-file login" } };
const COMPILER: Risk = {
  words: "-wrapper* -fplugin* -specs* --specs* -B* -o* --output* -Xlinker* -Wl,* -Wp,* -Wa,* -fuse-ld* -ld-path* @*",
};
const LATEX: Risk = {
  words:
    "-shell-escape* --shell-escape* -enable-write18* --enable-write18* -output-directory* --output-directory* -fmt* --fmt*",
};
const DECLARES: Risk = { short: "n", assigns: true };

export const RISKS: ReadonlyMap<string, Risk> = new Map<string, Risk>(
  Object.entries({
    find: { words: FIND, noEndMark: true },
    fd: { short: "xX", long: "exec exec-batch", valued: "degtEScj" },
    fdfind: { short: "xX", long: "exec exec-batch", valued: "degtEScj" },
    rg: { long: "pre hostname-bin search-zip", safeLong: "pretty", short: "z", valued: "ABCEMTdefgjmrt" },
    ag: { long: "pager", valued: "ABCGgmp" },
    ack: { long: "pager output", words: "--output*" },
    sed: { short: "i", long: "in-place file", valued: "efl", code: "sed", words: "-f*" },
    awk: {
      short: "fiolE",
      long: "file include load exec dump-variables profile pretty-print",
      valued: "Fv",
      code: "awk",
    },
    gawk: {
      short: "fiolEdpD",
      long: "file include load exec dump-variables profile pretty-print debug",
      valued: "Fv",
      code: "awk",
    },
    mawk: { short: "f", valued: "Fv", code: "awk" },
    nawk: { short: "f", valued: "Fv", code: "awk" },
    sort: { short: "oT", long: "output compress-program temporary-directory", valued: "ktSo" },
    uniq: { maxOperands: 1, valued: "fsw" },
    xxd: { short: "r", words: "-revert", maxOperands: 1, valued: "clogRs" },
    tree: { short: "o", words: "--output*", valued: "LPIHT" },
    tar: {
      short: "IFPx",
      bare: "IFPx",
      long: "extract get use-compress-program to-command checkpoint-action info-script new-volume-script rsh-command rmt-command absolute-names transform xform index-file overwrite unlink-first recursive-unlink remove-files",
      valued: "fCTXbgKLNVHo",
    },
    zip: { short: "Tm", words: "-TT* --unzip-command* --test* --move", valued: "bntxiOP" },
    unzip: { always: true },
    "7z": { always: true },
    gzip: { short: "S" },
    less: {
      short: "oOkPt",
      long: "log-file lesskey-file lesskey-src lesskey-content tag prompt",
      words: "+*",
    },
    more: { words: "+*" },
    man: {
      short: "PHCKlMX",
      long: "pager html browser config-file local-file manpath gxditview preprocessor",
      valued: "SsLmrRe",
    },
    ps: { bare: "e", valued: "pCougGUst" },
    git: {
      leading: {
        short: "cCp",
        long: "exec-path config-env git-dir work-tree namespace super-prefix paginate attr-source",
        valued: "cC",
      },
      long: "output open-files-in-pager ext-diff textconv upload-pack receive-pack exec extcmd template separate-git-dir output-directory sendmail-cmd smtp-server config show-signature filters contents unsafe-paths index-output",
      safeLong:
        "output-indicator-new output-indicator-old output-indicator-context exclude exclude-standard only text filter index",
      words: "ext::* fd::* -O*",
      subs: {
        archive: { short: "o" },
        "format-patch": { short: "o" },
        clone: { short: "uc" },
        rebase: { short: "x" },
        "ls-remote": { short: "u" },
        init: { long: "template" },
        commit: { short: "t", valued: "mFcC" },
        tag: { valued: "mFu" },
        merge: { valued: "m" },
        stash: { valued: "m" },
        log: { valued: "nSGL" },
        diff: { valued: "SG" },
        grep: { valued: "efmABC" },
        "cat-file": { long: "textconv filters batch-command" },
        blame: { long: "contents" },
        notes: { short: "F" },
        apply: { long: "directory" },
        "diff-tree": { long: "output" },
      },
      sequences:
        "bisect run, submodule foreach, submodule add, filter-branch, difftool, mergetool, send-email, daemon, instaweb, hook, credential, remote-ext, shell, init-db, web--browse, p4, svn, cvsserver, gui, citool, maintenance, config",
    },
    npm: BUILD,
    pnpm: BUILD,
    yarn: BUILD,
    bun: BUILD,
    pip: {
      long: "target prefix root index-url extra-index-url find-links editable config-settings global-option install-option log python trusted-host user",
      short: "tief",
      sequences: "config set, config edit",
    },
    pip3: {
      long: "target prefix root index-url extra-index-url find-links editable log python trusted-host",
      short: "tief",
      sequences: "config set, config edit",
    },
    cargo: {
      long: "config target-dir artifact-dir out-dir manifest-path",
      short: "CZ",
      words: "+*",
      sequences: "install, login",
    },
    go: {
      words:
        "-exec* --exec* -toolexec* --toolexec* -vettool* --vettool* -o* --o* -C* --C* -modfile* -overlay* -ldflags* -gcflags* -coverprofile* -cpuprofile* -memprofile* -trace* -outputdir*",
      sequences: "env, generate, run, tool",
    },
    make: {
      short: "fCIoWE",
      long: "file makefile directory include-dir eval old-file what-if",
      words: "*=*",
    },
    curl: {
      short: "oOKTFdcDEQJ",
      long: "output remote-name remote-name-all output-dir config upload-file form form-string data data-binary data-raw data-urlencode data-ascii json cookie-jar dump-header trace trace-ascii stderr libcurl cert key engine proxy preproxy quote hsts alt-svc etag-save netrc-file url-query unix-socket abstract-unix-socket doh-url resolve connect-to",
      safeLong: "proto proto-default",
      valued: "AbeHimrtuwxyYzCPU",
      words: "file:* gopher:* dict:* scp:* sftp:*",
    },
    wget: { always: true },
    rsync: {
      short: "eM",
      long: "rsh rsync-path log-file write-batch only-write-batch files-from remote-option password-file backup-dir temp-dir partial-dir delete remove-source-files",
      words: "*::*",
    },
    ssh: { always: true },
    scp: { short: "SoFJ" },
    sftp: { always: true },
    nc: { short: "ecl", long: "exec sh-exec lua-exec listen output", always: true },
    ncat: { always: true },
    socat: { always: true },
    openssl: {
      words: "-out -engine -provider -config -provider-path",
      sequences: "s_client, s_server, engine",
    },
    vim: EDITOR,
    vi: EDITOR,
    view: EDITOR,
    nvim: EDITOR,
    ex: EDITOR,
    ed: EDITOR,
    emacs: EDITOR,
    nano: { short: "sF", long: "speller", always: true },
    python: INTERPRETER("cim"),
    python2: INTERPRETER("cim"),
    python3: INTERPRETER("cim"),
    node: INTERPRETER(
      "epricC",
      "eval print require import loader experimental-loader interactive env-file inspect inspect-brk run cpu-prof heap-prof diagnostic-dir redirect-warnings report-directory title openssl-config build-snapshot",
    ),
    deno: {
      sequences: "eval, repl, install, run",
      long: "allow-all allow-run allow-write",
      short: "A",
    },
    perl: INTERPRETER("eEiIMmnpdx"),
    ruby: INTERPRETER("eirInpx", "require"),
    php: INTERPRETER("rBRFEacd", "run"),
    lua: INTERPRETER("eil"),
    tclsh: { always: true },
    expect: { always: true },
    gdb: { always: true },
    bash: SHELL,
    sh: SHELL,
    dash: SHELL,
    zsh: SHELL,
    ksh: SHELL,
    fish: { leading: { short: "cC", long: "command init-command" } },
    eval: { always: true },
    source: { words: "/dev/*" },
    ".": { words: "/dev/*" },
    exec: { always: true },
    trap: { always: true },
    alias: { words: "*=*" },
    enable: { always: true },
    hash: { short: "p" },
    export: DECLARES,
    declare: DECLARES,
    typeset: DECLARES,
    readonly: DECLARES,
    local: DECLARES,
    unset: { words: "[A-Z]* *[*" },
    printf: { leading: { short: "v" } },
    read: { words: "[A-Z]* _* *_proxy *[*", takesData: true },
    mapfile: { short: "C", words: "[A-Z]* _* *_proxy *[*", takesData: true },
    readarray: { short: "C", words: "[A-Z]* _* *_proxy *[*", takesData: true },
    getopts: { always: true },
    set: { always: true },
    shopt: { short: "su" },
    bind: { always: true },
    complete: { short: "CF" },
    compgen: { short: "CF" },
    let: { always: true },
    test: { words: "-v *[*", takesData: true },
    "[": { words: "-v *[*", takesData: true },
    "[[": { words: "-v", takesData: true },
    split: { long: "filter" },
    dd: { always: true },
    install: { long: "strip-program" },
    chmod: {
      words: "*+*s* u+s* g+s* +t [2-7][0-7][0-7][0-7] 0[2-7][0-7][0-7][0-7] =*s*",
      short: "R",
    },
    chown: { short: "R" },
    crontab: { words: "*", short: "re" },
    at: { always: true },
    batch: { always: true },
    docker: {
      sequences: "run, exec, cp, build, context, plugin, compose run, compose exec",
      leading: { short: "Hc", long: "host context config", valued: "Hcl" },
    },
    podman: { sequences: "run, exec, cp, build" },
    kubectl: { sequences: "exec, cp, config, plugin, debug, run", long: "kubeconfig" },
    systemctl: { sequences: "edit, link, enable" },
    diff: { words: "--output*" },
    csplit: { always: true },
    patch: { always: true },
    cpio: { always: true },
    gunzip: { short: "S" },
    shuf: { short: "o", long: "output", valued: "in" },
    tcpdump: { short: "zwF", valued: "icsr" },
    watch: { always: true },
    script: { always: true },
    screen: { always: true },
    tmux: { always: true },
    jq: { long: "from-file library-path rawfile slurpfile", short: "fL", words: '*import*"* *include*"*' },
    yq: { short: "i", long: "inplace in-place split-exp from-file" },
    pytest: {
      short: "pco",
      long: "pdbcls rootdir confcutdir junit-xml junitxml basetemp config-file override-ini log-file result-log debug",
    },
    eslint: {
      short: "co",
      long: "config output-file rulesdir resolve-plugins-relative-to plugin parser fix cache-location format",
    },
    tsc: {
      long: "outDir outFile project declarationDir tsBuildInfoFile generateTrace generateCpuProfile",
      words: "-p",
    },
    jest: {
      long: "config globalSetup globalTeardown testRunner runner transform setupFiles outputFile reporters coverageDirectory resolver",
      short: "c",
    },
    vitest: { long: "config outputFile globals reporter root dir", short: "cr" },
    gh: { sequences: "alias, extension, config, auth, api, codespace" },
    date: { short: "s", long: "set" },
    hostname: { maxOperands: 0, short: "Fb" },
    iptables: { always: true },
    sysctl: { short: "wp" },
    mount: { always: true },
    ip: { sequences: "netns exec", short: "b" },
    ldd: { always: true },
    file: { short: "Cm", long: "compile magic-file", valued: "FfPe" },
    gcc: COMPILER,
    "g++": COMPILER,
    cc: COMPILER,
    "c++": COMPILER,
    clang: COMPILER,
    "clang++": COMPILER,
    ld: { words: "-plugin* --plugin* -T* -o* --output* -dynamic-linker* --dynamic-linker* -rpath* @*" },
    as: { short: "o" },
    cmake: { words: "-P* -E* -C* -D* --install* --trace-redirect* --toolchain*" },
    ctest: { short: "SO", long: "script build-and-test output-log build-run-dir" },
    meson: { words: "-D* --cross-file* --native-file* --wrap-mode*", sequences: "devenv" },
    ninja: { short: "fCt" },
    bazel: { sequences: "run", long: "run_under script_path output_base override_repository shell_executable" },
    gradle: {
      short: "Ibcpg",
      long: "init-script build-file project-dir include-build gradle-user-home",
      words: "-D* -P*",
    },
    mvn: { short: "fs", long: "file settings", words: "exec:* *:exec* antrun:* -D*" },
    ant: { short: "f", words: "-buildfile* -file* -lib* -D* -logger* -listener*" },
    ansible: { short: "mMie", long: "module-name module-path inventory extra-vars" },
    "ansible-playbook": { always: true },
    psql: { short: "cfoLv", long: "command file output log-file set variable" },
    mysql: { words: "*\\!* system* *;system* tee* source*", long: "init-command plugin-dir tee pager" },
    sqlite3: {
      words:
        "-cmd* --cmd* -init* --init* .sh* .sy* .o* .im* .l* .sa* .ba* .rea* .rest* .cd* .ex* .ar* *load_extension* *writefile* *edit(*",
    },
    prettier: { short: "w", long: "write plugin config plugin-search-dir" },
    ruff: { short: "o", long: "fix fix-only unsafe-fixes output-file add-noqa config" },
    gofmt: { words: "-w* -cpuprofile*" },
    pylint: { long: "load-plugins init-hook rcfile output" },
    mypy: { long: "python-executable config-file junit-xml install-types" },
    flake8: { long: "config append-config output-file" },
    stylelint: { long: "fix config output-file custom-formatter", short: "fo" },
    mocha: { short: "r", long: "require config file package opts reporter ui" },
    webpack: { short: "co", long: "config output-path require" },
    rollup: { short: "cdop", long: "config dir file plugin configPlugin" },
    esbuild: { words: "--outfile* --outdir* --metafile* --servedir*" },
    babel: { short: "do", long: "out-file out-dir config-file plugins presets" },
    nmap: { words: "-o* -iL*", long: "script datadir resume stylesheet servicedb" },
    pandoc: { short: "oFL", long: "output filter lua-filter pdf-engine extract-media template data-dir defaults" },
    latex: LATEX,
    pdflatex: LATEX,
    xelatex: LATEX,
    lualatex: LATEX,
    gpg: { short: "o", long: "output exec-path photo-viewer options homedir keyserver agent-program" },
    journalctl: { long: "vacuum-size vacuum-time vacuum-files rotate flush cursor-file" },
    bat: { long: "pager config-file" },
    batcat: { long: "pager config-file" },
    fzf: { long: "preview bind history listen", short: "" },
    delta: { long: "pager" },
    helm: { long: "post-renderer kubeconfig output-dir", sequences: "plugin" },
    aws: { sequences: "configure", long: "ca-bundle", words: "file://* fileb://*" },
    gcloud: { sequences: "config, components, auth" },
    az: { sequences: "config, extension, login" },
    hg: { long: "config cwd repository", short: "R" },
    svn: { long: "config-option config-dir editor-cmd diff-cmd diff3-cmd" },
    ctags: { short: "fo", long: "options output" },
    apt: { short: "oc", long: "option config-file" },
    "apt-get": { short: "oc", long: "option config-file" },
    rpm: { short: "E", long: "eval pipe root define load macros" },
    gem: { sequences: "install, exec, push", short: "C", long: "config-file" },
    rake: { short: "feErIR", long: "rakefile execute require libdir" },
    java: { words: "-javaagent* -agentlib* -agentpath* -XX:*On* @*", leading: { short: "", long: "" } },
    julia: INTERPRETER("eELJH", "eval print load sysimage"),
    R: INTERPRETER("ef", "file"),
    Rscript: INTERPRETER("e"),
    luajit: INTERPRETER("eil"),
    groovy: INTERPRETER("e"),
    guile: INTERPRETER("cl"),
    elixir: INTERPRETER("er", "eval rpc-eval"),
    erl: { words: "-eval* -run* -s -pa* -pz* -config*" },
    ghc: INTERPRETER("eo"),
    pwsh: { always: true },
    powershell: { always: true },
    osascript: { always: true },
    gnuplot: INTERPRETER("e"),
    octave: INTERPRETER("", "eval"),
    m4: { always: true },
    dc: { always: true },
    ftp: { always: true },
    telnet: { always: true },
    "ssh-keygen": { short: "DfwOKM" },
    "ssh-add": { short: "sD" },
    tshark: { short: "wXz" },
    objcopy: { always: true },
    strip: { short: "o" },
    terraform: { sequences: "console, login, providers mirror", words: "-chdir* -plugin-dir* -out*" },
    iconv: { short: "o", long: "output", valued: "ft" },
  } satisfies Record<string, Risk>),
);
