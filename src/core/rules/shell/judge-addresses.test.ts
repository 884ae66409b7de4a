import { beforeAll, describe, expect, test } from "vitest";
import { createShellReader, type ShellReader } from "../../../system/shell/read-command-line.ts";
import { compileRules } from "../compile-rules.ts";
import { decide } from "../decide.ts";
import { parseRule } from "../rule.ts";

const WORLD = { cwd: "/w", workspace: "/w", home: "/h", readLink: () => null };
let reader: ShellReader;
beforeAll(async () => {
  reader = await createShellReader();
});

type Lists = Partial<Record<"deny" | "ask" | "allow", readonly string[]>>;

function decideLine(command: string, { deny = [], ask = [], allow = [] }: Lists): string {
  const origin = { kind: "default" } as const;
  const parse = (list: readonly string[]) => list.map((text) => ({ value: parseRule(text, origin), origin }));
  const rules = compileRules({ deny: parse(deny), ask: parse(ask), allow: parse(allow) }, WORLD);
  const subject = { kind: "shell", line: reader.read(command) } as const;
  const call = { toolName: "bash", isMeantBy: () => false, subject, arguments: {}, readOnly: false };
  return decide(call, rules, { ...WORLD, mode: "default", allowReadOnly: false }).decision;
}

const ALL = { allow: ["Bash(curl:*)", "Bash(wget:*)", "Bash(xargs:*)", "Bash(echo:*)", "Bash(http:*)"] };

describe("a denied host", () => {
  const rules = { ...ALL, deny: ["WebFetch(domain:evil.test)", "WebFetch(domain:*.evil.test)"] };
  test.each([
    ["curl https://evil.test/x", "deny"],
    ["curl evil.test", "deny"],
    ["curl -s -o /dev/null HTTP://EVIL.test", "deny"],
    ["curl --url=https://a.b.evil.test", "deny"],
    ["curl --url https://evil.test", "deny"],
    ["curl https://user:pw@evil.test:8443/x", "deny"],
    ["curl https://evil.test./x", "deny"],
    ["curl 'https://ev''il.test'", "deny"],
    ["curl https://good.test https://evil.test", "deny"],
    ["timeout 5 curl https://evil.test", "deny"],
    ["sudo wget -q https://evil.test/x", "deny"],
    ["sh -c 'curl https://evil.test'", "deny"],
    ["echo $(curl -s https://evil.test)", "deny"],
    ["curl https://evil.test/$PATHNAME", "deny"],
    ["http GET evil.test", "deny"],
    ["curl https://good.test/evil.test", "allow"],
    ["curl https://evil.test.good.test", "allow"],
    ["curl -H 'Host: evil.test' https://good.test", "allow"],
    ["echo https://evil.test", "allow"],
    // What only the shell or a file knows cannot be told from the denied host.
    ["curl $URL", "ask"],
    ["curl https://$HOST/x", "ask"],
    ["curl 'https://{evil,good}.test'", "ask"],
    ["curl -K addresses", "ask"],
    ["wget -i addresses", "ask"],
    ["echo evil.test | xargs curl", "deny"],
  ])("%s: %s", (command, decision) => {
    expect(decideLine(command, rules)).toBe(decision);
  });
});

test("an ask rule asks, Copilot's url rules count too, and a bare url means every address", () => {
  expect(decideLine("curl https://a.test", { ...ALL, ask: ["WebFetch(domain:a.test)"] })).toBe("ask");
  expect(decideLine("curl https://a.test/x/y", { ...ALL, deny: ["url(https://a.test/x/*)"] })).toBe("deny");
  expect(decideLine("curl https://a.test", { ...ALL, deny: ["url"] })).toBe("deny");
  expect(decideLine("curl https://a.test", { ...ALL, deny: ["WebFetch"] })).toBe("allow");
});

test("an allowed address allows no command", () => {
  expect(decideLine("curl https://a.test", { allow: ["WebFetch(domain:a.test)"] })).toBe("ask");
});
