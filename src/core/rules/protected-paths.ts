import { matchesSegments } from "./glob-match.ts";
import { isAtWork, isInside, type PathWorld, toSegments } from "./paths.ts";

/** What later runs execute or trust: writing there asks even under a broad `Write` rule (contract 7). */
const PROTECTED = `
.git .gitconfig .gitmodules .config/git .husky .githooks .lefthook
.claude .mcp.json CLAUDE.md CLAUDE.local.md AGENTS.md GEMINI.md .cursorrules .windsurfrules .cursor .windsurf .continue .codex .gemini .copilot .aider.conf.yml
.github/copilot-instructions.md .github/agents .github/chatmodes .github/instructions .github/prompts .github/hooks .github/workflows .github/mcp.json
.toolcrib toolcrib.yaml toolcrib.yml toolcrib.json toolcrib.local.yaml toolcrib.local.yml toolcrib.local.json toolcrib.lock toolcrib.lock.d .config/toolcrib
.vscode .idea .devcontainer *.code-workspace
.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .inputrc .config/fish .pam_environment .xprofile .xinitrc .xsession
.ssh .gnupg .aws .azure .kube .docker .config/gh .config/gcloud .netrc .pypirc .npmrc .yarnrc .yarnrc.yml .pnpmrc .bunfig.toml bunfig.toml pip.conf .pip .cargo/config .cargo/config.toml .config/pip
.env .env.* .envrc .direnv .vimrc .exrc .nanorc .config/nvim .tmux.conf .gdbinit .lldbinit .pythonrc .pdbrc .irbrc .Rprofile .wgetrc .curlrc .screenrc .lesskey .lessfilter
.local/bin .config/autostart .config/systemd .config/environment.d node_modules/.bin
`
  .trim()
  .split(/\s+/)
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

/** `path` is absolute. Names are compared without case, because some file systems do so. */
export function isProtected(path: string, world: Pick<PathWorld, "workspace" | "added">): boolean {
  const { workspace } = world;
  const inside = isInside(path, workspace);
  const segments = toSegments((inside ? path.slice(workspace.length) : path).toLowerCase());
  if (PROTECTED.some((pattern) => matchesSegments(pattern, segments))) return true;
  return !isAtWork(path, world) && SYSTEM.some((pattern) => matchesSegments(pattern, segments));
}
