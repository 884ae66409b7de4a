import { mkdir, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { defaultOrigin } from "../../../core/codes/origin.ts";
import { splitFrontMatter } from "../../../core/tool/front-matter.ts";
import type { Surroundings } from "../../../system/surroundings.ts";
import { type AttachedClient, askClient, emit, type SessionCore } from "../state/session-core.ts";
import { providedFolder } from "../state/session-files.ts";
import type { ClientConnection } from "../wire/client-connection.ts";
import { type Json, recordOf, recordsOf, textOf } from "../wire/wire-values.ts";

/** Skills that clients have themselves. */
export interface ProvidedSkills {
  /** Their list as it was last read; null before there was any. */
  provided: string | null;
}

export function skillFolders(core: SessionCore, { provided }: ProvidedSkills): readonly string[] {
  const { skillDirectories, enableConfigDiscovery } = core.options;
  const found = enableConfigDiscovery === true ? [join(core.cwd, ".github", "skills")] : [];
  return [...skillDirectories, ...found, ...(provided === null ? [] : [providedFolder(core)])];
}

type Place = Pick<Surroundings, "cwd" | "env">;

/** The skills in these folders, as they are now; nothing of them runs. */
export async function readSkills(folders: readonly string[], place: Place): Promise<readonly Json[]> {
  const { skills } = await lookAt(folders, place);
  return skills.map(({ name, description, file }) => ({ name, description, userInvocable: true, path: file }));
}

/** The same, with what is wrong or odd there. */
export async function lookAt(folders: readonly string[], { cwd, env }: Place) {
  const { createSkillSource } = await import("../../../sources/skill/skill-source.ts");
  const source = createSkillSource({
    directories: folders.map((value) => ({ value, origin: defaultOrigin })),
    base: cwd,
    home: homedir(),
    host: { workspace: cwd, env, wrapLaunch: (launch) => launch },
    callMcp: null,
  });
  await source.list(new AbortController().signal);
  const { skills, notices } = source;
  await source.close();
  return { skills, notices };
}

/** Folders are read again each time: a list has to say what is there. */
export async function listSkills(core: SessionCore, state: ProvidedSkills): Promise<readonly Json[]> {
  const { options, cwd } = core;
  if (options.enableSkills === false) return [];
  const sources = new Map([
    [join(cwd, ".github", "skills"), "project"],
    [providedFolder(core), "sdk"],
  ]);
  const found = skillFolders(core, state).map(async (folder) => {
    const source = sources.get(folder) ?? "custom";
    const skills = await readSkills([folder], { ...core.server.around, cwd });
    return skills.map(
      (skill): Json => ({
        ...{ ...skill, source, enabled: !options.disabledSkills.includes(String(skill.name)) },
      }),
    );
  });
  return (await Promise.all(found)).flat();
}

/** Skills of one client. */
const MOST = 1_024;

/** What a skill may be called, and so a folder. */
const NAME = /^[\w-]{1,64}$/;

/**
 * Skills that clients have themselves become folders of the session, which are read as all others are. Their texts are asked
 * for again when their list is another one, or somebody wants them `again`. True where folders have changed.
 */
export async function loadProvided(core: SessionCore, state: ProvidedSkills, again = false): Promise<boolean> {
  const lists = new Map<AttachedClient, readonly Listed[]>();
  for (const client of core.clients.values()) if (client.skills) lists.set(client, await listFrom(core, client));
  const now = JSON.stringify([...lists.values()]);
  if (!again && now === (state.provided ?? "[]")) return false;
  const folder = providedFolder(core);
  await rm(folder, { recursive: true, force: true });
  for (const [{ connection }, skills] of lists)
    for (const skill of skills) {
      const text = await readFrom(core, connection, skill);
      if (text === null) continue;
      await mkdir(join(folder, skill.name), { recursive: true });
      await writeFile(join(folder, skill.name, "SKILL.md"), text, { mode: 0o600 });
    }
  state.provided = now;
  return true;
}

interface Listed {
  readonly name: string;
  readonly description: string;
}

/** One that answers nonsense costs its own skills. */
async function listFrom(core: SessionCore, { connection }: AttachedClient): Promise<readonly Listed[]> {
  const answer = await askClient(core, connection, "skillProvider.list", {}).catch((error: Error) => {
    warn(core, `the app's skills cannot be listed: ${error.message}`);
    return {};
  });
  return recordsOf(recordOf(answer).skills)
    .slice(0, MOST)
    .flatMap(({ name, description }) => {
      if (typeof name === "string" && NAME.test(name)) return [{ name, description: textOf(description) ?? "" }];
      warn(core, `the app's skill ${JSON.stringify(name)} is left out: a name has letters, digits, - and _`);
      return [];
    });
}

async function readFrom(
  core: SessionCore,
  connection: ClientConnection,
  { name, description }: Listed,
): Promise<string | null> {
  const answer = await askClient(core, connection, "skillProvider.read", { name }).catch((error: Error) => {
    warn(core, `the app's skill ${name} cannot be read: ${error.message}`);
    return {};
  });
  const text = textOf(recordOf(answer).markdown);
  if (text === undefined || splitFrontMatter(text) !== null) return text ?? null;
  return `---\nname: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(description)}\n---\n${text}`;
}

function warn(core: SessionCore, message: string): void {
  emit(core, "session.warning", { warningType: "skills", message });
}
