import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startRuntime } from "../support/copilot-client.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

/** A service that knows one token, and keeps with which ones it was asked to speak. */
async function startService() {
  const spoken: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const { url, headers } = request;
    request.resume();
    response.setHeader("content-type", "application/json");
    if (url === "/copilot_internal/user") {
      const isKnown = headers.authorization === "Bearer ada-token";
      response.statusCode = isKnown ? 200 : 401;
      response.end(JSON.stringify(isKnown ? { login: "ada", copilot_plan: "individual" } : {}));
    } else if (url === "/models") response.end(JSON.stringify({ data: [] }));
    else {
      spoken.push(headers.authorization);
      const message = { role: "assistant", content: "Yes." };
      response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { spoken, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const HOST = "https://github.com";
const ADA = { type: "user", host: HOST, login: "ada" };

test("who logs in is known to that client alone, and its sessions ask models with that token", async () => {
  const { spoken, url } = await startService();
  const { project } = tempWorkspace();
  const runtime = startRuntime(join(project, "home"), project, { COPILOT_API_URL: url });
  const [client, other] = [runtime.connect(), runtime.connect()];
  expect(await client.request("account.getCurrentAuth")).toEqual({});
  await expect(client.request("account.login", { host: HOST, login: "eve", token: "stolen" })).rejects.toThrow("401");
  expect(await client.request("account.login", { host: HOST, token: "ada-token" })).toEqual({ storedInVault: false });
  expect(await client.request("account.getCurrentAuth")).toEqual({ authInfo: ADA });
  expect(await client.request("account.getAllUsers")).toEqual([]);
  expect(await client.request("auth.getStatus")).toMatchObject({ isAuthenticated: true, login: "ada" });
  expect(await other.request("account.getCurrentAuth")).toEqual({});
  expect(await other.request("auth.getStatus")).toEqual({ isAuthenticated: false });
  for (const [each, sessionId] of [
    [client, "one"],
    [other, "two"],
  ] as const) {
    await each.request("session.create", { sessionId });
    await each.request("session.sendAndWait", { sessionId, prompt: "Hi" });
  }
  expect(spoken).toEqual(["Bearer ada-token", undefined]);
  expect(await client.request("account.logout", { authInfo: ADA })).toEqual({ hasMoreUsers: false });
  expect(await client.request("account.getCurrentAuth")).toEqual({});
});

test("a fleet is started with what to do and how", async () => {
  const { project } = tempWorkspace();
  const script = join(project, "script.json");
  await writeFile(script, JSON.stringify({ replies: [{ text: "All done." }] }));
  const client = startRuntime(join(project, "home"), project).connect();
  await client.request("session.create", { sessionId: "s", model: `scripted:${script}` });
  expect(await client.request("session.fleet.start", { sessionId: "s", prompt: "Port it." })).toEqual({
    started: true,
  });
  await client.next("session.idle");
  const { content } = client.events.find(({ type }) => type === "user.message")?.data ?? {};
  expect(content).toMatch(/several agents.*\n\nPort it\.$/s);
});
