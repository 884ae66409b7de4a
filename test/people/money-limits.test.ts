import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Crib } from "../../src/runtime/crib/crib.ts";
import { personProfile } from "../../src/runtime/crib/profile.ts";
import { askText } from "../../src/runtime/models/ask-text.ts";
import { findModel } from "../../src/runtime/models/find-model.ts";
import { openGateway } from "../gateway/world.ts";
import { untilHolds } from "../support/poll.ts";
import { newMachine, startUp } from "../support/running-up.ts";

const ECHO = join(import.meta.dirname, "../fixtures/echo-server.cjs");
const entry = () => ({ command: process.execPath, args: [ECHO] });

/** A provider of Chat Completions on loopback whose answers cost $0.01 each with gpt-4o, and how often it was asked. */
async function startProvider() {
  const counts = { asked: 0 };
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      counts.asked += 1;
      const message = { role: "assistant", content: "said" };
      const usage = { prompt_tokens: 0, completion_tokens: 1_000 };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }], usage }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return { counts, provider: { wire: "openai-chat", baseUrl: `http://127.0.0.1:${port}/v1`, stream: false } as const };
}

const PEOPLE = {
  publicUrl: "https://tools.example.com",
  profiles: { all: {} },
  auth: { people: [{ everybody: true, profile: "all" }] },
};

function profileOf(crib: Crib, subject: string) {
  const caller = { issuer: "https://idp", subject, client: null, groups: [], claims: [], name: null, email: null };
  return personProfile(crib.config, caller);
}

async function openWith(limits: readonly object[]) {
  const { counts, provider } = await startProvider();
  const passed: string[] = [];
  const { crib } = await openGateway(
    { mcpServers: { it: entry() }, gateway: { ...PEOPLE, limits } },
    { crib: { onLimitPassed: (text, principal) => void passed.push(`${principal}: ${text}`) } },
  );
  const ask = async (subject: string, name = "mine/gpt-4o"): Promise<string> => {
    const place = { env: {}, cwd: "/", providers: { mine: provider } };
    const model = await crib.limits.limitModel(await findModel(name, null, place), profileOf(crib, subject));
    const asking = askText(model, { task: "t", text: "x", maxTokens: 10 }, AbortSignal.timeout(10_000));
    return asking.then(
      ({ text }) => text,
      (error: Error) => error.message,
    );
  };
  return { crib, counts, passed, ask };
}

test("a model is not asked beyond a person's money, and its answers are counted", async () => {
  const { crib, counts, ask } = await openWith([{ money: 0.03, per: "month" }]);
  for (let at = 0; at < 3; at += 1) expect(await ask("ann")).toBe("said");
  const refused = await ask("ann");
  expect(refused).toMatch(
    /^the model was not asked: the limit of \$0\.03 for models a month for each person .* is reached/,
  );
  expect(counts.asked).toBe(3);
  expect(await ask("ben")).toBe("said");
  expect(await crib.limits.usage(profileOf(crib, "ann"))).toMatchObject([{ used: 30_000 }]);
  expect(crib.limits.figures()).toMatchObject([{ refused: 1 }]);
});

test("what nobody can price is refused by a hard limit, and runs under a soft one", async () => {
  const hard = await openWith([{ money: 1, per: "day" }]);
  expect(await hard.ask("ann", "mine/own-model")).toMatch(/the price of mine\/own-model is not known/);
  expect(hard.counts.asked).toBe(0);
  const soft = await openWith([{ money: 0.01, per: "month", soft: true }]);
  expect(await soft.ask("ann", "mine/own-model")).toBe("said");
  for (let at = 0; at < 3; at += 1) expect(await soft.ask("ann")).toBe("said");
  expect(soft.passed).toEqual([
    expect.stringMatching(/^ann@idp: The limit of \$0\.01 for models a month .* is passed/),
  ]);
});

test("a run from the inspector ends where the owner's money does", { timeout: 90_000 }, async () => {
  const { counts, provider } = await startProvider();
  const config = {
    ...{ model: "mine/gpt-4o", providers: { mine: provider }, mcpServers: { it: entry() } },
    gateway: { limits: [{ money: 0.01, per: "month" }] },
  };
  const machine = newMachine();
  const file = join(machine.home, ".config/toolcrib/config.yaml");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(config));
  const up = await startUp(machine);
  const ask = async (path: string, body?: object) => {
    const response = await fetch(new URL(path, up.document.inspector), {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${up.document.token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return response.json();
  };
  const run = async () => {
    const { id } = (await ask("/api/runs", { prompt: "say it" })) as { id: string };
    let details = "";
    await untilHolds(async () => {
      details = JSON.stringify(await ask(`/api/runs/${id}`));
      return !details.includes('"state":"running"');
    });
    return details;
  };
  expect(await run()).toContain("said");
  expect(await run()).toContain("the model was not asked: the limit of $0.01 for models a month");
  expect(counts.asked).toBe(1);
});
