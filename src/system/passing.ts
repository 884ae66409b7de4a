/** A map of things that come and go, such as calls. Iterating shows what is there when that begins. */
export interface PassingMap<K, V> {
  readonly size: number;
  get(key: K): V | undefined;
  has(key: K): boolean;
  set(key: K, value: V): unknown;
  delete(key: K): boolean;
  keys(): Iterable<K>;
  values(): Iterable<V>;
  /** The key that came first of those that are there. */
  oldest(): K | undefined;
}

/** The same for things that have no key. */
export interface PassingSet<T> extends Iterable<T> {
  readonly size: number;
  has(value: T): boolean;
  add(value: T): unknown;
  delete(value: T): boolean;
}

/**
 * V8 links the table that a map has outgrown, with all that it held, to the next one, and every second entry outgrows a small
 * table. Once one of them is old, everything that ever passed stays in memory until the next full collection, and
 * each small collection copies it. So the map is replaced by a copy as soon as more has gone than is there.
 */
export function createPassingMap<K, V>(): PassingMap<K, V> {
  return new RenewedMap();
}

export function createPassingSet<T>(): PassingSet<T> {
  return new RenewedSet();
}

/** As many may go before a copy is worth it, however few are there. */
const FEW = 16;

class RenewedMap<K, V> implements PassingMap<K, V> {
  #map = new Map<K, V>();
  #gone = 0;

  get size(): number {
    return this.#map.size;
  }

  get(key: K): V | undefined {
    return this.#map.get(key);
  }

  has(key: K): boolean {
    return this.#map.has(key);
  }

  set(key: K, value: V): void {
    this.#map.set(key, value);
  }

  delete(key: K): boolean {
    const wasThere = this.#map.delete(key);
    if (wasThere) this.#gone += 1;
    if (this.#gone >= FEW && this.#gone >= this.#map.size) {
      this.#gone = 0;
      this.#map = this.#map.size === 0 ? new Map() : new Map(this.#map);
    }
    return wasThere;
  }

  keys(): readonly K[] {
    return [...this.#map.keys()];
  }

  values(): readonly V[] {
    return [...this.#map.values()];
  }

  oldest(): K | undefined {
    const [first] = this.#map.keys();
    return first;
  }
}

class RenewedSet<T> implements PassingSet<T> {
  readonly #all = new RenewedMap<T, true>();

  get size(): number {
    return this.#all.size;
  }

  has(value: T): boolean {
    return this.#all.has(value);
  }

  add(value: T): void {
    this.#all.set(value, true);
  }

  delete(value: T): boolean {
    return this.#all.delete(value);
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#all.keys()[Symbol.iterator]();
  }
}
