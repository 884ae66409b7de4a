import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export const SLACK_TOKEN = "xoxb-slack-token-canary-0123456789";
export const SLACK_SECRET = "slack-signing-secret-canary-0123456789";

export interface SlackPost {
  readonly channel: string;
  readonly ts: string;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: blocks are looked into as they come
  blocks: any[];
  /** How often it was changed. */
  changes: number;
}

interface Signing {
  readonly secret?: string;
  /** Seconds by which its clock is off. */
  readonly off?: number;
  /** What is sent instead of what was signed. */
  readonly instead?: (body: string) => string;
}

/** Slack on this machine: its API, and what it sends, signed as Slack does. Ends with the test. */
export async function startSlack() {
  const posts: SlackPost[] = [];
  const ephemeral: { readonly channel: string; readonly user: string; readonly text: string }[] = [];
  const world = { refuse: null as string | null, status: 200, requests: 0 };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      world.requests += 1;
      const say = (value: object): void => void response.writeHead(world.status).end(JSON.stringify(value));
      if (request.headers.authorization !== `Bearer ${SLACK_TOKEN}`) return say({ ok: false, error: "invalid_auth" });
      if (world.refuse !== null) return say({ ok: false, error: world.refuse });
      if (world.status !== 200) return say({});
      const given = JSON.parse(Buffer.concat(parts).toString("utf8"));
      if (request.url === "/api/chat.postMessage") {
        const ts = `${1_700_000_000 + posts.length}.000100`;
        posts.push({ channel: given.channel, ts, text: given.text, blocks: given.blocks, changes: 0 });
        return say({ ok: true, channel: given.channel, ts });
      }
      if (request.url === "/api/chat.update") {
        const post = posts.find(({ channel, ts }) => channel === given.channel && ts === given.ts);
        if (post === undefined) return say({ ok: false, error: "message_not_found" });
        Object.assign(post, { text: given.text, blocks: given.blocks, changes: post.changes + 1 });
        return say({ ok: true, channel: given.channel, ts: given.ts });
      }
      if (request.url !== "/api/chat.postEphemeral") return say({ ok: false, error: "unknown_method" });
      ephemeral.push(given);
      say({ ok: true });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;

  const send = (gateway: string, fields: Record<string, string>, signing: Signing = {}): Promise<Response> => {
    const { secret = SLACK_SECRET, off = 0, instead = (body) => body } = signing;
    const body = new URLSearchParams(fields).toString();
    const timestamp = String(Math.floor(Date.now() / 1_000) + off);
    const digest = createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex");
    return fetch(`${gateway}/slack`, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        ...{ "x-slack-request-timestamp": timestamp, "x-slack-signature": `v0=${digest}` },
      },
      body: instead(body),
    });
  };
  return {
    ...{ posts, ephemeral, world },
    api: `http://127.0.0.1:${port}/api`,
    /** Somebody clicks on a button of a message that may have changed since it was shown to them. */
    click(
      gateway: string,
      user: string,
      {
        value,
        action,
        team = "T1",
      }: { readonly value: string; readonly action: "allow" | "deny"; readonly team?: string },
      signing?: Signing,
    ): Promise<Response> {
      const payload = {
        ...{ type: "block_actions", user: { id: user, team_id: team }, team: { id: "T1" }, channel: { id: "C1" } },
        actions: [{ action_id: `toolcrib_${action}`, type: "button", value }],
        message: posts.find((post) => [...buttonsOf(post).values()].includes(value)),
      };
      return send(gateway, { payload: JSON.stringify(payload) }, signing);
    },
    /** Somebody types `/toolcrib TEXT`; what they alone see. */
    async command(gateway: string, user: string, text: string, signing?: Signing): Promise<string> {
      const fields = { team_id: "T1", user_id: user, user_name: `name of ${user}`, command: "/toolcrib", text };
      const answer = await send(gateway, fields, signing);
      return answer.status === 200 ? ((await answer.json()) as { text: string }).text : String(answer.status);
    },
    send,
  };
}

/** The buttons of a message, by what they do. */
export function buttonsOf({ blocks }: Pick<SlackPost, "blocks">): ReadonlyMap<string, string> {
  const elements = blocks.flatMap((block) => block.elements ?? []);
  return new Map(elements.map((each) => [String(each.action_id).replace("toolcrib_", ""), each.value ?? each.url]));
}
