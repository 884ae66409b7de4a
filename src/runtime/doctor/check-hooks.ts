import { accessSync, constants } from "node:fs";
import { basename, dirname, isAbsolute, resolve } from "node:path";
import type { Config, HookConfig } from "../../config/config.ts";
import type { DoctorFinding } from "./finding.ts";

/** One plain word that names a file rather than a command in the PATH. */
const PROGRAM = /^(?![-~])[\w@%+=:,.-]*\/[\w@%+=:,./-]*$/;

/** Hooks whose program does not exist. Only checks that run nothing. */
export function checkHooks({ hooks, files }: Pick<Config, "hooks" | "files">): readonly DoctorFinding[] {
  const own = files.find(({ layer, path, named }) => isProject(layer) && !named && /^toolcrib\./.test(basename(path)));
  const base = own === undefined ? null : dirname(own.path);
  return [...hooks].flatMap(([event, list]) =>
    list.flatMap((hook): readonly DoctorFinding[] => {
      const program = hook.refusal === undefined ? programOf(hook) : null;
      const folder = hook.cwd === null || base === null ? (hook.cwd ?? base) : resolve(base, hook.cwd);
      if (program === null || (!isAbsolute(program) && (folder === null || !isAbsolute(folder)))) return [];
      if (canRun(resolve(folder ?? "/", program))) return [];
      const blocks = event === "preToolUse" && hook.onFailure !== "continue" ? ", so calls are blocked" : "";
      const text = `the ${event} hook "${hook.command}" cannot be started${blocks}: there is no program ${program}`;
      const fix = "correct its path, make it executable, or remove the hook";
      return [{ level: "error", code: "hook.missing", text, names: [program], origin: hook.origin, fix }];
    }),
  );
}

function isProject(layer: string): boolean {
  return layer === "project" || layer === "local";
}

/** The program that is started, if that is plain to see. */
function programOf({ command, args }: HookConfig): string | null {
  const word = args === null ? (/^\s*(\S+)/.exec(command)?.[1] ?? "") : command;
  return PROGRAM.test(word) ? word : null;
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
