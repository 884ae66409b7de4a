import type { Origin } from "../codes/origin.ts";
import type { ConfigNode, ListNode, MapNode, Scalar, ScalarNode } from "./node.ts";
import { type PathStep, stepTo } from "./path.ts";

/** Plain data as lazily made nodes: what is carried unchanged, such as a schema, stays whole. */
export function plainNode(value: unknown, originAt: (path: string) => Origin): ConfigNode {
  return toNode(value, { path: "", originAt }, null);
}

interface Above {
  readonly path: string;
  readonly originAt: (path: string) => Origin;
}

function toNode(value: unknown, above: Above, key: PathStep): ConfigNode {
  if (Array.isArray(value)) return new PlainList(value, above, key);
  if (typeof value === "object" && value !== null) return new PlainMap(value, above, key);
  return new PlainScalar((value ?? null) as Scalar, above, key); // Written data has no other types.
}

/** The position of most values is never needed, so it is computed on demand. */
abstract class PlainNode<T> implements Above {
  readonly plain: T;
  readonly #above: Above;
  readonly #key: PathStep;

  constructor(plain: T, above: Above, key: PathStep) {
    this.plain = plain;
    this.#above = above;
    this.#key = key;
  }

  get path(): string {
    const { path } = this.#above;
    return stepTo(path, this.#key);
  }

  get originAt(): Above["originAt"] {
    return this.#above.originAt;
  }

  get origin(): Origin {
    return this.originAt(this.path);
  }
}

class PlainScalar extends PlainNode<Scalar> implements ScalarNode {
  readonly kind = "scalar";

  get value(): Scalar {
    return this.plain;
  }
}

class PlainList extends PlainNode<readonly unknown[]> implements ListNode {
  readonly kind = "list";

  get items(): readonly ConfigNode[] {
    return this.plain.map((item, at) => toNode(item, this, at));
  }
}

class PlainMap extends PlainNode<object> implements MapNode {
  readonly kind = "map";

  get entries(): ReadonlyMap<string, ConfigNode> {
    return new Map(Object.entries(this.plain).map(([key, value]) => [key, toNode(value, this, key)]));
  }

  entry(key: string): ConfigNode | undefined {
    return Object.hasOwn(this.plain, key) ? toNode(Reflect.get(this.plain, key), this, key) : undefined;
  }
}
