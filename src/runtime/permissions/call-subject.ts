import { resolve } from "node:path";
import { known, type Stage } from "../../core/call/eventual.ts";
import type { PermissionKind } from "../../core/call/permission-kind.ts";
import { EXIT_PLAN } from "../../core/gates/mode.ts";
import type { Subject } from "../../core/rules/decide.ts";
import type { Confinement } from "../../core/rules/paths.ts";
import type { Tool } from "../../core/tool/tool.ts";
import type { Args } from "../executor/read-arguments.ts";
import { loadCommandReader } from "./command-reader.ts";

/** What a call is about, and the folder in which its relative paths start. */
export interface CallSubject {
  readonly subject: Subject;
  readonly cwd: string;
  /** The sandbox in which it runs. */
  readonly confinement?: Confinement;
}

const READS = new Set(["view", "view_image", "grep", "glob"]);
const WRITES = new Set(["create", "edit"]);

/** Reads out of the arguments what rules look at: commands, files, addresses. */
export function* readCallSubject(tool: Tool, args: Args, workspace: string): Stage<CallSubject> {
  const line = commandIn(tool, args);
  if (line === null) return { subject: toSubject(tool, args), cwd: workspace };
  const read = yield* known(loadCommandReader());
  const cwd = line.kind === "shell" && typeof args.cwd === "string" ? resolve(workspace, args.cwd) : workspace;
  return { subject: { kind: line.kind, line: read(line.text) }, cwd };
}

/** The command line that a call runs, or types into one that runs. */
function commandIn(
  tool: Tool,
  { command, input }: Args,
): { readonly kind: "shell" | "typed"; readonly text: string } | null {
  if (typeof command === "string" && (tool.traits.hostShell || isShell(tool))) return { kind: "shell", text: command };
  return tool.name === "write_bash" && isOurs(tool) && typeof input === "string"
    ? { kind: "typed", text: input }
    : null;
}

function toSubject(tool: Tool, args: Args): Subject {
  if (!isOurs(tool)) return OTHER;
  const { input, url } = args;
  const path = typeof args.path === "string" ? args.path : null;
  if (READS.has(tool.name)) return { kind: "read", paths: [path ?? "."] };
  if (WRITES.has(tool.name) && path !== null)
    return { kind: "write", paths: [path], ...(tool.name === "edit" ? { shown: [path] } : {}) };
  if (tool.name === "apply_patch" && typeof input === "string") {
    const paths = patchedFiles(input, PATCHED);
    const shown = patchedFiles(input, UPDATED);
    return paths.length === 0 ? OTHER : { kind: "write", paths, shown };
  }
  if (tool.name === EXIT_PLAN) return { kind: "plan" };
  if (tool.name === "web_fetch" && typeof url === "string") return { kind: "url", url };
  return OTHER;
}

const OTHER: Subject = { kind: "other" };

/** What a person is asked about. */
export function toKind({ subject }: CallSubject, tool: Tool): PermissionKind {
  if (subject.kind === "typed") return "shell";
  if (subject.kind !== "other") return subject.kind;
  return tool.source === "mcp" ? "mcp" : "custom-tool";
}

/** Also what only goes by its name, while the built-in is off: rules about commands are never lost on it. */
function isShell({ name, source }: Tool): boolean {
  return name === "bash" && (source === "builtin" || source === "external");
}

/** A built-in, or what openly takes its place. */
function isOurs(tool: Tool): boolean {
  return tool.source === "builtin" || (tool.source === "external" && tool.overridesBuiltInTool);
}

const PATCHED = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.*)$/gm;
const UPDATED = /^\*\*\* Update File: (.*)$/gm;

/** Every file that such headers of a patch name. */
function patchedFiles(patch: string, header: RegExp): readonly string[] {
  return [...new Set([...patch.matchAll(header)].map(([, path = ""]) => path.trim()))].filter((path) => path !== "");
}
