import { expect, test } from "vitest";
import { createWorkspace } from "../../test/support/config-workspace.ts";
import { loadOptions } from "./load-options.ts";
import { toScene } from "./to-scene.ts";

const input = { cwd: "/nowhere", home: "/nobody", env: { TOKEN: "secret" }, systemPolicy: "/nowhere/policy.yaml" };

test("options take the keys of a file, with synonyms, and name the call as their origin", async () => {
  const config = await loadOptions({ availableTools: ["view"], excludedTools: ["web"] }, "createSession", input);
  expect(config.includeTools?.value[0]).toEqual({
    value: "view",
    origin: { kind: "call", call: "createSession availableTools[0]" },
  });
  expect(toScene(config).filter.exclude.value.map(({ value }) => value)).toEqual(["web"]);
});

test("values are literal: no variable is expanded in a program's own options", async () => {
  const config = await loadOptions(
    { mcpServers: { s: { command: "run", env: { KEY: "${TOKEN}" } } } },
    "createSession",
    input,
  );
  const transport = config.servers.get("s")?.transport;
  expect(transport?.type === "stdio" && transport.env.get("KEY")).toBe("${TOKEN}");
});

test("a wrong key is refused with its path and the nearest right one", async () => {
  await expect(loadOptions({ excludTools: [] }, "createSession", input)).rejects.toMatchObject({
    code: "config.invalid",
    message: expect.stringContaining("excludeTools"),
  });
  await expect(loadOptions({ toolGroups: 7 }, "createSession", input)).rejects.toMatchObject({
    message: expect.stringContaining("createSession toolGroups"),
  });
});

test("managed policy narrows a program's tools too, and no set of the program's gives its names another meaning", async () => {
  const { cwd, home, policy } = createWorkspace({ policy: "includeTools: [view]\n" });
  const options = { availableTools: ["view", "mine"], toolsets: { view: ["bash"], mine: ["bash"] } };
  const config = await loadOptions(options, "createSession", { cwd, home, env: {}, systemPolicy: policy });
  expect(toScene(config).limits).toMatchObject([{ by: "policy", include: { value: [{ value: "view" }] } }]);
  expect(config.toolsets.map(({ name }) => name)).toEqual(["mine"]);
  expect(config.notices).toMatchObject([{ code: "config.policy-held", names: ["view"] }]);
});
