import { onTestFinished } from "vitest";
import type { AuditNote } from "../../src/runtime/audit/audit-row.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { createGateway, type Gateway } from "../../src/surfaces/gateway/gateway.ts";
import { createHttpServer, type HttpServer } from "../../src/surfaces/http/door/http-server.ts";
import { openPeople } from "../../src/surfaces/http/people/open-people.ts";
import { openGateway } from "../gateway/world.ts";
import { TOKEN } from "../http/door.ts";

export const PUBLIC_URL = "https://tools.example.com";

export interface PeopleWorld {
  readonly door: HttpServer;
  readonly gateway: Gateway;
  /** Rows of the log. */
  readonly notes: readonly AuditNote[];
  /** Asks at the door, as it is found by a proxy: under its public name. */
  ask(path: string, init?: RequestInit): Promise<Response>;
}

/** A gateway for people: its door, the gateway behind it, and a store. Ends with the test. */
export async function openPeopleGateway(gatewaySettings: object, config: object = {}): Promise<PeopleWorld> {
  const settings = { publicUrl: PUBLIC_URL, auth: {}, ...gatewaySettings };
  const store = createStore(createMemoryBackEnd());
  const shared = { store, scope: "people-test" };
  const world = await openGateway({ ...config, gateway: settings }, { crib: { shared }, gateway: { shared } });
  const { crib } = world;
  const { gateway } = crib.config;
  const notes: AuditNote[] = [];
  const people = await openPeople({
    ...{ gateway, publicUrl: gateway.publicUrl?.value ?? "", place: shared },
    note: (note) => void notes.push(note),
    onError: (text, error) => {
      throw new Error(text, { cause: error });
    },
  });
  const front = createGateway(crib, { version: "1", shared });
  const access = { ...gateway, token: TOKEN };
  const door = await createHttpServer({
    ...{ host: "127.0.0.1", port: 0, access, people, publicUrl: gateway.publicUrl?.value ?? null },
    ...{ mcp: front.handleHttp, api: null, metrics: null, page: null },
  });
  onTestFinished(async () => {
    await door.close();
    await front.close();
    await people.close();
  });
  return {
    ...{ door, gateway: front, notes },
    ask: (path, init) => fetch(`${door.origin}${path}`, { redirect: "manual", ...init }),
  };
}
