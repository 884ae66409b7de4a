import { expect, test } from "vitest";
import { createApprovals } from "../../../runtime/crib/approvals.ts";
import { guardApprovals } from "../../../runtime/crib/guarded-approvals.ts";
import type { PermissionRequest } from "../../../runtime/permissions/permission-request.ts";
import type { Io } from "../terminal/io.ts";
import { askOnTerminal } from "./up-approvals.ts";

const NEVER = new AbortController().signal;

function request(toolName: string, toolArgs: Readonly<Record<string, unknown>> = {}): PermissionRequest {
  return {
    ...{ kind: "mcp", toolName, toolArgs, toolCallId: "1", sessionId: "s", description: "" },
    ...{
      parts: [],
      reason: "no rule covers it",
      origin: "default",
      source: "server s",
      code: "permission.no-rule",
      suggestions: [],
      signal: NEVER,
    },
  };
}

function terminal() {
  let shown = "";
  let typed: (line: string) => void = () => {};
  const io = {
    err: (text: string) => {
      shown += text;
    },
    onLine: (listener: (line: string) => void) => {
      typed = listener;
      return () => {};
    },
  };
  const take = (): string => {
    const text = shown;
    shown = "";
    return text;
  };
  // Of the process it uses these two alone.
  return { io: io as unknown as Io, take, type: (line: string) => typed(line) };
}

test("calls are asked about one after the other, and the answer says who gave it", async () => {
  const approvals = guardApprovals(createApprovals(), { onRefused: () => {} });
  const { io, take, type } = terminal();
  askOnTerminal(approvals, io);
  const [one, two] = [
    approvals.ask(request("a"), { client: "claude" }, NEVER),
    approvals.ask(request("b"), { client: "cursor" }, NEVER),
  ];
  expect(take()).toMatch(/^\nclaude: a .*wants to run/);
  type("y");
  expect(await one).toMatchObject({ decision: "allow", scope: "once", by: "the user at the terminal" });
  expect(take()).toMatch(/cursor: b .*wants to run/);
  type("");
  expect(await two).toMatchObject({ decision: "deny" });
  type("y");
  expect(approvals.pending).toEqual([]);
});

test("an answer that was not offered is no yes", async () => {
  const approvals = guardApprovals(createApprovals(), { onRefused: () => {} });
  const { io, take, type } = terminal();
  askOnTerminal(approvals, io);
  const one = approvals.ask(request("a"), { client: "claude" }, NEVER);
  expect(take()).toContain("Allow it? [y]es once, [N]o");
  type("p");
  expect(await one).toMatchObject({ decision: "deny" });
});

test("an answer that was meant for another question counts for none", async () => {
  const approvals = guardApprovals(createApprovals(), { onRefused: () => {} });
  const { io, take, type } = terminal();
  askOnTerminal(approvals, io);
  void approvals.ask(request("harmless"), { client: "claude" }, NEVER);
  const dangerous = approvals.ask(request("dangerous"), { client: "claude" }, NEVER);
  const [first] = approvals.pending;
  take();
  void approvals.answer(first?.id ?? "", { decision: "allow", by: "the inspector" });
  expect(take()).toMatch(/answered elsewhere[\s\S]*dangerous .*wants to run/);
  type("y");
  expect(take()).toContain("answer again");
  expect(approvals.pending).toHaveLength(1);
  approvals.close();
  expect(await dangerous).toMatchObject({ decision: "deny" });
});

test("nothing of a call steers the terminal", () => {
  const approvals = guardApprovals(createApprovals(), { onRefused: () => {} });
  const { io, take } = terminal();
  askOnTerminal(approvals, io);
  void approvals.ask(request("a\u001b[2J", { x: "\u202e\u001b]0;t\u0007" }), { client: "evil\u001b[31m\r" }, NEVER);
  expect(take()).toMatch(/^[\n -~]*$/);
  approvals.close();
});
