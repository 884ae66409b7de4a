import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { isFromSlack } from "./slack-signature.ts";

const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
/** As Slack's documentation shows it. */
const BODY =
  "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
const REAL = {
  timestamp: "1531420618",
  signature: "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
  body: BODY,
};
const NOW = 1_531_420_618_000;

test("the request of Slack's own documentation counts, for five minutes", () => {
  expect(isFromSlack(REAL, SECRET, NOW)).toBe(true);
  expect(isFromSlack(REAL, SECRET, NOW + 299_000)).toBe(true);
  expect(isFromSlack(REAL, SECRET, NOW + 301_000)).toBe(false);
  expect(isFromSlack(REAL, SECRET, NOW - 301_000)).toBe(false);
});

test("with any other secret, body, time or form it does not", () => {
  const signed = (timestamp: string) =>
    `v0=${createHmac("sha256", SECRET).update(`v0:${timestamp}:${BODY}`).digest("hex")}`;
  for (const change of [
    { body: `${BODY}&x=1` },
    { timestamp: "1531420619" },
    { timestamp: undefined },
    { signature: undefined },
    { signature: "" },
    { signature: REAL.signature.slice(3) },
    { signature: REAL.signature.toUpperCase() },
    { signature: `v1=${REAL.signature.slice(3)}` },
    { timestamp: "1e9", signature: signed("1e9") },
    { timestamp: "-1", signature: signed("-1") },
    { timestamp: "NaN", signature: signed("NaN") },
  ])
    expect([change, isFromSlack({ ...REAL, ...change }, SECRET, NOW)]).toEqual([change, false]);
  expect(isFromSlack(REAL, `${SECRET}x`, NOW)).toBe(false);
});
