import { type ConfigNode, isNull, nodeAt } from "../../core/shape/node.ts";
import { entriesAt, readFlag } from "../../core/shape/read-node.ts";
import type { RuleList, RuleTaker, Words } from "./client-rule.ts";
import { plainWords, regexRule, wordsRule } from "./command-words.ts";
import { addressRule, globPath } from "./place-words.ts";

const COMMANDS = "chat.tools.terminal.autoApprove";
const ADDRESSES = "chat.tools.urls.autoApprove";
const FILES = "chat.tools.edits.autoApprove";

/** What VS Code's settings approve for its agents. Nothing is denied there: `false` means that a person is asked. */
export function takeCodeRules(root: ConfigNode, taker: RuleTaker): void {
  const switched = settingOf(root, "chat.tools.terminal.enableAutoApprove");
  const isOff = readFlag(switched)?.value === false;
  const commands = settingOf(root, COMMANDS);
  for (const [key, value] of entriesAt(commands)) takeCommand(key, value, isOff, taker);
  for (const [key, value] of entriesAt(settingOf(root, ADDRESSES))) takeAddress(key, value, taker);
  for (const [key, value] of entriesAt(settingOf(root, FILES))) {
    const approves = readFlag(value)?.value;
    if (approves === undefined) continue;
    const list = approves ? "allow" : "ask";
    taker.take(list, `${FILES}: ${said(key, approves)}`, globPath("Edit", key, list), value.origin);
  }
  for (const key of ["chat.tools.global.autoApprove", "chat.tools.autoApprove", "chat.permissions.default"]) {
    const node = settingOf(root, key);
    if (node === undefined || isNull(node) || readFlag(node)?.value === false) continue;
    taker.leave(key, "it is about every tool; permissions.mode says that here, for all clients", node.origin);
  }
  for (const [tool, value] of entriesAt(settingOf(root, "chat.tools.eligibleForAutoApproval")))
    if (readFlag(value)?.value === false) {
      const family = TOOLS.get(tool);
      const words = family === undefined ? "no tool here has that name" : { rules: [family] };
      taker.take("ask", `chat.tools.eligibleForAutoApproval: ${said(tool, false)}`, words, value.origin);
    }
}

const TOOLS: ReadonlyMap<string, string> = new Map([
  ["runInTerminal", "Bash"],
  ["run_in_terminal", "Bash"],
  ["fetch", "WebFetch"],
  ["fetch_webpage", "WebFetch"],
]);

/** A setting's key may be written as one word or as nested maps. */
function settingOf(root: ConfigNode, key: string): ConfigNode | undefined {
  return nodeAt(root, key) ?? nodeAt(root, ...key.split("."));
}

function takeCommand(key: string, value: ConfigNode, isOff: boolean, taker: RuleTaker): void {
  const approves = readFlag(value)?.value ?? readFlag(nodeAt(value, "approve"))?.value ?? null;
  if (isNull(value)) return;
  const isLine = readFlag(nodeAt(value, "matchCommandLine"))?.value === true;
  const list: RuleList = approves === true ? "allow" : "ask";
  const why =
    approves === null
      ? "it neither approves nor asks"
      : approves && isOff
        ? "chat.tools.terminal.enableAutoApprove is off, so it has no effect"
        : null;
  const text = `${COMMANDS}: ${said(key, approves)}${isLine ? " for the whole line" : ""}`;
  taker.take(list, text, why ?? commandWords(key, list, isLine), value.origin);
}

function commandWords(key: string, list: RuleList, isLine: boolean): Words {
  const [, source, flags = ""] = /^\/(.+)\/([a-z]*)$/s.exec(key) ?? [];
  if (source !== undefined) {
    if (isLine && list === "allow") return "rules here are about single commands, and it approves whole lines";
    if (isLine)
      return /["'\n]/.test(source)
        ? "it is about quotes, which rules here do not see"
        : { rules: [`Bash(/${source}/)`] };
    return regexRule(source, flags, list);
  }
  const words = plainWords(key);
  if (words === null) return "it is more than words";
  return wordsRule(words, isLine && list === "allow" ? "exact" : "prefix");
}

function takeAddress(key: string, value: ConfigNode, taker: RuleTaker): void {
  if (isNull(value)) return;
  const request = readFlag(value)?.value ?? readFlag(nodeAt(value, "approveRequest"))?.value;
  const response = readFlag(value)?.value ?? readFlag(nodeAt(value, "approveResponse"))?.value;
  const list = request === true ? "allow" : "ask";
  const isHalf = request === undefined || (request && response !== true);
  const words = isHalf ? "what comes back is looked at there, and not here" : addressRule(key, list);
  taker.take(list, `${ADDRESSES}: ${said(key, request ?? null)}`, words, value.origin);
}

function said(key: string, value: boolean | null): string {
  return `${JSON.stringify(key)}: ${value}`;
}
