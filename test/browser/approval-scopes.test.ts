import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { needs } from "../support/machine.ts";
import { runHere } from "../support/running-up.ts";
import { type RealToolcrib, usePages } from "./real-toolcrib.ts";
import { goTo } from "./walk.ts";

/** What an answer in the page is good for: this call, this client, this project, this person. */
describe("how far an approval in the inspector reaches", { ...needs("chromium") }, () => {
  const openOne = usePages();

  async function open(config: object = {}): Promise<{ page: Page; toolcrib: RealToolcrib; client: Client }> {
    const { page, toolcrib } = await openOne({ config });
    await goTo(page, "Approvals");
    return { page, toolcrib, client: await toolcrib.connect("letter-writer") };
  }

  const files = ({ machine }: RealToolcrib) => ({
    project: join(machine.cwd, ".toolcrib", "grants.json"),
    user: join(machine.home, ".config", "toolcrib", "grants.json"),
  });
  const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
  const send = (client: Client, place: string) => {
    const calling = client.callTool({ name: "town__send_mail", arguments: { place } });
    // Awaited below; a test that fails before must not fail twice.
    calling.catch(() => {});
    return calling;
  };
  const sentTo = (place: string) => ({ content: [{ type: "text", text: `Sent to ${place}` }] });
  async function answer(page: Page, words: string): Promise<void> {
    await page.getByRole("heading", { name: "town/send_mail" }).waitFor();
    await page.getByRole("button", { name: words, exact: true }).click();
    await page.getByText("Nothing waits for an answer").waitFor();
  }
  /** Without an answer it would wait for ever; that one comes says that nobody was asked. */
  async function expectUnasked(page: Page, client: Client, place: string): Promise<void> {
    expect(await send(client, place)).toMatchObject(sentTo(place));
    expect(await page.getByRole("heading", { name: "town/send_mail" }).count()).toBe(0);
  }

  test.each([
    ["project", "Allow in this project"],
    ["user", "Always allow for me"],
  ] as const)(
    "%s: it is kept in that file, no call asks again, and what is revoked asks again",
    async (scope, words) => {
      const { page, toolcrib, client } = await open();
      const { cwd, env } = toolcrib.machine;
      const first = send(client, "the mayor");
      await page.getByText("Kept if you allow more than this once:").waitFor();
      await answer(page, words);
      expect(await first).toMatchObject(sentTo("the mayor"));

      const { project, user } = files(toolcrib);
      const kept = [expect.objectContaining({ scope, tool: "town/send_mail", expires: null })];
      expect(read(scope === "project" ? project : user).grants).toEqual(kept);
      if (scope === "user") expect(existsSync(project)).toBe(false);
      // A file that anybody could commit counts only with a word in the person's own.
      else expect(read(user)).toEqual({ version: 1, grants: [], vouched: [expect.any(String)] });

      await expectUnasked(page, client, "the sheriff");
      await expectUnasked(page, await toolcrib.connect("another"), "the judge");

      const { out } = await runHere(["grants", "--json"], { cwd, env });
      const [{ id }] = JSON.parse(out).grants;
      await runHere(["grants", "revoke", id], { cwd, env });
      const again = send(client, "the doctor");
      await answer(page, "Allow once");
      expect(await again).toMatchObject(sentTo("the doctor"));
      const third = send(client, "the baker");
      await answer(page, "Allow once");
      expect(await third).toMatchObject(sentTo("the baker"));
      expect(JSON.parse((await runHere(["grants", "--json"], { cwd, env })).out)).toEqual({ grants: [] });
    },
  );

  test("session: it is kept nowhere, and counts for that client alone", async () => {
    const { page, toolcrib, client } = await open();
    const first = send(client, "the mayor");
    await answer(page, "Allow in this session");
    expect(await first).toMatchObject(sentTo("the mayor"));
    await expectUnasked(page, client, "the sheriff");
    const { project, user } = files(toolcrib);
    expect([existsSync(project), existsSync(user)]).toEqual([false, false]);
    const other = send(await toolcrib.connect("another"), "the judge");
    await answer(page, "Allow once");
    expect(await other).toMatchObject(sentTo("the judge"));
  });

  test("what a rule asks about can be allowed once and no further, because it is asked about each time", async () => {
    const { page, client } = await open({ permissions: { ask: ["town/send_mail"] } });
    for (const place of ["the mayor", "the judge"]) {
      const calling = send(client, place);
      await page.getByText("It is asked about each time").waitFor();
      expect(await page.getByRole("button", { name: /allow/i }).allTextContents()).toEqual(["Allow once"]);
      await answer(page, "Allow once");
      expect(await calling).toMatchObject(sentTo(place));
    }
  });
});
