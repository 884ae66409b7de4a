import { readdir, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import type { NoticeCode } from "../../core/codes/codes.ts";
import { nearestNames } from "../../core/codes/nearest-name.ts";
import { formatOrigin, type Origin, type Sourced } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { contains } from "../../system/paths/roots.ts";
import { MANIFEST, MARKDOWN, readSkill } from "./read-skill.ts";
import type { LoadedSkill, SkillTool } from "./skill.ts";
import { openSkillFolder, toSkillNotice } from "./skill-folder.ts";

export interface LoadSkillsOptions {
  /** Each is a skill or a folder of skills, as written; later ones override earlier ones. */
  readonly directories: readonly Sourced<string>[];
  readonly disabled?: readonly Sourced<string>[];
  /** The folder that relative directories start from; absolute. */
  readonly base: string;
  /** The value of `~`. */
  readonly home: string;
  /**
   * Why a tool of a skill in that directory may not run; null if it may. Called when skills are read, and before each
   * run.
   */
  readonly refuses?: RefuseSkillTool;
}

type RefuseSkillTool = (
  tool: SkillTool,
  skill: Pick<LoadedSkill, "folder">,
  directory: Sourced<string>,
) => Promise<string | null>;

export interface LoadedSkills {
  /** In the order of their directories, so that later ones override earlier ones in the catalog (N7). */
  readonly skills: readonly LoadedSkill[];
  /** Skills that `disabledSkills` switches off, each with the entry that does. */
  readonly disabled: readonly Sourced<LoadedSkill>[];
  readonly notices: readonly Notice[];
}

/** Every readable skill. A broken one is left out with a notice that has its file and line. Runs nothing. */
export async function loadSkills(options: LoadSkillsOptions): Promise<LoadedSkills> {
  const { directories, disabled = [], base, home, refuses = async () => null } = options;
  const show = (path: string) => showPath(path, base, home);
  const off = new Map(disabled.map(({ value, origin }) => [value, origin]));
  const switchedOff: Sourced<LoadedSkill>[] = [];
  const known = new Set<string>();
  const seen = new Set<string>();
  const skills = new Map<string, LoadedSkill>();
  const notices: Notice[] = [];
  for (const directory of directories) {
    const { value, origin } = directory;
    const found = await findFolders(expand(value, base, home));
    if (found.length === 0)
      notices.push(notice("skill.not-found", `there is no skill in ${value}`, [value], origin, "info"));
    for (const path of found) {
      const folder = await openSkillFolder(path, show).catch(() => null);
      if (folder === null || seen.has(folder.path)) continue;
      seen.add(folder.path);
      try {
        const { skill: read, notices: own } = await readSkill(folder);
        const skill = await parted(read, (tool) => refuses(tool, read, directory));
        known.add(skill.name);
        const by = off.get(skill.name);
        if (by !== undefined) {
          switchedOff.push({ value: skill, origin: by });
          continue;
        }
        const earlier = skills.get(skill.name);
        if (earlier !== undefined) notices.push(overridden(skill, earlier));
        // Deleted first, so that it takes the position of its own directory.
        skills.delete(skill.name);
        skills.set(skill.name, skill);
        notices.push(...own);
      } catch (error) {
        notices.push(toSkillNotice("skill.invalid", `the skill in ${folder.shown("")}`, folder, [folder.name], error));
      }
    }
  }
  notices.push(
    ...disabled.filter(({ value }) => !known.has(value)).map((name) => unknownSkill(name, "disabledSkills", known)),
  );
  return { skills: [...skills.values()], disabled: switchedOff, notices };
}

async function parted(
  skill: LoadedSkill,
  refusalOf: (tool: SkillTool) => Promise<string | null>,
): Promise<LoadedSkill> {
  const refusals = await Promise.all(skill.tools.map(refusalOf));
  return {
    ...skill,
    tools: skill.tools
      .filter((_, at) => refusals[at] === null)
      .map((tool) => ({ ...tool, refuses: () => refusalOf(tool) })),
    waiting: skill.tools.filter((_, at) => refusals[at] !== null),
  };
}

/** A name of a skill that does not exist. */
export function unknownSkill({ value, origin }: Sourced<string>, where: string, known: Iterable<string>): Notice {
  const near = nearestNames(value, known);
  const hint = near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`;
  return notice("skill.unknown", `${where} names the skill "${value}", which does not exist${hint}`, [value], origin);
}

function overridden(skill: LoadedSkill, earlier: LoadedSkill): Notice {
  const text = `the skill "${skill.name}" takes the place of the one at ${formatOrigin(earlier.origin)}`;
  return notice("skill.overridden", text, [skill.name], skill.origin, "info");
}

function notice(
  code: NoticeCode,
  text: string,
  names: readonly string[],
  origin: Origin,
  level: Notice["level"] = "warning",
): Notice {
  return { level, code, text, names, origin };
}

/** The folder itself if it is a skill, else those of its folders that are, in byte order. */
async function findFolders(path: string): Promise<readonly string[]> {
  if (await isSkill(path)) return [path];
  const names = await readdir(path).catch(() => []);
  const folders = names.filter((name) => !name.startsWith(".")).sort();
  const found = await Promise.all(folders.map((name) => isSkill(join(path, name))));
  return folders.filter((_, at) => found[at]).map((name) => join(path, name));
}

async function isSkill(path: string): Promise<boolean> {
  const found = await Promise.all([MARKDOWN, MANIFEST].map((file) => stat(join(path, file)).catch(() => null)));
  return found.some((stats) => stats !== null);
}

function expand(directory: string, base: string, home: string): string {
  if (directory === "~") return home;
  return /^~[/\\]/.test(directory) ? join(home, directory.slice(2)) : resolve(base, directory);
}

function showPath(path: string, base: string, home: string): string {
  if (contains(base, path)) return relative(base, path);
  return isAbsolute(home) && contains(home, path) ? join("~", relative(home, path)) : path;
}
