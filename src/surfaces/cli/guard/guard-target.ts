import { join } from "node:path";
import { stateFolder, workspaceKey } from "../../../config/layers/state-folder.ts";
import { CLIENT_HOOKS } from "../../guard/guard-parts.ts";
import { clientHookFile, type GuardPlaces, type GuardSide } from "../../guard/guard-places.ts";
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

export async function findGuardPlaces(input: CommandInput): Promise<GuardPlaces> {
  const { io, args } = input;
  const { home, env } = settingPlaces(io);
  const root = args.value("root") ?? "/";
  if (!root.startsWith("/")) throw usage(`--root takes an absolute path; found ${JSON.stringify(root)}`);
  return { home, env, platform: process.platform, workspace: await findWorkspace(input), root };
}

export function targetOf(side: GuardSide, places: GuardPlaces): GuardTarget {
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

/** What goes into which files for these clients. Those that have none on this side are left out. */
export function planGuard(
  clients: readonly HookClientName[],
  { side, places, script }: GuardTarget,
  program: readonly string[],
): readonly GuardFile[] {
  const files = clients.flatMap((client): readonly GuardFile[] => {
    const path = clientHookFile(client, side, places);
    if (path === null) return [];
    const { parts, pins, blank } = CLIENT_HOOKS[client];
    // Below another root, the files are for a machine that has them at its own.
    const line =
      script === null
        ? portableLine(client)
        : hookLine(client, side === "managed" ? join(MACHINE_STATE, SCRIPT) : script);
    return [{ client, path, blank, parts: [...parts(line), ...(side === "managed" ? pins : [])] }];
  });
  if (script === null || files.length === 0) return files;
  const mode = side === "managed" ? 0o644 : 0o600;
  const parts = [{ kind: "text", text: hookScript({ program }), mode } as const];
  return [{ client: null, path: script, blank: {}, parts }, ...files];
}
