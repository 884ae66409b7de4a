import { expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";

const read = (section: string, entry: string) => createWorkspace({ user: `${section}:\n  a: { ${entry} }\n` }).load();
const API = 'spec: "https://a.example.com/openapi.json", baseUrl: "https://a.example.com"';
const SERVER = 'url: "https://a.example.com/mcp"';

test("what everybody shares goes with `shared` alone, and headers that prove nothing with every kind (O10)", async () => {
  const { servers } = await read("openapi", `${API}, credentials: shared, auth: { app: secret }`);
  expect(servers.get("a")?.credentials).toMatchObject({ kind: "shared" });
  const own = await read("mcpServers", `${SERVER}, credentials: person, headers: { X-App: it }`);
  expect(own.servers.get("a")?.credentials).toMatchObject({ kind: "person" });
});

test.each([
  ["openapi", `${API}, credentials: person, auth: { app: secret }`, "its auth says who everybody is"],
  ["openapi", `${API}, credentials: none, auth: { app: secret }`, "its auth says who everybody is"],
  ["openapi", `${API}, credentials: { kind: key, header: x-key }, auth: { app: secret }`, "its auth says who"],
  ["openapi", 'spec: "https://a.example.com/openapi.json", credentials: signed', "which need a baseUrl"],
  ["mcpServers", `${SERVER}, credentials: none, headers: { authorization: it }`, "its headers say authorization"],
  [
    "mcpServers",
    `${SERVER}, credentials: { kind: key, header: X-Key }, headers: { x-key: it }`,
    "its headers say X-Key",
  ],
  ["mcpServers", "command: it, credentials: person", "a process has only a key of each person"],
])("in %s, { %s } is refused with its line", async (section, entry, text) => {
  await expect(read(section, entry)).rejects.toThrow(text);
  await expect(read(section, entry)).rejects.toThrow("config.yaml:2");
});
