import { join } from "node:path";
import type { SessionMethod } from "../method.ts";
import { skillFolders } from "../sessions/open-live.ts";
import { applyOptions } from "../sessions/servers.ts";
import type { Live } from "../state/live.ts";
import { providedFolder } from "../state/state-files.ts";
import { loadProvided } from "../tools/provided-skills.ts";
import { lookAt, readSkills } from "../tools/read-skills.ts";
import { type Json, textOf, textsOf } from "../wire/wire-values.ts";

/** Skills. */
export const SKILL_METHODS: Readonly<Record<string, SessionMethod>> = {
  "skills.list": async (live) => {
    await loadProvided(live);
    return { skills: await listSkills(live) };
  },
  "skills.enable": async (live, { name }) => {
    await setDisabled(live, (names) => names.filter((one) => one !== name));
    return null;
  },
  "skills.disable": async (live, { name }) => {
    await setDisabled(live, (names) => [...new Set([...names, textOf(name) ?? ""])]);
    return null;
  },
  "skills.reload": async (live) => {
    await loadProvided(live, true);
    await live.session.refresh();
    return problemsOf(live);
  },
  "skills.ensureLoaded": async (live) => {
    await live.session.refresh();
    return null;
  },
  "skills.getInvoked": (live) => ({
    skills: live.log.flatMap(({ type, data }) =>
      type === "skill.invoked" ? [{ name: data.name, path: data.path, content: data.content }] : [],
    ),
  }),
};

async function setDisabled(live: Live, change: (names: readonly string[]) => readonly string[]): Promise<void> {
  live.wire = { ...live.wire, disabledSkills: change(textsOf(live.wire.disabledSkills)) };
  await applyOptions(live);
}

/** What is wrong with skills: those that are not there for it, and what is odd about others. */
async function problemsOf(live: Live): Promise<Json> {
  const { notices } = await lookAt(skillFolders(live), { ...live.server.around, cwd: live.cwd });
  const texts = (isError: boolean) =>
    notices.filter(({ code }) => (code === "skill.invalid") === isError).map(({ text }) => text);
  return { errors: texts(true), warnings: texts(false) };
}

/** Folders are read anew: what lists say has to be what is there. */
export async function listSkills(live: Live): Promise<readonly Json[]> {
  if (live.wire.enableSkills === false) return [];
  const sources = new Map([
    [join(live.cwd, ".github", "skills"), "project"],
    [providedFolder(live), "sdk"],
  ]);
  const disabled = new Set(textsOf(live.wire.disabledSkills));
  const found = await Promise.all(
    skillFolders(live).map(async (folder) => {
      const source = sources.get(folder) ?? "custom";
      const skills = await readSkills([folder], { ...live.server.around, cwd: live.cwd });
      return skills.map((skill): Json => ({ ...skill, source, enabled: !disabled.has(String(skill.name)) }));
    }),
  );
  return found.flat();
}
