import { realpathSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { stateFolder, workspaceKey } from "../../../config/layers/state-folder.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { Floor } from "../../guard/deny-floor.ts";
import { CLIENT_HOOKS, type GuardPart } from "../../guard/guard-parts.ts";
import { clientHookFile, type GuardPlaces, type GuardSide, secondFile } from "../../guard/guard-places.ts";
import type { HookClientName } from "../../guard/hook-clients.ts";
import { hookLine, hookScript } from "../../guard/hook-line.ts";
import { portableLine, SCRIPT } from "../../guard/installed-line.ts";
import type { GuardFile } from "../../guard/write-parts.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { findWorkspace } from "../running/find-running.ts";
import { settingPlaces } from "../running/work-place.ts";

/** Whose files a command is about, and where they are. */
export interface GuardTarget {
  readonly side: GuardSide;
  readonly places: GuardPlaces;
  /** Where what was there before is kept. */
  readonly record: string;
  /** The script behind the lines, where it is written; null where lines do not need one. */
  readonly script: string | null;
}

/** Where the machine keeps what programs remember. */
const MACHINE_STATE = "/var/lib";

/** The one that `--project` or `--managed` names, else the person's. */
export async function findGuardTarget(input: CommandInput): Promise<GuardTarget> {
  const { args } = input;
  if (args.has("project") && args.has("managed")) throw usage("--project and --managed do not go together");
  if (args.has("root") && !args.has("managed")) throw usage("--root goes with --managed");
  const places = await findGuardPlaces(input);
  return targetOf(args.has("managed") ? "managed" : args.has("project") ? "project" : "user", places);
}

/** What root writes into another person's folder, that person could not change any more; and a home folder is no repository. */
export function checkWritable({ side, places }: GuardTarget): void {
  if (side === "project" && places.workspace === realpathSync(places.home))
    throw usage("this is your home folder, whose files are your own: leave --project out");
  const user = process.getuid?.();
  if (side !== "user" || user === undefined) return;
  const owner = statSync(places.home, { throwIfNoEntry: false })?.uid;
  if (owner === undefined || owner === user) return;
  const text = `${places.home} belongs to another user (${owner}; this is ${user}), so nothing was changed; run it as that user, or for the whole machine with --managed`;
  throw new ToolcribError("file.not-written", text, { names: [places.home] });
}

export async function findGuardPlaces(input: CommandInput): Promise<GuardPlaces> {
  const { io, args } = input;
  const { home, env } = settingPlaces(io);
  const root = args.value("root") ?? "/";
  if (!root.startsWith("/")) throw usage(`--root takes an absolute path; found ${JSON.stringify(root)}`);
  return { home, env, platform: process.platform, workspace: await findWorkspace(input), root };
}

function targetOf(side: GuardSide, places: GuardPlaces): GuardTarget {
  const own = join(stateFolder(places), "..");
  const state = side === "managed" ? join(places.root, MACHINE_STATE) : own;
  const name = side === "project" ? `${workspaceKey(places.workspace)}.json` : "written.json";
  return {
    side,
    places,
    record: join(state, "toolcrib", "guard", name),
    script: side === "project" ? null : join(state, SCRIPT),
  };
}

export interface GuardContent {
  /** Absolute paths of what decides where no Toolcrib runs. */
  readonly program: readonly string[];
  /** For the machine's files: deny rules that clients get in their own languages too. */
  readonly floors: ReadonlyMap<HookClientName, Floor>;
  /** What goes into a client's file in the place of the line; none if absent. */
  readonly toolHooks?: ReadonlyMap<HookClientName, readonly GuardPart[]>;
}

/** What goes into which files for these clients: nothing, where an earlier install may have written something. */
export function planGuard(
  clients: readonly HookClientName[],
  target: GuardTarget,
  { program, floors, toolHooks }: GuardContent,
): readonly GuardFile[] {
  const { side, script } = target;
  const files = clients.flatMap((client) =>
    filesOf(client, target, floors.get(client)?.parts ?? [], toolHooks?.get(client)),
  );
  if (script === null || files.length === 0) return files;
  const mode = side === "managed" ? 0o644 : 0o600;
  const parts = [{ kind: "text", text: hookScript({ program }), mode } as const];
  return [{ client: null, path: script, blank: {}, parts }, ...files];
}

function filesOf(
  client: HookClientName,
  { side, places, script }: GuardTarget,
  floor: readonly GuardPart[],
  toolHook?: readonly GuardPart[],
): readonly GuardFile[] {
  const path = clientHookFile(client, side, places);
  if (path === null) return [];
  const { parts, pins, blank } = CLIENT_HOOKS[client];
  // Below another root, the files are for a machine that has them at its own.
  const installed = side === "managed" ? join(MACHINE_STATE, SCRIPT) : script;
  const own = toolHook ?? parts(installed === null ? portableLine(client) : hookLine(client, installed));
  if (side !== "managed") return [{ client, path, blank, parts: own }];
  const second = secondFile(client, places);
  if (second === null) return [{ client, path, blank, parts: [...own, ...pins, ...floor] }];
  const more =
    second.names === "plugin"
      ? [{ kind: "more", keys: ["plugin"], items: [pathToFileURL(machinePath(path, places)).href] } as const]
      : [];
  return [
    { client, path, blank, parts: [...own, ...pins] },
    { client, path: second.path, blank: {}, parts: [...more, ...floor] },
  ];
}

/** Where a file lies once its root is that of a machine. */
function machinePath(path: string, { root }: GuardPlaces): string {
  return join("/", relative(root, path));
}
