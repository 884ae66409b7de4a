import { expect, onTestFinished, test, vi } from "vitest";
import { defineTool } from "../../../core/tool/define-tool.ts";
import { createScriptedModel } from "../../models/scripted-model.ts";
import { createSession } from "../library.ts";

/** A run in the middle of a call that ends when it is told to stop, or when the test says so. */
async function inCall(interrupt: "cancel" | "finish") {
  let [isRunning, end] = [false, (): void => {}];
  const work = defineTool("work", {
    description: "Works for long",
    traits: { interrupt },
    handler: async (_args, { signal }) => {
      isRunning = true;
      await new Promise<void>((resolve) => {
        end = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      return "worked";
    },
  });
  const modelClient = createScriptedModel({ replies: [{ calls: [{ tool: "work", arguments: {} }] }, { text: "ok" }] });
  const session = await createSession({ workspace: null, builtins: [], tools: [work], modelClient });
  onTestFinished(() => session.close());
  const run = session.run("go");
  await vi.waitUntil(() => isRunning, { timeout: 30_000 });
  const results = async () => {
    expect(await run).toMatchObject({ stopReason: "end", text: "ok" });
    const history = await session.history();
    expect(JSON.stringify(history)).toContain("do something else");
    return history.flatMap((one) => (one.role === "answers" ? one.answers.map(({ result }) => result) : []));
  };
  return { session, end: () => end(), results };
}

test("a message that joins a run interrupts a call whose tool lets itself be cancelled", async () => {
  const { session, results } = await inCall("cancel");
  session.send("do something else", { mode: "immediate" });
  expect(await results()).toMatchObject([{ cancelledBy: "user" }]);
});

test("a call that wants to finish does, and neither do notices interrupt anything", async () => {
  for (const [interrupt, source] of [
    ["finish", undefined],
    ["cancel", "notification"],
  ] as const) {
    const { session, end, results } = await inCall(interrupt);
    session.send("do something else", { mode: "immediate", ...(source && { source }) });
    // A call that is interrupted would be by now.
    await session.history();
    await new Promise((resolve) => setImmediate(resolve));
    end();
    expect(await results()).toMatchObject([{ textResultForLlm: "worked" }]);
  }
});
