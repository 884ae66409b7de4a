import type { CompiledRule } from "../compile-rules.ts";
import { toHosts } from "../url-pattern.ts";
import { Buckets } from "./buckets.ts";

/** Finds rules about addresses by their host. */
export class AddressIndex {
  /** `*.example.com` has its own name. */
  readonly #hosts = new Buckets();
  readonly #open: number[] = [];

  /** At most about so many are found for an address. */
  get most(): number {
    return this.#open.length + 4 * this.#hosts.largest;
  }

  add({ family, matcher }: CompiledRule, position: number): void {
    if (family !== "url") return;
    const host = matcher.kind === "url" ? matcher.pattern.host : "*";
    if (/[*?[\\]/.test(host.replace(/^\*\./, ""))) this.#open.push(position);
    else this.#hosts.put(host, position);
  }

  find(urls: readonly string[], found: number[]): void {
    for (const position of this.#open) found.push(position);
    const hosts = new Set(urls.flatMap(toHosts));
    for (const host of hosts) {
      this.#hosts.take(host, found);
      for (let dot = host.indexOf("."); dot !== -1; dot = host.indexOf(".", dot + 1))
        this.#hosts.take(`*${host.slice(dot)}`, found);
    }
  }
}
