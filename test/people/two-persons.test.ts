import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { createMemoryTables } from "../../src/runtime/store/memory-tables.ts";
import { type Answered, createWanderer } from "../gateway/machines.ts";
import { giveTokens, openPeopleGateway } from "./world.ts";

const ECHO = join(import.meta.dirname, "../fixtures/echo-server.cjs");
const server = { command: process.execPath, args: [ECHO] };
const CONFIG = { mcpServers: { red: server, blue: server }, permissions: { allow: ["*"] }, toolSearch: "off" };
const SETTINGS = {
  profiles: { reds: { include: ["red/*"] }, blues: { include: ["blue/*"] } },
  auth: {
    keys: [Buffer.alloc(32, 7).toString("base64")],
    people: [
      { group: ["reds"], profile: "reds" },
      { group: ["blues"], profile: "blues" },
    ],
  },
};

const PERSONS = [
  { subject: "rachel", groups: ["reds"], name: "Rachel Canary-R", email: "canary-r@example.com", own: "red" },
  { subject: "boris", groups: ["blues"], name: "Boris Canary-B", email: "canary-b@example.com", own: "blue" },
] as const;

/** One step: who does what, at which machine, with how many turns of the loop before the next step begins. */
const step = fc.record({
  who: fc.constantFrom(0, 1),
  machine: fc.integer({ min: 0, max: 2 }),
  what: fc.constantFrom("open", "list", "call", "ping", "theirs", "refresh", "end"),
  isAlone: fc.boolean(),
});

test("two persons over three machines: no byte of one's secrets, lists, results or handles in the other's (O7)", async () => {
  const tables = createMemoryTables();
  const machines = await Promise.all(
    [0, 1, 2].map(async () => {
      const store = createStore(createMemoryBackEnd(tables));
      const world = await openPeopleGateway(SETTINGS, { config: CONFIG, store });
      return { ...world, url: `${world.door.origin}/mcp` };
    }),
  );
  const [first] = machines;
  if (first === undefined) throw new Error("there are three machines");
  let number = 0;
  let own = 0;

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 24 }), async (steps) => {
      const people = await Promise.all(
        PERSONS.map(async (person) => {
          const { own, ...caller } = person;
          const given = await giveTokens(first, caller);
          return {
            ...person,
            given,
            clients: [] as ReturnType<typeof createWanderer>[],
            secrets: [own === "red" ? "canary-r" : "canary-b"],
            seen: [] as string[],
          };
        }),
      );
      const secretsOf = ({ given, clients, secrets, own }: (typeof people)[number]) => [
        ...secrets,
        ...[given.accessToken, given.refreshToken ?? ""],
        ...clients.flatMap(({ session }) => session ?? []),
        `${own}__echo`,
      ];
      const running: Promise<void>[] = [];
      for (const { who, machine, what, isAlone } of steps) {
        const [me, other] = who === 0 ? [people[0], people[1]] : [people[1], people[0]];
        const place = machines[machine];
        if (me === undefined || other === undefined || place === undefined) continue;
        const run = async (): Promise<void> => {
          const client = me.clients.at(-1);
          const keep = (answer: Answered): void => void me.seen.push(JSON.stringify(answer));
          switch (what) {
            case "open": {
              const opened = createWanderer(me.given.accessToken);
              await opened.initialize(place.url);
              me.clients.push(opened);
              return;
            }
            case "list":
              if (client !== undefined) keep(await client.request(place.url, "tools/list"));
              return;
            case "call": {
              const text = `canary-${me.own[0]}-${++number}`;
              me.secrets.push(text);
              const params = { name: `${me.own}__echo`, arguments: { text } };
              if (client !== undefined) keep(await client.request(place.url, "tools/call", params));
              return;
            }
            case "ping":
              if (client !== undefined) keep(await client.request(place.url, "ping"));
              return;
            case "theirs": {
              // With one's own token, and the other's session.
              const session = other.clients.at(-1)?.session;
              if (session === undefined || session === null) return;
              const headers = {
                ...{ authorization: `Bearer ${me.given.accessToken}`, "mcp-session-id": session },
                ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
              };
              const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
              const answer = await fetch(place.url, { method: "POST", headers, body });
              expect(answer.status).toBe(404);
              me.seen.push((await answer.text()).replaceAll(session, ""));
              return;
            }
            case "refresh": {
              const client = "https://claude.ai/client.json";
              const next = await place.authorizations.refresh(me.given.refreshToken ?? "", client);
              if (next === null) return;
              me.secrets.push(next.accessToken, next.refreshToken ?? "");
              expect(await place.tryToken(next.accessToken)).toBe(200);
              return;
            }
            case "end":
              if (client === undefined) return;
              me.clients.pop();
              keep(await client.request(place.url, "ping"));
          }
        };
        running.push(run());
        if (isAlone) await Promise.all(running);
      }
      await Promise.all(running);
      for (const [at, me] of people.entries()) {
        const all = me.seen.join("\n");
        own += me.secrets.filter((secret) => all.includes(secret)).length;
        const foreign = secretsOf(people[1 - at] ?? me).filter((secret) => secret !== "");
        for (const secret of foreign) expect(all).not.toContain(secret);
      }
    }),
    { numRuns: 25 },
  );
  // Both had answers of their own, or the rest would say nothing.
  expect(own).toBeGreaterThan(10);
  for (const { notes } of machines)
    expect(JSON.stringify(notes.filter(({ type }) => type !== "session.principal_mismatch"))).not.toContain("canary-");
}, 120_000);
