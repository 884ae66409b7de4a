import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Notice } from "../../core/codes/reason.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { quotePlainValues, splitFrontMatter } from "../../core/tool/front-matter.ts";
import { readAllowedTools } from "./allowed-tools.ts";
import { type DocumentReading, type LinedDocument, parseLinedJson, parseYaml } from "./lined-document.ts";
import { readSkillTool } from "./read-skill-tool.ts";
import type { LoadedSkill, SkillTool } from "./skill.ts";
import { SkillFlaw, type SkillFolder, toSkillNotice } from "./skill-folder.ts";

export const MARKDOWN = "SKILL.md";
export const MANIFEST = "skill.json";

export interface SkillReading {
  readonly skill: LoadedSkill;
  /** About prompts and tools that are left out. */
  readonly notices: readonly Notice[];
}

/** The skill of a folder that has `SKILL.md` or `skill.json`; if both, the first leads and the second adds. */
export async function readSkill(folder: SkillFolder): Promise<SkillReading> {
  const markdown = (await folder.has(MARKDOWN)) ? await readMarkdown(folder) : null;
  const manifest = (await folder.has(MANIFEST)) ? await readManifest(folder) : null;
  const lead = markdown ?? manifest;
  if (lead === null) throw new SkillFlaw("", null, `there is neither ${MARKDOWN} nor ${MANIFEST}`);
  const name = textOf(lead, "name") ?? folder.name;
  const notices: Notice[] = [];
  const prompts = manifest === null ? [] : await readPrompts(folder, manifest, name, notices);
  const tools = await readTools(folder, manifest, name, notices);
  const allowed = readAllowedTools(lead.document, (line) => folder.originOf(lead.file, line));
  if (!allowed.ok) throw new SkillFlaw(lead.file, allowed.line, allowed.text);
  const parts = [markdown?.body ?? "", ...prompts].filter((part) => part !== "");
  const skill: LoadedSkill = {
    name,
    displayName: (manifest && textOf(manifest, "displayName")) ?? null,
    description: textOf(lead, "description") ?? (manifest && textOf(manifest, "description")) ?? "",
    version: (manifest && textOf(manifest, "version")) ?? textOf(lead, "version"),
    author: (manifest && textOf(manifest, "author")) ?? textOf(lead, "author"),
    folder: folder.path,
    file: join(folder.path, lead.file),
    origin: folder.originOf(lead.file, lead.document.lineOf("name")),
    activation: markdown === null ? "on-load" : "on-invoke",
    allowedTools: allowed.list,
    prompt: parts.length === 0 ? null : parts.join("\n\n"),
    tools,
    waiting: [],
  };
  return { skill, notices };
}

interface Described {
  readonly file: string;
  readonly document: LinedDocument;
  readonly fields: Readonly<Record<string, unknown>>;
}

async function readMarkdown(folder: SkillFolder): Promise<Described & { readonly body: string }> {
  const text = await folder.read(MARKDOWN);
  const split = splitFrontMatter(text);
  if (split === null) throw new SkillFlaw(MARKDOWN, 1, "there is no front matter between two lines of ---");
  const reading = await parseYaml(split.front, 2);
  const read = reading.ok ? reading : await parseYaml(quotePlainValues(split.front), 2);
  return { ...toDescribed(MARKDOWN, read), body: split.body };
}

async function readManifest(folder: SkillFolder): Promise<Described> {
  return toDescribed(MANIFEST, await parseLinedJson(await folder.read(MANIFEST)));
}

function toDescribed(file: string, reading: DocumentReading): Described {
  if (!reading.ok) throw new SkillFlaw(file, reading.line, reading.text);
  const { document } = reading;
  const fields = document.value ?? {};
  if (!isRecord(fields)) throw new SkillFlaw(file, document.lineOf(), "it must be a map of keys");
  return { file, document, fields };
}

/** Null if the key is absent or empty; anything but a text is a flaw. */
function textOf({ file, document, fields }: Described, key: string): string | null {
  const value = Object.hasOwn(fields, key) ? fields[key] : null;
  if (value === null || value === undefined) return null;
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") throw new SkillFlaw(file, document.lineOf(key), `\`${key}\` must be a text`);
  return value.trim() === "" ? null : value.trim();
}

/** The entries of a list of files, each with its line. */
function filesOf({ file, document, fields }: Described, key: string) {
  const value = fields[key];
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) throw new SkillFlaw(file, document.lineOf(key), `\`${key}\` must be a list of files`);
  return value.map((path: unknown, at) => ({ path, by: { file, line: document.lineOf(key, at) } }));
}

async function readPrompts(folder: SkillFolder, manifest: Described, skill: string, notices: Notice[]) {
  const prompts: string[] = [];
  for (const { path, by } of filesOf(manifest, "prompts") ?? []) {
    try {
      if (typeof path !== "string") throw new SkillFlaw(by.file, by.line, "a prompt must be the path of a file");
      prompts.push((await folder.read(path, by)).trim());
    } catch (error) {
      const what = `the prompt ${JSON.stringify(path)} of the skill "${skill}"`;
      notices.push(toSkillNotice("skill.invalid-prompt", what, folder, [skill], error));
    }
  }
  return prompts;
}

/** The tools that the manifest lists; if it lists none, all of `tools/*.json`. */
async function readTools(folder: SkillFolder, manifest: Described | null, skill: string, notices: Notice[]) {
  const listed = manifest === null ? null : filesOf(manifest, "tools");
  const files = listed ?? (await findTools(folder)).map((path) => ({ path, by: undefined }));
  const tools: SkillTool[] = [];
  for (const { path, by } of files) {
    try {
      if (typeof path !== "string")
        throw new SkillFlaw(by?.file ?? "", by?.line ?? null, "a tool must be the path of a file");
      tools.push(await readSkillTool(folder, skill, path, by));
    } catch (error) {
      const what = `the tool ${JSON.stringify(path)} of the skill "${skill}"`;
      // A person who misses the tool asks for it by name, which is usually the name of its file.
      const names = typeof path === "string" ? [skill, basename(path, ".json")] : [skill];
      notices.push(toSkillNotice("skill.invalid-tool", what, folder, names, error));
    }
  }
  return tools;
}

async function findTools({ path }: SkillFolder): Promise<readonly string[]> {
  const names = await readdir(join(path, "tools")).catch(() => []);
  return names
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => `tools/${name}`);
}
