import type { Subject } from "../../../core/rules/decide.ts";

/** What a call touches, in the terms of rules; a command line must still be parsed. */
export type Touched =
  | Exclude<Subject, { readonly kind: "shell" | "typed" }>
  | { readonly kind: "shell" | "typed"; readonly text: string };

/** Derives from a tool's arguments what a call touches. */
export type Touches = (args: Readonly<Record<string, unknown>>) => Touched;

export const OTHER: Touched = { kind: "other" };

/** The file or folder `path`; the workspace if absent. */
export const reads: Touches = ({ path }) => ({ kind: "read", paths: [typeof path === "string" ? path : "."] });

export const creates: Touches = ({ path }) => (typeof path === "string" ? { kind: "write", paths: [path] } : OTHER);

/** Also a read: a change that does not match reveals the content of the file. */
export const edits: Touches = ({ path }) =>
  typeof path === "string" ? { kind: "write", paths: [path], shown: [path] } : OTHER;

/** A combined editor reads or writes depending on its command; an unknown command may do anything. */
export const editsByCommand: Touches = (args) => (EDITOR_COMMANDS.get(args.command) ?? edits)(args);

const EDITOR_COMMANDS: ReadonlyMap<unknown, Touches> = new Map([
  ["view", reads],
  ["create", creates],
]);

const PATCHED = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.*)$/gm;
const UPDATED = /^\*\*\* Update File: (.*)$/gm;

export const patches: Touches = ({ input }) => {
  const paths = typeof input === "string" ? namedFiles(input, PATCHED) : [];
  return paths.length === 0 ? OTHER : { kind: "write", paths, shown: namedFiles(String(input), UPDATED) };
};

/** Every file that headers of a patch name. */
function namedFiles(patch: string, header: RegExp): readonly string[] {
  return [...new Set([...patch.matchAll(header)].map(([, path = ""]) => path.trim()))].filter((path) => path !== "");
}

/** Text typed into a running command. */
export const types: Touches = ({ input }) => (typeof input === "string" ? { kind: "typed", text: input } : OTHER);

export const fetches: Touches = ({ url }) => (typeof url === "string" ? { kind: "url", url } : OTHER);

/** A plan that somebody is to approve. */
export const plans: Touches = () => ({ kind: "plan" });
