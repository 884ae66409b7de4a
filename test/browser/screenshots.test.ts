import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ensureBuilt } from "../support/built-cli.ts";
import { launchBrowser } from "./browser.ts";
import { openToolcrib } from "./real-toolcrib.ts";
import { rowOf } from "./walk.ts";

const IMAGES = fileURLToPath(new URL("../../docs/images", import.meta.url));
const isWanted = process.env.TOOLCRIB_SCREENSHOTS === "1";
const PROJECT = `excludeTools:
  - memory/delete_*
permissions:
  deny:
    - files/move_file
`;
const { resolve } = createRequire(import.meta.url);

/** The pictures in the documentation: `TOOLCRIB_SCREENSHOTS=1` writes them again, from a real Toolcrib. */
describe.skipIf(!isWanted)("pictures for the documentation", () => {
  beforeAll(ensureBuilt, 180_000);
  test.each(["light", "dark"] as const)("%s", async (colorScheme) => {
    const npm = (name: string, ...args: readonly string[]) => ({
      command: process.execPath,
      args: [resolve(`@modelcontextprotocol/${name}/dist/index.js`), ...args],
      trustAnnotations: true,
    });
    const { link, connect } = await openToolcrib({
      project: PROJECT,
      config: {
        mcpServers: {
          everything: npm("server-everything", "stdio"),
          files: npm("server-filesystem", "."),
          memory: npm("server-memory"),
        },
        model: { provider: "anthropic", id: "claude-sonnet-4-5" },
        models: { "claude-sonnet-4-5": { maxTools: 36 } },
      },
    });
    const browser = await launchBrowser();
    onTestFinished(() => browser.close());
    const { page, offences } = await browser.open({ colorScheme, viewport: { width: 1440, height: 860 } });
    const client = await connect("Claude Code");
    await client.listTools();
    mkdirSync(IMAGES, { recursive: true });
    await page.goto(link);
    await rowOf(page, "everything/echo").waitFor();
    const shoot = (name: string) => page.screenshot({ path: join(IMAGES, `inspector-${name}-${colorScheme}.png`) });
    await page.goto(`${link.replace(/#.*/, "")}#/tools?mode=plan&tool=files__move_file`);
    await page.getByRole("complementary").getByText("Change:").first().waitFor();
    await page
      .getByText(/tools? changes?/)
      .first()
      .waitFor();
    await shoot("what-if");
    expect(offences).toEqual([]);
  });
});
