/** Messages that clients have begun to send, all together. */
export interface HalfRead {
  /** More of one came; where all together become too much, the client with most of it is cut off. */
  add(cut: Cut, bytes: number): void;
  /** It is whole, or its client is gone. */
  clear(cut: Cut): void;
}

type Cut = (reason: string) => void;

export function createHalfRead(most: number): HalfRead {
  const held = new Map<Cut, number>();
  let sum = 0;
  const clear = (cut: Cut): void => {
    sum -= held.get(cut) ?? 0;
    held.delete(cut);
  };
  return {
    add(cut, bytes) {
      held.set(cut, (held.get(cut) ?? 0) + bytes);
      sum += bytes;
      if (sum <= most) return;
      const [largest] = [...held].reduce((one, other) => (other[1] > one[1] ? other : one));
      clear(largest);
      largest("all clients together sent too much that is not whole, and it the most");
    },
    clear,
  };
}
