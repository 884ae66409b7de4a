import { join } from "node:path";
import type { Live } from "../live.ts";
import type { SessionMethod } from "../method.ts";
import { skillFolders } from "../open-live.ts";
import { readSkills } from "../read-skills.ts";
import { applyOptions } from "../servers.ts";
import { type Json, textOf, textsOf } from "../wire-values.ts";

/** Skills. */
export const SKILL_METHODS: Readonly<Record<string, SessionMethod>> = {
  "skills.list": async (live) => ({ skills: await listSkills(live) }),
  "skills.enable": async (live, { name }) => {
    await setDisabled(live, (names) => names.filter((one) => one !== name));
    return null;
  },
  "skills.disable": async (live, { name }) => {
    await setDisabled(live, (names) => [...new Set([...names, textOf(name) ?? ""])]);
    return null;
  },
  "skills.reload": async (live) => {
    await live.session.refresh();
    return { errors: [], warnings: [] };
  },
  "skills.ensureLoaded": () => null,
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

/** Folders are read anew: what lists say has to be what is there. */
async function listSkills(live: Live): Promise<readonly Json[]> {
  if (live.wire.enableSkills === false) return [];
  const own = join(live.cwd, ".github", "skills");
  const disabled = new Set(textsOf(live.wire.disabledSkills));
  const found = await Promise.all(
    skillFolders(live).map(async (folder) => {
      const source = folder === own ? "project" : "custom";
      const skills = await readSkills([folder], { ...live.server.around, cwd: live.cwd });
      return skills.map((skill): Json => ({ ...skill, source, enabled: !disabled.has(String(skill.name)) }));
    }),
  );
  return found.flat();
}
