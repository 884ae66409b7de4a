import { changeFiles, type FileChange } from "../../../system/paths/change-files.ts";
import { type FileVersion, loadFile } from "../../../system/paths/open-inside.ts";
import type { Place } from "../../../system/paths/resolve-inside.ts";
import { fail, succeed } from "../parts/results.ts";
import { applyHunks } from "./apply-hunks.ts";
import { textArgument } from "./arguments.ts";
import { MAX_EDITED_BYTES } from "./edit.ts";
import type { Files, FileTool } from "./file-handler.ts";
import { nearestPaths } from "./nearest-paths.ts";
import { type FilePatch, PatchProblem, parsePatch } from "./patch.ts";

/** A file that the patch touches: as it is on disk, and as the sections so far leave it. */
interface Draft {
  readonly place: Place;
  /** Null if the file does not exist yet. */
  readonly original: { readonly text: string; readonly version: FileVersion; readonly mode: number } | null;
  text: string | null;
  /** For a file that was moved here. */
  mode: number | undefined;
}

/** `apply_patch`: computes the whole patch first, then makes all of its changes or none. */
export const applyPatch: FileTool = async (args, files) => {
  try {
    const drafts = new Map<string, Draft>();
    const report: string[] = [];
    for (const patch of parsePatch(textArgument(args, "input"))) {
      files.signal.throwIfAborted();
      report.push(await draftPatch(patch, drafts, files));
    }
    await changeFiles(files.disk, [...drafts.values()].flatMap(toChange));
    return succeed(report.join("\n"));
  } catch (error) {
    if (error instanceof PatchProblem) return fail(`${error.message} Nothing was changed.`);
    throw error;
  }
};

async function draftPatch(patch: FilePatch, drafts: Map<string, Draft>, files: Files): Promise<string> {
  const draft = await loadDraft(patch.path, drafts, files);
  const { shown } = draft.place;
  switch (patch.kind) {
    case "add":
      if (draft.text !== null) throw new PatchProblem(`Add File ${shown}: it exists already; use Update File.`);
      draft.text = patch.lines.map((line) => `${line}\n`).join("");
      return `Added ${shown}`;
    case "delete":
      await requireText(draft, "Delete File", files);
      draft.text = null;
      return `Deleted ${shown}`;
    case "update": {
      const text = applyHunks(await requireText(draft, "Update File", files), patch.hunks, shown);
      if (patch.moveTo === null) {
        draft.text = text;
        return `Updated ${shown}`;
      }
      const target = await loadDraft(patch.moveTo, drafts, files);
      if (target !== draft && target.text !== null) {
        throw new PatchProblem(`Update File ${shown}: it cannot move to ${target.place.shown}, which exists already.`);
      }
      draft.text = null;
      target.text = text;
      target.mode = draft.original?.mode ?? draft.mode;
      return `Updated ${shown}, now ${target.place.shown}`;
    }
  }
}

/** Sections that name the same file, by whatever path, share one draft. */
async function loadDraft(path: string, drafts: Map<string, Draft>, files: Files): Promise<Draft> {
  const place = await files.place(path);
  const known = drafts.get(place.real);
  if (known !== undefined) return known;
  const original = place.missing.length > 0 ? null : await loadOriginal(place, files);
  const draft: Draft = { place, original, text: original?.text ?? null, mode: undefined };
  drafts.set(place.real, draft);
  return draft;
}

async function loadOriginal(place: Place, { disk }: Files): Promise<NonNullable<Draft["original"]>> {
  const { bytes, version, mode } = await loadFile(disk, place, MAX_EDITED_BYTES);
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), version, mode };
  } catch {
    throw new PatchProblem(`${place.shown} is not UTF-8 text, so it cannot be patched.`);
  }
}

async function requireText({ text, place }: Draft, section: string, { disk }: Files): Promise<string> {
  if (text !== null) return text;
  throw new PatchProblem(`${section} ${place.shown}: it does not exist.${await nearestPaths(disk, place)}`);
}

function toChange({ place, original, text, mode }: Draft): FileChange[] {
  if (original === null) {
    if (text === null) return [];
    return [{ kind: "create", place, bytes: Buffer.from(text), ...(mode === undefined ? {} : { mode }) }];
  }
  const { version } = original;
  if (text === null) return [{ kind: "delete", place, version }];
  return text === original.text ? [] : [{ kind: "replace", place, bytes: Buffer.from(text), version }];
}
