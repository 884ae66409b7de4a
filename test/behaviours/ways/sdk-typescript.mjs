// @ts-nocheck The package and its types are not installed with this one.
// Runs apps of the table with the npm package that lies in COPILOT_SDK: one line of JSON in for each, one out.
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const sdk = await import(pathToFileURL(join(process.env.COPILOT_SDK, "dist/index.js")).href);
const ANSWERS = {
  approve: { kind: "approve-once" },
  reject: { kind: "reject", feedback: "not today" },
  "allow-by-decision": { decision: "allow" },
  "deny-by-decision": { decision: "deny", reason: "not today" },
};
const PATIENCE = 60_000;
const plain = (value) => JSON.parse(JSON.stringify(value));
const client = new sdk.CopilotClient({ env: { ...process.env } });

for await (const line of createInterface({ input: process.stdin })) {
  const { app, place } = JSON.parse(line);
  const seen = { replies: [], events: [], history: [], calls: [], questions: [] };
  try {
    await run(app, place, seen);
  } catch (error) {
    seen.failure = String(error?.stack ?? error);
  }
  process.stdout.write(`${JSON.stringify(seen)}\n`);
}
await client.stop();

async function run(
  { model = "claude-sonnet-4.5", tools = [], permission = "approve", options = {}, acts },
  place,
  seen,
) {
  const config = {
    ...{
      model,
      workingDirectory: place.cwd,
      provider: { type: "openai", baseUrl: place.modelUrl, apiKey: "key-of-the-app" },
    },
    ...options,
    tools: tools.map((tool) => toTool(tool, seen)),
    onEvent: (event) => seen.events.push(plain(event)),
  };
  if (permission !== null)
    config.onPermissionRequest = async (request) => {
      seen.questions.push(plain(request));
      return ANSWERS[permission];
    };
  let session = await client.createSession(config);
  for (const act of acts) {
    if ("send" in act) seen.replies.push(await say(session, act, place.cwd));
    else if ("setModel" in act) await session.setModel(act.setModel);
    else if ("setMode" in act) await session.rpc.mode.set({ mode: act.setMode });
    else {
      const { sessionId } = session;
      await session.disconnect();
      session = await client.resumeSession(sessionId, config);
    }
  }
  seen.history.push(...plain(await session.getEvents()));
  await session.disconnect();
}

function toTool({ name, returns, throws, ...about }, seen) {
  return sdk.defineTool(name, {
    description: name,
    parameters: { type: "object" },
    ...about,
    handler: async (args) => {
      seen.calls.push({ name, arguments: args });
      if (throws !== undefined) throw new Error(throws);
      return returns;
    },
  });
}

async function say(session, { send, attachments = [] }, cwd) {
  const whole = attachments.map((one) => (one.path === undefined ? one : { ...one, path: join(cwd, one.path) }));
  try {
    const reply = await session.sendAndWait(
      { prompt: send, ...(whole.length > 0 ? { attachments: whole } : {}) },
      PATIENCE,
    );
    return reply?.data.content ?? null;
  } catch (error) {
    return { error: error.message };
  }
}
