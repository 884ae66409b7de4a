import { homedir } from "node:os";
import { join } from "node:path";
import { defaultOrigin } from "../../../core/codes/origin.ts";
import type { Live } from "../live.ts";
import type { SessionMethod } from "../method.ts";
import { skillFolders } from "../open-live.ts";
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
  const { createSkillSource } = await import("../../../sources/skill/skill-source.ts");
  const own = join(live.cwd, ".github", "skills");
  const disabled = new Set(textsOf(live.wire.disabledSkills));
  const found = await Promise.all(
    skillFolders(live).map(async (folder) => {
      const source = createSkillSource({
        directories: [{ value: folder, origin: defaultOrigin }],
        base: live.cwd,
        home: homedir(),
        host: { workspace: live.cwd, env: live.server.around.env, wrapLaunch: (launch) => launch },
        callMcp: null,
      });
      await source.list(new AbortController().signal);
      const { skills } = source;
      await source.close();
      return skills.map(
        (skill): Json => ({
          name: skill.name,
          description: skill.description,
          source: folder === own ? "project" : "custom",
          userInvocable: true,
          enabled: !disabled.has(skill.name),
          path: join(skill.folder, "SKILL.md"),
        }),
      );
    }),
  );
  return found.flat();
}
