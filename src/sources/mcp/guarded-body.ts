import { addPiece } from "../../system/add-piece.ts";
import { depthAfter, isTooDeep, NEVER_TOO_DEEP } from "../../system/text/json-depth.ts";
import type { Channel } from "./channel.ts";
import type { Clock } from "./clock.ts";
import type { McpLimits } from "./limits.ts";
import { createLineSplitter } from "./line-splitter.ts";
import { type LocalFault, toFaultAnswer } from "./local-fault.ts";
import { sortMessage } from "./message.ts";
import type { MessageId } from "./message-id.ts";
import { createTokenBucket } from "./token-bucket.ts";
import { TOO_DEEP, tooLarge } from "./too-large.ts";

interface BodyOptions {
  readonly channel: Channel;
  readonly limits: McpLimits;
  readonly clock: Clock;
  /** The request that this body answers; null for a stream that answers none in particular. */
  readonly requestId: MessageId | null;
}

/** Error pages and the like are for a log at most. */
const OTHER_BYTES = 64 * 1024;
const MESSAGES_PER_TURN = 32;
const ANSWER_TURNS = 20;
/** From this size on a message is only parsed here when it says at its beginning what it is. */
const LARGE_BYTES = 64 * 1024;
const HEAD_BYTES = 512;
const NEWLINE = Buffer.from("\n");
const RETURN = 0x0d;
/** As single bytes. */
const MARK = "\u00ef\u00bb\u00bf";
const NO_DATA = Buffer.from("data:\n");

/** A body that holds one JSON document. One that is too large fails its request and reads as a short error instead. */
export async function* guardJson(body: AsyncIterable<Buffer>, options: BodyOptions): AsyncGenerator<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    addPiece(parts, part);
    if (size > options.limits.messageBytes) {
      yield refuse(options.requestId, options.channel, tooLarge(options.limits.messageBytes));
      return;
    }
  }
  if (size > NEVER_TOO_DEEP && isTooDeep(Buffer.concat(parts).toString("latin1")))
    yield refuse(options.requestId, options.channel, TOO_DEEP);
  else yield* parts;
}

export async function* guardOther(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left = OTHER_BYTES;
  for await (const part of body) {
    yield part.subarray(0, left);
    left -= part.length;
    if (left <= 0) return;
  }
}

/**
 * A stream of events, each a message. Too large ones are replaced by a short error for the request they answer, a flood
 * ends the connection, and in between others get their turn.
 */
export async function* guardEvents(body: AsyncIterable<Buffer>, options: BodyOptions): AsyncGenerator<Buffer> {
  const { channel, limits, clock, requestId } = options;
  const splitter = createLineSplitter({ lineBytes: limits.messageBytes, skippedBytes: limits.skippedBytes });
  const bucket = createTokenBucket(limits.floodBurst, limits.floodRate);
  let messages = 0;
  let eventBytes = 0;
  /** An event may come in several lines. */
  let level = 0;
  let resumable = false;
  let isFirst = true;
  try {
    for await (const chunk of body) {
      for (const event of splitter.push(chunk)) {
        if (event.kind === "endless") {
          channel.cut("an event without an end");
          return;
        }
        if (event.kind === "oversized") {
          const fault = tooLarge(limits.messageBytes);
          yield Buffer.concat([Buffer.from("data: "), refuse(event.id ?? requestId, channel, fault), NEWLINE]);
          continue;
        }
        const bytes = isFirst ? withoutMark(event.bytes) : event.bytes;
        isFirst = false;
        for (const line of linesIn(bytes)) {
          if (line.length === 0) level = 0;
          else if (startsWith(line, "data:")) level = depthAfter(line.toString("latin1"), level);
          if (level === Number.POSITIVE_INFINITY) {
            channel.fail(requestId, TOO_DEEP);
            channel.cut("an event is nested too deep to be read");
            return;
          }
          eventBytes = line.length === 0 ? 0 : eventBytes + line.length;
          if (eventBytes > limits.messageBytes + limits.skippedBytes) {
            channel.cut("an event without an end");
            return;
          }
          if (startsWith(line, "id:")) resumable = true;
          const unasked = readUnasked(line);
          if (unasked === null) {
            yield line;
            yield NEWLINE;
          } else {
            channel.receive(unasked, requestId);
            // Without data the event still carries its id, from which a broken stream goes on.
            if (requestId !== null) yield NO_DATA;
          }
          if (!startsWith(line, "data:")) continue;
          messages += 1;
          if (unasked === null && !bucket.take(1, clock.now())) {
            channel.cut(`more than ${limits.floodBurst} messages, faster than ${limits.floodRate} a second`);
            return;
          }
          if (messages % MESSAGES_PER_TURN === 0) await nextTurn();
        }
      }
    }
  } finally {
    if (requestId !== null && !resumable) void failUnanswered(requestId, channel);
  }
}

/** What ends a line for whoever reads events ends one here too, or the rest of it would be judged by nobody. */
function* linesIn(bytes: Buffer): Generator<Buffer> {
  let from = 0;
  for (let at = bytes.indexOf(RETURN); at !== -1; at = bytes.indexOf(RETURN, from)) {
    yield bytes.subarray(from, at);
    from = at + 1;
  }
  yield bytes.subarray(from);
}

/** A byte order mark in front of a stream is no part of its first line. */
function withoutMark(line: Buffer): Buffer {
  return startsWith(line, MARK) ? line.subarray(MARK.length) : line;
}

/** Fails the request, and gives the inner transport an answer to be content with; nobody else will see it. */
function refuse(id: MessageId | null, channel: Channel, fault: LocalFault): Buffer {
  channel.fail(id, fault);
  return Buffer.from(JSON.stringify(id === null ? {} : toFaultAnswer(id, fault)));
}

/** The last event may still be on its way through the parser when the stream has ended. */
async function failUnanswered(id: MessageId, channel: Channel): Promise<void> {
  for (let turn = 0; turn < ANSWER_TURNS && channel.isOpen(id); turn++) await nextTurn();
  channel.fail(id, { code: "mcp.disconnected", text: "The connection ended before the answer came." });
}

/**
 * What is no answer is judged here and now: only here is known on whose stream it came, and the inner transport takes far
 * longer over each one.
 */
function readUnasked(line: Buffer): unknown {
  if (!startsWith(line, "data:")) return null;
  const where = line.indexOf('"method"');
  if (where < 0 || (line.length > LARGE_BYTES && where > HEAD_BYTES)) return null;
  try {
    const message: unknown = JSON.parse(line.subarray("data:".length).toString("utf8"));
    const { kind } = sortMessage(message);
    return kind === "notification" || kind === "request" ? message : null;
  } catch {
    return null;
  }
}

function startsWith(bytes: Buffer, prefix: string): boolean {
  return bytes.subarray(0, prefix.length).toString("latin1") === prefix;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
