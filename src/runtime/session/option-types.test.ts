import { expect, test } from "vitest";
import { agentShape, fileShape } from "../../config/file-shape.ts";
import { serverShape } from "../../config/server-shape.ts";
import type { Shape } from "../../config/shape.ts";
import { createSession } from "./create-session.ts";
import type { AgentOption, McpServerOption, OverrideOption } from "./option-types.ts";

const keysOf = (shape: Shape | undefined): readonly string[] =>
  shape?.kind === "map" ? keysOf(shape.of) : shape?.kind === "record" ? Object.keys(shape.fields).sort() : [];

/** Every key of each type, with a value that it allows. */
const SERVER: Required<Omit<McpServerOption, "url" | "headers" | "oauth">> = {
  type: "local",
  command: "nothing",
  args: ["-v"],
  env: { PORT: 8080, DEBUG: true, NAME: "" },
  cwd: ".",
  tools: ["*"],
  timeout: 5,
  defer: "never",
  group: null,
  trustAnnotations: false,
  isolation: "client",
  enabled: false,
};
const REMOTE: Required<Pick<McpServerOption, "url" | "headers" | "oauth">> = {
  url: "https://mcp.example/",
  headers: { "x-number": 1 },
  oauth: { clientId: "a", clientSecret: "b", scope: "c", callbackPort: 4_000 },
};
const AGENT: Required<AgentOption> = {
  name: "reader",
  description: "",
  prompt: "Read.",
  tools: null,
  disallowedTools: ["edit"],
  toolGroups: null,
  mcpServers: { own: SERVER },
  skills: [],
  model: null,
  defer: "auto",
};
const OVERRIDE: Required<OverrideOption> = {
  name: "look",
  description: "Looks",
  timeout: 5,
  defer: "never",
  group: "files",
  traits: { readOnly: true, interrupt: "cancel" },
  examples: ["show me the file"],
};

test("the types of servers, agents and overrides have the keys that a configuration file may have", () => {
  expect(Object.keys({ ...SERVER, ...REMOTE }).sort()).toEqual(keysOf(serverShape));
  expect(Object.keys(AGENT).sort()).toEqual(keysOf(agentShape));
  expect(Object.keys(OVERRIDE).sort()).toEqual(keysOf(fileShape.fields.toolOverrides));
});

test("whatever the types allow is taken", async () => {
  const session = await createSession({
    workspace: null,
    mcpServers: { here: SERVER, there: { ...REMOTE, enabled: false } },
    customAgents: [AGENT],
    toolOverrides: { view: OVERRIDE },
  });
  expect([...session.toolset.scene.servers.keys()].sort()).toEqual(["here", "there"]);
  await session.close();
});
