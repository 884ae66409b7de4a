import { isRecord } from "../../../core/shape/is-record.ts";
import type { WebAddress } from "../../host.ts";
import type { Memory } from "../../people-port.ts";

const TIME = 10_000;

/**
 * Facts on a server: `POST` of `{ subject, fact }` stores one, `GET` with `?query=` answers `{ facts: [] }`, with all
 * of them if there is no query. Any other answer is an error for the model to read.
 */
export function createHttpMemory({ url, headers }: WebAddress): Memory {
  const ask = async (at: string, signal: AbortSignal, body?: object): Promise<Response> => {
    const limits = AbortSignal.any([signal, AbortSignal.timeout(TIME)]);
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const types = { accept: "application/json", ...(body === undefined ? {} : { "content-type": "application/json" }) };
    // A redirect would send the key elsewhere.
    const response = await fetch(at, { ...sent, headers: { ...types, ...headers }, signal: limits, redirect: "error" });
    if (!response.ok) throw new Error(`the memory's server answered with status ${response.status}`);
    return response;
  };
  return {
    async store(subject, fact, signal) {
      await (await ask(url, signal, { subject, fact })).body?.cancel();
    },
    async recall(query, signal) {
      const at = new URL(url);
      if (query !== null) at.searchParams.set("query", query);
      const answer: unknown = await (await ask(at.href, signal)).json();
      const facts = isRecord(answer) && Array.isArray(answer.facts) ? answer.facts : null;
      if (facts === null) throw new Error("the memory's server gave no list of facts");
      return facts.flatMap((one: unknown) =>
        isRecord(one) && typeof one.subject === "string" && typeof one.fact === "string"
          ? [{ subject: one.subject, fact: one.fact }]
          : [],
      );
    },
  };
}
