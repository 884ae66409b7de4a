import { joinName } from "../../../core/catalog/wire-name.ts";
import { lookTwice, type PeerServer } from "../servers/peer-servers.ts";
import type { Exchange, Front } from "../views/front.ts";
import { invalidParams, type Params, type ProtocolAnswer } from "../wire/json-rpc.ts";
import { toListPage } from "../wire/pages.ts";
import { askServer } from "./ask-server.ts";

export interface OwnedPrompt {
  readonly server: PeerServer;
  /** The server's own name for it. */
  readonly own: string;
}

interface ShownPrompt extends OwnedPrompt {
  readonly shown: string;
  readonly prompt: Params;
}

export async function listPrompts(front: Front, params: Params): Promise<ProtocolAnswer> {
  await front.view.connected("list");
  const prompts = await collect(front);
  return toListPage(
    "prompts",
    prompts.map(({ shown, prompt }) => (shown === prompt.name ? prompt : { ...prompt, name: shown })),
    params.cursor,
  );
}

export async function getPrompt(front: Front, params: Params, exchange: Exchange): Promise<ProtocolAnswer> {
  if (typeof params.name !== "string") return invalidParams("prompts/get needs the name of a prompt");
  const found = await findPrompt(front, params.name);
  if (found === null) return invalidParams(`Unknown prompt: ${params.name.slice(0, 200)}`);
  return askServer(front, found.server, "prompts/get", { ...params, name: found.own }, exchange);
}

/** The owner of a prompt; an unlisted name is left to the server without a prefix, which knows best. */
export async function findPrompt(front: Front, name: string): Promise<OwnedPrompt | null> {
  const look = async (): Promise<OwnedPrompt | undefined> => (await collect(front)).find(({ shown }) => shown === name);
  const found = await lookTwice(front.view, look);
  if (found !== undefined) return found;
  const short = unprefixedServer(front);
  return short === null ? null : { server: short, own: name };
}

/** All prompts of all servers under names that never depend on how many there are. */
async function collect(front: Front): Promise<readonly ShownPrompt[]> {
  const { view } = front;
  const style = view.session.config.wireNames.value;
  const short = unprefixedServer(front);
  const lists = await Promise.all(view.servers().map((server) => view.peers.list(server, "prompts")));
  const all = view.servers().flatMap((server, at) =>
    (lists[at] ?? []).flatMap((prompt): readonly ShownPrompt[] => {
      if (typeof prompt.name !== "string") return [];
      const shown = server.peer === short?.peer ? prompt.name : joinName(server.name, prompt.name, style);
      return [{ server, own: prompt.name, shown, prompt }];
    }),
  );
  // A prefixed name can equal another server's own name only on purpose; the earlier in configured order keeps it.
  const byName = new Map<string, ShownPrompt>();
  for (const one of all) if (!byName.has(one.shown)) byName.set(one.shown, one);
  return [...byName.values()];
}

function unprefixedServer({ view }: Front): PeerServer | null {
  const name = view.session.config.gateway.unprefixed?.value ?? null;
  return name === null ? null : (view.servers().find((server) => server.name === name) ?? null);
}
