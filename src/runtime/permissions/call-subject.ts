import { resolve } from "node:path";
import type { Eventual } from "../../core/call/eventual.ts";
import type { PermissionKind } from "../../core/call/permission-kind.ts";
import type { Subject } from "../../core/rules/decide.ts";
import type { Confinement } from "../../core/rules/paths.ts";
import { isBuiltin, isRegistered, isServed, type Tool } from "../../core/tool/tool.ts";
import { OTHER, type Touched } from "../../sources/builtin/definitions/touches.ts";
import { findBuiltin } from "../../sources/builtin/definitions.ts";
import type { Args } from "../executor/read-arguments.ts";
import { loadCommandReader } from "./command-reader.ts";

/** What a call is about, and the folder that its relative paths start from. */
export interface CallSubject {
  readonly subject: Subject;
  readonly cwd: string;
  /** The sandbox in which it runs. */
  readonly confinement?: Confinement;
}

/** Extracts what rules look at from the arguments: commands, files, addresses. */
export function readCallSubject(tool: Tool, args: Args, workspace: string): Eventual<CallSubject> {
  const touched = findTouched(tool, args);
  if ("text" in touched) return readCommand(touched, args, workspace);
  return { subject: touched, cwd: workspace };
}

async function readCommand(
  touched: Extract<Touched, { readonly text: string }>,
  args: Args,
  workspace: string,
): Promise<CallSubject> {
  const { kind, text } = touched;
  const read = await loadCommandReader();
  const cwd = kind === "shell" && typeof args.cwd === "string" ? resolve(workspace, args.cwd) : workspace;
  return { subject: { kind, line: read(text) }, cwd };
}

function findTouched(tool: Tool, args: Args): Touched {
  const { command } = args;
  if (typeof command === "string" && (tool.traits.hostShell || isShell(tool))) return { kind: "shell", text: command };
  return findBuiltin(tool)?.touches?.(args) ?? OTHER;
}

/** The kind of question for a person. */
export function toKind({ subject }: CallSubject, tool: Tool): PermissionKind {
  if (subject.kind === "typed") return "shell";
  if (subject.kind !== "other") return subject.kind;
  return isServed(tool) ? "mcp" : "custom-tool";
}

/**
 * Includes a tool that only has the built-in's name, while the built-in is off: rules about commands still apply to it.
 */
function isShell(tool: Tool): boolean {
  return tool.name === "bash" && (isBuiltin(tool) || isRegistered(tool));
}
