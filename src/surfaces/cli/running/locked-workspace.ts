import { randomBytes } from "node:crypto";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { readVersion } from "../../../system/version.ts";
import type { CommandInput } from "../command-line/command.ts";
import type { LocalDoor, LocalPorts } from "./local-door.ts";
import { type NotePlaces, readRunningNote, writeNote } from "./running-note.ts";
import { prepareSocket } from "./socket-folder.ts";
import { findWorkPlace, keyOf, settingPlaces, type WorkPlace } from "./work-place.ts";
import { takeLock } from "./workspace-lock.ts";

/** A workspace that this process is the only one to serve. */
export interface LockedWorkspace extends WorkPlace {
  readonly key: string;
  readonly places: NotePlaces;
  /** Lets other processes of this person in, and notes down where; null where nothing can be kept, so that nobody finds it. */
  open(address: WorkspaceAddress | null, ports: Omit<LocalPorts, "secret" | "version">): Promise<LocalDoor | null>;
  release(): Promise<void>;
}

/** Where HTTP is answered. */
export interface WorkspaceAddress {
  readonly origin: string;
  readonly port: number;
}

/** Throws `up.running` when another process serves it, with where. */
export async function lockWorkspace({ io, log }: Pick<CommandInput, "io" | "log">): Promise<LockedWorkspace> {
  const places = settingPlaces(io);
  const place = await findWorkPlace({ cwd: io.cwd, ...places });
  const key = keyOf(place.workspace, places);
  const unlock = await takeLock(places, key).catch((error: unknown) => {
    log.failed("other commands cannot find this Toolcrib", error);
    return "unkept" as const;
  });
  if (unlock === "unkept") return { ...place, key, places, open: async () => null, release: async () => {} };
  if (unlock === null) throw await toRunning(place, places, key);
  const started = Date.now();
  let forget = async (): Promise<void> => {};
  return {
    ...place,
    key,
    places,
    async open(address, ports) {
      const { openLocalDoor } = await import("./local-door.ts");
      const { workspace, isProject } = place;
      const socket = await prepareSocket(places, workspace, key);
      const [secret, version] = [randomBytes(32).toString("hex"), readVersion()];
      const door = await openLocalDoor(socket, { ...ports, secret, version });
      const { origin = null, port = null } = address ?? {};
      const note = { pid: process.pid, workspace, isProject, version, started, socket, secret, origin, port };
      forget = await writeNote(places, key, note).catch(async (error: unknown) => {
        await door.close(null);
        const why = error instanceof Error && "code" in error ? String(error.code) : String(error);
        throw new ToolcribError("file.not-written", `the state folder cannot be written (${why})`);
      });
      return door;
    },
    async release() {
      await forget();
      await unlock();
    },
  };
}

async function toRunning({ workspace }: WorkPlace, places: NotePlaces, key: string): Promise<ToolcribError> {
  const note = await readRunningNote(places, key);
  const where =
    note === null
      ? "and is just starting"
      : `as process ${note.pid}${note.origin === null ? "" : `, at ${note.origin}`}`;
  const text = `Toolcrib runs for ${workspace} already, ${where}; "toolcrib status" shows it, "toolcrib down" ends it`;
  return new ToolcribError("up.running", text, { names: [workspace] });
}
