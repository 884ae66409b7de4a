import { realpathSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { isRecord } from "../../core/shape/is-record.ts";
import { toTool } from "../../core/tool/tool.ts";
import { contains } from "../../system/paths/roots.ts";
import { parseUse } from "../module/parse-use.ts";
import { readTraits } from "../parts/read-definition.ts";
import { parseLinedJson } from "./lined-document.ts";
import type { SkillRun, SkillTool } from "./skill.ts";
import { SkillFlaw, type SkillFolder } from "./skill-folder.ts";

/** One `tools/*.json` of a skill. Throws a SkillFlaw with the line. */
export async function readSkillTool(
  folder: SkillFolder,
  skill: string,
  file: string,
  by?: { readonly file: string; readonly line: number },
): Promise<SkillTool> {
  const reading = await parseLinedJson(await folder.read(file, by));
  if (!reading.ok) throw new SkillFlaw(file, reading.line, reading.text);
  const { value, lineOf } = reading.document;
  const flaw = (text: string, ...path: readonly string[]) => new SkillFlaw(file, lineOf(...path), text);
  if (!isRecord(value)) throw flaw("a tool is an object with name, description, parameters and run");
  const { name, description = "", parameters = null, title, group, timeout, defer } = value;
  if (typeof name !== "string" || name.trim() === "") throw flaw("`name` must be a text", "name");
  if (typeof description !== "string") throw flaw("`description` must be a text", "description");
  if (parameters !== null && !isRecord(parameters)) throw flaw("`parameters` must be a JSON Schema", "parameters");
  if (timeout !== undefined && !(typeof timeout === "number" && timeout > 0)) {
    throw flaw("`timeout` must be a number of milliseconds above 0", "timeout");
  }
  const run = readRun(value.run, folder, (text) => flaw(text, "run"));
  const tool = toTool({
    name: name.trim(),
    source: "skill",
    server: skill,
    description,
    inputSchema: parameters,
    title: typeof title === "string" ? title : null,
    group: typeof group === "string" ? group : null,
    timeout: timeout ?? null,
    defer: defer === "never" ? "never" : "auto",
    // A command is a host shell command, whatever the file claims about it (G5).
    traits: { ...readTraits(value.traits), ...(run.kind === "command" ? { hostShell: true } : {}) },
  });
  return { tool, run, file: join(folder.path, file), origin: folder.originOf(file, lineOf("name")) };
}

function readRun(run: unknown, folder: SkillFolder, flaw: (text: string) => SkillFlaw): SkillRun {
  if (!isRecord(run)) throw flaw("`run` must be { command }, { use } or { mcp }");
  const kinds = ["command", "use", "mcp"].filter((kind) => run[kind] !== undefined);
  if (kinds.length !== 1) throw flaw("`run` must have exactly one of command, use and mcp");
  if (run.command !== undefined) {
    const argv = run.command;
    const fine = Array.isArray(argv) && argv.length > 0 && argv.every((part) => typeof part === "string");
    if (!fine || argv[0] === "") throw flaw('`command` must be a list such as ["node", "lint.js"]');
    return { kind: "command", argv };
  }
  if (run.use !== undefined) return readUse(run.use, folder, flaw);
  const slash = typeof run.mcp === "string" ? run.mcp.indexOf("/") : -1;
  const [server, tool] = [String(run.mcp).slice(0, Math.max(0, slash)), String(run.mcp).slice(slash + 1)];
  if (server === "" || tool === "") throw flaw('`mcp` must be "server/tool"');
  return { kind: "mcp", server, tool };
}

/** Modules in the skill's own folder, and packages that it can see. */
function readUse(use: unknown, folder: SkillFolder, flaw: (text: string) => SkillFlaw): SkillRun {
  const path = typeof use === "string" ? parseUse(use) : null;
  if (typeof use !== "string" || path === null) throw flaw('`use` must be "module:export"');
  const { module } = path;
  const isFile = isAbsolute(module) || module.startsWith(".") || module.startsWith("file:");
  if (isFile && (isAbsolute(module) || module.startsWith("file:") || !staysInside(folder.path, module))) {
    throw flaw(`${JSON.stringify(module)} leads out of the skill's folder`);
  }
  return { kind: "use", use };
}

function staysInside(folder: string, module: string): boolean {
  const path = resolve(folder, module);
  if (!contains(folder, path)) return false;
  try {
    return contains(folder, realpathSync(path));
  } catch {
    // A missing file is reported when it is loaded.
    return true;
  }
}
