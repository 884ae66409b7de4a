import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { Dialect } from "../../../core/dialects/contract/dialect.ts";
import { DIALECTS } from "../../../core/dialects/dialects.ts";
import { isEventOf, isWholeOf, ownersOf } from "../../../core/dialects/event-owners.ts";
import type { DialectName } from "../../../core/dialects/limits/limits.ts";
import { mapEach } from "../../../core/dialects/stream/map-each.ts";
import type { StreamPart } from "../../../core/dialects/stream/stream-part.ts";
import type { Names } from "../../../core/dialects/tools/names.ts";

type Reader = Pick<Dialect<unknown, unknown>, "name" | "owns" | "readStream" | "readResponse">;

/**
 * The parts of whatever an SDK gave for a request: a stream of events, a whole response, a promise of either, or an
 * AI SDK result that holds its stream. Streams are listened to at once.
 */
export function readReply(reply: unknown, dialect: Reader, names: Names): AsyncIterable<StreamPart> {
  if (isPromise(reply)) {
    // In case nobody reads the parts: a rejection is reported where they are read.
    const read = Promise.resolve(reply).then((settled) => readReply(settled, dialect, names));
    read.catch(() => {});
    return later(read);
  }
  const events = toEvents(reply);
  return events === null ? later(readWhole(reply, dialect, names)) : readOwn(events, dialect, names);
}

/** A stream of which the dialect knows no event would otherwise look like one that was cut. */
function readOwn(
  events: AsyncIterable<unknown> | Iterable<unknown>,
  dialect: Reader,
  names: Names,
): AsyncIterable<StreamPart> {
  let seen: "nothing" | "own" | "foreign" = "nothing";
  let other: DialectName | undefined;
  const watched = mapEach(events, (event) => {
    if (seen === "own") return event;
    // Nearly always, and asking all dialects of each reply costs more than reading it.
    seen = isEventOf(dialect, event) ? "own" : "foreign";
    if (seen === "foreign") other ??= ownersOf(event)[0];
    return event;
  });
  return mapEach(dialect.readStream(watched, names), (part) => {
    if (part.type !== "stop") seen = "own";
    else if (seen === "foreign" && part.reason !== "error") throw foreign(dialect, other);
    return part;
  });
}

function foreign(dialect: Reader, other: DialectName | undefined): ToolcribError {
  const text =
    other === undefined
      ? `nothing of this reply can be read as one for ${dialect.name}: pass the response or the events as the provider's SDK gives them`
      : `this is a reply for ${other}, and the request was made for ${dialect.name}: pass { payload } or { dialect: "${other}" }`;
  return new ToolcribError("dialect.unread-reply", text, {
    names: [dialect.name, ...(other === undefined ? [] : [other])],
  });
}

/** What is another provider's response, or none at all, would otherwise look like one that calls nothing. */
function readWhole(reply: unknown, dialect: Reader, names: Names): readonly StreamPart[] {
  const parts = [...dialect.readResponse(reply, names)];
  if (!parts.every(isStop)) return parts;
  const readers: readonly Reader[] = Object.values(DIALECTS);
  const other = readers.find((reader) => ![...reader.readResponse(reply, names)].every(isStop));
  if (other === undefined && isWholeOf(dialect.name, reply)) return parts;
  throw foreign(dialect, other?.name);
}

const isStop = ({ type }: StreamPart): boolean => type === "stop";

function toEvents(reply: unknown): AsyncIterable<unknown> | Iterable<unknown> | null {
  if (typeof reply !== "object" || reply === null)
    throw new TypeError("a reply is a stream of events, a response, or a promise of one of them");
  if (isIterable(reply)) return reply;
  const held: unknown = Reflect.get(reply, "fullStream");
  return typeof held === "object" && held !== null && isIterable(held) ? held : null;
}

function isIterable(value: object): value is AsyncIterable<unknown> | Iterable<unknown> {
  return Symbol.asyncIterator in value || Symbol.iterator in value;
}

/** The stream of `streamText` has promises inside and is none itself. */
function isPromise(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== "object" || value === null || isIterable(value)) return false;
  return typeof Reflect.get(value, "then") === "function";
}

async function* later(
  parts: Promise<AsyncIterable<StreamPart>> | Iterable<StreamPart>,
): AsyncGenerator<StreamPart, void, undefined> {
  yield* await parts;
}
