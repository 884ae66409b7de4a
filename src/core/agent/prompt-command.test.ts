import { expect, test } from "vitest";
import { expandCommand } from "./prompt-command.ts";

const command = (prompt: string) => new Map([["go", { prompt }]]);

test.each([
  ["Review $ARGUMENTS now", "/go a  b", "Review a  b now"],
  ["From $1 to $2, not $10", "/go here there", "From here to there, not $10"],
  ["Fix ${input:issue:which one}", "/go 7", "Fix 7"],
  ["Look around", "/go at the tests", "Look around\n\nat the tests"],
  ["Look around", "/go", "Look around"],
  ["Hid\u200bden", "/go", "Hidden"],
  ["Say $ARGUMENTS", "/go $1", "Say $1"],
  ["Nothing is run: !`id`", "/go", "Nothing is run: !`id`"],
])("%j with %j says %j", (prompt, said, expected) => {
  expect(expandCommand(said, command(prompt))).toBe(expected);
});

test.each(["/other", "go", "/go/on", "say /go", "/", "/tmp/go"])("%j is none", (said) => {
  expect(expandCommand(said, command("Go"))).toBe(null);
});
