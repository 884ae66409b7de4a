import { matchesSegments } from "./glob-match.ts";
import { isAtWork, isInside, type PathWorld, toSegments } from "./paths.ts";

/**
 * The one table of files that other programs run or trust automatically. Writing them always asks, even under a broad
 * `Write` rule (contract 7). Sandboxed commands cannot change the first two kinds at the root of a work folder.
 */
const TABLE = {
  /** Even while absent: whatever appears there takes effect at once. */
  closed: `
.git .gitconfig lefthook-local.yml
.mcp.json .toolcrib toolcrib.yaml toolcrib.yml toolcrib.json toolcrib.lock toolcrib.lock.d toolcrib.local.yaml toolcrib.local.yml toolcrib.local.json
.agents .claude .claude.json .clinerules .codex .copilot .cursor .gemini .idea .opencode .qwen .vscode .windsurf .zed
opencode.json opencode.jsonc
.envrc .bash_login .bash_logout .bash_profile .bashrc .profile .zlogin .zprofile .zshenv .zshrc .ssh
`,
  /** Only if present: an empty stand-in would confuse programs, or they need more than the file itself. */
  kept: `
.gitattributes .gitmodules .config/git .husky .githooks .lefthook lefthook.yml lefthook.yaml lefthook.toml lefthook.json .lefthook.yml .lefthook.yaml .lefthook-local.yml
.pre-commit-config.yaml .overcommit.yml .watchmanconfig mise.toml .mise.toml mise.local.toml .mise.local.toml .mise .config/mise .direnv devbox.json
.devcontainer .devcontainer.json .continue .aider.conf.yml .github/hooks .github/mcp.json
.npmrc .yarnrc .yarnrc.yml .yarn/plugins .yarn/releases .pnpmrc .pnpmfile.cjs .bunfig.toml bunfig.toml pip.conf .pip .config/pip .cargo/config .cargo/config.toml
.vimrc .exrc .nvimrc .nvim.lua .config/nvim .gdbinit .lldbinit .pythonrc .pdbrc .irbrc .Rprofile .tmux.conf .screenrc
`,
  /** Instructions that later runs obey, secrets, and what a person starts: only file tools and rules protect these. */
  asked: `
CLAUDE.md CLAUDE.local.md AGENTS.md GEMINI.md .cursorrules .windsurfrules
.github/copilot-instructions.md .github/agents .github/chatmodes .github/instructions .github/prompts .github/workflows
.config/toolcrib .local/state/toolcrib .config/opencode .codeium documents/cline *.code-workspace .env .env.*
.bash_aliases .zlogout .kshrc .cshrc .tcshrc .inputrc .config/fish .pam_environment .xprofile .xinitrc .xsession
.gnupg .aws .azure .kube .docker .config/gh .config/gcloud .netrc .pypirc .nanorc .wgetrc .curlrc .lesskey .lessfilter
.local/bin .config/autostart .config/systemd .config/environment.d node_modules/.bin
`,
} as const;

function wordsOf(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** Relative to a work folder: sandboxed commands can neither change nor create them. */
export const CLOSED_PATHS: readonly string[] = wordsOf(TABLE.closed);
/** Sandboxed commands cannot change them if they exist. */
export const KEPT_PATHS: readonly string[] = wordsOf(TABLE.kept);

const PROTECTED = Object.values(TABLE)
  .flatMap(wordsOf)
  .map((pattern) => ["**", ...toSegments(pattern.toLowerCase()), "**"]);

const SYSTEM = [
  "etc",
  "usr",
  "bin",
  "sbin",
  "lib",
  "lib64",
  "boot",
  "opt",
  "proc",
  "sys",
  "dev",
  "root/.*",
  "var/spool",
  "var/lib",
  "run",
  "tmp/toolcrib-*",
  "library/application support",
].map((folder) => [...toSegments(folder), "**"]);

/** Devices that accept anything and store nothing. */
const FREE = /^\/dev\/(?:null|zero|stdout|stderr|fd\/\d+)$/;

export function isFreeTarget(path: string): boolean {
  return FREE.test(path);
}

/**
 * Why writing to a place asks despite a broad rule or a mode; null if it does not. `path` is absolute, `shown` is the
 * form people know. Names are compared ignoring case, because some file systems do.
 */
export function whyProtected(
  path: string,
  world: Pick<PathWorld, "workspace" | "added" | "host">,
  shown: string,
): string | null {
  const { workspace } = world;
  const inside = isInside(path, workspace);
  const segments = toSegments((inside ? path.slice(workspace.length) : path).toLowerCase());
  const isOneOf = (patterns: readonly (readonly string[])[]): boolean =>
    patterns.some((pattern) => matchesSegments(pattern, segments));
  const run = world.host?.(path) ?? null;
  if (run !== null) return `${shown} ${run}`;
  const isHeld = isOneOf(PROTECTED) || (!isAtWork(path, world) && isOneOf(SYSTEM));
  return isHeld ? `later runs look at ${shown} for programs or settings` : null;
}
