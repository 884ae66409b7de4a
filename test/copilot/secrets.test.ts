import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRuntime } from "../support/copilot-client.ts";
import { startReplayServer } from "../support/replay-server.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

const SECRET = 'hunter2-"quoted"/4f1c';
const SHORT = "8443";

/** A streamed reply in pieces of that many characters. */
function toReply(text: string, call: object | null, size = 3) {
  const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
  const deltas = [...pieces.map((content) => ({ content })), ...(call === null ? [] : [{ tool_calls: [call] }])];
  const end = { delta: {}, finish_reason: call === null ? "stop" : "tool_calls" };
  const choices = [...deltas.map((delta) => ({ delta })), end].map((choice) => ({
    choices: [{ index: 0, ...choice }],
  }));
  return { body: [...choices.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), "data: [DONE]\n\n"].join("") };
}

const CALL = { index: 0, id: "c1", type: "function", function: { name: "look_up", arguments: "{}" } };

async function readAll(folder: string): Promise<string> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const texts = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), "latin1")));
  return texts.join("\n");
}

/** How a secret may stand in what is written or sent: as it is, in JSON, in JSON in JSON. */
const FORMS = [0, 1, 2].map((times) => {
  let form = SECRET;
  for (let at = 0; at < times; at += 1) form = JSON.stringify(form).slice(1, -1);
  return form;
});

test("what a client wants filtered reaches no client, no model, no file and no log, in pieces neither", async () => {
  const { project } = tempWorkspace();
  const home = join(project, "home");
  const long = `${"x ".repeat(40_000)} ${SECRET}`;
  await using model = await startReplayServer([
    toReply(`I heard ${SECRET} and port ${SHORT}.`, CALL),
    toReply(`Then ${SECRET}`, CALL, 1),
    toReply("Done.", null),
  ]);
  const runtime = startRuntime(home, project);
  const client = runtime.connect();
  const heard: unknown[] = [];
  client.answers.set("hooks.invoke", (params) => {
    heard.push(params);
    return params.hookType === "preToolUse" ? { output: { permissionDecision: "allow" } } : {};
  });
  const added = { values: [SECRET, SHORT, "on", ""] };
  expect(await client.request("secrets.addFilterValues", added)).toEqual({ ok: true });
  const provider = { type: "openai", baseUrl: model.url, apiKey: SECRET };
  const tools = [{ name: "look_up", description: "Looks something up" }];
  const sessionId = "s1";
  await client.request("session.create", { sessionId, model: "m", provider, tools, hooks: true, streaming: true });
  await client.request("session.send", { sessionId, prompt: `My password is ${SECRET}.` });
  for (const result of [{ k: SECRET }, long]) {
    const { requestId } = await client.next("external_tool.requested");
    await client.request("session.tools.handlePendingToolCall", { sessionId, requestId, result });
  }
  await client.next("session.idle");
  heard.push(await client.request("session.getMessages", { sessionId }));
  heard.push(
    await client.request("session.shell.executeUserRequested", {
      sessionId,
      requestId: "r",
      command: `printf '%s' '${SECRET}'`,
    }),
  );
  heard.push(await client.request("session.name.set", { sessionId, name: SECRET }));
  heard.push(await client.request("session.commands.invoke", { sessionId, name: SECRET }).catch(String));
  await client.request("session.detach", { sessionId });
  await runtime.server.close();

  // The conversation went on as it should, without the values.
  expect(model.seen).toHaveLength(3);
  const deltas = client.events.filter(({ type }) => type === "assistant.message_delta");
  expect(deltas.map(({ data }) => data.deltaContent).join("")).toBe(
    "I heard [hidden] and port [hidden].Then [hidden]Done.",
  );
  expect(model.seen.every(({ headers }) => headers.authorization === `Bearer ${SECRET}`)).toBe(true);
  const places = {
    clients: JSON.stringify([client.events, heard]),
    models: JSON.stringify(model.seen.map(({ body }) => body)),
    files: await readAll(home),
    log: runtime.notes.join("\n"),
  };
  const leaks = Object.entries(places).flatMap(([place, text]) =>
    FORMS.filter((form) => text.includes(form)).map((form) => [place, form]),
  );
  expect(leaks).toEqual([]);
  expect(places.models).toContain("My password is [hidden].");
  expect(places.files.includes("Output too large to read at once")).toBe(true);
  expect(places.log).toContain("too short to be told from ordinary text: 1");
});
