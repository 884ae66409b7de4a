import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toRequiredWords } from "./required-words.ts";
import { createSieve } from "./sieve.ts";
import { isSlowPattern } from "./slow-pattern.ts";
import { any, gap, NOT, PERSON, phrase } from "./words.ts";

const PATTERNS: readonly RegExp[] = [
  phrase(NOT, gap(2), " ", any("tell(?:ing)?", "mention"), gap(3), " ", PERSON),
  phrase("(?:ignore|disregard|stop following)", gap(3), " ", any("previous", "prior"), gap(1), " (?:rules?|orders)"),
  phrase("even (?:if|when|though) ", PERSON),
  /\bnc (?:-\w+ )*-e\b|\/dev\/tcp\//u,
  /(?:忽略|无视).{0,10}(?:指令|规则)/u,
  /(?:nutzer|benutzer)\p{L}{0,4} .{0,40}nicht/u,
  /[[{<(]{2}\s{0,3}(?:system|hidden)/,
  /a*b?/,
];
const WORDS =
  "do not|never|tell|telling|mention|the|user|users|human|ignore|disregard|stop following|previous|prior|rules|orders|even if|even when|nc -e|nc -l -e|/dev/tcp/|忽略|之前的|指令|benutzers|nicht|[[system|x|.|!".split(
    "|",
  );

describe("the sieve", () => {
  test("says of every text what its patterns say", () => {
    const sieve = createSieve(PATTERNS.slice(0, -1));
    const text = fc
      .array(fc.oneof(fc.constantFrom(...WORDS), fc.string({ maxLength: 6 })), { maxLength: 12 })
      .map((words) => words.join(" "));
    fc.assert(
      fc.property(text, (one) => {
        expect(sieve(one)).toBe(PATTERNS.slice(0, -1).some((pattern) => pattern.test(one)));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each(PATTERNS.slice(0, -1).map((pattern) => [pattern.source.slice(0, 40), pattern] as const))(
    "finds what %s cannot do without in all that it matches",
    (_, pattern) => {
      const required = toRequiredWords(pattern) ?? [""];
      const plain = new RegExp(pattern.source.replaceAll(/\\b|\(\?!\\w\)|\\p\{L\}\{0,4\}/g, ""));
      fc.assert(
        fc.property(fc.stringMatching(plain), (match) => {
          expect(required.some((word) => match.includes(word))).toBe(true);
        }),
      );
    },
  );

  test("a pattern that can match anything is always tried", () => {
    expect(toRequiredWords(/a*b?/)).toBeNull();
    expect(createSieve([/a*b?/])("")).toBe(true);
    expect(toRequiredWords(/needle/i)).toBeNull();
  });

  test("a look around is no part of what is matched", () => {
    expect(toRequiredWords(/(?<!not )send(?= it)/)).toEqual(["send"]);
    expect(createSieve([/(?<!not )send(?= it)/])("please send it")).toBe(true);
  });
});

describe("a pattern that can take forever", () => {
  test.each([
    "^(a+)+$",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(x|x)*y",
    "(a|aa)+$",
    "(.*)*",
    "(\\w+\\s?)*$",
    "^(\\d+,?)+$",
    "(x+x+)+y",
    "(?:a{1,}){2,}",
  ])("%s", (pattern) => {
    expect(isSlowPattern(pattern)).toBe(true);
  });

  test.each([
    "^[a-z0-9]+(-[a-z0-9]+)*$",
    "^([a-z]+\\.)+com$",
    "^(\\d{1,3}\\.){3}\\d{1,3}$",
    "^[^@\\s]+@[^@\\s]+\\.[a-z]+$",
    "^(?:GET|POST|PUT)$",
    "^#([0-9a-f]{3}|[0-9a-f]{6})$",
    "(\\w|-)+",
  ])("is not %s", (pattern) => {
    expect(isSlowPattern(pattern)).toBe(false);
  });

  test("what is no pattern at all is read without a word", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        isSlowPattern(text);
      }),
    );
  });
});
