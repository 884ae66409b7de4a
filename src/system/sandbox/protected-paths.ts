import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isStandIn } from "../../core/rules/stand-in.ts";
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
  "toolcrib.lock",
  "toolcrib.lock.d",
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

/** Repositories below a folder: where their `.git` lies, as far as a bounded look finds them. */
export interface Nested {
  /** Relative to the folder, in byte order. */
  readonly repositories: readonly string[];
  /** False: there may be more of them. */
  readonly complete: boolean;
}

const MOST_FOLDERS = 5_000;
const MOST_REPOSITORIES = 32;
/** Neither holds anybody's own repositories, and both are large. */
const PASSED_OVER = new Set([".git", "node_modules"]);

/** Looks for repositories inside a workspace, level by level; links are not followed. */
export function findNested(root: string): Nested {
  const repositories: string[] = [];
  let level = [""];
  let looked = 0;
  while (level.length > 0) {
    const next: string[] = [];
    for (const folder of level) {
      looked += 1;
      if (looked > MOST_FOLDERS) return { repositories: repositories.sort(), complete: false };
      for (const entry of listFolder(join(root, folder))) {
        if (folder !== "" && entry.name === REPOSITORY) repositories.push(folder);
        if (!entry.isDirectory() || PASSED_OVER.has(entry.name)) continue;
        next.push(join(folder, entry.name));
      }
      if (repositories.length > MOST_REPOSITORIES)
        return { repositories: repositories.slice(0, MOST_REPOSITORIES).sort(), complete: false };
    }
    level = next;
  }
  return { repositories: repositories.sort(), complete: true };
}

function listFolder(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Guards of a folder and of the repositories inside it. What lies above comes first: a later mount would hide it. */
export function findAllGuards(root: string, { repositories }: Pick<Nested, "repositories">): readonly Guard[] {
  const all = [...findGuards(root), ...repositories.flatMap((repository) => findNestedGuards(root, repository))];
  return [...new Map(all.map((guard) => [guard.path, guard])).values()];
}

/** What a repository inside a workspace needs: its folders stay where they are, its hooks and settings as they are. */
function findNestedGuards(root: string, repository: string): readonly Guard[] {
  const above = repository.split(sep).map((_, at, parts) => join(root, ...parts.slice(0, at + 1)));
  // A repository that is gone by now needs nothing, and a link in its place would lead elsewhere.
  if (!above.every(isRealFolder) || kindOf(join(root, repository), REPOSITORY) === "absent") return [];
  const parts = findGuards(join(root, repository)).filter(({ path }) => {
    const [first] = relative(join(root, repository), path).split(sep);
    return first === REPOSITORY;
  });
  return [...above.map((path): Guard => ({ kind: "within", path })), ...parts];
}

function isRealFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

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
