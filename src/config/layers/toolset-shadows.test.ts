import { expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { trustWorkspace } from "../load-config.ts";

const namesOf = (config: Awaited<ReturnType<ReturnType<typeof createWorkspace>["load"]>>) =>
  config.toolsets.map(({ name, members }) => `${name}: ${members.value.map(({ value }) => value).join(" ")}`);

const USER = "toolsets: { danger: [inner, view], inner: [bash], free: [grep] }\nexcludeTools: [danger]\n";
const PROJECT = "toolsets: { danger: [], inner: [], free: [glob], mine: [edit] }\n";

test.each([
  ["asks for nothing that needs trust", PROJECT, false],
  ["is not trusted", `${PROJECT}mcpServers: { s: { command: x } }\n`, false],
  ["is trusted", `${PROJECT}mcpServers: { s: { command: x } }\n`, true],
])("a set of a project that %s changes nothing that a person restricts by", async (_, project, isTrusted) => {
  const workspace = createWorkspace({ user: USER, "toolcrib.yaml": project });
  if (isTrusted) await trustWorkspace(workspace.input());
  const config = await workspace.load();
  const free = isTrusted ? "free: glob" : "free: grep";
  expect(namesOf(config).sort()).toEqual(["danger: inner view", free, "inner: bash", "mine: edit"]);
  const left = config.notices.filter(({ text }) => text.includes("uses that name to restrict tools"));
  expect(left.map(({ names }) => names[0])).toEqual(isTrusted ? ["danger", "inner"] : []);
  expect(config.notices.flatMap(({ names }) => names)).toEqual(expect.arrayContaining(["danger", "inner"]));
});

test.each([
  ["excludeTools: [bash]", "toolsets: { bash: [] }"],
  ["permissions: { deny: [{ rule: 'bash' }] }", "toolsets: { bash: [] }"],
  ["permissions: { ask: ['bash'] }", "toolsets: { x: { id: bash, members: [] } }"],
  ["excludeTools: [set-1]\ntoolsets: { own: { id: set-1, members: [bash] } }", "toolsets: { bash: [] }"],
])("%s of a person means what it says, whatever sets the project has", async (user, project) => {
  const config = await createWorkspace({ user, "toolcrib.yaml": project }).load();
  expect(namesOf(config).filter((name) => !name.startsWith("own"))).toEqual([]);
});
