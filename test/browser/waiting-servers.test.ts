import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { needs } from "../support/machine.ts";
import { usePages } from "./real-toolcrib.ts";
import { expectSaid, goTo, rowOf } from "./walk.ts";

const PATIENCE = { timeout: 30_000 };
const SECRET = "ghp_canary4567890123456789012345678901";
const ECHO = join(import.meta.dirname, "../fixtures/echo-server.cjs");
const entry = (...more: readonly string[]) => ({
  command: process.execPath,
  args: [ECHO, ...more],
  env: { GITHUB_TOKEN: SECRET },
});
const files = { ".mcp.json": JSON.stringify({ mcpServers: { proj: entry() } }) };

/** Servers of the project's own files, on the page of a real `toolcrib up`. */
describe("servers that wait for trust", { ...needs("chromium") }, () => {
  const open = usePages();

  test("one is shown with its command, file and line, and starts with the button below them", async () => {
    const { page, toolcrib } = await open({ files });
    const written = join(toolcrib.machine.cwd, "toolcrib.yaml");
    await goTo(page, "Servers");
    const row = page.getByRole("list", { name: /^Servers/ }).locator("li", { hasText: "proj" });
    await row.getByText("waiting", { exact: true }).waitFor();
    await row.getByText("Details").click();
    await row.getByText("echo-server.cjs").waitFor();
    await row.getByText(".mcp.json:1", { exact: true }).waitFor();
    expect(await page.content()).not.toContain(SECRET);
    expect(existsSync(written)).toBe(false);

    await row.getByRole("button", { name: "Trust this entry and start proj" }).click();
    await expectSaid(page, /Trusted proj, which starts now/);
    await row.getByText("connected", { exact: true }).waitFor(PATIENCE);
    await row.getByText("toolcrib.yaml:2", { exact: true }).waitFor(PATIENCE);
    expect(await row.getByRole("button", { name: /^Trust/ }).count()).toBe(0);
    expect(readFileSync(written, "utf8")).not.toContain(SECRET);
    await goTo(page, "Tools");
    await rowOf(page, "proj/echo").getByText("visible").waitFor(PATIENCE);
  });

  test("one that changed since it was shown does not start, and the page says why", async () => {
    const { page, toolcrib } = await open({ files });
    await goTo(page, "Servers");
    const row = page.getByRole("list", { name: /^Servers/ }).locator("li", { hasText: "proj" });
    await row.getByText("Details").click();
    const button = row.getByRole("button", { name: "Trust this entry and start proj" });
    await button.waitFor();
    // While the click is on its way, or the page would show the new entry first.
    await page.route(/\/servers\/proj\/start$/, async (route) => {
      writeFileSync(
        join(toolcrib.machine.cwd, ".mcp.json"),
        JSON.stringify({ mcpServers: { proj: entry("--otherwise") } }),
      );
      await route.continue();
    });
    await button.click();
    await row.getByRole("alert").getByText("its entry changed since it was shown").waitFor();
    await row.getByText("--otherwise").waitFor();
    expect(existsSync(join(toolcrib.machine.cwd, "toolcrib.yaml"))).toBe(false);
  });
});
