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

/** Whether a description is likely to be a part of a text. */
export function isPart({ description }: Tool): boolean {
  return description.length <= LONGEST_PART && PART.test(description);
}

interface Speaker {
  readonly tool: Tool;
  readonly remarks: { readonly isPart: boolean } | null;
}

/** For each tool whose text is a part, the text it forms with others of its server. */
export function findContinued(candidates: readonly Speaker[]): ReadonlyMap<Tool, ContinuedText> {
  const parts = new Map<string, Tool[]>();
  for (const { tool, remarks } of candidates) {
    if (remarks?.isPart !== true) continue;
    const owner = toOwner(tool);
    const others = parts.get(owner);
    if (others === undefined) parts.set(owner, [tool]);
    else if (others.length < MAX_PARTS) others.push(tool);
  }
  const found = new Map<Tool, ContinuedText>();
  for (const some of parts.values()) {
    const text = some.length < 2 ? null : toText(some);
    for (const tool of some) {
      const other = some.find((one) => one !== tool);
      if (text !== null && other !== undefined) found.set(tool, { identity: toIdentity(other), text });
    }
  }
  return found;
}

function toOwner({ source, server, owner }: Tool): string {
  return JSON.stringify([source, server, owner?.name]);
}

/** The parts joined into one sentence. */
function toText(tools: readonly Tool[]): string {
  return tools.map((tool) => (tool.original ?? tool).description.replace(/[.!?;:…"“”]+(?=\s|$)|["“”]/g, " ")).join(" ");
}
