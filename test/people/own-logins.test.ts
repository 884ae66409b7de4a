import fc from "fast-check";
import { expect, test } from "vitest";
import { createWanderer } from "../gateway/machines.ts";
import { found, logIn, openUpstreamWorld, SERVERS, type ServerName, WITH_LOGINS } from "./upstream-world.ts";
import { giveTokens } from "./world.ts";

const step = fc.record({
  who: fc.constantFrom(0, 1, 2),
  machine: fc.constantFrom(0, 1, 2),
  server: fc.constantFrom(...SERVERS),
  what: fc.constantFrom(
    ...(["open", "tools", "prompts", "resources", "read", "get", "call", "call", "keep", "storm"] as const),
    ...(["expire", "log-out", "log-in", "end", "crash"] as const),
  ),
  isAlone: fc.boolean(),
});

test("nobody ever acts with another's login, over pools, caches, refreshes, exchanged tokens, three machines and crashes (O10, O11)", async () => {
  const { upstreams, callers, start, first } = await openUpstreamWorld();
  const machines = [await start(first), await start(), await start()];
  const secretsOf = (subject: string): readonly string[] =>
    Object.values(upstreams).map(({ secretOf }) => secretOf(subject));
  const tokens = (): readonly string[] => Object.values(upstreams).flatMap((upstream) => upstream.tokens);
  const given = await Promise.all(callers.map((caller) => giveTokens(found(machines[0]), caller)));
  const seenOf = new Map<ServerName, number>();
  let notes = 0;

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => {
      for (const caller of callers)
        if (WITH_LOGINS.includes(caller.subject)) await logIn(found(machines[0]), caller, upstreams);
      const people = callers.map((caller, at) => ({
        ...{ caller, token: found(given[at]).accessToken, hasLogins: WITH_LOGINS.includes(caller.subject) },
        ...{ clients: [] as ReturnType<typeof createWanderer>[], seen: [] as string[], kept: [] as string[] },
      }));
      const run = async ({ who, machine, server, what }: (typeof steps)[number]): Promise<void> => {
        const me = found(people[who]);
        const place = found(machines[machine]);
        const client = me.clients.at(-1);
        const ask = async (method: string, params: object = {}): Promise<void> => {
          if (client !== undefined) me.seen.push(JSON.stringify(await client.request(place.url, method, params)));
        };
        const secret = upstreams[server].secretOf(server === "shared" ? "everybody" : me.caller.subject);
        switch (what) {
          case "open": {
            const opened = createWanderer(me.token);
            await opened.initialize(place.url);
            me.clients.push(opened);
            return;
          }
          case "tools":
            return ask("tools/list");
          case "prompts":
            return ask("prompts/list");
          case "resources":
            return ask("resources/list");
          case "read":
            return ask("resources/read", { uri: `up://${secret}` });
          case "get":
            return ask("prompts/get", { name: `${server}__prompt-${secret}` });
          case "call":
            return ask("tools/call", { name: `${server}__recall`, arguments: {} });
          case "keep": {
            const text = `note-${me.caller.subject}-${++notes}-only`;
            me.kept.push(text);
            return ask("tools/call", { name: `${server}__keep`, arguments: { text } });
          }
          case "storm":
            upstreams.own.expire(me.caller.subject);
            await Promise.all(
              machines.map(async ({ url }) => {
                const opened = createWanderer(me.token);
                await opened.initialize(url);
                const called = opened.request(url, "tools/call", { name: "own__recall", arguments: {} });
                me.seen.push(JSON.stringify(await called));
                await opened.end(url);
              }),
            );
            return;
          case "expire":
            upstreams[server].expire(me.caller.subject);
            return;
          case "log-out":
            await place.credentials.forget(me.caller, "own");
            return;
          case "log-in":
            if (me.hasLogins) await logIn(place, me.caller, upstreams);
            return;
          case "end":
            await me.clients.pop()?.end(place.url);
            return;
          case "crash":
            // Nobody is told; what ran there goes on without anybody.
            void place.door.close();
            machines[machine] = await start();
        }
      };
      const running: Promise<void>[] = [];
      for (const one of steps) {
        // A machine that goes away cuts answers off.
        running.push(
          run(one).catch((error: unknown) => expect(String(error)).toMatch(/fetch failed|terminated|other side/)),
        );
        if (one.isAlone) await Promise.all(running);
      }
      await Promise.all(running);
      for (const me of people) {
        const all = me.seen.join("\n");
        for (const name of SERVERS)
          if (all.includes(upstreams[name].secretOf(me.caller.subject))) seenOf.set(name, (seenOf.get(name) ?? 0) + 1);
        for (const other of people) {
          if (other === me) continue;
          for (const secret of [...secretsOf(other.caller.subject), ...other.kept]) expect(all).not.toContain(secret);
        }
        for (const token of tokens()) expect(all).not.toContain(token);
      }
    }),
    { numRuns: 9 },
  );
  for (const [name, { crossed }] of Object.entries(upstreams)) expect([name, ...crossed]).toEqual([name]);
  // Those who have logins saw what is theirs at each server, and logins were renewed, or the rest would say nothing.
  for (const name of ["own", "key", "exchanged", "signed"] as const)
    expect([name, (seenOf.get(name) ?? 0) > 0]).toEqual([name, true]);
  expect(upstreams.own.refreshes.used).toBeGreaterThan(0);
  expect(upstreams.own.refreshes.reused).toBe(0);
}, 240_000);
