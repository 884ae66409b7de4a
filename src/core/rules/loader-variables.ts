/**
 * Variables that change what a program loads or runs, rather than what it works with. Whoever may set one of them runs
 * code of their own in whatever is started next. A `*` at the end stands for anything.
 */
const LOADER_VARIABLES: readonly string[] = [
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

const EXACT = new Set(LOADER_VARIABLES.filter((name) => !name.endsWith("*")));
const PREFIXES = LOADER_VARIABLES.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));

/** Some readers of these names ignore their case, so it never counts. */
export function isLoaderVariable(name: string): boolean {
  const known = name.toUpperCase();
  return EXACT.has(known) || PREFIXES.some((prefix) => known.startsWith(prefix));
}
