import { lstatSync } from "node:fs";
import { join } from "node:path";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Guard } from "./profile.ts";

const REPOSITORY = ".git";

/** What makes programs outside the sandbox run something, or tells them what they may; from the root of a workspace. */
export const PROTECTED_PATHS: readonly string[] = [
  ".git",
  ".git/commondir",
  ".git/config",
  ".git/config.worktree",
  ".git/hooks",
  ".git/modules",
  ".gitconfig",
  ".mcp.json",
  ".toolcrib",
  "toolcrib.yaml",
  "toolcrib.yml",
  "toolcrib.json",
  "toolcrib.local.yaml",
  "toolcrib.local.yml",
  "toolcrib.local.json",
  ".agents",
  ".claude",
  ".claude.json",
  ".codex",
  ".copilot",
  ".cursor",
  ".gemini",
  ".idea",
  ".vscode",
  ".windsurf",
  ".zed",
  ".envrc",
  ".bash_login",
  ".bash_logout",
  ".bash_profile",
  ".bashrc",
  ".profile",
  ".zlogin",
  ".zprofile",
  ".zshenv",
  ".zshrc",
  ".ssh",
];

/** Where git would stumble over an empty folder. The first one says: the common folder is where it is anyway. */
const TEXTS: ReadonlyMap<string, string> = new Map([
  [".git/commondir", "."],
  [".git/config", ""],
  [".git/config.worktree", ""],
]);

/**
 * What has to be covered in a folder as it is now. Parts of a repository are protected one by one where there is one,
 * so that commits work; where there is none, nothing may make one.
 */
export function findGuards(root: string): readonly Guard[] {
  const repository = kindOf(root, REPOSITORY);
  return PROTECTED_PATHS.flatMap((path): readonly Guard[] => {
    const full = join(root, path);
    if (repository !== "folder" && path.startsWith(`${REPOSITORY}/`)) return [];
    const kind = path === REPOSITORY ? repository : kindOf(root, path);
    if (path === REPOSITORY && kind === "folder") return [{ kind: "within", path: full }];
    return [
      kind === "absent"
        ? { kind: "absent", path: full, text: TEXTS.get(path) ?? null }
        : { kind: "present", path: full },
    ];
  });
}

function kindOf(root: string, path: string): "absent" | "folder" | "file" {
  const found = lstatSync(join(root, path), { throwIfNoEntry: false });
  // What the sandbox itself put there for another command goes when that one ends.
  if (found === undefined || isStandIn(found)) return "absent";
  if (found.isSymbolicLink()) {
    const text = `${path} is a symbolic link, which a sandbox cannot protect. Put the file or folder itself there, or remove the link.`;
    throw new ToolcribError("sandbox.protected-link", text, { names: [path] });
  }
  return found.isDirectory() ? "folder" : "file";
}

/** Stand-ins are dated one second after the epoch, so that everybody knows them. */
const STAND_IN_TIME = 1;

function isStandIn({ mtimeMs }: { readonly mtimeMs: number }): boolean {
  return mtimeMs === STAND_IN_TIME * 1_000;
}
