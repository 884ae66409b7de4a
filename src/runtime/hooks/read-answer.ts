import type { HookEvent } from "../../config/shape/hook-shape.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import {
  DENYING,
  type HookVerdict,
  isAnswer,
  joinVerdicts,
  readOutput,
  SILENT_HOOK,
  toDecision,
} from "./read-output.ts";

/** A command's output, read as an answer. */
export interface HookAnswer {
  readonly verdict: HookVerdict;
  /** The rest, which is not part of an answer. */
  readonly text: string;
  /** Whether there is an answer at all, and not only text. */
  readonly hasAnswer: boolean;
}

/** Hooks that guard a call: what they say in plain words counts, and what cannot be read is no consent. */
export function isGuard(event: HookEvent): boolean {
  return event === "preToolUse" || event === "permissionRequest";
}

/**
 * Reads standard output: JSON, alone or among other lines, and from a guard also plain words. Null if it is meant as an
 * answer but cannot be understood.
 */
export function readHookAnswer(stdout: string, event: HookEvent): HookAnswer | null {
  const text = stdout.replace(/^\uFEFF/, "").trim();
  if (text === "") return { verdict: SILENT_HOOK, text, hasAnswer: false };
  const whole = parseJson(text);
  if (typeof whole === "object" && whole !== null) return toAnswer(readOutput(whole), "", true);
  const { answers, others, rest, isBroken } = splitAnswers(text);
  const plain = isGuard(event) ? readPlain(rest, isBroken) : [];
  // Whatever the hook is for, this was meant as JSON; and of two objects that refuse nothing, neither is the answer.
  const isOneOfMany = answers.length > 0 && answers.length + others > 1;
  const unread = isOneOfMany || (isBroken && answers.length === 0 && text.startsWith("{")) ? [null] : [];
  const parts = [...answers.map((answer) => readOutput(answer)), ...plain, ...unread];
  return toAnswer(joinVerdicts(parts), rest, parts.length > 0);
}

function toAnswer(verdict: HookVerdict | null, text: string, hasAnswer: boolean): HookAnswer | null {
  return verdict === null ? null : { verdict, text, hasAnswer };
}

interface Split {
  readonly answers: readonly unknown[];
  /** How many objects are not answers. */
  readonly others: number;
  /** The text without the answers. */
  readonly rest: string;
  /** A line begins like an object, but is none. */
  readonly isBroken: boolean;
}

/** The objects in a text that are answers. Log lines may be objects too. */
function splitAnswers(text: string): Split {
  const answers: unknown[] = [];
  let rest = "";
  let from = 0;
  let isBroken = false;
  let others = 0;
  let work = MOST_WORK;
  for (let at = text.indexOf("{"); at !== -1; at = text.indexOf("{", at)) {
    const end = work > 0 ? endOfObject(text, at) : null;
    work -= (end ?? text.length) - at;
    const value = end === null ? undefined : parseJson(text.slice(at, end));
    if (end === null || value === undefined) {
      isBroken ||= work <= 0 || /(?:^|\n)[^\S\n]*$/.test(text.slice(Math.max(0, at - MOST_INDENT), at));
      at += 1;
      if (work <= 0) break;
    } else {
      if (isAnswer(value)) {
        answers.push(value);
        rest += text.slice(from, at);
        from = end;
      } else others += 1;
      at = end;
    }
  }
  return { answers, others, rest: (rest + text.slice(from)).trim(), isBroken };
}

/** Characters that are examined before a text full of beginnings counts as broken. */
const MOST_WORK = 16 * 1024 * 1024;
const MOST_INDENT = 200;

/** The end of the object that begins there; null if it has none. */
function endOfObject(text: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '"') {
      at += 1;
      while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
    } else if (letter === "{") depth += 1;
    else if (letter === "}") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return null;
}

const REFUSING_LINE = new RegExp(`^\\W*(?:${DENYING})\\b\\W*(.*)$`, "i");
const ASKING_LINE = /^\W*ask\W*$/i;
const STATING = /(?:^|[{,])[^\S\n]*["']?(?:permission[_-]?decision|decision)["']?\s*[:=]\s*["']?([\w-]*)/gim;
const BARE_NO = /^\W*(?:no|false)\W*$/i;
const MEANT_AS_ANSWER = /hook_?specific|permission|decision/i;

/** What a guard's text says in plain words: a no, a question, or null for what may be either. */
function readPlain(text: string, isBroken: boolean): readonly (HookVerdict | null)[] {
  const lines = text.split("\n").flatMap((line) => {
    const refusing = REFUSING_LINE.exec(line);
    if (refusing !== null) return [toVerdict("deny", refusing[1] ?? "")];
    return ASKING_LINE.test(line) ? [toVerdict("ask", "")] : [];
  });
  const stated = [...text.matchAll(STATING)].flatMap(([, word]) => {
    const decision = toDecision(word);
    return decision === "allow" ? [] : [decision === undefined ? null : toVerdict(decision, "")];
  });
  const at = text.indexOf("{");
  const isUnclear = isBroken || BARE_NO.test(text) || (at !== -1 && MEANT_AS_ANSWER.test(text.slice(at)));
  return [...lines, ...stated, ...(isUnclear ? [null] : [])];
}

function toVerdict(decision: "deny" | "ask", reason: string): HookVerdict {
  return { ...SILENT_HOOK, decision, reason: reason.trim().slice(0, 10_000) || null };
}
