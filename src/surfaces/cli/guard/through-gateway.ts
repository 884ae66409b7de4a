import { denyRules } from "../../../config/deny-rules.ts";
import { valueAt } from "../../../config/edit/edit-json.ts";
import { blankExtras } from "../../../config/layers/blank-extras.ts";
import { loadConfig } from "../../../config/load-config.ts";
import { parseJson } from "../../../core/shape/parse-json.ts";
import { compileFloor } from "../../guard/deny-floor.ts";
import type { GuardPart } from "../../guard/guard-parts.ts";
import type { GuardPlaces, GuardSide } from "../../guard/guard-places.ts";
import { HOOK_CLIENTS, type HookClientName } from "../../guard/hook-clients.ts";
import { isToolHookClient, toolHookParts } from "../../guard/tool-hook.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import type { GuardTarget } from "./guard-target.ts";
import { findOwnEntries } from "./own-entry.ts";

/** What such a client runs in spite of its guard. */
export const UNCONNECTED =
  "it goes on with every call while it is not connected to Toolcrib, unless its own deny rules are about it";

/**
 * With `--through-gateway`: hooks that ask the gateway which the client is connected to. They are open while it is not, so every
 * deny rule has to stand in the client's own language as well; where one cannot, nothing is written.
 */
export async function planToolHooks(
  input: CommandInput,
  { side, places }: GuardTarget,
  clients: readonly HookClientName[],
): Promise<ReadonlyMap<HookClientName, readonly GuardPart[]>> {
  const planned = new Map<HookClientName, readonly GuardPart[]>();
  if (!input.args.has("through-gateway")) return planned;
  if (side !== "user")
    throw usage(
      "--through-gateway is for your own files: what a machine or a repository requires must not depend on a connection",
    );
  for (const client of clients) {
    const { title } = HOOK_CLIENTS[client];
    if (!isToolHookClient(client))
      throw usage(`${title} has no hooks that ask a tool of a server; --through-gateway is for claude-code and codex`);
    const [server] = await listedAs(client, places, side);
    if (server === undefined)
      throw usage(
        `${title} has no entry for this Toolcrib in your own files, so there is no gateway to ask: add one that runs "toolcrib connect", or leave --through-gateway out`,
      );
    const { floor, left } = await holdDenials(client, places, places.home);
    if (left.length > 0)
      throw usage(
        `${title} would run what these rules deny while it is not connected, because its own files cannot say the same: ${left.join(", ")}. Nothing was written; leave --through-gateway out`,
      );
    const rules: readonly GuardPart[] = floor.length === 0 ? [] : [{ kind: "more", keys: DENIED, items: floor }];
    planned.set(client, [...toolHookParts(client, server), ...rules]);
  }
  return planned;
}

export function describeToolHooks(planned: ReadonlyMap<HookClientName, unknown>): readonly string[] {
  return [...planned.keys()].map(
    (client) =>
      `${HOOK_CLIENTS[client].title} asks the Toolcrib that it is connected to, and starts no process. It asks nobody while it is not connected: then only its own deny rules hold, which have yours.`,
  );
}

/** Where Claude Code has deny rules of a person. */
const DENIED = ["permissions", "deny"];

/** What a guard of this kind does not hold here while its client is not connected. */
export async function findUnheld(
  client: HookClientName,
  { places, cwd, text }: { readonly places: GuardPlaces; readonly cwd: string; readonly text: string },
): Promise<readonly string[]> {
  const { floor, left } = await holdDenials(client, places, cwd);
  const there = valueAt(parseJson(blankExtras(text.replace(/^\ufeff/, ""))), DENIED);
  const has: readonly unknown[] = Array.isArray(there) ? there : [];
  return [...left, ...floor.filter((rule) => !has.includes(rule))];
}

/** Under which names the client lists this Toolcrib. */
export function listedAs(client: HookClientName, places: GuardPlaces, side: GuardSide): Promise<readonly string[]> {
  const { home, env, workspace } = places;
  if (side === "managed") return Promise.resolve([]);
  return findOwnEntries(HOOK_CLIENTS[client], side, { workspace, home, io: { cwd: workspace, env } });
}

interface Held {
  /** In the client's own words. */
  readonly floor: readonly string[];
  /** Rules that those cannot say. */
  readonly left: readonly string[];
}

/** The deny rules that count in a folder, without those of the client's own files. */
async function holdDenials(client: HookClientName, { home, env }: GuardPlaces, cwd: string): Promise<Held> {
  const rules = denyRules(await loadConfig({ cwd, home, env })).flatMap(({ value, origin }) =>
    origin.kind === "file" &&
    /(?:^|\/)\.claude\/settings(?:\.local)?\.json$/.test(origin.file) &&
    client === "claude-code"
      ? []
      : [value.text],
  );
  // Only Claude Code takes such rules from a file of the person's.
  if (client !== "claude-code") return { floor: [], left: rules };
  const floor = compileFloor(client, rules);
  const words = floor?.parts.flatMap((part) => (part.kind === "value" && Array.isArray(part.value) ? part.value : []));
  return { floor: (words ?? []).map(String), left: floor?.left ?? rules };
}
