import type { FetchLike } from "@modelcontextprotocol/client";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { AddressRefusal } from "../../../system/addresses/address-refusal.ts";
import {
  PUBLIC_REACH,
  type Reach,
  type ResolvedAddress,
  resolvePublic,
} from "../../../system/addresses/resolve-public.ts";
import { addPiece } from "../../../system/rpc/add-piece.ts";
import { createHttpClient } from "../../parts/http-client.ts";
import { checkAuthAddress } from "./auth-address.ts";

/** HTTP for a login. Every address is checked, bodies are small, and redirects are not followed. */
export interface AuthFetch {
  readonly fetch: FetchLike;
  close(): void;
}

export interface AuthFetchOptions {
  /** The MCP server; its network decides which addresses it may name. */
  readonly server: URL;
  readonly signal: AbortSignal;
  readonly reach?: Reach;
}

const MOST_BYTES = 256 * 1024;
const PATIENCE = 15_000;

export function createAuthFetch({ server, signal, reach = PUBLIC_REACH }: AuthFetchOptions): AuthFetch {
  const http = createHttpClient();
  let isPublic: Promise<boolean> | null = null;

  /**
   * A server on the Internet cannot make us connect to addresses inside this network; one inside it may name its
   * neighbours.
   */
  const addressesOf = async (url: URL): Promise<readonly ResolvedAddress[] | null> => {
    if (url.origin === server.origin) return null;
    isPublic ??= isReachable(server, reach, signal);
    if (!(await isPublic)) return null;
    try {
      return (await resolvePublic(url, reach, signal)).addresses;
    } catch (error) {
      if (!(error instanceof AddressRefusal) || error.kind === "unknown-host") throw error;
      throw new ToolcribError("login.address-refused", "An address that was named for the login is not a public one.");
    }
  };

  return {
    async fetch(input, init) {
      const url = checkAuthAddress(String(input), server, "address");
      const addresses = await addressesOf(url);
      const within = AbortSignal.any([
        signal,
        AbortSignal.timeout(PATIENCE),
        ...(init?.signal === null || init?.signal === undefined ? [] : [init.signal]),
      ]);
      const body = init?.body === null || init?.body === undefined ? null : String(init.body);
      const answer = await http.send({
        url,
        method: init?.method ?? "GET",
        headers: new Headers(init?.headers),
        body,
        signal: within,
        addresses,
      });
      const text = await readSmall(answer.body);
      const isBodiless = answer.status === 204 || answer.status === 304 || answer.status < 200;
      return new Response(isBodiless ? null : text, {
        status: answer.status < 200 ? 502 : answer.status,
        headers: answer.headers,
      });
    },
    close: http.close,
  };
}

async function isReachable(url: URL, reach: Reach, signal: AbortSignal): Promise<boolean> {
  try {
    await resolvePublic(url, reach, signal);
    return true;
  } catch (error) {
    if (error instanceof AddressRefusal) return error.kind !== "private";
    throw error;
  }
}

async function readSmall(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > MOST_BYTES) throw new ToolcribError("login.failed", "An answer to the login was too large.");
    addPiece(parts, part);
  }
  return Buffer.concat(parts).toString("utf8");
}
