import { remember } from "../shape/remember.ts";
import type { Tool } from "../tool/tool.ts";
import { toIdentity } from "./wire-name.ts";

/** Text that several definitions of one server form together: a model reads them one after another. */
export interface ContinuedText {
  /** Another tool that holds a part of the text. */
  readonly identity: string;
  readonly text: string;
}

/** Text that calls itself a part of something, or ends mid-sentence. */
const PART =
  /\b(?:part|step|half|piece|fragment|section) (?:one|two|three|four|\d|[a-d]\b)|\b(?:first|second|third|other|last|next) (?:part|half|piece|phrase|words?)\b|\bcombine\b|\bput (?:it |them )?together\b|\bcontinue[sd]?\b|\bremember (?:the|this)\b|\bkeep in mind\b|\bthe phrase\b|\bconcatenat|\brest of (?:the|this) (?:sentence|order|text|message|phrase)\b|\b\d ?\/ ?\d\b|\b\d of \d\b|(?:…|\.\.\.|[,:-])\s*$/i;
/** Longer text makes sense by itself and is scanned by itself. */
const LONGEST_PART = 240;
const MAX_PARTS = 12;

const isPart = remember((tool: Tool) => ({
  is: tool.description.length <= LONGEST_PART && PART.test(tool.description),
}));

/** For each third-party tool, the text it forms with others of its server; null when its text is complete. */
export function findContinued(
  tools: readonly { readonly tool: Tool; readonly scanned: boolean }[],
): readonly (ContinuedText | null)[] {
  const parts = new Map<string, Tool[]>();
  for (const { tool, scanned } of tools) {
    if (!scanned || !isPart(tool.original ?? tool).is) continue;
    const owner = toOwner(tool);
    const others = parts.get(owner);
    if (others === undefined) parts.set(owner, [tool]);
    else if (others.length < MAX_PARTS) others.push(tool);
  }
  const texts = new Map([...parts].map(([owner, some]) => [owner, some.length < 2 ? null : toText(some)] as const));
  return tools.map(({ tool }) => {
    const owner = toOwner(tool);
    const text = texts.get(owner) ?? null;
    const others = parts.get(owner) ?? [];
    const other = others.find((one) => one !== tool);
    if (text === null || other === undefined || !others.includes(tool)) return null;
    return { identity: toIdentity(other), text };
  });
}

function toOwner({ source, server, owner }: Tool): string {
  return JSON.stringify([source, server, owner?.name]);
}

/** The parts joined into one sentence. */
function toText(tools: readonly Tool[]): string {
  return tools.map((tool) => (tool.original ?? tool).description.replace(/[.!?;:…"“”]+(?=\s|$)|["“”]/g, " ")).join(" ");
}
