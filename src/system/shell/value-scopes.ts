import { bindValue } from "./bindings.ts";
import type { Cursor, Known } from "./cursor.ts";
import type { MarkedText } from "./expand-braces.ts";

/** What ends a command. */
export type Separator = ";" | "&&" | "||" | "|" | "&";

interface Setting {
  readonly name: string;
  readonly value: MarkedText;
}

/** Tracks which variables surely have a value in one list of commands; the cursor knows the current ones. */
export interface ValueScopes {
  /** A command ends; `settings` if setting these is all that it does. */
  end(separator: Separator, settings: readonly Setting[]): void;
  /** A compound command starts; its bodies also know `more`. */
  open(more?: readonly [name: string, index: number | null]): void;
  /** Another body of it starts. */
  restart(): void;
  close(): void;
}

interface State {
  /** Set regardless of what the commands of this `&&` and `||` chain did, and before the chain. */
  readonly sure: Known;
  readonly base: Known;
  readonly before: Separator;
}

export function createValueScopes(cursor: Cursor): ValueScopes {
  const fresh = (known: Known): State => ({ sure: known, base: known, before: ";" });
  const outer: { readonly state: State; readonly known: Known; readonly inside: Known }[] = [];
  let state = fresh(cursor.known);
  const start = (known: Known): void => {
    cursor.known = known;
    state = fresh(known);
  };
  return {
    end(separator, settings) {
      const { before } = state;
      // After a pipe or in the background, another process sets it.
      const isOwn = separator !== "|" && separator !== "&" && before !== "|" && before !== "||";
      if (isOwn && settings.length > 0) {
        cursor.known = withSettings(cursor, settings);
        if (before === ";") state = { ...state, sure: cursor.known };
      }
      if (separator === ";") start(state.sure);
      else if (separator === "&") start(state.base);
      else {
        if (separator === "||") cursor.known = state.sure;
        state = { ...state, before: separator };
      }
    },
    open(more) {
      const inside = more === undefined ? cursor.known : withBinding(cursor.known, more);
      outer.push({ state, known: cursor.known, inside });
      start(inside);
    },
    restart() {
      const around = outer.at(-1);
      if (around !== undefined) start(around.inside);
    },
    close() {
      const around = outer.pop();
      if (around === undefined) return;
      cursor.known = around.known;
      state = around.state;
    },
  };
}

function withSettings({ known, findings }: Cursor, settings: readonly Setting[]): Known {
  return settings.reduce(
    (before: Known, { name, value }) => withBinding(before, [name, bindValue(findings, name, value)]),
    known,
  );
}

function withBinding(known: Known, [name, index]: readonly [string, number | null]): Known {
  if (index === null && !known.has(name)) return known;
  const next = new Map(known);
  if (index === null) next.delete(name);
  else next.set(name, index);
  return next;
}
