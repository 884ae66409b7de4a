import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";
import type { Caller } from "../../src/core/people/person.ts";
import type { AuditNote } from "../../src/runtime/audit/audit-row.ts";
import { toolsOfPerson } from "../../src/runtime/crib/person-tools.ts";
import { createAuthorizations } from "../../src/runtime/people/authorizations.ts";
import { createBrowserSessions } from "../../src/runtime/people/browser-sessions.ts";
import { createPeopleRows } from "../../src/runtime/people/people-rows.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { createMemoryTables } from "../../src/runtime/store/memory-tables.ts";
import { createGateway } from "../../src/surfaces/gateway/gateway.ts";
import { createHttpServer } from "../../src/surfaces/http/door/http-server.ts";
import { createKnownRedactor } from "../../src/surfaces/http/inspector/known-redactor.ts";
import { openPeople } from "../../src/surfaces/http/people/open-people.ts";
import { createCookies } from "../../src/surfaces/http/people/pages/cookies.ts";
import { createWanderer } from "../gateway/machines.ts";
import { openGateway } from "../gateway/world.ts";
import { TOKEN } from "../http/door.ts";
import { type BrowserJar, createBrowserJar } from "../support/browser-jar.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { giveTokens } from "./world.ts";

const SERVER = new URL("../fixtures/task-server.cjs", import.meta.url).pathname;
export const IDP = "https://idp.example.com";

interface ApprovalsWorldOptions {
  readonly approvals: unknown;
  readonly machines?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Machines behind one address, where `it/plain` of Alice's client is asked about, and approvers by their groups. */
export async function openApprovalsWorld({ approvals, machines = 1, now = Date.now }: ApprovalsWorldOptions) {
  const tables = createMemoryTables();
  const openStore = () => createStore(createMemoryBackEnd(tables));
  const folder = makeTempFolder();
  const notes: AuditNote[] = [];
  const problems: { readonly text: string; readonly error: unknown }[] = [];
  const started: Awaited<ReturnType<typeof startMachine>>[] = [];
  let turn = 0;
  const front = createServer((request, response) => {
    const machine = started[turn++ % started.length];
    const { method, url, headers } = request;
    const onward = send({ host: "127.0.0.1", port: machine?.port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  const settings = {
    mcpServers: { it: { command: process.execPath, args: [SERVER] } },
    permissions: { allow: ["it/seen", "it/release"], ask: ["it/plain"] },
    toolSearch: "off",
    gateway: {
      ...{ publicUrl: origin, profiles: { all: {} }, approvals },
      auth: {
        people: [
          { everybody: true, profile: "all" },
          { group: ["approvers"], roles: ["approver"] },
          { group: ["of-it"], roles: ["approver"], servers: ["it"] },
          { group: ["of-prod"], roles: ["approver"], servers: ["prod"] },
        ],
      },
    },
  };
  const startMachine = async () => {
    const store = openStore();
    const shared = { store, scope: "people" };
    const onRefusedAnswer = (refused: object) => void notes.push({ type: "approval.refused", ...refused } as AuditNote);
    const { crib } = await openGateway(settings, { crib: { shared, onRefusedAnswer }, gateway: { shared } });
    const gateway = createGateway(crib, { version: "1", shared });
    const people = await openPeople({
      ...{ gateway: crib.config.gateway, publicUrl: origin, place: shared, folder, front: gateway, now },
      approvals: {
        queue: crib.approvals,
        settings: () => crib.config.gateway.approvals,
        redactor: createKnownRedactor(() => [crib.config]),
      },
      person: { tools: (caller) => toolsOfPerson(crib, caller), calls: async () => [] },
      note: (note) => void notes.push(note),
      onError: (text, error) => void problems.push({ text, error }),
    });
    const door = await createHttpServer({
      ...{ host: "127.0.0.1", port: 0, access: { ...crib.config.gateway, token: TOKEN }, people, publicUrl: origin },
      ...{ mcp: gateway.handleHttp, api: null, metrics: null, page: null },
    });
    await crib.main.settled(AbortSignal.timeout(30_000));
    const close = async (): Promise<void> => {
      await door.close();
      await gateway.close();
      await people.close();
    };
    return { port: door.port, url: `${door.origin}/mcp`, crib, store, close };
  };
  for (let count = 0; count < machines; count += 1) started.push(await startMachine());
  const place = { store: openStore(), scope: "people" };
  const people = createPeopleRows(place, now);
  const authorizations = createAuthorizations(place, { people, log: () => {}, now });
  const browsers = createBrowserSessions({ place, people, provider: null, now });
  onTestFinished(async () => {
    people.close();
    front.closeAllConnections();
    front.close();
    for (const machine of started) await machine.close();
  });
  const callerOf = (subject: string, groups: readonly string[]): Caller => ({
    ...{ issuer: IDP, subject, client: null, groups, claims: [], name: null, email: null },
  });
  return {
    ...{ authorizations },
    ...{ origin, tables, notes, problems, people, place, machines: started },
    /** Somebody's browser. */
    async browser(subject: string, ...groups: readonly string[]): Promise<BrowserJar> {
      const jar = createBrowserJar();
      const line = createCookies(origin).set("session", await browsers.open(callerOf(subject, groups), null), 600);
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.setCookie(origin, name, value);
      return jar;
    },
    /** A call of somebody's client that waits; its text once it is over. */
    async call(subject = "alice", args: object = {}, groups: readonly string[] = []) {
      const { accessToken } = await giveTokens(
        { people, authorizations },
        { issuer: IDP, subject, groups, name: subject },
      );
      const client = createWanderer(accessToken);
      const [machine] = started;
      await client.initialize(machine?.url ?? "");
      const before = machine?.crib.approvals.pending.length ?? 0;
      const result = client.request(machine?.url ?? "", "tools/call", { name: "it__plain", arguments: args });
      // A test may end while it waits.
      result.catch(() => {});
      const pendingNow = () => machine?.crib.approvals.pending ?? [];
      await expect.poll(() => pendingNow().length, { timeout: 30_000 }).toBeGreaterThan(before);
      const pending = pendingNow().at(-1);
      if (pending === undefined) throw new Error(`nothing waits: ${JSON.stringify(await result)}`);
      return {
        ...{ pending, link: `${origin}/approvals?id=${pending.root}` },
        text: async () => JSON.stringify(await result),
        /** How often the server was really called for this person. */
        async effects(): Promise<number> {
          const { result: seen } = await client.request(machine?.url ?? "", "tools/call", {
            name: "it__seen",
            arguments: {},
          });
          return JSON.parse(seen.content[0].text).started;
        },
      };
    },
  };
}
