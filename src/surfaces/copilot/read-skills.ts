import { homedir } from "node:os";
import { join } from "node:path";
import { defaultOrigin } from "../../core/codes/origin.ts";
import type { Surroundings } from "../../runtime/session/surroundings.ts";
import type { Json } from "./wire-values.ts";

/** The skills in these folders, as they are now; nothing of them runs. */
export async function readSkills(
  folders: readonly string[],
  { cwd, env }: Pick<Surroundings, "cwd" | "env">,
): Promise<readonly Json[]> {
  const { createSkillSource } = await import("../../sources/skill/skill-source.ts");
  const source = createSkillSource({
    directories: folders.map((value) => ({ value, origin: defaultOrigin })),
    base: cwd,
    home: homedir(),
    host: { workspace: cwd, env, wrapLaunch: (launch) => launch },
    callMcp: null,
  });
  await source.list(new AbortController().signal);
  const { skills } = source;
  await source.close();
  return skills.map(({ name, description, folder }) => ({
    name,
    description,
    userInvocable: true,
    path: join(folder, "SKILL.md"),
  }));
}
