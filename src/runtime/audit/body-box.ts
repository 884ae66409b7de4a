import { hash, randomBytes } from "node:crypto";
import { appendFileSync, mkdirSync } from "node:fs";
import { appendFile, mkdir } from "node:fs/promises";
import { parseJson } from "../../core/shape/parse-json.ts";
import { type KeyedSealer, sealedWith } from "../people/sealer.ts";
import type { StoredLogBody } from "../store/stored-log.ts";
import type { AuditBody } from "./audit-row.ts";
import { segmentPath } from "./body-spool.ts";

/** Bodies of calls on their way to where they are kept, sealed from the first moment. */
export interface BodyBox {
  /** The hash over salt and body, which stands in the row. The body is written with the next flush. */
  put(place: BodyPlace, body: AuditBody): string;
  flush(): Promise<void>;
  /** Something could not be written yet. */
  readonly isBehind: boolean;
  /** For the end of the process, when nothing asynchronous can be done any longer. */
  flushNow(): void;
}

/** The row that a body belongs to. */
interface BodyPlace {
  readonly run: string;
  readonly seq: number;
  readonly at: number;
  /** As the log names them. */
  readonly person: string;
}

export interface BodyBoxOptions {
  /** Where they wait until they are gathered. */
  readonly folder: string;
  readonly sealer: KeyedSealer;
  readonly scope: string;
}

export function createBodyBox({ folder, sealer, scope }: BodyBoxOptions): BodyBox {
  let waiting: string[] = [];
  let run = "";
  const take = (): string => {
    const lines = waiting.join("");
    waiting = [];
    return lines;
  };
  return {
    put(place, body) {
      const salt = randomBytes(16).toString("base64url");
      const text = JSON.stringify(body);
      const sealed = sealer.seal(`${salt}.${text}`, aboutBody(scope, place));
      const { seq, at, person } = place;
      run = place.run;
      waiting.push(`${JSON.stringify({ run, seq, at, person, sealed } satisfies StoredLogBody)}\n`);
      return hashOf(salt, text);
    },
    get isBehind() {
      return waiting.length > 0;
    },
    async flush() {
      if (waiting.length === 0) return;
      const lines = take();
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await appendFile(segmentPath(folder, run), lines, { mode: 0o600 });
      } catch (error) {
        waiting.unshift(lines);
        throw error;
      }
    },
    flushNow() {
      if (waiting.length === 0) return;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      appendFileSync(segmentPath(folder, run), take(), { mode: 0o600 });
    },
  };
}

/** A body that was sealed for this row and still fits its hash; "sealed" where its key is not here. */
export function openBody(
  { sealed, ...place }: StoredLogBody,
  wanted: string,
  { sealer, scope }: Pick<BodyBoxOptions, "sealer" | "scope">,
): AuditBody | "sealed" | "changed" {
  const opened = sealer.open(sealed, aboutBody(scope, place));
  if (opened === null) return sealer.keys.includes(sealedWith(sealed) ?? "") ? "changed" : "sealed";
  const [salt = ""] = opened.split(".", 1);
  const text = opened.slice(salt.length + 1);
  if (hashOf(salt, text) !== wanted) return "changed";
  return parseJson(text) as AuditBody; // Its hash says that it is what was written.
}

/** A body that is copied to another row, person or log does not open. */
function aboutBody(scope: string, { run, seq, person }: Omit<StoredLogBody, "sealed" | "at">): readonly string[] {
  return ["audit body", scope, person, run, String(seq)];
}

/** Without the salt nobody can find out what a body was by trying. */
function hashOf(salt: string, text: string): string {
  return hash("sha256", `${salt}.${text}`, "hex");
}
