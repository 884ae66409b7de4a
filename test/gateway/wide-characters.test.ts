import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { connect } from "./clients.ts";
import { openGateway } from "./world.ts";

const SERVER = fileURLToPath(new URL("../fixtures/changing-server.cjs", import.meta.url));
let folder = "";

afterEach(() => rmSync(folder, { recursive: true }));

test.each([
  ["a few wide characters", "Naïve — costs 5 € → pays “well” \\u20ac 😀 in Zürich"],
  ["hardly any other", "日本語の説明文です。これは道具の説明です。".repeat(200)],
])("a list with %s says what its server said", async (_, description) => {
  folder = mkdtempSync(join(tmpdir(), "toolcrib-wide-"));
  const file = join(folder, "definition.json");
  writeFileSync(file, JSON.stringify({ description }));
  const { url } = await openGateway({
    mcpServers: { it: { command: process.execPath, args: [SERVER, file] } },
    includeTools: ["it"],
    toolSearch: "off",
  });
  for (const era of ["legacy", "modern"] as const) {
    const { client } = await connect(url, era);
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "it__quote")?.description).toBe(description);
  }
});
