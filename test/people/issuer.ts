import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from "jose";
import { onTestFinished } from "vitest";
import { PUBLIC_URL } from "./world.ts";

export const RESOURCE = `${PUBLIC_URL}/mcp`;

/** An issuer whose every answer and token a test decides; for well-behaved ones there is a certified provider. */
export interface FreeIssuer {
  readonly issuer: string;
  /** Paths that it was asked for, in order. */
  readonly asked: readonly string[];
  /** Other answers, by path. */
  readonly answers: Map<string, { status?: number; headers?: Record<string, string>; body: string }>;
  /** An access token for this gateway, unless the test says otherwise; `undefined` leaves a claim out. */
  sign(claims?: object, header?: Partial<JWTHeaderParameters>): Promise<string>;
  /** New keys, in the place of the old ones. */
  rotate(): Promise<void>;
  /** The key that everybody can read. */
  readonly publicKey: JWK;
  stop(): Promise<void>;
}

export async function startIssuer(algorithm = "ES256"): Promise<FreeIssuer> {
  const asked: string[] = [];
  const answers: FreeIssuer["answers"] = new Map();
  let last = 0;
  const makeKey = async () => {
    const pair = await generateKeyPair(algorithm, { extractable: true });
    last += 1;
    const kid = `key-${last}`;
    return {
      kid,
      secret: pair.privateKey,
      open: { ...(await exportJWK(pair.publicKey)), kid, alg: algorithm, use: "sig" },
    };
  };
  let key = await makeKey();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    const own = answers.get(path);
    if (own !== undefined) return void response.writeHead(own.status ?? 200, own.headers).end(own.body);
    if (path === "/.well-known/openid-configuration")
      return void response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }));
    if (path === "/keys") return void response.end(JSON.stringify({ keys: [key.open] }));
    response.writeHead(404).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address of this shape.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  return {
    ...{ issuer, asked, answers, stop },
    sign(claims = {}, header = {}) {
      const now = Math.floor(Date.now() / 1000);
      const all = { iss: issuer, sub: "alice", aud: RESOURCE, iat: now, exp: now + 600, client_id: "ci", ...claims };
      const head = { alg: algorithm, kid: key.kid, typ: "at+jwt", ...header };
      return new SignJWT(JSON.parse(JSON.stringify(all))).setProtectedHeader(head).sign(key.secret);
    },
    async rotate() {
      key = await makeKey();
    },
    get publicKey() {
      return key.open;
    },
  };
}
