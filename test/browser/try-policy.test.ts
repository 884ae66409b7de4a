import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { needs } from "../support/machine.ts";
import { usePages } from "./real-toolcrib.ts";
import { expectSaid, goTo, overflow, seriousViolations } from "./walk.ts";

/** A policy that nobody uses yet is written on the page, and tried on calls that were made in front of it (O17). */
describe("a policy that is tried on the page", { ...needs("chromium") }, () => {
  const openOne = usePages();

  async function afterOneCall() {
    const opened = await openOne({ project: "permissions:\n  allow: [town/forecast]\n" });
    const client = await opened.toolcrib.connect("traveller");
    await client.callTool({ name: "town__forecast", arguments: { place: "Ulm" } });
    await goTo(opened.page, "Changes");
    await opened.page.getByText("Try a policy on the log").click();
    return opened;
  }

  test("shows which calls would go otherwise and who would lose the tool, and changes nothing", async () => {
    const { page, toolcrib } = await afterOneCall();
    const before = readFileSync(join(toolcrib.machine.cwd, "toolcrib.yaml"), "utf8");
    const town = JSON.parse(
      readFileSync(join(toolcrib.machine.home, ".config/toolcrib/config.yaml"), "utf8"),
    ).mcpServers;
    const policy = JSON.stringify({ mcpServers: town, permissions: { ask: ["town/forecast"] } });
    await page.getByLabel("The policy").fill(policy);
    await page.getByRole("button", { name: "Try it" }).click();

    const trial = page.getByRole("region", { name: "What it would have meant" });
    await trial.getByText("1 call judged.").waitFor();
    await expectSaid(page, /Tried it on 1 call/);
    const changed = trial.getByRole("table", { name: "Calls that would go otherwise" });
    await changed.getByRole("row", { name: /town\/forecast allowed → asked permission\.asked/ }).waitFor();
    const outcomes = trial.getByRole("table", { name: "Calls by outcome" });
    await outcomes.getByRole("row", { name: "asked 0 1" }).waitFor();
    await outcomes.getByRole("row", { name: "allowed 1 0" }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(readFileSync(join(toolcrib.machine.cwd, "toolcrib.yaml"), "utf8")).toBe(before);
  });

  test("says where a policy is wrong, and what was written is still there", async () => {
    const { page } = await afterOneCall();
    await page.getByLabel("The policy").fill("permissions:\n  alow: [town/forecast]\n");
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByRole("alert").getByText("alow").waitFor();
    expect(await page.getByLabel("The policy").inputValue()).toContain("alow");
  });
});
