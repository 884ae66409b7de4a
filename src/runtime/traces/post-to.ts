/** Where something is sent. */
export interface PostPlace {
  readonly url: string;
  readonly headers: ReadonlyMap<string, string>;
}

interface Posted {
  readonly type?: string;
  readonly signal: AbortSignal;
}

/** The other side answered, and did not take it. */
export class PostRefused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the collector answered ${status}`);
    this.status = status;
  }
}

const MOST_ANSWER = 65_536;

/** Sends a batch to a collector; rejects unless it is accepted in time. Returns the beginning of its answer. */
export async function postTo(
  { url, headers }: PostPlace,
  body: string,
  { type = "application/json", signal }: Posted,
): Promise<string> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { ...Object.fromEntries(headers), "content-type": type },
    body,
    redirect: "error",
    signal,
  });
  if (!answer.ok) {
    await answer.body?.cancel();
    throw new PostRefused(answer.status);
  }
  return readSome(answer);
}

/** A batch of spans, within so many milliseconds. */
export async function postSpans(place: PostPlace, body: object, timeout: number): Promise<void> {
  await postTo(place, JSON.stringify(body), { signal: AbortSignal.timeout(timeout) });
}

async function readSome({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    parts.push(part);
    size += part.length;
    if (size >= MOST_ANSWER) break;
  }
  return Buffer.concat(parts).toString("utf8");
}
