import { dirname, join } from "node:path";
import { withoutTomlValue } from "../../../config/edit/edit-toml-value.ts";
import { clientHookFile } from "../../guard/guard-places.ts";
import type { CommandInput } from "../command-line/command.ts";
import { readOptionalFile } from "../configuration/edit-target.ts";
import { type Merge, noteChange } from "../configuration/written-files.ts";
import { trustCodexHooks } from "./codex-trust.ts";
import type { FoundClient } from "./find-clients.ts";
import type { GuardTarget } from "./guard-target.ts";

/** Whether Codex runs the hook from now on; else what is in the way. */
export type CodexTrust = { readonly isTrusted: true } | { readonly isTrusted: false; readonly why: string };

/** Codex keeps what it trusts in its own settings, as hashes. Null where that is not needed. */
export async function trustAtCodex(
  { io }: CommandInput,
  { side, places, record }: GuardTarget,
  found: readonly FoundClient[],
): Promise<CodexTrust | null> {
  const codex = found.find(({ client }) => client === "codex");
  const file = clientHookFile("codex", side, places);
  if (codex === undefined || side !== "user" || file === null) return null;
  if (codex.program === null) return { isTrusted: false, why: "codex is not on the PATH" };
  const settings = codexSettings(file);
  const before = await readOptionalFile(settings);
  try {
    const hooks = await trustCodexHooks({ program: codex.program, cwd: io.cwd, env: io.env }, file);
    if (hooks.length > 0 && hooks.every(({ isTrusted }) => isTrusted)) return { isTrusted: true };
    return { isTrusted: false, why: "Codex does not list it" };
  } catch (error) {
    return { isTrusted: false, why: error instanceof Error ? error.message : String(error) };
  } finally {
    const after = await readOptionalFile(settings);
    if (after !== null && after !== before) await noteChange(record, { path: settings, before, after });
  }
}

/** Where Codex keeps its trust in the hooks of that file. */
export function codexSettings(file: string): string {
  return join(dirname(file), "config.toml");
}

/** The settings of Codex without its trust in the hooks of a file. */
export function withoutTrust(file: string): Merge {
  return async (now) => {
    let text = now;
    for (const key of trustKeys(now, file)) {
      const next = await withoutTomlValue(text, ["hooks", "state", key]);
      if (next === null) return null;
      text = next;
    }
    return { text };
  };
}

function trustKeys(text: string, file: string): readonly string[] {
  return [...text.matchAll(/^\[hooks\.state\."([^"]+)"\]/gm)].flatMap(([, key = ""]) =>
    key.startsWith(`${file}:`) ? [key] : [],
  );
}
