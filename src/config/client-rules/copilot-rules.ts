import type { ConfigNode } from "../../core/shape/node.ts";
import { nodeAt } from "../../core/shape/node.ts";
import { entriesAt, itemsAt, readText } from "../../core/shape/read-node.ts";
import type { RuleTaker, Words } from "./client-rule.ts";
import { plainWords, wordsRule } from "./command-words.ts";
import { addressRule, allFiles, serverRule } from "./place-words.ts";

/** Approvals that Copilot CLI has kept, each for one folder: those of the working folder. */
export function takeCopilotApprovals(root: ConfigNode, taker: RuleTaker, workspace: string): void {
  for (const [location, node] of entriesAt(root, "locations")) {
    const approvals = itemsAt(node, "tool_approvals");
    if (location !== workspace) {
      if (approvals.length > 0)
        taker.leave(`${approvals.length} approvals for ${location}`, "they are for another folder", node.origin);
      continue;
    }
    for (const item of approvals) takeApproval(item, taker);
    const folders = itemsAt(node, "allowed_directories");
    const [first] = folders;
    if (first !== undefined)
      taker.leave("allowed_directories", "folders are each client's own, and not a matter of rules", first.origin);
  }
}

function takeApproval(item: ConfigNode, taker: RuleTaker): void {
  const textAt = (key: string): string | null => readText(nodeAt(item, key))?.value ?? null;
  const kind = textAt("kind");
  const take = (said: string, words: Words): void => taker.take("allow", said, words, item.origin);
  switch (kind) {
    case "commands":
      for (const identifier of itemsAt(item, "commandIdentifiers")) {
        const text = readText(identifier)?.value ?? "";
        const words = plainWords(text);
        const said = `commands: ${JSON.stringify(text)}`;
        taker.take(
          "allow",
          said,
          words === null ? "it is more than words" : wordsRule(words, "prefix"),
          identifier.origin,
        );
      }
      break;
    case "read":
      take("read", allFiles("Read", "allow"));
      break;
    case "write":
      take("write", allFiles("Edit", "allow"));
      break;
    case "mcp": {
      const server = textAt("serverName") ?? "";
      const tool = textAt("toolName");
      take(`mcp: ${server}${tool === null ? "" : `/${tool}`}`, serverRule(server, tool));
      break;
    }
    default:
      take(kind ?? "an approval", "there is no such permission here");
  }
}

/** Addresses in Copilot CLI's own settings. */
export function takeCopilotAddresses(root: ConfigNode, taker: RuleTaker): void {
  for (const [keys, list] of [
    [["allowed_urls", "allowedUrls"], "allow"],
    [["denied_urls", "deniedUrls"], "deny"],
  ] as const)
    for (const key of keys)
      for (const item of itemsAt(root, key)) {
        const text = readText(item)?.value ?? "";
        const address = list === "allow" && /^[\w-]+(?:\.[\w-]+)+$/.test(text) ? `https://${text}/*` : text;
        taker.take(list, `${key}: ${text}`, addressRule(address, list), item.origin);
      }
  for (const [key, node] of entriesAt(root, "permissions"))
    taker.leave(`permissions.${key}`, "Copilot CLI reads no rules there", node.origin);
}
