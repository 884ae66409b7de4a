import { realpathSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { editorOf } from "../../../config/edit/edit-client-file.ts";
import { valueAt } from "../../../config/edit/edit-json.ts";
import { CLIENT_LIMITS, type HookSwitch } from "../../guard/client-limits.ts";
import { CLIENT_HOOKS, type GuardPart } from "../../guard/guard-parts.ts";
import { clientHookFile, type GuardPlaces, type GuardSide } from "../../guard/guard-places.ts";
import type { HookClientName } from "../../guard/hook-clients.ts";
import { isInstalledLine, portableLine } from "../../guard/installed-line.ts";
import { toolHookServer } from "../../guard/tool-hook.ts";
import { whyUnread } from "../../guard/unread-form.ts";
import { installedLineOf, isOwnText, ownItems } from "../../guard/write-parts.ts";
import { readOptionalFile } from "../configuration/edit-target.ts";
import type { AskedGuard } from "./run-probe.ts";

const SIDES: readonly GuardSide[] = ["managed", "user", "project"];

/** A hook of ours in a file of a client. */
export interface FoundGuard {
  readonly client: HookClientName;
  readonly side: GuardSide;
  readonly file: string;
  /** Null: it is not what is written here, and a repository may not say what runs. */
  readonly asked: AskedGuard | null;
  /** What of it is missing or was changed, so that it is not asked about every call. */
  readonly lacks: readonly string[];
  /** Why the client reads nothing of the file; null if it reads it. */
  readonly unread: string | null;
}

/** The guards that stand in the files of a client, and the files of which nobody can say whether one stands there. */
export async function readGuards(client: HookClientName, places: GuardPlaces): Promise<readonly FoundGuard[]> {
  const found = await Promise.all(SIDES.map((side) => readGuard(client, side, places)));
  const files = found.flatMap((guard) => guard ?? []);
  // In the home folder, the person's own file is where a repository has its.
  const real = files.map(({ file }) => realpathSync(file));
  return files.filter((_, at) => real.indexOf(real[at] ?? "") === at);
}

async function readGuard(client: HookClientName, side: GuardSide, places: GuardPlaces): Promise<FoundGuard | null> {
  const file = clientHookFile(client, side, places);
  if (file === null) return null;
  const at = { client, side, file, lacks: [] };
  const text = await readOptionalFile(file).catch((error: Error) => error);
  if (text instanceof Error)
    return side === "project" ? null : { ...at, asked: null, unread: text.message.replace(`${file}: `, "it ") };
  return text === null ? null : readGuardText(at, text);
}

async function readGuardText(
  at: Pick<FoundGuard, "client" | "side" | "file" | "lacks">,
  text: string,
): Promise<FoundGuard | null> {
  const { client, side, file } = at;
  const parts = CLIENT_HOOKS[client].parts(portableLine(client));
  const isFree = side !== "project";
  const [whole] = parts.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  if (whole !== undefined)
    return isOwnText(text) ? { ...at, asked: isFree || text === whole ? { file } : null, unread: null } : null;
  const root = await editorOf(file).read(text.replace(/^\ufeff/, ""));
  if (root === null) return isInstalledLine(text, client) ? { ...at, asked: null, unread: "it has a mistake" } : null;
  const items = parts.flatMap((part) => (part.kind === "item" ? [{ part, ...itemOf(root, part, client) }] : []));
  const asked = items.find((item) => item.asked !== null)?.asked ?? null;
  if (asked === null) return null;
  const lacks = items.flatMap((item) => (item.isWhole ? [] : [item.part.keys.join(".")]));
  const unread = file.endsWith(".json") ? whyUnread(client, text) : null;
  return { ...at, asked: isFree || isPortable(asked, client) ? asked : null, lacks, unread };
}

function itemOf(root: unknown, part: GuardPart & { readonly kind: "item" }, client: HookClientName) {
  const own = ownItems(root, part, client).map((path) => valueAt(root, path));
  const asking = own.map((item) => askedIn(item, client));
  const isWhole = own.some((item) => covers(matcherOf(item), matcherOf(part.item)));
  return { asked: asking.find((one) => one !== null) ?? null, isWhole };
}

function isPortable(asked: AskedGuard, client: HookClientName): boolean {
  return "line" in asked && asked.line === portableLine(client);
}

function askedIn(item: unknown, client: HookClientName): AskedGuard | null {
  const inner = valueAt(item, ["hooks"]);
  const hooks: readonly unknown[] = Array.isArray(inner) ? inner : [item];
  for (const hook of hooks) {
    const [line, server] = [installedLineOf(hook, client), toolHookServer(hook, client)];
    if (line !== null) return { line };
    if (server !== null) return { server };
  }
  return null;
}

/** What says which calls a hook is asked about. */
function matcherOf(item: unknown): unknown {
  const matcher = valueAt(item, ["matcher"]);
  return matcher === "" || matcher === "*" || matcher === ".*" ? undefined : matcher;
}

function covers(found: unknown, wanted: unknown): boolean {
  return found === undefined || isDeepStrictEqual(found, wanted);
}

/** A setting that turns hooks off, where it stands. */
export interface FoundSwitch {
  readonly file: string;
  readonly key: string;
  readonly sides: readonly GuardSide[];
}

/** What the files of this repository, and of this person, switch off at a client. */
export async function readSwitches(client: HookClientName, places: GuardPlaces): Promise<readonly FoundSwitch[]> {
  const own = clientHookFile(client, "user", places);
  const { switches } = CLIENT_LIMITS[client];
  const home = own === null ? null : client === "codex" ? join(own, "..", "config.toml") : own;
  const isTrusted = home !== null && (await trustsFolder(home, places.workspace));
  const found = await Promise.all(
    switches.flatMap((one) => {
      const counts = one.isIfTrusted !== true || isTrusted;
      const files = counts ? one.files.map((file) => join(places.workspace, file)) : [];
      return [...new Set([...files, ...(home === null ? [] : [home])])].map((file) => readSwitch(file, one, client));
    }),
  );
  return found.flat();
}

/** Whether Codex reads the settings of a repository there: its own say so. */
async function trustsFolder(settings: string, folder: string): Promise<boolean> {
  if (!settings.endsWith(".toml")) return false;
  const text = await readOptionalFile(settings).catch(() => null);
  const root = text === null ? null : await editorOf(settings).read(text);
  return valueAt(root, ["projects", folder, "trust_level"]) === "trusted";
}

async function readSwitch(
  file: string,
  { keys, off, sides }: HookSwitch,
  client: HookClientName,
): Promise<readonly FoundSwitch[]> {
  const text = await readOptionalFile(file).catch(() => null);
  const value = text === null ? undefined : valueAt(await editorOf(file).read(text.replace(/^\ufeff/, "")), keys);
  const isOff =
    off === "listed"
      ? Array.isArray(value) &&
        value.some((name) => name === "toolcrib" || installedLineOf({ command: name }, client) !== null)
      : value === off;
  return isOff ? [{ file, key: keys.join("."), sides }] : [];
}
