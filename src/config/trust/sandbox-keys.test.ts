import { expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";

const values = async (project: string, user = "") => {
  const files = { "toolcrib.yaml": project, ...(user === "" ? {} : { user }) };
  const { permissions, sandbox } = await createWorkspace(files).load();
  return [permissions.sandboxed.value, sandbox.hideDenied.value];
};

test("a project that nobody trusts changes neither which commands are asked about in the sandbox nor what they can read", async () => {
  expect(await values("")).toEqual(["ask", true]);
  expect(await values("permissions: { sandboxed: allow }\nsandbox: { hideDenied: true }")).toEqual(["ask", true]);
  expect(await values("sandbox: { hideDenied: false }")).toEqual(["ask", true]);
  const user = "permissions: { sandboxed: allow }\nsandbox: { hideDenied: false }";
  expect(await values("", user)).toEqual(["allow", false]);
  expect(await values("permissions: { sandboxed: ask }\nsandbox: { hideDenied: true }", user)).toEqual(["ask", false]);
});
