import { resolve } from "node:path";
import type { Config } from "../../../config/config.ts";
import type { ConfigInput } from "../../../config/load-config.ts";
import { loadOptions } from "../../../config/load-options.ts";
import { loadLock } from "../../../config/lock/lock-file.ts";
import { type FoundGuards, withGuards } from "../../../config/with-guards.ts";
import type { Notice } from "../../../core/codes/reason.ts";
import { loadCommandReader } from "../../permissions/command-reader.ts";
import { isOwnOption } from "./check-options.ts";
import { toRequested } from "./requested-tools.ts";
import type { SessionOptions } from "./session-options.ts";

type GivenPlace = Pick<ConfigInput, "cwd" | "home" | "env">;

/** What a program's options come to: checked, under managed policy and what guards take away. */
export async function loadGiven(
  given: SessionOptions,
  call: string,
  place: GivenPlace,
  cwd: string,
  guards: () => FoundGuards | null = () => null,
): Promise<Config> {
  const loaded = await loadOptions(toFileKeys(given), call, { ...place, loadCommandReader }, toOptionName);
  const lock = typeof given.lock === "string" ? await loadLock(resolve(place.cwd, given.lock), cwd) : loaded.lock;
  const limits = [...loaded.limits, ...toRequested(given.requestedTools ?? null, call)];
  const config = { ...loaded, lock, limits, notices: [...loaded.notices, ...(await findDeadRules(loaded))] };
  const found = guards();
  return found === null ? config : withGuards(config, found);
}

/** Rules that allow nothing are told here, because nobody runs `toolcrib doctor` on a program. */
async function findDeadRules(config: Config): Promise<readonly Notice[]> {
  if (config.permissions.allow.length === 0) return [];
  const { checkRules } = await import("../../doctor/check-rules.ts");
  return (await checkRules(config)).flatMap(({ code, text, names, origin }): readonly Notice[] =>
    code === "rule.dead" ? [{ level: "warning", code, text, names, origin }] : [],
  );
}

/** The options that a configuration file could also set, under the file's keys. */
function toFileKeys(options: SessionOptions): Readonly<Record<string, unknown>> {
  const { customAgents, mode, permissions, builtins, ...others } = options;
  const rest = Object.fromEntries(Object.entries(others).filter(([key]) => !isOwnOption(key)));
  return {
    ...rest,
    ...(builtins === undefined ? {} : { builtins: builtins === false ? "off" : builtins }),
    ...(customAgents === undefined ? {} : { agents: customAgents }),
    ...(mode === undefined && permissions === undefined
      ? {}
      : { permissions: { ...permissions, ...(mode === undefined ? {} : { mode }) } }),
  };
}

/** The name of an option that has another key in a file. */
function toOptionName(path: string): string {
  return path === "permissions.mode" ? "mode" : path.replace(/^agents(?=\[|$)/, "customAgents");
}
