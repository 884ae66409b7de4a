import type { NoticeCode } from "../../core/codes/codes.ts";
import { nearestNames } from "../../core/codes/nearest-name.ts";
import type { Origin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import type { DefinedTool } from "../../core/tool/define-tool.ts";
import type { InternalMark } from "../../core/tool/tool.ts";
import { parseUse } from "./parse-use.ts";
import { readExport } from "./read-export.ts";
import { resolveModule } from "./resolve-module.ts";

/** One entry under `tools` of a configuration file. */
export interface ModuleToolSpec {
  /** A label for people; the tool's own name routes (N3). */
  readonly name: string;
  readonly group: string | null;
  /** These three override what the tool itself says; null or absent if the entry does not say. */
  readonly id?: string | null;
  readonly feature?: string | null;
  readonly internal?: InternalMark | null;
  /** `module:export`. */
  readonly use: string;
  /** The folder that a relative module starts from; absolute. */
  readonly base: string;
  readonly origin: Origin;
  /** Passed to an export that is a function. */
  readonly options?: Readonly<Record<string, unknown>>;
}

export interface LoadedModuleTool {
  /** Null if it could not be loaded; then a notice says why. */
  readonly defined: DefinedTool | null;
  readonly notices: readonly Notice[];
}

/** How a module is loaded: `import` of a file URL. */
export type ImportModule = (url: string) => Promise<object>;

export const importModule: ImportModule = async (url) => {
  const module: object = await import(/* @vite-ignore */ url);
  return module;
};

/** Loads one tool. Never rejects: each failure becomes a notice about this tool, with what to do about it (N4). */
export async function loadModuleTool(
  spec: ModuleToolSpec,
  load: ImportModule = importModule,
  refusal: string | null = null,
): Promise<LoadedModuleTool> {
  const { name, use, options = {} } = spec;
  const leaveOut = (code: NoticeCode, text: string, fix: string): LoadedModuleTool => ({
    defined: null,
    notices: [warning(spec, code, `${JSON.stringify(name)} is left out: ${text}; ${fix}`)],
  });
  if (refusal !== null) return leaveOut("module.untrusted", refusal, "review and allow it with: toolcrib trust");
  const path = parseUse(use);
  if (path === null) {
    const text = `${JSON.stringify(use)} is not of the form module:export`;
    return leaveOut("module.invalid-use", text, 'write it like "./tools/docs.js:readDoc"');
  }
  const resolved = resolveModule(path.module, spec.base);
  if (!resolved.ok) return leaveOut("module.not-found", resolved.text, resolved.fix);
  try {
    const module = await load(resolved.url);
    const exported = Object.hasOwn(module, path.exportName) ? Reflect.get(module, path.exportName) : undefined;
    if (exported === undefined) {
      const text = `${path.module} exports no ${JSON.stringify(path.exportName)}`;
      return leaveOut("module.export-missing", text, suggestExport(path.exportName, Object.keys(module)));
    }
    const reading = await readExport(exported, options);
    if (!reading.ok) {
      const text = `the export ${path.exportName} of ${path.module} ${reading.text}`;
      return leaveOut("module.not-a-tool", text, "export what defineTool() returns, or a function that returns that");
    }
    return { defined: reading.defined, notices: findOddities(spec, reading.defined, reading.tookOptions) };
  } catch (error) {
    const { text, fix } = describeFailure(error, path.module);
    return leaveOut("module.failed", text, fix);
  }
}

/** A notice about one entry. */
export function warning(
  { name, origin }: ModuleToolSpec,
  code: NoticeCode,
  text: string,
  level: Notice["level"] = "warning",
): Notice {
  return { level, code, text, names: [name], origin };
}

function findOddities(spec: ModuleToolSpec, { tool }: DefinedTool, tookOptions: boolean): readonly Notice[] {
  const notices: Notice[] = [];
  if (tool.name !== spec.name) {
    const text = `the entry ${JSON.stringify(spec.name)} brings a tool that calls itself ${JSON.stringify(tool.name)} (use: ${spec.use}); models and lists know it as ${JSON.stringify(tool.name)}`;
    notices.push({ ...warning(spec, "tool.name-mismatch", text), names: [spec.name, tool.name] });
  }
  const unused = tookOptions ? [] : Object.keys(spec.options ?? {});
  if (unused.length > 0) {
    const text = `${unused.join(", ")} of ${JSON.stringify(spec.name)} have no effect: ${spec.use} is no function that could take them`;
    notices.push(warning(spec, "module.options-unused", text));
  }
  return notices;
}

function suggestExport(wanted: string, exports: readonly string[]): string {
  if (exports.length === 0) return "it exports nothing";
  const near = nearestNames(wanted, exports);
  if (near.length > 0) return `did you mean ${near.join(" or ")}?`;
  const shown = exports.toSorted().slice(0, 10);
  return `it exports ${shown.join(", ")}${exports.length > shown.length ? ", …" : ""}`;
}

const LONGEST_MESSAGE = 300;

/** The first line of what was thrown; a stack trace helps nobody who did not write the module. */
function describeFailure(error: unknown, module: string): { readonly text: string; readonly fix: string } {
  const message = (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).split("\n")[0] ?? "";
  const text = `${module} could not be loaded: ${message.slice(0, LONGEST_MESSAGE)}`;
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "ERR_UNKNOWN_FILE_EXTENSION") {
    return { text, fix: "compile it to JavaScript, or run it with a Node version that reads TypeScript" };
  }
  const missing = code === "ERR_MODULE_NOT_FOUND" ? /package '([^']+)'/.exec(message)?.[1] : undefined;
  if (missing !== undefined) return { text, fix: `run "npm install ${missing}" where the module lives` };
  return { text, fix: `correct the module; to see more, run: node ${module}` };
}
