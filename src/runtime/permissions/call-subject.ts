import { resolve } from "node:path";
import { type Eventual, whenKnown } from "../../core/call/eventual.ts";
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
export function toCallSubject(tool: Tool, args: Args, workspace: string): Eventual<CallSubject> {
  const other = (subject: Subject): CallSubject => ({ subject, cwd: workspace });
  const { command } = args;
  if (typeof command === "string" && (tool.traits.hostShell || isShell(tool))) {
    const cwd = typeof args.cwd === "string" ? resolve(workspace, args.cwd) : workspace;
    return whenKnown(loadCommandReader(), (read) => ({ subject: { kind: "shell", line: read(command) }, cwd }));
  }
  if (!isOurs(tool, tool.name)) return other({ kind: "other" });
  const { input } = args;
  if (tool.name === "write_bash" && typeof input === "string")
    return whenKnown(loadCommandReader(), (read) => other({ kind: "typed", line: read(input) }));
  const path = typeof args.path === "string" ? args.path : null;
  if (READS.has(tool.name)) return other({ kind: "read", paths: [path ?? "."] });
  if (WRITES.has(tool.name) && path !== null)
    return other({ kind: "write", paths: [path], ...(tool.name === "edit" ? { shown: [path] } : {}) });
  if (tool.name === "apply_patch" && typeof input === "string") {
    const paths = patchedFiles(input, PATCHED);
    const shown = patchedFiles(input, UPDATED);
    return other(paths.length === 0 ? { kind: "other" } : { kind: "write", paths, shown });
  }
  if (tool.name === EXIT_PLAN) return other({ kind: "plan" });
  if (tool.name === "web_fetch" && typeof args.url === "string") return other({ kind: "url", url: args.url });
  return other({ kind: "other" });
}

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
function isOurs(tool: Tool, name: string): boolean {
  if (tool.name !== name) return false;
  return tool.source === "builtin" || (tool.source === "external" && tool.overridesBuiltInTool);
}

const PATCHED = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.*)$/gm;
const UPDATED = /^\*\*\* Update File: (.*)$/gm;

/** Every file that such headers of a patch name. */
function patchedFiles(patch: string, header: RegExp): readonly string[] {
  return [...new Set([...patch.matchAll(header)].map(([, path = ""]) => path.trim()))].filter((path) => path !== "");
}
