import type { Readable } from "node:stream";

/** Bytes that wait for a reader before the sender has to wait, as in a stream of Node's. */
const MOST = 64 * 1024;

/**
 * What arrives of a reply, piece by piece. Node's own iterator looks for the end of a stream in every way that one may have, and
 * asks for each piece twice; a model's reply is read once a step.
 */
export function replyPieces(reply: Readable): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => createReader(reply) };
}

function createReader(reply: Readable): AsyncIterator<Uint8Array> {
  const waiting: Uint8Array[] = [];
  let held = 0;
  let end: { readonly error: unknown } | null = null;
  let wake = (): void => {};
  const finish = (error: unknown): void => {
    end ??= { error };
    wake();
  };
  reply
    .on("data", (piece: Uint8Array) => {
      waiting.push(piece);
      held += piece.length;
      if (held > MOST) reply.pause();
      wake();
    })
    .on("end", () => finish(null))
    .on("error", (error) => finish(error ?? CUT))
    // Says nothing new behind the end.
    .on("close", () => finish(CUT));
  const take = async (): Promise<IteratorResult<Uint8Array>> => {
    for (;;) {
      const piece = waiting.shift();
      if (piece !== undefined) {
        held -= piece.length;
        return { done: false, value: piece };
      }
      if (end !== null) {
        const { error } = end;
        // Told once.
        end = { error: null };
        if (error !== null) throw error;
        return { done: true, value: undefined };
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (reply.isPaused()) reply.resume();
      });
    }
  };
  return {
    next: take,
    async return() {
      reply.destroy();
      return { done: true, value: undefined };
    },
  };
}

const CUT = new Error("the reply was cut off");
