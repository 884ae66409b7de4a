import { stat } from "node:fs/promises";
import { basename, isAbsolute, join, normalize } from "node:path";
import type { Notice } from "../../core/codes/reason.ts";
import { fileReaders, type Readers } from "../layers/readers.ts";
import { describeRuns, type FoundProgram, type FoundPrograms } from "./found-program.ts";
import { CANNOT_BE_HASHED, type HashedFile, hashText, listHashes } from "./hash-files.ts";
import { asRecord, readJsonRecord } from "./read-json-record.ts";

const MARKDOWN = "SKILL.md";
const MANIFEST = "skill.json";
const MOST_SKILLS = 500;
/** As much of a definition is read as a skill may have. */
const MOST_BYTES = 256 * 1024;

/** The tools of skills in folders that a project names. Nothing is run, and none counts before it is trusted. */
export async function findSkillPrograms(
  directories: readonly string[],
  show: (path: string) => string,
  readers: Readers,
): Promise<FoundPrograms> {
  const programs = new Map<string, FoundProgram>();
  const notices: Notice[] = [];
  const folders = (await Promise.all(directories.map((path) => listSkills(path, readers)))).flat();
  for (const given of folders.slice(0, MOST_SKILLS)) {
    const folder = await readers.realPath(given);
    for (const [file, { digest, runs }] of await loadSkillPrograms(folder, readers)) {
      const key = join(folder, file);
      const shown = show(join(given, file));
      const name = `${basename(given)}/${basename(file, ".json")}`;
      if (digest !== null) programs.set(key, { what: "skill program", name, key, file: shown, digest, runs });
      else notices.push(cannotBeTrusted(name, `the folder of its skill ${CANNOT_BE_HASHED}`, shown));
    }
  }
  for (const given of folders.slice(MOST_SKILLS)) {
    notices.push(
      cannotBeTrusted(basename(given), `a project has at most ${MOST_SKILLS} skills with tools`, show(given)),
    );
  }
  return { programs: [...programs.values()], notices };
}

interface SkillProgram {
  /** Null if it is unknown what it would run. */
  readonly digest: string | null;
  readonly runs: FoundProgram["runs"];
}

/**
 * The tools that a skill's folder defines, by file. Any file of the folder may be part of what a tool runs, so each is
 * hashed with all of them, except what only describes the skill and its other tools.
 */
export async function loadSkillPrograms(
  folder: string,
  readers: Readers = fileReaders,
): Promise<ReadonlyMap<string, SkillProgram>> {
  const texts = new Map<string, string>();
  for (const file of await listDefinitions(folder, readers)) {
    const text = await readSmall(join(folder, file), readers);
    if (text !== null) texts.set(file, text);
  }
  const programs = new Map<string, SkillProgram>();
  if (texts.size === 0) return programs;
  const listed = await listHashes(folder);
  for (const [file, text] of texts) {
    const { command, use, mcp } = asRecord(readJsonRecord(text).run);
    const isOther = (path: string) => path !== file && (path === MARKDOWN || path === MANIFEST || texts.has(path));
    // A description that another one names is more than a description.
    const counts = ([, path]: HashedFile) => !isOther(path) || text.includes(basename(path));
    const isOfServer = mcp !== undefined && command === undefined && use === undefined;
    const content = isOfServer ? [] : (listed?.filter(counts) ?? null);
    programs.set(file, {
      digest: content === null ? null : hashText(JSON.stringify([file, hashText(text), content])),
      runs: describeRuns({ words: command, use, mcp }),
    });
  }
  return programs;
}

async function listSkills(path: string, readers: Readers): Promise<readonly string[]> {
  if (await isSkill(path, readers)) return [path];
  const names = await readers.listFolder(path).catch(() => []);
  const inner = names.filter((name) => !name.startsWith(".")).map((name) => join(path, name));
  const found = await Promise.all(inner.map((one) => isSkill(one, readers)));
  return inner.filter((_, at) => found[at]);
}

async function isSkill(path: string, readers: Readers): Promise<boolean> {
  const found = await Promise.all([MARKDOWN, MANIFEST].map((file) => readers.exists(join(path, file))));
  return found.some((exists) => exists !== false);
}

/** What the manifest lists, or all of `tools/*.json`, as when a skill is read. */
async function listDefinitions(folder: string, readers: Readers): Promise<readonly string[]> {
  const { tools } = readJsonRecord(await readSmall(join(folder, MANIFEST), readers));
  const names = await readers.listFolder(join(folder, "tools")).catch(() => []);
  const files = Array.isArray(tools)
    ? tools.filter((file) => typeof file === "string")
    : names.filter((name) => name.endsWith(".json")).map((name) => `tools/${name}`);
  const inside = files.map((file) => normalize(file)).filter((file) => !isAbsolute(file) && !file.startsWith(".."));
  return [...new Set(inside)];
}

/** Null if there is none that a skill could have. */
async function readSmall(path: string, readers: Readers): Promise<string | null> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  return size > MOST_BYTES ? null : readers.readText(path).catch(() => null);
}

function cannotBeTrusted(name: string, why: string, file: string): Notice {
  const text = `the skill program "${name}" is left out: ${why}`;
  return {
    level: "warning",
    code: "skill.invalid-tool",
    text,
    names: [name],
    origin: { kind: "file", file, line: null },
  };
}
