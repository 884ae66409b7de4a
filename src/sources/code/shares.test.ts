import { expect, test } from "vitest";
import type { CodeOwner } from "../code-port.ts";
import { createShares } from "./shares.ts";

const owner = (client: string, session = client): CodeOwner => ({ client, session });

/** How many parts an owner gets when it wants all. */
function most(shares: ReturnType<typeof createShares>, who: CodeOwner): number {
  let count = 0;
  while (shares.tryTake(who, 1)) count += 1;
  return count;
}

test("one alone gets a third, and each that comes later finds something", () => {
  const shares = createShares(48);
  expect(["a", "b", "c", "d"].map((client) => most(shares, owner(client)))).toEqual([16, 11, 7, 5]);
});

test("a client with many sessions leaves half to others, and its first session something to the next ones", () => {
  const shares = createShares(48);
  expect(["1", "2", "3", "4"].map((session) => most(shares, owner("a", session)))).toEqual([16, 6, 2, 0]);
  expect(most(shares, owner("b"))).toBe(8);
});

test("the one that holds least is served first, and equals in the order in which they came", () => {
  const shares = createShares(6);
  const served: string[] = [];
  const wish = (who: CodeOwner, name: string) => shares.take(who, 1, () => void served.push(name));
  for (const name of ["a1", "a2", "a3", "a4"]) wish(owner("a"), name);
  expect(served).toEqual(["a1", "a2"]);
  wish(owner("b"), "b1");
  wish(owner("c"), "c1");
  wish(owner("d"), "d1");
  wish(owner("e"), "e1");
  expect(served.splice(0)).toEqual(["a1", "a2", "b1", "c1", "d1", "e1"]);
  const cancel = wish(owner("f"), "f1");
  wish(owner("g"), "g1");
  wish(owner("h"), "h1");
  cancel();
  shares.give(owner("a"), 1);
  shares.give(owner("a"), 1);
  expect(served.splice(0)).toEqual(["g1", "a3"]);
  shares.give(owner("b"), 1);
  expect(served).toEqual(["h1"]);
});

test("everybody is served in the end", () => {
  const shares = createShares(4);
  const held: CodeOwner[] = [];
  let served = 0;
  for (let at = 0; at < 100; at++) {
    const who = owner(`c${at % 7}`, `s${at % 13}`);
    shares.take(who, 1, () => {
      served += 1;
      held.push(who);
    });
  }
  for (let who = held.shift(); who !== undefined; who = held.shift()) shares.give(who, 1);
  expect(served).toBe(100);
});
