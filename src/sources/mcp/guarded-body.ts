import { parseJson } from "../../core/shape/parse-json.ts";
import type { Share } from "../../system/rpc/backlog.ts";
import { createEventSplitter, lineEndsIn } from "../../system/rpc/event-splitter.ts";
import { sortMessage } from "../../system/rpc/message.ts";
import type { MessageId } from "../../system/rpc/message-id.ts";
import { createPartialMessage } from "../../system/rpc/partial-message.ts";
import { isTooDeep } from "../../system/text/json-depth.ts";
import type { Clock } from "../../system/time/clock.ts";
import { createTokenBucket } from "../../system/time/token-bucket.ts";
import type { Channel } from "./channel.ts";
import type { McpLimits } from "./limits.ts";
import { type LocalFault, toFaultAnswer } from "./local-fault.ts";
import { TOO_DEEP, tooLarge } from "./too-large.ts";

interface BodyOptions {
  readonly channel: Channel;
  readonly limits: McpLimits;
  readonly clock: Clock;
  /** The request that this body answers; null for a stream that belongs to no request. */
  readonly requestId: MessageId | null;
  /** Its part of what all bodies of the server may hold together. */
  readonly share: Share;
}

/** Error pages and the like are only good for a log. */
const OTHER_BYTES = 64 * 1024;
const MESSAGES_PER_TURN = 32;
const ANSWER_TURNS = 20;
/** Messages from this size on are parsed here only if their beginning says what they are. */
const LARGE_BYTES = 64 * 1024;
const HEAD_BYTES = 512;
/** As single bytes. */
const MARK = "\u00ef\u00bb\u00bf";
const DATA = Buffer.from("data:");
const NOTHING = Buffer.alloc(0);
const NEWLINE = Buffer.from("\n");
/** Two, because the event before may end with a return, which would take the first one. */
const EVENT_END = Buffer.from("\n\n");
const NO_DATA = Buffer.from("\ndata:\n\n");

/** A body with one JSON document. If it is too large, its request fails and it reads as a short error instead. */
export async function* guardJson(body: AsyncIterable<Buffer>, options: BodyOptions): AsyncGenerator<Buffer> {
  const { channel, limits, requestId, share } = options;
  const document = createPartialMessage(limits.messageBytes);
  try {
    for await (const part of body) {
      await share.hold(document.size + part.length);
      document.add(part);
      if (document.size > limits.messageBytes) {
        yield refuse(requestId, channel, tooLarge(limits.messageBytes));
        return;
      }
    }
    const whole = document.finish();
    if (!Buffer.isBuffer(whole)) return;
    yield isTooDeep(whole.toString("latin1")) ? refuse(requestId, channel, TOO_DEEP) : whole;
  } finally {
    document.drop();
    share.leave();
  }
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
 * A stream of events with one message each, passed on one whole event at a time. An event that is too large is replaced
 * by a short error for the request it answers, a flood ends the connection, and other work gets its turn in between.
 */
export async function* guardEvents(body: AsyncIterable<Buffer>, options: BodyOptions): AsyncGenerator<Buffer> {
  const { channel, limits, clock, requestId, share } = options;
  // A stream for one request need not be read further; on a shared stream, other events follow.
  const skippedBytes = requestId === null ? limits.skippedBytes : 0;
  const splitter = createEventSplitter({ eventBytes: limits.messageBytes, skippedBytes });
  const bucket = createTokenBucket(limits.floodBurst, limits.floodRate);
  let messages = 0;
  let resumable = false;
  let isFirst = true;
  try {
    for await (const chunk of body) {
      await share.hold(splitter.held + chunk.length);
      for (const event of splitter.push(chunk)) {
        if (event.kind === "endless" && requestId === null) {
          channel.cut("an event without an end");
          return;
        }
        if (event.kind !== "event") {
          const answers = event.kind === "oversized" ? (event.id ?? requestId) : requestId;
          const refusal = refuse(answers, channel, tooLarge(limits.messageBytes));
          yield Buffer.concat([DATA, refusal, EVENT_END]);
          if (event.kind === "endless") return;
          continue;
        }
        const bytes = isFirst ? withoutMark(event.bytes) : event.bytes;
        isFirst = false;
        const { data, lines, id } = readEvent(bytes, limits.floodBurst);
        if (isTooDeep(data.toString("latin1"))) {
          channel.fail(requestId, TOO_DEEP);
          channel.cut("an event is nested too deep to be read");
          return;
        }
        if (id !== null) resumable = true;
        const unasked = readUnasked(data);
        if (unasked === null) {
          if (!bucket.take(lines, clock.now())) {
            channel.cut(`more than ${limits.floodBurst} messages, faster than ${limits.floodRate} a second`);
            return;
          }
          yield Buffer.concat([bytes, EVENT_END]);
        } else {
          channel.receive(unasked, requestId);
          // An event without data still carries its id, from which a broken stream resumes.
          if (requestId !== null && id !== null) yield Buffer.concat([id, NO_DATA]);
        }
        messages += 1;
        if (messages % MESSAGES_PER_TURN === 0) await nextTurn();
      }
      void share.hold(splitter.held);
    }
  } finally {
    splitter.drop();
    share.leave();
    if (requestId !== null && !resumable) void failUnanswered(requestId, channel);
  }
}

/** The relevant lines of an event: its data, the number of data lines, and the last line with an id. */
function readEvent(bytes: Buffer, mostLines: number): { data: Buffer; lines: number; id: Buffer | null } {
  const lineEnd = lineEndsIn(bytes);
  const data: Buffer[] = [];
  let id: Buffer | null = null;
  for (let from = 0; from < bytes.length && data.length <= mostLines; ) {
    const end = lineEnd(from);
    const line = bytes.subarray(from, end === -1 ? bytes.length : end);
    if (startsWith(line, "data:")) data.push(line.subarray(DATA.length));
    else if (startsWith(line, "id:")) id = line;
    from = end === -1 ? bytes.length : end + 1;
  }
  const [only = NOTHING] = data;
  const joined = data.length > 1 ? Buffer.concat(data.flatMap((line) => [line, NEWLINE])) : only;
  return { data: joined, lines: data.length, id };
}

/** A byte order mark at the start of a stream is not part of its first line. */
function withoutMark(line: Buffer): Buffer {
  return startsWith(line, MARK) ? line.subarray(MARK.length) : line;
}

/** Fails the request, and gives the inner transport an answer to be content with; nobody else sees it. */
function refuse(id: MessageId | null, channel: Channel, fault: LocalFault): Buffer {
  channel.fail(id, fault);
  return Buffer.from(JSON.stringify(id === null ? {} : toFaultAnswer(id, fault)));
}

/** The last event may still be in the parser when the stream has ended. */
async function failUnanswered(id: MessageId, channel: Channel): Promise<void> {
  for (let turn = 0; turn < ANSWER_TURNS && channel.isOpen(id); turn++) await nextTurn();
  channel.fail(id, { code: "mcp.disconnected", text: "The connection ended before the answer came." });
}

/**
 * A message that is not an answer is judged right here: only here it is known on whose stream it came, and the inner
 * transport is far slower.
 */
function readUnasked(data: Buffer): unknown {
  const where = data.indexOf('"method"');
  if (where < 0 || (data.length > LARGE_BYTES && where > HEAD_BYTES)) return null;
  const message = parseJson(data.toString("utf8"));
  const { kind } = sortMessage(message);
  return kind === "notification" || kind === "request" ? message : null;
}

function startsWith(bytes: Buffer, prefix: string): boolean {
  return bytes.subarray(0, prefix.length).toString("latin1") === prefix;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
