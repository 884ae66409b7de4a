import { expect, test } from "vitest";
import { GENEROUS, growth } from "../../../test/fixtures/cost.ts";
import { buildServerEnv, secretsIn } from "./server-env.ts";

const PLAIN = {
  PATH: "/bin",
  HTTPS_PROXY: "http://proxy:3128",
  NVM_DIR: "/home/a/.nvm",
  SSH_AUTH_SOCK: "/run/agent.sock",
  XAUTHORITY: "/home/a/.Xauthority",
  GIT_AUTHOR_NAME: "Ada",
  PWD: "/home/a",
  KEYBOARD: "de",
  COMPATIBILITY: "1",
  MONKEY: "x",
};

test.each([
  "GITHUB_TOKEN",
  "TOKEN",
  "github_token",
  "OPENAI_API_KEY",
  "AWS_ACCESS_KEY_ID",
  "STRIPE_SECRET",
  "SECRET_STUFF",
  "PGPASSWORD",
  "DB_PASS",
  "AZURE_PAT",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "NPM_CONFIG__AUTH",
  "npm_config_//registry.example/:_authToken",
  "DATABASE_URL",
  "SENTRY_DSN",
])("%s looks like a secret by its name and is held back", (name) => {
  const { env, heldBack } = buildServerEnv({ ...PLAIN, [name]: "x" });
  expect(env).toEqual(PLAIN);
  expect(heldBack).toEqual([name]);
});

test.each([
  ["an address with a password", "postgres://app:hunter2@db/prod"],
  ["an address with a password and no user", "redis://:hunter2@cache:6379"],
  ["a token of GitHub", `ghp_${"a1".repeat(18)}`],
  ["a token inside other text", `--header=x ghp_${"a1".repeat(18)}`],
  ["a key of OpenAI", `sk-${"a1".repeat(20)}`],
  ["a key of AWS", "AKIAIOSFODNN7EXAMPLE"],
  ["a signed token", "eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeKKF2QT4"],
  ["a private key", "-----BEGIN OPENSSH PRIVATE KEY-----\nabc"],
  ["a header", "Bearer abcdefgh12345678"],
])("%s is held back whatever its name, and under a plain one too", (_, value) => {
  const { env, heldBack } = buildServerEnv({ ...PLAIN, HARMLESS: value, SSH_AUTH_SOCK: value });
  expect(JSON.stringify(env)).not.toContain(value);
  expect(heldBack).toEqual(["HARMLESS", "SSH_AUTH_SOCK"]);
});

test("what the entry sets or names is passed on, and nothing else", () => {
  const parent = { ...PLAIN, A_TOKEN: "a", B_TOKEN: "b", C_TOKEN: "c" };
  const { env, heldBack } = buildServerEnv(parent, { A_TOKEN: "mine" }, ["B_TOKEN", "NOT_SET"]);
  expect(env).toEqual({ ...PLAIN, A_TOKEN: "mine", B_TOKEN: "b" });
  expect(heldBack).toEqual(["C_TOKEN"]);
  expect(secretsIn(env)).toEqual(["b", "mine"]);
});

test("true passes on everything, false a short list", () => {
  const parent = { ...PLAIN, A_TOKEN: "a", FN: "() { :; }; echo run" };
  expect(buildServerEnv(parent, {}, true)).toEqual({ env: { ...PLAIN, A_TOKEN: "a" }, heldBack: [] });
  expect(buildServerEnv(parent, {}, false)).toEqual({ env: { PATH: "/bin" }, heldBack: ["A_TOKEN"] });
});

test("an empty variable is no secret, and one that bash would run stays behind", () => {
  expect(buildServerEnv({ GITHUB_TOKEN: "", FN: "() { :; }; echo run", GONE: undefined })).toEqual({
    env: { GITHUB_TOKEN: "" },
    heldBack: [],
  });
});

test.each([
  ["a name", (size: number) => ({ ["A_".repeat(size)]: "x" })],
  ["an address", (size: number) => ({ A: "://".repeat(size) })],
  ["a signed token", (size: number) => ({ A: "eyJ".repeat(size) })],
  ["a key", (size: number) => ({ A: "sk-".repeat(size) })],
])("%s made to take long is looked at in time that grows with its length", (_, toEnv) => {
  const cost = (size: number) => {
    const env = toEnv(size);
    return () => buildServerEnv(env);
  };
  expect(growth(50_000, cost)).toBeLessThan(GENEROUS);
});
