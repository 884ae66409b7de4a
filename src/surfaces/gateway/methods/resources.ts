import { lookTwice, type PeerServer } from "../servers/peer-servers.ts";
import type { Exchange, Front } from "../views/front.ts";
import { invalidParams, isObject, type Params, type ProtocolAnswer } from "../wire/json-rpc.ts";
import { toListPage } from "../wire/pages.ts";
import { askServer } from "./ask-server.ts";

type ResourceKind = "resources" | "templates";

interface Owned {
  readonly server: PeerServer;
  readonly item: Params;
  readonly key: string;
}

/** All items of one kind from all servers, by pages. */
export async function listResources(front: Front, kind: ResourceKind, params: Params): Promise<ProtocolAnswer> {
  await front.view.connected("list");
  const items = (await collect(front, kind)).map(({ item }) => item);
  return toListPage(kind === "resources" ? "resources" : "resourceTemplates", items, params.cursor);
}

export async function readResource(front: Front, params: Params, exchange: Exchange): Promise<ProtocolAnswer> {
  const { uri } = params;
  if (typeof uri !== "string") return invalidParams("resources/read needs a uri");
  const owners = await findResourceOwners(front, uri);
  let refusal: ProtocolAnswer | null = null;
  for (const server of owners) {
    const answer = await askServer(front, server, "resources/read", params, exchange);
    if (answer.kind !== "error") return answer;
    refusal ??= answer;
  }
  return owners.length === 1 && refusal !== null ? refusal : resourceNotFound(uri);
}

export function resourceNotFound(uri: string): ProtocolAnswer {
  return invalidParams("Resource not found", { uri });
}

/**
 * The servers that may have a resource, likeliest first: the one that lists it, or that has a template for it. For an
 * unlisted one, all servers with resources are asked, because links in results need not be listed.
 */
export async function findResourceOwners(front: Front, uri: string): Promise<readonly PeerServer[]> {
  const look = async (): Promise<PeerServer | undefined> =>
    (await findExact(front, "resources", uri)) ?? (await findFitting(front, uri));
  const owner = await lookTwice(front.view, look);
  if (owner !== undefined) return [owner];
  return front.view.servers().filter(({ peer }) => isObject(peer.capabilities.resources));
}

/** The owner of a template, or else of a resource. */
export async function findTemplateOwner(front: Front, template: string): Promise<PeerServer | null> {
  const owner = await findExact(front, "templates", template);
  return owner ?? (await findResourceOwners(front, template))[0] ?? null;
}

async function findExact(front: Front, kind: ResourceKind, key: string): Promise<PeerServer | undefined> {
  return (await collect(front, kind)).find((owned) => owned.key === key)?.server;
}

async function findFitting(front: Front, uri: string): Promise<PeerServer | undefined> {
  const templates = (await collect(front, "templates")).filter(({ key }) => fitsTemplate(key, uri));
  return templates.sort((left, right) => fixedLength(right.key) - fixedLength(left.key))[0]?.server;
}

/** All servers' items; of two with the same address, that of the server that comes first in the configuration. */
async function collect({ view }: Front, kind: ResourceKind): Promise<readonly Owned[]> {
  const servers = view.servers();
  const lists = await Promise.all(servers.map((server) => view.peers.list(server, kind)));
  const field = kind === "resources" ? "uri" : "uriTemplate";
  const owned = new Map<string, Owned>();
  servers.forEach((server, at) => {
    for (const item of lists[at] ?? []) {
      const key = item[field];
      if (typeof key !== "string") continue;
      const owner = owned.get(key);
      if (owner === undefined) owned.set(key, { server, item, key });
      else if (owner.server !== server) view.onClash({ uri: key, answering: owner.server.name, dropped: server.name });
    }
  });
  return [...owned.values()];
}

/** By the fixed parts at both ends: enough to find the owner, and no pattern from a server is ever run. */
function fitsTemplate(template: string, uri: string): boolean {
  const open = template.indexOf("{");
  if (open < 0) return template === uri;
  const head = template.slice(0, open);
  const tail = template.slice(template.lastIndexOf("}") + 1);
  return uri.length >= head.length + tail.length && uri.startsWith(head) && uri.endsWith(tail);
}

function fixedLength(template: string): number {
  return template.replace(/\{[^{}]*\}/g, "").length;
}
