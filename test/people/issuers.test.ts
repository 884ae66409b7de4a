import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from "jose";
import { expect, onTestFinished, test } from "vitest";
import { askIssuer } from "../../src/runtime/people/issuers/ask-issuer.ts";
import { createKeySet } from "../../src/runtime/people/issuers/key-set.ts";
import { createMetadata } from "../../src/runtime/people/issuers/metadata.ts";
import { startIdentityProvider } from "../support/identity-provider.ts";

/** An issuer's keys at an address, as a test changes them. */
async function serveKeys() {
  const served = { keys: [] as object[], asked: 0, status: 200, raw: null as string | null };
  const server = createServer((_request, response) => {
    served.asked += 1;
    response.writeHead(served.status, { "content-type": "application/json" });
    response.end(served.raw ?? JSON.stringify({ keys: served.keys }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
  let time = 0;
  const keySet = createKeySet(
    async () => address,
    () => time,
  );
  const makeKey = async (kid: string) => {
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" } };
  };
  const check = async ({ kid, privateKey }: Awaited<ReturnType<typeof makeKey>>) => {
    const token = await new SignJWT({}).setProtectedHeader({ alg: "ES256", kid }).sign(privateKey);
    return jwtVerify(token, keySet).then(
      () => "verified",
      (error: Error) => error.message,
    );
  };
  const pass = (milliseconds: number) => {
    time += milliseconds;
  };
  return { served, check, makeKey, pass };
}

const UNKNOWN = "a token is signed with a key that its issuer does not have";
const MINUTE = 60_000;

test("a new key counts within one question, and a removed one no longer than the keys are kept", async () => {
  const { served, check, makeKey, pass } = await serveKeys();
  const [one, two] = [await makeKey("one"), await makeKey("two")];
  served.keys = [one.jwk];
  expect(await check(one)).toBe("verified");
  expect(await check(one)).toBe("verified");
  expect(served.asked).toBe(1);
  pass(MINUTE);
  served.keys = [two.jwk];
  expect(await check(two)).toBe("verified");
  expect(served.asked).toBe(2);
  expect(await check(one)).toBe("verified");
  pass(10 * MINUTE);
  expect(await check(one)).toBe(UNKNOWN);
  expect(await check(two)).toBe("verified");
});

test("a thousand unknown keys are one question, and those who wait share it", async () => {
  const { served, check, makeKey, pass } = await serveKeys();
  const [known, other] = [await makeKey("known"), await makeKey("other")];
  served.keys = [known.jwk];
  expect(await check(known)).toBe("verified");
  pass(MINUTE);
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, (_, at) => check({ ...other, kid: `made up ${at}` })),
  );
  expect(new Set(answers)).toEqual(new Set([UNKNOWN]));
  expect(served.asked).toBe(2);
  // However many more come, the next new key is found half a minute later.
  pass(29_000);
  expect(await check({ ...other, kid: "made up" })).toBe(UNKNOWN);
  expect(served.asked).toBe(2);
  served.keys = [known.jwk, other.jwk];
  pass(1_000);
  expect(await check(other)).toBe("verified");
});

test("while the keys cannot be had the last ones serve for an hour, and then nothing does", async () => {
  const { served, check, makeKey, pass } = await serveKeys();
  const key = await makeKey("key");
  served.keys = [key.jwk];
  expect(await check(key)).toBe("verified");
  served.status = 503;
  pass(59 * MINUTE);
  expect(await check(key)).toBe("verified");
  expect(await check(key)).toBe("verified");
  expect(served.asked).toBe(2);
  pass(MINUTE);
  expect(await check(key)).toMatch(/answered with status 503/);
  served.status = 200;
  pass(5_000);
  expect(await check(key)).toBe("verified");
});

test("a set of keys that is none, is too large or is not JSON is refused", async () => {
  const { served, check, makeKey, pass } = await serveKeys();
  const key = await makeKey("key");
  for (const [raw, why] of [
    ["[]", /no JSON object/],
    ["<html>", /no JSON object/],
    [`{"keys":[${"null,".repeat(101)}null]}`, /no set of keys that can be used/],
    [`{"keys":[],"more":"${"x".repeat(300_000)}"}`, /more than 262144 bytes/],
  ] as const) {
    served.raw = raw;
    expect(await check(key)).toMatch(why);
    pass(5_000);
  }
  // A shared secret in a public set would let anybody sign.
  served.raw = JSON.stringify({ keys: [null, { kty: "oct", k: "c2VjcmV0", kid: "key", alg: "HS256" }, key.jwk] });
  expect(await check(key)).toBe("verified");
});

test("metadata has to name its issuer exactly, and is read once", async () => {
  const { issuer, requests, setAway } = await startIdentityProvider();
  let time = 0;
  const metadata = createMetadata(issuer, () => time);
  const [one, two] = await Promise.all([metadata.get(), metadata.get()]);
  expect(one).toBe(two);
  expect(one).toMatchObject({ issuer, namesItself: true, tokenEndpoint: `${issuer}/token` });
  expect(await requests("/.well-known/openid-configuration")).toBe(1);
  await expect(createMetadata(`${issuer}/`).get()).rejects.toThrow(`calls itself "${issuer}"; write it exactly so`);
  await setAway(true);
  time += 3_600_000;
  expect(await metadata.get()).toBe(one);
  time += 86_400_000;
  await expect(metadata.get()).rejects.toMatchObject({ kind: "away" });
});

test("an issuer is asked over TLS or on this machine, and is not followed elsewhere", async () => {
  for (const address of [
    "http://idp.example.com/token",
    "file:///etc/passwd",
    "https://a:b@idp.example.com/",
    "idp",
    7,
  ])
    await expect(askIssuer(String(address))).rejects.toMatchObject({ kind: "wrong" });
  const server = createServer((_request, response) =>
    response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await expect(askIssuer(address)).rejects.toThrow("answered with status 302 and no JSON object");
  await expect(askIssuer("http://127.0.0.1:1/")).rejects.toMatchObject({ kind: "away" });
});
