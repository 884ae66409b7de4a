import { blankComments, blankExtras } from "../../config/layers/blank-extras.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { HOOK_CLIENTS, type HookClientName } from "./hook-clients.ts";

type Form = "mark" | "comment" | "comma" | "key";

/** With what of this each client leaves all of a file out, its hooks too. It was tried; nobody knows it of the others. */
const UNREAD: Readonly<Partial<Record<HookClientName, readonly Form[]>>> = {
  "claude-code": ["comment", "comma"],
  codex: ["mark", "comment", "comma", "key"],
  "gemini-cli": ["mark", "comma"],
  "copilot-cli": ["mark", "comment", "comma"],
  "qwen-code": ["mark", "comma"],
};

const WORDS = {
  mark: "begins with a byte order mark",
  comment: "has a comment",
  comma: "has a comma behind the last item",
  key: 'has something beside "hooks" and "description"',
} as const satisfies Record<Form, string>;

/** Why the client takes nothing from this JSON file, though others can read it; null if it reads it. */
export function whyUnread(client: HookClientName, text: string): string | null {
  for (const form of UNREAD[client] ?? []) {
    const line = findForm(form, text);
    if (line !== null) return `line ${line} ${WORDS[form]}, and ${HOOK_CLIENTS[client].title} then reads nothing of it`;
  }
  return null;
}

/** The first line with it. */
function findForm(form: Form, text: string): number | null {
  const bare = text.replace(/^\ufeff/, "");
  const plain = blankComments(bare);
  switch (form) {
    case "mark":
      return bare === text ? null : 1;
    case "comment":
      return lineOfChange(bare, plain);
    case "comma":
      return lineOfChange(plain, blankExtras(bare));
    case "key": {
      const root = parseJson(blankExtras(bare));
      const key = isRecord(root)
        ? Object.keys(root).find((name) => name !== "hooks" && name !== "description")
        : undefined;
      return key === undefined ? null : lineAt(plain, Math.max(0, plain.indexOf(JSON.stringify(key))));
    }
  }
}

function lineOfChange(before: string, after: string): number | null {
  for (let at = 0; at < before.length; at += 1) if (before[at] !== after[at]) return lineAt(before, at);
  return null;
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}
