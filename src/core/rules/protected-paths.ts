import { matchesSegments } from "./glob-match.ts";
import { isAtWork, isInside, type PathWorld, toSegments } from "./paths.ts";

/**
 * The one table of files that other programs run or believe by themselves. To write there asks, wherever the file lies, even
 * under a broad `Write` rule (contract 7). Commands in the sandbox cannot change the first two kinds at the root of
 * a folder of work.
 */
const TABLE = {
  /** Also while they are absent: whatever appears there counts at once. */
  closed: `
.git .gitconfig lefthook-local.yml
.mcp.json .toolcrib toolcrib.yaml toolcrib.yml toolcrib.json toolcrib.lock toolcrib.lock.d toolcrib.local.yaml toolcrib.local.yml toolcrib.local.json
.agents .claude .claude.json .codex .copilot .cursor .gemini .idea .vscode .windsurf .zed
.envrc .bash_login .bash_logout .bash_profile .bashrc .profile .zlogin .zprofile .zshenv .zshrc .ssh
`,
  /** Only what is there: programs would stumble over something in the place of one that is absent, or need more than it to run. */
  kept: `
.gitattributes .gitmodules .config/git .husky .githooks .lefthook lefthook.yml lefthook.yaml lefthook.toml lefthook.json .lefthook.yml .lefthook.yaml .lefthook-local.yml
.pre-commit-config.yaml .overcommit.yml .watchmanconfig mise.toml .mise.toml mise.local.toml .mise.local.toml .mise .config/mise .direnv devbox.json
.devcontainer .devcontainer.json .continue .aider.conf.yml .github/hooks .github/mcp.json
.npmrc .yarnrc .yarnrc.yml .yarn/plugins .yarn/releases .pnpmrc .pnpmfile.cjs .bunfig.toml bunfig.toml pip.conf .pip .config/pip .cargo/config .cargo/config.toml
.vimrc .exrc .nvimrc .nvim.lua .config/nvim .gdbinit .lldbinit .pythonrc .pdbrc .irbrc .Rprofile .tmux.conf .screenrc
`,
  /** Words that later runs obey, secrets, and what a person starts: only file tools and rules look at these. */
  asked: `
CLAUDE.md CLAUDE.local.md AGENTS.md GEMINI.md .cursorrules .windsurfrules
.github/copilot-instructions.md .github/agents .github/chatmodes .github/instructions .github/prompts .github/workflows
.config/toolcrib *.code-workspace .env .env.*
.bash_aliases .zlogout .kshrc .cshrc .tcshrc .inputrc .config/fish .pam_environment .xprofile .xinitrc .xsession
.gnupg .aws .azure .kube .docker .config/gh .config/gcloud .netrc .pypirc .nanorc .wgetrc .curlrc .lesskey .lessfilter
.local/bin .config/autostart .config/systemd .config/environment.d node_modules/.bin
`,
} as const;

function wordsOf(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** From the root of a folder of work: commands in the sandbox cannot change nor make them. */
export const CLOSED_PATHS: readonly string[] = wordsOf(TABLE.closed);
/** Those that commands in the sandbox cannot change where they are there. */
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
].map((folder) => [...toSegments(folder), "**"]);

/** Places that take anything and keep nothing. */
const FREE = /^\/dev\/(?:null|zero|stdout|stderr|fd\/\d+)$/;

export function isFreeTarget(path: string): boolean {
  return FREE.test(path);
}

/**
 * Why writing to a place asks whatever a broad rule or a mode says; null where it does not. `path` is absolute, `shown` is
 * what people know it by. Names are compared without case, because some file systems do so.
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
