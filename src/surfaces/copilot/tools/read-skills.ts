import { homedir } from "node:os";
import { join } from "node:path";
import { defaultOrigin } from "../../../core/codes/origin.ts";
import type { Surroundings } from "../../../system/surroundings.ts";
import type { Json } from "../wire/wire-values.ts";

type Place = Pick<Surroundings, "cwd" | "env">;

/** The skills in these folders, as they are now; nothing of them runs. */
export async function readSkills(folders: readonly string[], place: Place): Promise<readonly Json[]> {
  const { skills } = await lookAt(folders, place);
  return skills.map(({ name, description, folder }) => ({
    name,
    description,
    userInvocable: true,
    path: join(folder, "SKILL.md"),
  }));
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
