import { timingSafeEqual } from "node:crypto";
import type { Socket } from "node:net";
import { knowsPeers, peerUser } from "../../../system/process/peer-user.ts";
import { RPC_ERROR, RpcRefusal } from "../../../system/rpc/peer.ts";
import type { ClientConnection } from "./client-connection.ts";
import type { Json } from "./wire-values.ts";

/** Why an address is not listened on; null where it may be. A client that connects can run commands. */
export function whyNotListen(host: string, token: string | null, knowsUsers = knowsPeers()): string | null {
  if (token !== null) return null;
  if (!isLoopback(host)) return OPEN_TO_ALL;
  return knowsUsers ? null : OPEN_TO_USERS;
}

/** Whether a process of our own user is at the other end. */
export function isOwnUser(socket: Socket): boolean {
  const user = process.geteuid?.();
  return user !== undefined && peerUser(socket) === user;
}

/** Lets a client in once it has shown the token; null where it may ask what it asks. */
export type ConnectionGuard = (client: ClientConnection, method: string, params: Json) => RpcRefusal | null;

/** A client that fails with its first request is told why and sent away: there is one guess for a connection. */
export function createConnectionGuard(
  token: string | null,
  isKnown: () => boolean,
  welcome: () => void,
): ConnectionGuard {
  let isRefused = false;
  return (client, method, params) => {
    if (isKnown()) return null;
    if (!isRefused && method === "connect" && isSame(params.token, token)) {
      welcome();
      return null;
    }
    if (!isRefused) client.dismiss(token === null ? "it is no process of this user" : "it did not show the token");
    isRefused = true;
    return new RpcRefusal(RPC_ERROR.invalidParams, `AUTHENTICATION_FAILED: ${token === null ? FOREIGN : NO_TOKEN}`);
  };
}

const TO_DO = "set COPILOT_CONNECTION_TOKEN to a token that clients show";
const OPEN_TO_ALL = `anybody in the network could run commands here: ${TO_DO}, or leave --host out`;
const OPEN_TO_USERS = `every user of this machine could run commands here as you, for this system does not say whose a connection is: ${TO_DO}, or leave --port out and use standard input and output`;
const NO_TOKEN = "the connection token is wrong or missing";
const FOREIGN =
  "without a token this runtime serves processes of its own user alone; start it with COPILOT_CONNECTION_TOKEN and show that token";

/** Whether nobody else's machine reaches an address. */
function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function isSame(given: unknown, token: string | null): boolean {
  if (token === null) return false;
  const one = Buffer.from(typeof given === "string" ? given : "");
  const other = Buffer.from(token);
  return one.length === other.length && timingSafeEqual(one, other);
}
