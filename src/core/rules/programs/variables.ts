/**
 * Variables that change what a program loads or runs, rather than what it works with. Whoever may set one of them runs
 * code of their own in whatever is started next. A `*` at the end stands for anything.
 */
export const LOADER_VARIABLES: readonly string[] = [
  // Which programs are found, and where they look for their own settings.
  ...["PATH", "PATHEXT", "COMSPEC", "SHELL", "HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "ZDOTDIR"],
  // The dynamic loader and the C library.
  ...["LD_*", "DYLD_*", "GCONV_PATH", "GLIBC_TUNABLES", "LOCPATH", "NLSPATH", "OPENSSL_CONF", "OPENSSL_ENGINES"],
  ...["OPENSSL_MODULES", "GTK_MODULES", "GIO_EXTRA_MODULES", "QT_PLUGIN_PATH"],
  // Shells.
  ...["BASH_ENV", "ENV", "BASH_FUNC_*", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "PS4", "IFS", "CDPATH", "FPATH"],
  // Languages.
  ...["NODE_OPTIONS", "NODE_PATH", "NODE_REPL_EXTERNAL_MODULE", "ELECTRON_RUN_AS_NODE", "BUN_OPTIONS", "DENO_DIR"],
  ...["PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONEXECUTABLE", "PYTHONPLATLIBDIR"],
  ...["PYTHONBREAKPOINT", "PYTHONINSPECT", "PYTHONWARNINGS", "PYTHONPYCACHEPREFIX", "VIRTUAL_ENV", "CONDA_PREFIX"],
  ...["RUBYOPT", "RUBYLIB", "GEM_HOME", "GEM_PATH", "BUNDLE_*", "PERL5OPT", "PERL5LIB", "PERL5DB", "PERLLIB"],
  ...["PHPRC", "PHP_INI_SCAN_DIR", "LUA_*", "R_PROFILE", "R_PROFILE_USER", "R_ENVIRON", "R_ENVIRON_USER", "R_LIBS*"],
  ...["JULIA_LOAD_PATH", "JULIA_DEPOT_PATH", "TCLLIBPATH", "GUILE_LOAD_PATH", "ERL_LIBS", "ERL_FLAGS", "ERL_AFLAGS"],
  ...["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_HOME", "CLASSPATH", "MAVEN_OPTS", "GRADLE_OPTS"],
  ...["DOTNET_STARTUP_HOOKS", "DOTNET_ADDITIONAL_DEPS", "DOTNET_ROOT*", "CORECLR_*", "COR_*", "PSMODULEPATH"],
  // Package managers, which run what they download.
  ...["NPM_CONFIG_*", "YARN_*", "PNPM_*", "COREPACK_*", "PIP_*", "UV_*", "PIPX_*", "CARGO_*", "RUSTC*", "RUSTUP_*"],
  ...["GOFLAGS", "GOPROXY", "GOTOOLCHAIN", "GOROOT", "GOPATH", "CC", "CXX", "MAKEFLAGS"],
  // Programs that start others by what a variable says.
  ...["GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_PROXY_COMMAND", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR"],
  ...["GIT_CONFIG*", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_ASKPASS", "GIT_EXTERNAL_DIFF", "GIT_DIR"],
  ...["GIT_WORK_TREE", "SSH_ASKPASS", "SUDO_ASKPASS", "SUDO_EDITOR", "EDITOR", "VISUAL", "FCEDIT", "BROWSER", "PAGER"],
  ...["MANPAGER", "LESS", "LESSOPEN", "LESSCLOSE", "SYSTEMD_PAGER", "DOCKER_HOST", "DOCKER_CONFIG", "KUBECONFIG"],
];

/** In front of a command, whole families count: they name programs, options, settings or where things come from. */
export const STEERING = `BASH_* PS0 PS1 PS2 PS4 GLOBIGNORE HISTFILE INPUTRC POSIXLY_CORRECT TERMINFO TERMCAP TZDIR HOSTALIASES MAKEFILES GIT_*
  PYTHON* NODE_REPL_* NODE_TLS_* NODE_ICU_DATA NODE_V8_COVERAGE NODE_REDIRECT_WARNINGS NODE_COMPILE_CACHE NODE_USE_*
  DENO_* BUN_* TS_NODE_* RUBY* PERL* PHP_* JAVA_* XDG_* LESS* MANPATH MANOPT MANROFFOPT SSH_* GPG_* GNUPGHOME CMAKE_*
  PKG_CONFIG* GOBIN GOENV GOCACHE GOMODCACHE GOTMPDIR GOSUMDB GONOSUMDB GONOSUMCHECK GOPRIVATE GOINSECURE GOVCS
  GOEXPERIMENT CGO_* CONDA_* POETRY_* PIPENV_* GRADLE_* MAVEN_* SBT_* ANSIBLE_* TF_CLI_* TF_PLUGIN_* KUBE_* BAT_*
  DELTA_* ACK_* FZF_* AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE AWS_ENDPOINT_URL* CLOUDSDK_* PSQLRC PGSERVICEFILE
  PGSYSCONFDIR MYSQL_HOME CURL_HOME WGETRC NETRC RIPGREP_CONFIG_PATH TAR_OPTIONS GREP_OPTIONS RSYNC_* ZIPOPT UNZIP
  GZIP XZ_OPT LD AR AS NM CPP RANLIB RUSTFLAGS RUSTDOCFLAGS CFLAGS CXXFLAGS CPPFLAGS LDFLAGS GNUMAKEFLAGS MFLAGS SSL_*
  NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE MALLOC_* GST_* QT_* GTK_* VIM VIMINIT EXINIT VIMRUNTIME NVIM_*
  EMACS* TMUX* SCREENRC *_COMMAND *_EDITOR *_PAGER *_SHELL *_PRELOAD *_WRAPPER *_OPTIONS *_OPTS *_HOOK *_HOOKS
  *_PLUGIN *_PLUGINS *_RSH *_ADDOPTS *_EXEC_PREFIX *_LOG_PATH MAKE COMPILER_PATH *_ASKPASS *_PROXY *_EXECUTABLE *_EXECUTABLE_PATH *_BINARY`;

/** Members of these families that only change how something looks, or how much is told. */
export const HARMLESS = `PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED GIT_AUTHOR_* GIT_COMMITTER_*
  GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_MERGE_AUTOEDIT CARGO_TERM_* CARGO_INCREMENTAL CGO_ENABLED
  PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_INPUT UV_NO_PROGRESS MANWIDTH NPM_CONFIG_LOGLEVEL NPM_CONFIG_PROGRESS
  NPM_CONFIG_FUND NPM_CONFIG_AUDIT NPM_CONFIG_YES NPM_CONFIG_COLOR QT_QPA_PLATFORM`;

/** What may be set all the same: names, and values that change nothing but how much or how loudly something works. */
export const HARMLESS_VALUES: readonly (readonly [RegExp, RegExp])[] = [
  // No editor and no pager is wanted.
  [/(?:EDITOR|PAGER)$/, /^(?:cat|true|:)?$/],
  // Where lines are cut into fields; unknown text without quotes counts as several words anyway.
  [/^IFS$/, /^[\s,:;|]*$/],
  [
    /^NODE_OPTIONS$/,
    /^(?:--(?:max-[a-z-]+=\d+|stack-trace-limit=\d+|no-[a-z-]+|trace-(?:warnings|deprecation|uncaught)|enable-source-maps|experimental-vm-modules|openssl-legacy-provider)(?: +|$))+$/,
  ],
  [
    /^(?:JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JAVA_OPTS|MAVEN_OPTS|GRADLE_OPTS|SBT_OPTS)$/,
    /^(?:-X(?:mx|ms|ss)\d+[kmgKMG]?(?: +|$))+$/,
  ],
  [/^GOFLAGS$/, /^(?:-(?:mod=(?:mod|vendor|readonly)|count=\d+|v|race|trimpath)(?: +|$))+$/],
  [/^MAKEFLAGS$/, /^-?j ?\d*$/],
  [/^RUSTFLAGS$/, /^(?:-[DWA] ?[a-z_-]+(?: +|$))+$/],
];
