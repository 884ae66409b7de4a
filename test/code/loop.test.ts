import { expect, test } from "vitest";
import { createMachine, runCli } from "../support/run-cli.ts";

test("an agent's run calls tools from code, and the calls inside are shown (K5)", async () => {
  const code = "const text = await builtin.view({ path: 'notes.txt' });\\nreturn text.toUpperCase()";
  const { cwd, home } = createMachine({
    "play.yaml": `replies:\n  - calls: [{ tool: run_code, arguments: { code: "${code}" } }]\n  - text: It shouts.\n`,
    "notes.txt": "hello\n",
    user: "code: on\n",
  });
  const argv = ["run", "What?", "--model", "scripted:play.yaml", "--format", "stream-json"];
  const { out } = await runCli(argv, { cwd, env: { HOME: home } });
  const events: { readonly type: string; readonly data: Record<string, unknown> }[] = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const ended = events.filter(({ type }) => type === "tool.execution_complete").map(({ data }) => data);
  expect(ended).toMatchObject([
    { toolName: "view", resultType: "success" },
    { toolName: "run_code", resultType: "success", content: expect.stringContaining("HELLO") },
  ]);
});
