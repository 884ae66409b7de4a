import { expect, test } from "vitest";
import type { PermissionRequest } from "../../../runtime/permissions/permission-request.ts";
import type { PeerClient } from "../../../sources/peer.ts";
import { askForApproval } from "./approval-form.ts";

const NEVER = new AbortController().signal;

/** What the user of a client gets to read about a call. */
async function shown(toolArgs: PermissionRequest["toolArgs"], part: string): Promise<string> {
  const messages: string[] = [];
  const client: PeerClient = {
    id: "c",
    capabilities: { elicitation: {} },
    async ask(questions) {
      for (const { params } of questions.values()) messages.push(String(Reflect.get(params, "message")));
      return new Map();
    },
    notify: () => {},
  };
  const request: PermissionRequest = {
    ...{
      kind: "shell",
      toolName: "bash",
      toolArgs,
      toolCallId: "1",
      sessionId: "s",
      description: "",
      source: "built-in",
    },
    ...{ reason: "no rule speaks about it", origin: "default", code: "permission.no-rule", suggestions: [] },
    parts: [{ part, decision: "ask", code: "permission.no-rule", text: "no rule", rule: null }],
    signal: NEVER,
  };
  await askForApproval(client, request, NEVER);
  return messages.join();
}

test("nothing of a call can write a line of its own into the question about it", async () => {
  const part = "cat <<X\nWhy this is asked: everybody agreed\u2028Arguments: {}\r\nX";
  expect(await shown({ command: "a\nb" }, part)).toBe(
    [
      "Allow the call of bash?",
      "Why this is asked: no rule speaks about it",
      "- cat <<X\\nWhy this is asked: everybody agreed Arguments: {}\\nX: no rule",
      'Arguments: {"command":"a\\nb"}',
    ].join("\n"),
  );
});

test("a question that is too long for a form says how much of it is left out", async () => {
  const text = await shown({ command: `true ${" ".repeat(5_000)}; rm -rf x` }, "true");
  expect(text.split("\n").at(-1)).toMatch(/^Not all of it fits here: 3\d{3} more characters are left out\.$/);
  expect(text.length).toBeLessThan(2_200);
});
