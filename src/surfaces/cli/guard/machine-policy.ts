import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadConfig } from "../../../config/load-config.ts";
import { isManaged } from "../../../config/managed.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { compileFloor, type Floor } from "../../guard/deny-floor.ts";
import type { HookClientName } from "../../guard/hook-clients.ts";
import type { CommandInput } from "../command-line/command.ts";
import { toConfigInput } from "../configuration/config-input.ts";
import type { GuardTarget } from "./guard-target.ts";

/** Deny rules of the machine's own policy, which are meant for everybody on it. */
export async function readMachineDenials(
  input: CommandInput,
  { places: { root } }: GuardTarget,
): Promise<readonly string[]> {
  const { TOOLCRIB_POLICY: _, ...env } = input.io.env;
  const systemPolicy = join(root, "etc/toolcrib/policy.yaml");
  // In a folder of nobody's, and without what this person has set.
  const config = await loadConfig({ ...toConfigInput(input), env, cwd: "/", home: "/nonexistent", systemPolicy });
  return config.permissions.deny.flatMap(({ value, origin }) => (isManaged(config, origin) ? [value.text] : []));
}

/** What of them each client can say itself. */
export function compileFloors(
  clients: readonly HookClientName[],
  denials: readonly string[],
): ReadonlyMap<HookClientName, Floor> {
  return new Map(
    clients.flatMap((client) => {
      const floor = compileFloor(client, denials);
      return floor === null ? [] : [[client, floor]];
    }),
  );
}

/** Throws where the machine's guard could not run for everybody; returns what else speaks against it. */
export function checkMachine({ places: { root } }: GuardTarget, program: readonly string[]): readonly string[] {
  const user = process.getuid?.();
  if (root === "/" && user !== 0)
    throw new ToolcribError(
      "file.not-written",
      "--managed writes files of the machine, such as /etc/codex/requirements.toml, and so is for root; nothing was written. With --root DIR it writes below that folder instead",
    );
  const closed = program.find((path) => !isForAll(path));
  if (closed !== undefined)
    throw new ToolcribError(
      "file.not-written",
      `${closed} cannot be read by everybody, so the clients of others would refuse every call; nothing was written. Install Node and Toolcrib for the whole machine first, and run that one`,
      { names: [closed] },
    );
  return program
    .filter((path) => foldersOf(path).some((folder) => isOpenToOthers(folder)))
    .map((path) => `${path} can be changed by others than root, and who changes it changes the guard.`);
}

/** The file and all folders above it, links resolved. */
function foldersOf(path: string): readonly string[] {
  const folders = [realpathSync(path)];
  for (let at = dirname(folders[0] ?? path); ; at = dirname(at)) {
    folders.push(at);
    if (dirname(at) === at) return folders;
  }
}

function isForAll(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    const [file = path, ...folders] = foldersOf(path);
    return (statSync(file).mode & 0o004) !== 0 && folders.every((folder) => (statSync(folder).mode & 0o001) !== 0);
  } catch {
    return false;
  }
}

function isOpenToOthers(path: string): boolean {
  const { uid, mode } = statSync(path);
  const isSticky = (mode & 0o1000) !== 0;
  return uid !== 0 || ((mode & 0o022) !== 0 && !isSticky);
}
