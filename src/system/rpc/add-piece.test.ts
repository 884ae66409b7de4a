import fc from "fast-check";
import { expect, test } from "vitest";
import { GENEROUS, growth } from "../../../test/fixtures/cost.ts";
import { addPiece } from "./add-piece.ts";

const sizes = fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 0, max: 300 })), { maxLength: 2_000 });

test("pieces of any sizes are all there in their order, and never many", () => {
  fc.assert(
    fc.property(sizes, (lengths) => {
      const pieces: Buffer[] = [];
      const all: Buffer[] = [];
      for (const [at, length] of lengths.entries()) {
        const piece = Buffer.alloc(length, at % 251);
        all.push(piece);
        addPiece(pieces, piece);
        expect(pieces.length).toBeLessThan(100);
      }
      expect(Buffer.concat(pieces).equals(Buffer.concat(all))).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test("a few pieces stay the very same", () => {
  const given = Array.from({ length: 64 }, () => Buffer.alloc(1_000));
  const pieces: Buffer[] = [];
  for (const piece of given) addPiece(pieces, piece);
  expect(pieces.every((piece, at) => piece === given[at])).toBe(true);
});

test.each([
  ["one byte each", () => 1],
  ["fewer and fewer bytes", (at: number, size: number) => Math.ceil(((size - at) / size) * 8)],
  ["large and small ones in turn", (at: number) => (at % 65 === 0 ? 2_000 : 1)],
])("copying stays in proportion for pieces of %s", (_, lengthOf) => {
  const cost = growth(10_000, (size) => {
    const given = Array.from({ length: size }, (_piece, at) => Buffer.alloc(lengthOf(at, size)));
    return () => {
      const pieces: Buffer[] = [];
      for (const piece of given) addPiece(pieces, piece);
    };
  });
  expect(cost).toBeLessThan(GENEROUS);
});
