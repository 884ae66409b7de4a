import { expect, test } from "vitest";
import { agentShape } from "../../../config/shape/agent-shape.ts";
import { apiShape } from "../../../config/shape/api-shape.ts";
import { fileShape } from "../../../config/shape/file-shape.ts";
import { serverShape } from "../../../config/shape/server-shape.ts";
import type { Shape } from "../../../core/shape/shape.ts";
import { createSession } from "../library.ts";
import type {
  AgentOption,
  ExtensionOption,
  McpServerOption,
  ModelOption,
  OpenApiOption,
  OverrideOption,
  PermissionsOption,
} from "./option-types.ts";

const keysOf = (shape: Shape | undefined): readonly string[] =>
  shape?.kind === "map" || shape?.kind === "list"
    ? keysOf(shape.of)
    : shape?.kind === "record"
      ? Object.keys(shape.fields).sort()
      : [];

const OAUTH: Required<NonNullable<McpServerOption["oauth"]>> = {
  ...{ clientId: "a", clientSecret: "b", scope: "c", callbackPort: 4_000, resource: "omit", audience: "d" },
  authorizationUrl: "https://login.example/authorize",
  tokenUrl: "https://login.example/token",
  revocationUrl: "https://login.example/revoke",
};
/** Every key of each type, with a value that it allows. */
const SERVER: Required<Omit<McpServerOption, "url" | "headers" | "oauth">> = {
  type: "local",
  command: "nothing",
  args: ["-v"],
  env: { PORT: 8080, DEBUG: true, NAME: "" },
  cwd: ".",
  tools: ["*"],
  timeout: 5,
  startTimeout: 5,
  inheritEnv: ["A_TOKEN"],
  envFile: ".env",
  feature: "servers",
  defer: "never",
  group: null,
  trustAnnotations: false,
  isolation: "client",
  credentials: "none",
  enabled: false,
};
const REMOTE: Required<Pick<McpServerOption, "url" | "headers" | "oauth">> = {
  url: "https://mcp.example/",
  headers: { "x-number": 1 },
  oauth: OAUTH,
};
const API: Required<OpenApiOption> = {
  spec: "./petstore.yaml",
  baseUrl: "https://api.example/",
  headers: { "x-number": 1 },
  auth: { key: "k" },
  tokenUrl: "https://login.example/token",
  oauth: OAUTH,
  credentials: "shared",
  include: ["get*"],
  exclude: ["tag:old"],
  refs: ["https://schemas.example/"],
  tools: ["*"],
  timeout: 5,
  startTimeout: 5,
  feature: "apis",
  defer: "never",
  group: null,
  trustAnnotations: false,
  enabled: false,
};
const AGENT: Required<AgentOption> = {
  name: "reader",
  description: "",
  prompt: "Read.",
  tools: null,
  disallowedTools: ["edit"],
  toolGroups: null,
  mcpServers: { own: SERVER },
  acp: { command: "agent", args: [], env: {}, cwd: "." },
  skills: [],
  model: null,
  defer: "auto",
  coordinator: false,
  maxTurns: 20,
  worktree: false,
  background: false,
  permissionMode: "plan",
  hooks: { preToolUse: [{ command: "true", matcher: "edit", args: [], timeout: 5, dialect: "claude" }] },
};
const EXTENSION: Required<ExtensionOption> = {
  name: "jira",
  command: "nothing",
  args: [],
  env: { PORT: 8080 },
  cwd: ".",
};
const MODEL: Required<ModelOption> = {
  variants: ["edit:patch"],
  maxTools: 64,
  contextWindow: 100_000,
  capabilities: { vision: true, toolSearch: "native" },
  instructions: "Be brief.",
};
const PERMISSIONS: Required<PermissionsOption> = {
  mode: "plan",
  allow: ["view"],
  ask: [{ rule: "edit" }],
  deny: [],
  additionalDirectories: ["."],
  hostTools: "ask",
  classifier: null,
  sandboxed: "ask",
};
const OVERRIDE: Required<OverrideOption> = {
  name: "look",
  description: "Looks",
  timeout: 5,
  defer: "never",
  group: "files",
  traits: { readOnly: true, interrupt: "cancel" },
  examples: ["show me the file"],
  id: "look-1",
  feature: "looking",
  internal: "coordinator-only",
};

test("the types of options have the keys that a configuration file may have", () => {
  expect(Object.keys({ ...SERVER, ...REMOTE }).sort()).toEqual(keysOf(serverShape));
  expect(Object.keys(API).sort()).toEqual(keysOf(apiShape));
  expect(Object.keys(AGENT).sort()).toEqual(keysOf(agentShape));
  expect(Object.keys(EXTENSION).sort()).toEqual(keysOf(fileShape.fields.extensions));
  expect(Object.keys(MODEL).sort()).toEqual(keysOf(fileShape.fields.models));
  expect(Object.keys(PERMISSIONS).sort()).toEqual(keysOf(fileShape.fields.permissions));
  expect(Object.keys(OVERRIDE).sort()).toEqual(keysOf(fileShape.fields.toolOverrides));
});

test("whatever the types allow is taken", async () => {
  const session = await createSession({
    workspace: null,
    mcpServers: { here: SERVER, there: { ...REMOTE, enabled: false } },
    openapi: { pets: API },
    customAgents: [AGENT],
    toolOverrides: { view: OVERRIDE },
    extensions: [EXTENSION],
    model: "my-model",
    models: { "my-*": MODEL },
    permissions: PERMISSIONS,
  });
  expect(session.toolset.scene.model).toMatchObject({ id: "my-model", maxTools: 64 });
  expect(session.toolset.scene.mode.value).toBe("plan");
  expect([...session.toolset.scene.servers.keys()].sort()).toEqual(["here", "pets", "there"]);
  await session.close();
});
