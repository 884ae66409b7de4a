import { dirname, resolve } from "node:path";
import type { HookConfig } from "../../config/config.ts";
import { homeFolder } from "../../config/layers/home-folder.ts";
import type { HookEvent } from "../../config/shape/hook-shape.ts";
import { unfoldHome } from "../../core/codes/origin.ts";
import { buildChildEnv } from "../../system/process/child-env.ts";
import type { Clock } from "../../system/time/clock.ts";
import { type HookRun, runCommandHook } from "./command-hook.ts";
import { DEFAULT_SECONDS } from "./function-hook.ts";

export interface CommandPlace {
  /** Where commands run, and the project folder that they are given. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** A prepared command hook: where it runs, with which variables, and for how long. */
export function toCommandRun(
  hook: HookConfig,
  event: HookEvent,
  input: () => object,
  { cwd, env, clock }: CommandPlace,
): (signal: AbortSignal) => Promise<HookRun> {
  const own = [...hook.env].map(([name, value]) => [name, expand(value, env)] as const);
  const project = projectOf(hook, cwd, env) ?? cwd;
  const spec = {
    hook,
    event,
    cwd: hook.cwd === null ? cwd : resolve(cwd, hook.cwd),
    env: buildChildEnv(env, { CLAUDE_PROJECT_DIR: project, TOOLCRIB_PROJECT_DIR: cwd, ...Object.fromEntries(own) }),
    timeout: (hook.timeout ?? DEFAULT_SECONDS) * 1000,
  };
  return (signal) => runCommandHook(spec, input(), signal, clock);
}

/** A settings file above the working folder refers to the scripts next to it; null if the working folder is meant. */
function projectOf({ origin, dialect }: HookConfig, cwd: string, env: CommandPlace["env"]): string | null {
  if (dialect !== "claude" || origin.kind !== "file") return null;
  const home = homeFolder(env);
  const folder = dirname(unfoldHome(origin.file, home));
  const project = folder.endsWith("/.claude") ? dirname(folder) : null;
  return project !== home && cwd.startsWith(`${project}/`) ? project : null;
}

/** `${NAME}` and `$NAME` of the surrounding environment; unset variables are empty, as in a shell. */
function expand(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replace(/\$\{(\w+)\}|\$(\w+)/g, (_, braced: string | undefined, bare: string | undefined) => {
    const name = braced ?? bare ?? "";
    return (Object.hasOwn(env, name) ? env[name] : undefined) ?? "";
  });
}
