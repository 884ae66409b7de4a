import { resolve } from "node:path";
import type { CommandInput } from "../command-line/command.ts";
import { callLocal, type LocalCall, type LocalRequest } from "./local-call.ts";
import { type NotePlaces, type RunningNote, readRunningNote } from "./running-note.ts";
import { findWorkPlace, keyOf, settingPlaces } from "./work-place.ts";

/** A running Toolcrib that answered. */
export interface Reached<T> extends LocalCall<T> {
  readonly note: RunningNote;
}

/** Asks the Toolcrib of a workspace; null when none runs for it. */
export async function reach<T>(places: NotePlaces, key: string, request: LocalRequest): Promise<Reached<T> | null> {
  const note = await readRunningNote(places, key);
  const call = note === null ? null : await callLocal<T>(note, request);
  return note === null || call === null ? null : { ...call, note };
}

/** What the Toolcrib of the folder that a command stands in is filed under. */
export async function keyOfHere(input: Pick<CommandInput, "io">): Promise<{ places: NotePlaces; key: string }> {
  const places = settingPlaces(input.io);
  return { places, key: keyOf(await findWorkspace(input), places) };
}

/** The same for the one that `--workspace` names. */
export function keyOfAsked({ io, args }: Pick<CommandInput, "io" | "args">): ReturnType<typeof keyOfHere> {
  const named = args.value("workspace");
  return keyOfHere({ io: named === null ? io : { ...io, cwd: resolve(io.cwd, named) } });
}

/** The workspace around the folder that a command stands in. */
export async function findWorkspace({ io }: Pick<CommandInput, "io">): Promise<string> {
  return (await findWorkPlace({ cwd: io.cwd, ...settingPlaces(io) })).workspace;
}
