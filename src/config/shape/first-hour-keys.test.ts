import { describe, expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";

const WIDE = `builtins: all
gateway:
  builtins: [bash]
  knownClients: { "claude-": { ownSearch: true, maxTools: null } }
permissions: { hostTools: allow }
models: { "gpt-*": { maxTools: 9, instructions: "Say hello." } }
toolOverrides: { view: { id: look, feature: looking, internal: coordinator-only } }
toolsets: { readers: { id: "set-1", members: [view] }, plain: [grep] }
agents: [{ name: lead, coordinator: true }]
mcpServers:
  docs: { command: node, startTimeout: 5, inheritEnv: [HOME_TOKEN], envFile: .env, feature: docs }
tools: [{ name: t, use: "./t.js:t", id: t-1, feature: f, internal: dynamic-context }]
`;
const FILE = { "toolcrib.yaml": WIDE };

describe("what a file says", () => {
  test("arrives with its types", async () => {
    const { load } = createWorkspace(FILE);
    const config = await load({ config: "toolcrib.yaml" });
    expect(config.builtins).toMatchObject({ value: "all", origin: { file: "toolcrib.yaml", line: 1 } });
    expect(config.gateway.builtins?.value).toEqual(["bash"]);
    expect(config.gateway.knownClients.get("claude-")).toMatchObject({
      ownSearch: true,
      maxTools: null,
      listChanged: null,
    });
    expect(config.models.get("gpt-*")?.value.instructions).toBe("Say hello.");
    expect(config.toolOverrides.get("view")).toMatchObject({
      id: { value: "look" },
      feature: { value: "looking" },
      internal: { value: "coordinator-only" },
    });
    expect(config.toolsets).toMatchObject([
      { id: "set-1", name: "readers", members: { value: [{ value: "view" }] } },
      { id: "toolset:plain", name: "plain", members: { value: [{ value: "grep" }] } },
    ]);
    expect(config.agents.get("lead")?.coordinator.value).toBe(true);
    expect(config.servers.get("docs")).toMatchObject({
      startTimeout: { value: 5 },
      inheritEnv: { value: ["HOME_TOKEN"] },
      feature: { value: "docs" },
    });
    expect(config.tools[0]).toMatchObject({ id: "t-1", feature: "f", internal: "dynamic-context" });
  });

  test("is left to each program where nobody says anything", async () => {
    const config = await createWorkspace().load();
    expect(config.builtins).toBeNull();
    expect(config.gateway).toMatchObject({ builtins: null, knownClients: new Map() });
    expect(config.permissions.hostTools.value).toBe("allow");
    expect(config.policy.connect.value).toBe("allow");
  });
});

test("what does more than narrow counts in a trusted workspace only", async () => {
  const config = await createWorkspace(FILE).load();
  expect(config.builtins).toBeNull();
  expect(config.gateway).toMatchObject({ builtins: null, knownClients: new Map() });
  expect(config.models.size).toBe(0);
  expect(config.toolOverrides.size).toBe(0);
  expect(new Set(config.trust.items.map(({ path }) => path))).toEqual(
    new Set([
      "builtins",
      "gateway.builtins",
      "gateway.knownClients.claude-",
      "models.gpt-*",
      "toolOverrides.view",
      "agents[]",
      "mcpServers.docs",
      "tools[]",
    ]),
  );
});

test.each(["off", "[]"])("builtins: %s only narrows", async (value) => {
  const file = `builtins: ${value}\ngateway: { builtins: ${value} }\npermissions: { hostTools: ask }`;
  const config = await createWorkspace({ "toolcrib.yaml": file }).load();
  expect(config.trust.items).toEqual([]);
  expect(config.builtins?.value).toEqual(value === "[]" ? [] : value);
  expect(config.permissions.hostTools.value).toBe("ask");
});

test("a set cannot take a name that policy restricts by, with its id either", async () => {
  const { load } = createWorkspace({
    "toolcrib.yaml": "toolsets: { mine: { id: bash, members: [view] } }",
    policy: "excludeTools: [bash]\npolicy: { connect: deny }",
  });
  const config = await load();
  expect(config.toolsets).toEqual([]);
  expect(config.policy.connect.value).toBe("deny");
});
