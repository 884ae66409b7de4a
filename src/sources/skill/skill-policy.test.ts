import { expect, onTestFinished, test } from "vitest";
import { makeFolder, makeHost } from "../../../test/support/builtin-host.ts";
import { buildCatalog } from "../../core/catalog/catalog.ts";
import { formatOrigin, sourced } from "../../core/codes/origin.ts";
import { DEFAULT_SCENE } from "../../core/scene/default-scene.ts";
import type { SkillToolPolicy } from "../../core/scene/scene-settings.ts";
import { buildToolset } from "../../core/toolset/build-toolset.ts";
import { toPromptSections } from "../../core/toolset/prompt-sections.ts";
import { BUILTIN_SETS, BUILTIN_TOOLS } from "../builtin/definitions.ts";
import { createSkillSource, type SkillSource } from "./skill-source.ts";

const SKILLS = {
  "review/SKILL.md": "---\nname: review\nallowed-tools: Grep Bash(git log:*)\n---\nReview with care.\n",
  "review/tools/note.json": JSON.stringify({ name: "note", description: "Notes.", run: { mcp: "notes/add" } }),
  "other/SKILL.md": "---\nname: other\n---\nAnother.\n",
  "other/tools/else.json": JSON.stringify({ name: "elsewhere", description: "", run: { mcp: "a/b" } }),
};

test("a skill restricts nothing before it is active", async () => {
  const { shown } = await open();
  expect(shown("restrict")).toEqual(expect.arrayContaining(["view", "create", "grep", "note", "elsewhere"]));
});

test("an active skill leaves what it allows, its own tools and the framework's, and says where (G11)", async () => {
  const { source, shown, reasonOf, prompts } = await open();
  await source.activate("review");
  const left = shown("restrict");
  expect(left).toEqual(expect.arrayContaining(["bash", "grep", "view", "note"]));
  expect(left).not.toContain("create");
  expect(left).not.toContain("elsewhere");
  expect(reasonOf("create")).toBe("skill.not-allowed review/SKILL.md:3");
  expect(prompts()).toEqual(["Review with care."]);
});

test.each(["preapprove", "off"] as const)("under %s an active skill hides nothing", async (policy) => {
  const { source, shown } = await open();
  await source.activate("review");
  expect(shown(policy)).toEqual(expect.arrayContaining(["create", "elsewhere"]));
});

test("an active skill that cannot be found leaves only the framework's tools (G11)", async () => {
  const { shown } = await open(["gone"]);
  expect(shown("restrict").filter((name) => !["view", "skill", "tool_search"].includes(name))).toEqual([]);
});

async function open(preloaded: readonly string[] = []) {
  const base = makeFolder(SKILLS);
  const source: SkillSource = createSkillSource({
    directories: [sourced(".")],
    base,
    home: "/nowhere",
    host: makeHost(base),
    callMcp: null,
    preloaded: preloaded.map((name) => sourced(name)),
  });
  onTestFinished(() => source.close());
  const catalog = buildCatalog([...BUILTIN_TOOLS, ...(await source.list(new AbortController().signal))]);
  const toolset = (policy: SkillToolPolicy) =>
    buildToolset(catalog, {
      ...DEFAULT_SCENE,
      sets: BUILTIN_SETS,
      sandbox: { active: sourced(true), allowHostShell: sourced(false) },
      skills: source.sceneSkills,
      skillToolPolicy: sourced(policy),
    });
  return {
    source,
    shown: (policy: SkillToolPolicy) =>
      toolset(policy)
        .placements.filter(({ standing }) => standing !== "hidden")
        .map(({ entry }) => entry.tool.name),
    reasonOf: (name: string) => {
      const placement = toolset("restrict").placements.find(({ entry }) => entry.tool.name === name);
      const line = placement?.trace.find(({ gate }) => gate === "skill");
      return line === undefined ? null : `${line.reason.code} ${formatOrigin(line.reason.origin)}`;
    },
    prompts: () =>
      toPromptSections(toolset("restrict"))
        .filter(({ id }) => id.startsWith("skill:"))
        .map(({ text }) => text),
  };
}
