import { randomBytes } from "node:crypto";
import { type Person, personKey } from "../../core/people/person.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { AskedBy, AskOutcome } from "../../sources/login-port.ts";
import type { PeerClient } from "../../sources/peer.ts";
import { type Clock, SYSTEM_CLOCK } from "../../system/time/clock.ts";
import { waitUntil } from "../../system/time/wait-until.ts";
import type { ConnectLinks, MadeLink } from "./connect-links.ts";
import type { CredentialChange, UpstreamCredentials, UpstreamState } from "./contract.ts";

/** Asks people for a login or key that a request lacks: by an address to open, else in words with a link (O12). */
export interface LoginAsker {
  ask(lack: Lack, by: AskedBy): Promise<AskOutcome>;
  close(): void;
}

/** What is missing at which server. */
interface Lack {
  readonly person: Person;
  readonly server: string;
  /** What is missing now: anything but `ready` and `unavailable` is asked for. */
  state(): Promise<UpstreamState>;
}

/** The protocol's error for a request that needs somebody to open an address first (2025-11-25). */
const OPEN_FIRST = -32042;
/** Milliseconds that a request is held; clients give one up after a minute, and come back for as long as they like. */
const HELD = 45_000;
/** Links whose clients want to know when they were used. */
const MOST_TOLD = 10_000;

interface Told {
  readonly lack: Lack;
  readonly until: number;
  readonly tell: () => void;
}

export function createLoginAsker(
  { links, credentials }: { readonly links: ConnectLinks; readonly credentials: Pick<UpstreamCredentials, "changes"> },
  clock: Clock = SYSTEM_CLOCK,
): LoginAsker {
  const told = new Map<string, Told>();
  const stop = credentials.changes((change) => {
    for (const [id, one] of told) {
      const { lack, tell } = one;
      if (!isAbout(change, lack)) continue;
      // A login that ends is a change too.
      const isOver = lack.state().then(({ kind }) => kind === "ready" && told.delete(id));
      isOver.then((isReady) => isReady && tell(), IGNORED);
    }
  });
  /** The client learns later that the address was used: then it need not wait any longer. */
  const remember = (lack: Lack, { id, until }: MadeLink, client: PeerClient): void => {
    for (const [other, one] of told) if (one.until <= Date.now() || told.size >= MOST_TOLD) told.delete(other);
    const tell = (): void => client.notify("notifications/elicitation/complete", { elicitationId: id });
    told.set(`${client.id} ${id}`, { lack, until, tell });
  };
  const changed =
    (lack: Lack) =>
    (listener: () => void): (() => void) =>
      credentials.changes((change) => {
        if (isAbout(change, lack)) listener();
      });

  /** Holds the request while the person logs in; a client that is sent back without a question comes again. */
  const waitForLogin = async (lack: Lack, link: MadeLink, { client, signal }: AskedBy): Promise<boolean> => {
    let isReady = false;
    let seen = 0;
    const watch = changed(lack);
    const stopCounting = watch(() => {
      seen += 1;
    });
    try {
      while (!signal.aborted && Date.now() < link.until) {
        const before = seen;
        isReady = (await lack.state()).kind === "ready";
        if (isReady) return true;
        const isChanged = await waitUntil(() => seen > before, watch, { clock, signal, within: HELD });
        if (!isChanged) await client?.ask(new Map(), signal);
      }
      return false;
    } finally {
      stopCounting();
    }
  };

  return {
    async ask(lack, by) {
      const state = await lack.state();
      if (state.kind === "ready") return { kind: "ready" };
      if (state.kind === "unavailable") return inWords(sentence(lack.server, state.reason), state.reason);
      const link = await links.make(lack.person, lack.server);
      const { client } = by;
      if (client === null || !opensAddresses(client)) return linkInWords(link, state);
      const message = messageFor(link.server, state);
      // The newer protocol has no `elicitationId`, but Copilot CLI 1.0.102 reads no question without it.
      const asked = { mode: "url", message, url: link.address, elicitationId: link.id };
      if (client.era === "legacy") {
        remember(lack, link, client);
        const text = `${message} ${link.address}`;
        return { kind: "error", code: OPEN_FIRST, message: text, data: { elicitations: [asked] } };
      }
      // The key is random, so that no answer given before the question fits it.
      const key = `login-${randomBytes(12).toString("base64url")}`;
      const question = { server: null, method: "elicitation/create", params: asked } as const;
      const answer = (await client.ask(new Map([[key, question]]), by.signal)).get(key);
      const isOpened = answer?.kind === "result" && answer.result.action === "accept";
      if (!isOpened) return linkInWords(link, state);
      return (await waitForLogin(lack, link, by)) ? { kind: "ready" } : linkInWords(link, state);
    },
    close() {
      stop();
      told.clear();
    },
  };
}

/** Of a store that is away: then the client sends its request again by itself. */
const IGNORED = (): void => {};

function isAbout(change: CredentialChange, { person, server }: Lack): boolean {
  return change.server === server && personKey(change.person) === personKey(person);
}

function opensAddresses({ capabilities: { elicitation } }: PeerClient): boolean {
  return isRecord(elicitation) && isRecord(elicitation.url);
}

type Missing = Extract<UpstreamState, { kind: "needs-login" | "needs-key" }>;

function messageFor(server: string, { kind }: Missing): string {
  const name = JSON.stringify(server);
  return kind === "needs-key"
    ? `${name} is used with a key of your own. Open the gateway's page to enter it.`
    : `${name} is used with your own login. Open the gateway's page to log in there.`;
}

/** A model reads it, and has to pass the link on. */
function linkInWords({ server, address }: MadeLink, { kind, reason }: Missing): AskOutcome {
  const what = kind === "needs-key" ? "enter their key" : "log in";
  const text = `${sentence(server, reason)} Ask the person you work for to open this link in their browser and ${what}, then make the call again: ${address} The link is for them alone, and works once, within ten minutes.`;
  return inWords(text, reason);
}

function inWords(text: string, reason: string): AskOutcome {
  return { kind: "words", text, reason };
}

function sentence(server: string, reason: string): string {
  return `This was not done at ${JSON.stringify(server)}, because ${reason}.`;
}
