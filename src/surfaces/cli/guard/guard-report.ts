import { readFile } from "node:fs/promises";
import { buildChildEnv } from "../../../system/process/child-env.ts";
import { createOutputBuffer } from "../../../system/process/output-buffer.ts";
import { spawnProcess } from "../../../system/process/spawn-process.ts";
import { CLIENT_LIMITS, type HookSwitch } from "../../guard/client-limits.ts";
import type { GuardPlaces, GuardSide } from "../../guard/guard-places.ts";
import { HOOK_CLIENTS, type HookClientName } from "../../guard/hook-clients.ts";
import { type CodexHook, listCodexHooks } from "./codex-trust.ts";
import { type FoundClient, isHere, lookForClient } from "./find-clients.ts";
import { findLastCalls, type LastCall } from "./last-calls.ts";
import { type FoundGuard, type FoundSwitch, readGuards, readSwitches } from "./read-guards.ts";
import { runProbe } from "./run-probe.ts";
import { findUnheld, listedAs, UNCONNECTED } from "./through-gateway.ts";

/** How a guard stands. All but `holds` need somebody to act. */
export type GuardState =
  | "holds"
  /** It says no to everything. */
  | "refuses"
  /** The client takes its answer for a yes. */
  | "open"
  /** The client reads nothing of the file. */
  | "unread"
  /** It is not asked about every call. */
  | "partial"
  /** Codex has not been told to run it. */
  | "untrusted"
  /** A file turns hooks off. */
  | "off";

export interface GuardReport {
  readonly side: GuardSide;
  readonly file: string;
  readonly state: GuardState;
  /** Why it does not hold. */
  readonly why: string | null;
  /** Milliseconds that an answer took; null if it was not asked. */
  readonly took: number | null;
  /** What runs in spite of it, by the client's own doing. */
  readonly open: readonly string[];
}

export interface ClientReport {
  readonly client: HookClientName;
  readonly title: string;
  readonly program: string | null;
  readonly folder: string | null;
  /** As its program says; null if there is none, or it does not say. */
  readonly version: string | null;
  /** The version with which the rest was tried; null: from its documentation. */
  readonly tried: string | null;
  readonly guards: readonly GuardReport[];
  /** With what a repository's files can turn these guards off. */
  readonly switches: readonly (Pick<HookSwitch, "files" | "isIfTrusted"> & { readonly key: string })[];
  /** What of it is turned off here. */
  readonly off: readonly Pick<FoundSwitch, "file" | "key">[];
  readonly last: LastCall | null;
}

interface ReportPlace {
  readonly places: GuardPlaces;
  /** The folder in which guards are asked. */
  readonly cwd: string;
}

/** How the guards of these clients stand: all that are there or installed, each asked once. */
export async function reportGuards(
  clients: readonly HookClientName[],
  place: ReportPlace,
): Promise<readonly ClientReport[]> {
  const last = await findLastCalls(place.places);
  const drafts = (await Promise.all(clients.map((client) => lookAt(client, place)))).filter((draft) => draft !== null);
  const reports: ClientReport[] = [];
  for (const { found, guards, off, codex, version } of drafts) {
    const { client, program, folder } = found;
    const { tried, switches } = CLIENT_LIMITS[client];
    const asked: GuardReport[] = [];
    // One after the other, or they would make each other slow.
    for (const guard of guards) asked.push(await reportGuard(guard, place, off, codex));
    reports.push({
      ...{ client, title: HOOK_CLIENTS[client].title, program, folder, version, tried, guards: asked },
      switches: switches
        .filter(({ sides }) => guards.some(({ side }) => sides.includes(side)))
        .map(({ files, keys, isIfTrusted }) => ({
          ...{ files, key: keys.join(".") },
          ...(isIfTrusted === undefined ? {} : { isIfTrusted }),
        })),
      off: off.map(({ file, key }) => ({ file, key })),
      last: last.get(client) ?? null,
    });
  }
  return reports;
}

/** All that can be said without asking a guard; null where there is neither the client nor a guard. */
async function lookAt(client: HookClientName, place: ReportPlace) {
  const found = lookForClient(client, place.places);
  const guards = await readGuards(client, place.places);
  if (guards.length === 0 && !isHere(found)) return null;
  const [version, off, codex] = await Promise.all([
    readClientVersion(found, place),
    readSwitches(client, place.places),
    guards.length > 0 ? askTrust(found, place) : null,
  ]);
  return { found, guards, version, off, codex };
}

/** What Codex says of its hooks, or why it does not. */
async function askTrust(
  { client, program }: FoundClient,
  { places, cwd }: ReportPlace,
): Promise<readonly CodexHook[] | string | null> {
  if (client !== "codex") return null;
  if (program === null) return "its program is not on the PATH, so nobody can say whether it trusts the hook";
  return listCodexHooks({ program, cwd, env: places.env }).catch((error: Error) => error.message);
}

async function reportGuard(
  { client, side, file, asked, lacks, unread }: FoundGuard,
  { cwd, places }: ReportPlace,
  off: readonly FoundSwitch[],
  codex: readonly CodexHook[] | string | null,
): Promise<GuardReport> {
  const open = CLIENT_LIMITS[client].open.filter(({ sides }) => sides.includes(side)).map(({ text }) => text);
  const isByTool = asked !== null && "server" in asked;
  const stands = { side, file, open: isByTool ? [...open, UNCONNECTED] : open };
  if (unread !== null) return { ...stands, took: null, state: "unread", why: unread };
  const found = off.find(({ sides }) => sides.includes(side));
  if (found !== undefined)
    return { ...stands, took: null, state: "off", why: `${found.key} in ${found.file} turns it off` };
  const distrust = side === "managed" ? null : distrustOf(codex, file);
  if (distrust !== null) return { ...stands, took: null, state: "untrusted", why: distrust };
  if (asked === null) return { ...stands, took: null, state: "partial", why: STRANGE };
  if (isByTool && !(await listsUs(client, asked.server, side, places)))
    return { ...stands, took: null, state: "open", why: `the client lists no Toolcrib as ${asked.server}` };
  const { state, took, said } = await runProbe(client, asked, { cwd, env: places.env });
  if (state === "open") return { ...stands, took, state, why: said };
  const where = lacks.join(", ");
  if (lacks.length > 0)
    return { ...stands, took, state: "partial", why: `it is not asked about every call: see ${where}` };
  const unheld = isByTool ? await findUnheld(client, { places, cwd, text: await readFile(file, "utf8") }) : [];
  if (unheld.length > 0)
    return {
      ...stands,
      took,
      state: "partial",
      why: `these rules hold only while the client is connected: ${unheld.join(", ")}`,
    };
  return state === "refuses" ? { ...stands, took, state, why: said } : { ...stands, took, state: "holds", why: null };
}

async function listsUs(client: HookClientName, server: string, side: GuardSide, places: GuardPlaces): Promise<boolean> {
  return (await listedAs(client, places, side)).includes(server);
}

const STRANGE = "it is not what guard install writes, so it was not run";

function distrustOf(codex: readonly CodexHook[] | string | null, file: string): string | null {
  if (codex === null || typeof codex === "string") return codex;
  const own = codex.filter((hook) => hook.file === file);
  if (own.length > 0 && own.every(({ isTrusted }) => isTrusted)) return null;
  return own.length === 0 ? "Codex does not list it" : "Codex does not trust it, and skips it";
}

const VERSION_PATIENCE = 20_000;

async function readClientVersion({ program }: FoundClient, { places, cwd }: ReportPlace): Promise<string | null> {
  if (program === null) return null;
  const out = createOutputBuffer({ head: 4_096, tail: 0 });
  try {
    const child = await spawnProcess({
      argv: [program, "--version"],
      cwd,
      env: buildChildEnv(places.env),
      onStdout: out.push,
      onStderr: () => {},
      signal: AbortSignal.timeout(VERSION_PATIENCE),
    });
    await child.exited;
    await child.kill();
  } catch {
    return null;
  }
  return /\d+\.\d+(?:\.\d+)*(?:-[\w.]+)?/.exec(out.take(true).text)?.[0] ?? null;
}
