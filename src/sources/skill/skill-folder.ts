import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { NoticeCode } from "../../core/codes/codes.ts";
import type { Origin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { NODE_DISK } from "../../system/paths/disk.ts";
import { loadFile } from "../../system/paths/open-inside.ts";
import { errnoOf, PathRefusal } from "../../system/paths/path-refusal.ts";
import { resolveInside } from "../../system/paths/resolve-inside.ts";
import { loadRoots, type Roots } from "../../system/paths/roots.ts";

/** A part of a skill that cannot be used, with its line. */
export class SkillFlaw extends Error {
  override readonly name = "SkillFlaw";
  readonly file: string;
  readonly line: number | null;

  constructor(file: string, line: number | null, text: string) {
    super(text);
    this.file = file;
    this.line = line;
  }
}

/** A folder of which only the inside can be read, whatever its files say or link to. */
export interface SkillFolder {
  readonly path: string;
  readonly name: string;
  /** The name of a file in messages. */
  shown(file: string): string;
  originOf(file: string, line: number | null): Origin;
  /** The text of a file; throws a SkillFlaw attributed to `by`, or to the file itself. */
  read(file: string, by?: { readonly file: string; readonly line: number }): Promise<string>;
  has(file: string): Promise<boolean>;
}

const MOST_BYTES = 256 * 1024;

export async function openSkillFolder(given: string, show: (path: string) => string): Promise<SkillFolder> {
  const path = await realpath(given);
  const roots: Roots = await loadRoots(NODE_DISK, [path]);
  const shown = (file: string) => show(join(given, file));
  return {
    path,
    name: given.split(/[/\\]/).filter(Boolean).at(-1) ?? path,
    shown,
    originOf: (file, line) => ({ kind: "file", file: shown(file), line }),
    async read(file, by) {
      try {
        const place = await resolveInside(NODE_DISK, roots, file);
        const { bytes } = await loadFile(NODE_DISK, place, MOST_BYTES);
        return bytes.toString("utf8").replace(/^\uFEFF/, "");
      } catch (error) {
        throw new SkillFlaw(by?.file ?? file, by?.line ?? null, describe(error, file));
      }
    },
    async has(file) {
      const place = await resolveInside(NODE_DISK, roots, file).catch(() => null);
      return place !== null && place.missing.length === 0;
    },
  };
}

/** A notice about one skill, from whatever went wrong with it. */
export function toSkillNotice(
  code: NoticeCode,
  what: string,
  folder: SkillFolder,
  names: readonly string[],
  error: unknown,
): Notice {
  const flaw = error instanceof SkillFlaw ? error : null;
  const origin = folder.originOf(flaw?.file ?? "", flaw?.line ?? null);
  const why = flaw?.message ?? "it cannot be read";
  return { level: "warning", code, text: `${what} is left out: ${why}`, names, origin };
}

function describe(error: unknown, file: string): string {
  const shown = JSON.stringify(file);
  if (error instanceof PathRefusal) {
    switch (error.kind) {
      case "outside":
        return `${shown} leads out of the skill's folder`;
      case "missing":
        return `there is no ${shown} in the skill's folder`;
      case "link":
        return `${shown} is a link that leads nowhere`;
      case "not-file":
        return `${shown} is no ordinary file of at most ${MOST_BYTES / 1024} KB`;
      default:
        return `${shown} is no path inside the skill's folder`;
    }
  }
  return `${shown} cannot be read (${errnoOf(error) ?? "unknown error"})`;
}
